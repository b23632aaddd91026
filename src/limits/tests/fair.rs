//! Each tenant that waits has its share of the turns, whatever the others ask for.

use super::subject;
use crate::limits::fair::{FairQueue, Weights};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

fn weights(of: &[(&str, u32)]) -> Weights {
    of.iter().map(|(name, weight)| ((*name).into(), NonZeroU32::new(*weight).unwrap())).collect()
}

fn fill(queue: &mut FairQueue<String>, tenant: &str, count: usize) {
    for _ in 0..count {
        queue.push(&subject(tenant, "agent"), tenant.to_owned());
    }
}

fn turns(queue: &mut FairQueue<String>, count: usize) -> BTreeMap<String, usize> {
    let mut turns = BTreeMap::new();
    for name in (0..count).map_while(|_| queue.pop()) {
        *turns.entry(name).or_default() += 1;
    }
    turns
}

#[test]
fn one_that_comes_late_does_not_wait_behind_a_burst() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    fill(&mut queue, "flood", 1_000);
    turns(&mut queue, 500);
    fill(&mut queue, "quiet", 1);
    assert!(turns(&mut queue, 2).contains_key("quiet"));
}

#[test]
fn weights_are_shares() {
    let mut queue = FairQueue::new(weights(&[("big", 3)]), 0);
    fill(&mut queue, "big", 1_000);
    fill(&mut queue, "small", 1_000);
    let turns = turns(&mut queue, 400);
    assert!((299..=301).contains(&turns["big"]), "{turns:?}");
}

#[test]
fn nothing_is_saved_up_by_not_asking() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    fill(&mut queue, "early", 300);
    turns(&mut queue, 200);
    fill(&mut queue, "late", 100);
    let turns = turns(&mut queue, 50);
    assert!((24..=26).contains(&turns["late"]), "{turns:?}");
}

/// What was saved up is had at once, and then the shares are what they are.
#[test]
fn what_is_saved_up_by_not_asking_is_bounded() {
    let mut queue = FairQueue::new(Weights::new(), 8);
    fill(&mut queue, "early", 300);
    turns(&mut queue, 200);
    fill(&mut queue, "late", 100);
    let first = turns(&mut queue, 8);
    assert_eq!(first["late"], 8, "{first:?}");
    let then = turns(&mut queue, 50);
    assert!((24..=26).contains(&then["late"]), "{then:?}");
}

/// It is saved up by not asking, and not by coming anew.
#[test]
fn what_was_saved_up_is_had_once() {
    let mut queue = FairQueue::new(Weights::new(), 8);
    fill(&mut queue, "patient", 200);
    turns(&mut queue, 20);
    let mut eager = 0;
    for _ in 0..100 {
        fill(&mut queue, "eager", 1);
        while queue.pop().unwrap() == "eager" {
            eager += 1;
            fill(&mut queue, "eager", 1);
        }
    }
    assert!((100..=110).contains(&eager), "{eager}");
}

/// One that asks again each time it had its turn is served no more often than its share.
#[test]
fn nothing_is_gained_by_coming_back_at_once() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    fill(&mut queue, "patient", 100);
    fill(&mut queue, "eager", 1);
    let mut eager = 0;
    for _ in 0..100 {
        if queue.pop().unwrap() == "eager" {
            eager += 1;
            fill(&mut queue, "eager", 1);
        }
    }
    assert!((49..=51).contains(&eager), "{eager}");
}

#[test]
fn in_a_tenant_each_subject_has_its_share_in_the_order_of_asking() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    for number in 0..20 {
        queue.push(&subject("acme", "loud"), ("loud", number));
    }
    for number in 0..3 {
        queue.push(&subject("acme", "quiet"), ("quiet", number));
    }
    let first: Vec<_> = (0..6).filter_map(|_| queue.pop()).collect();
    let of = |who| first.iter().filter(|turn| turn.0 == who).map(|turn| turn.1).collect::<Vec<_>>();
    assert_eq!((of("loud"), of("quiet")), (vec![0, 1, 2], vec![0, 1, 2]));
}

#[test]
fn who_waits_no_longer_costs_its_tenant_nothing() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    fill(&mut queue, "gone", 100);
    fill(&mut queue, "stays", 4);
    queue.retain(|name| name != "gone");
    assert_eq!(queue.len(), 4);
    fill(&mut queue, "gone", 4);
    let turns = turns(&mut queue, 4);
    assert_eq!((turns["gone"], turns["stays"]), (2, 2));
}

#[test]
fn nobody_is_remembered_when_all_had_their_turn() {
    let mut queue = FairQueue::new(Weights::new(), 0);
    for number in 0..1_000 {
        fill(&mut queue, &format!("tenant-{number}"), 1);
        queue.pop();
    }
    assert!(queue.is_empty());
    assert_eq!(queue.lanes(), 0);
}

proptest! {
    /// While all of them wait, two tenants' turns for their weights differ by one at most, and by
    /// what was saved up.
    #[test]
    fn each_has_its_share_up_to_one_and_what_was_saved_up(
        weights_of in proptest::collection::vec(1..8_u32, 1..6),
        served in 0..200_usize,
        before in 0..50_usize,
        saved in 0..10_u32,
    ) {
        let names: Vec<String> =
            (0..weights_of.len()).map(|index| format!("tenant-{index}")).collect();
        let named: Vec<_> =
            names.iter().map(String::as_str).zip(weights_of.iter().copied()).collect();
        let mut queue = FairQueue::new(weights(&named), saved);
        // What happened before they all wait makes no difference.
        fill(&mut queue, "tenant-0", before);
        turns(&mut queue, before);
        for name in &names {
            fill(&mut queue, name, 400);
        }
        let turns = turns(&mut queue, served);
        let share = |index: usize| {
            let turns = turns.get(&names[index]).copied().unwrap_or(0);
            turns as f64 / f64::from(weights_of[index])
        };
        for left in 0..names.len() {
            for right in 0..names.len() {
                // What one turn is to each of them.
                let turn = 1.0 / f64::from(weights_of[left]) + 1.0 / f64::from(weights_of[right]);
                let apart = (share(left) - share(right)).abs();
                prop_assert!(apart <= turn + f64::from(saved) + 1e-9, "{turns:?} for {weights_of:?}");
            }
        }
        if weights_of.iter().all(|weight| *weight == 1) {
            let each = served / names.len();
            let fair = |count: &usize| (each..=each + 1).contains(count);
            prop_assert!(before > 0 || saved > 0 || turns.values().all(fair), "{turns:?}");
        }
    }

    /// Whoever is put in comes out, once.
    #[test]
    fn nobody_is_lost(pushes in proptest::collection::vec((0..4_u8, 0..3_u8), 0..100)) {
        let mut queue = FairQueue::new(weights(&[("1", 5)]), 2);
        for (index, (tenant, id)) in pushes.iter().enumerate() {
            queue.push(&subject(&tenant.to_string(), &id.to_string()), index);
            if index % 3 == 2 {
                let popped = queue.pop().unwrap();
                queue.push(&subject("again", "again"), popped);
            }
        }
        let mut all: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..pushes.len()).collect::<Vec<_>>());
    }
}

/// Who does not fit is passed over and has its turn as soon as it does; it is owed no more by then
/// than it may save up.
#[test]
fn who_does_not_fit_keeps_its_place_and_nobody_waits_for_it() {
    let mut queue = FairQueue::new(Weights::new(), 2);
    fill(&mut queue, "patient", 100);
    fill(&mut queue, "picky", 100);
    for _ in 0..50 {
        assert_eq!(queue.pop_fitting(&|tenant| tenant != "picky").unwrap(), "patient");
    }
    assert_eq!(queue.pop_fitting(&|_| false), None);
    assert_eq!(queue.len(), 150);
    let then = turns(&mut queue, 40);
    assert!((20..=23).contains(&then["picky"]), "{then:?}");
}
