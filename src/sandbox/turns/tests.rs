//! Turns go round, never more than there are, and none is lost.

use super::Turns;
use crate::call::{Authentication, Subject};
use crate::limits::fair::Weights;
use futures_util::FutureExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

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
    let turns = Turns::new(1, Weights::new());
    let acme = subject("acme");
    let first = turns.take(&acme).await;
    let mut second = Box::pin(turns.take(&acme));
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
    let turns = Turns::new(1, Weights::new());
    let (flood, quiet) = (subject("flood"), subject("quiet"));
    let mut held = Some(turns.take(&flood).await);
    let mut flooding: Vec<_> = (0..20).map(|_| Box::pin(turns.take(&flood))).collect();
    for waiting in &mut flooding {
        assert!(waiting.as_mut().now_or_never().is_none());
    }
    let mut asked = Box::pin(turns.take(&quiet));
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
    let turns = Turns::new(1, Weights::new());
    let acme = subject("acme");
    let first = turns.take(&acme).await;
    let mut gone = Box::pin(turns.take(&acme));
    let mut had = Box::pin(turns.take(&acme));
    let mut stays = Box::pin(turns.take(&acme));
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
    let turns = Turns::new(0, Weights::new());
    let acme = subject("acme");
    assert!(turns.take(&acme).now_or_never().is_none());
    turns.all_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_never_have_more_turns_than_there_are_and_lose_none() {
    let turns = Turns::new(3, Weights::new());
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let tasks: Vec<_> = (0..32)
        .map(|number| {
            let (turns, running, most) = (turns.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let subject = subject(&format!("tenant-{}", number % 3));
                for round in 0..200 {
                    if (number + round) % 5 == 0 {
                        // Asks and gives up, whether or not it was given a turn.
                        let _ = turns.take(&subject).now_or_never();
                        continue;
                    }
                    let turn = turns.take(&subject).await;
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
    let all: Vec<_> = (0..3).map(|_| turns.take(&subject("acme")).now_or_never()).collect();
    assert!(all.iter().all(Option::is_some));
}
