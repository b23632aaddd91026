//! Turns go round, never more than there are, and none is lost.

use super::busy::Busy;
use super::{Suits, Turn, Turns};
use crate::call::{Authentication, Subject};
use crate::limits::fair::Weights;
use futures_util::FutureExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Any place will do.
async fn take(turns: &Turns, subject: &Subject) -> Turn {
    turns.take(subject, Arc::new(|_| Some(0))).await.unwrap()
}

fn subject(tenant: &str) -> Subject {
    Subject {
        id: "agent".into(),
        tenant: tenant.into(),
        roles: Vec::new(),
        authentication: Authentication::ApiKey,
    }
}

#[tokio::test]
async fn a_turn_that_is_given_back_is_the_next_one_s() {
    let turns = Turns::new([1], Weights::new());
    let acme = subject("acme");
    let first = take(&turns, &acme).await;
    let mut second = Box::pin(take(&turns, &acme));
    assert!(second.as_mut().now_or_never().is_none());
    assert_eq!(turns.waiting(), 1);
    drop(first);
    let second = second.now_or_never();
    assert!(second.is_some());
    assert_eq!(turns.waiting(), 0);
    assert!(turns.all_back().now_or_never().is_none());
    drop(second);
    turns.all_back().await;
}

#[tokio::test]
async fn tenants_take_turns_however_many_of_one_wait() {
    let turns = Turns::new([1], Weights::new());
    let (flood, quiet) = (subject("flood"), subject("quiet"));
    let mut held = Some(take(&turns, &flood).await);
    let mut flooding: Vec<_> = (0..20).map(|_| Box::pin(take(&turns, &flood))).collect();
    for waiting in &mut flooding {
        assert!(waiting.as_mut().now_or_never().is_none());
    }
    let mut asked = Box::pin(take(&turns, &quiet));
    assert!(asked.as_mut().now_or_never().is_none());
    let mut before = 0;
    loop {
        held.take();
        if asked.as_mut().now_or_never().is_some() {
            break;
        }
        before += 1;
        held = flooding.iter_mut().find_map(|waiting| waiting.as_mut().now_or_never());
        assert!(held.is_some());
        drop(flooding.remove(0));
    }
    assert!(before <= 1, "{before} of the flood went first");
}

#[tokio::test]
async fn whoever_stops_waiting_keeps_nobody_waiting() {
    let turns = Turns::new([1], Weights::new());
    let acme = subject("acme");
    let first = take(&turns, &acme).await;
    let mut gone = Box::pin(take(&turns, &acme));
    let mut had = Box::pin(take(&turns, &acme));
    let mut stays = Box::pin(take(&turns, &acme));
    for waiting in [&mut gone, &mut had, &mut stays] {
        assert!(waiting.as_mut().now_or_never().is_none());
    }
    drop(gone);
    assert_eq!(turns.waiting(), 2);
    drop(first);
    // It was given its turn and never took it.
    drop(had);
    assert!(stays.now_or_never().is_some());
    turns.all_back().await;
}

#[tokio::test]
async fn without_a_turn_nobody_has_one() {
    let turns = Turns::new([0], Weights::new());
    let acme = subject("acme");
    assert!(take(&turns, &acme).now_or_never().is_none());
    turns.all_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_never_have_more_turns_than_there_are_and_lose_none() {
    let turns = Turns::new([3], Weights::new());
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let tasks: Vec<_> = (0..32)
        .map(|number| {
            let (turns, running, most) = (turns.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let subject = subject(&format!("tenant-{}", number % 3));
                for round in 0..200 {
                    if (number + round) % 5 == 0 {
                        // Asks and gives up, whether or not it was given a turn.
                        let _ = take(&turns, &subject).now_or_never();
                        continue;
                    }
                    let turn = take(&turns, &subject).await;
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(turn);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    turns.all_back().await;
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    let acme = subject("acme");
    let all: Vec<_> = (0..3).map(|_| take(&turns, &acme).now_or_never()).collect();
    assert!(all.iter().all(Option::is_some));
}

/// One that suits at these places, each so well.
fn suits(places: &'static [Option<usize>]) -> Arc<Suits> {
    Arc::new(|place| places.get(place).copied().flatten())
}

#[tokio::test]
async fn a_turn_is_where_it_suits_best_and_then_where_there_is_most_room() {
    let (turns, acme) = (Turns::new([2, 3, 3], Weights::new()), subject("acme"));
    let alike = || turns.take(&acme, suits(&[Some(1), Some(1), Some(1)])).now_or_never();
    let turned = [alike(), alike(), alike()].map(|turn| turn.flatten().unwrap());
    assert_eq!(turned.each_ref().map(Turn::place), [1, 2, 0]);
    let best = turns.take(&acme, suits(&[Some(1), Some(0), Some(0)])).now_or_never();
    assert_eq!(best.flatten().unwrap().place(), 0);
}

#[tokio::test]
async fn who_suits_nowhere_that_is_free_does_not_hold_up_who_does() {
    let (turns, acme) = (Turns::new([1, 1], Weights::new()), subject("acme"));
    let only_first = || turns.take(&acme, suits(&[Some(0), None]));
    let first = only_first().await.unwrap();
    let mut picky = Box::pin(only_first());
    assert!(picky.as_mut().now_or_never().is_none());
    let second = take(&turns, &acme).now_or_never().unwrap();
    assert_eq!(second.place(), 1);
    let mut any = Box::pin(take(&turns, &acme));
    assert!(any.as_mut().now_or_never().is_none());
    drop(second);
    assert_eq!(any.now_or_never().unwrap().place(), 1);
    drop(first);
    assert_eq!(picky.now_or_never().flatten().unwrap().place(), 0);
}

#[tokio::test]
async fn who_waits_for_a_place_that_is_shut_is_sent_elsewhere_or_away() {
    let (turns, acme) = (Turns::new([1, 1], Weights::new()), subject("acme"));
    let held = [take(&turns, &acme).await, take(&turns, &acme).await];
    assert_eq!(held.each_ref().map(Turn::place), [0, 1]);
    let mut picky = Box::pin(turns.take(&acme, suits(&[Some(0), None])));
    let mut any = Box::pin(take(&turns, &acme));
    assert!(picky.as_mut().now_or_never().is_none());
    assert!(any.as_mut().now_or_never().is_none());
    turns.shut(0);
    assert!(picky.now_or_never().unwrap().is_none());
    let [at_first, at_second] = held;
    // What was begun there goes on, and nobody comes after it.
    drop(at_first);
    assert!(any.as_mut().now_or_never().is_none());
    drop(at_second);
    let any = any.now_or_never().unwrap();
    assert_eq!(any.place(), 1);
    let mut next = Box::pin(take(&turns, &acme));
    assert!(next.as_mut().now_or_never().is_none());
    turns.open(0);
    assert_eq!(next.now_or_never().unwrap().place(), 0);
}

#[tokio::test]
async fn where_all_places_are_shut_nobody_waits() {
    let (turns, acme) = (Turns::new([1, 1], Weights::new()), subject("acme"));
    turns.shut(0);
    turns.shut(1);
    assert!(turns.take(&acme, suits(&[Some(0), Some(0)])).now_or_never().unwrap().is_none());
    turns.open(1);
    assert_eq!(take(&turns, &acme).await.place(), 1);
}

#[test]
fn a_short_break_is_none() {
    let start = Instant::now();
    let at = |ms: u64| start + Duration::from_millis(ms);
    let lasts = |busy: &Busy, ms| busy.lasts(at(ms)).map(|lasts| lasts.as_millis());
    let mut busy = Busy::nobody(start);
    assert_eq!(lasts(&busy, 100), None);
    busy.begin(at(100));
    busy.begin(at(110));
    busy.end(at(120));
    assert_eq!((busy.count(), lasts(&busy, 130)), (1, Some(30)));
    busy.end(at(200));
    assert_eq!((busy.count(), lasts(&busy, 215)), (0, Some(115)));
    busy.begin(at(216));
    busy.end(at(300));
    assert_eq!((lasts(&busy, 310), lasts(&busy, 330)), (Some(210), None));
    busy.begin(at(400));
    assert_eq!(lasts(&busy, 405), Some(5));
}
