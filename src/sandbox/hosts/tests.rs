//! A host that fails is shut where there are others, comes back, and pauses grow to their bound.

use super::health::{Company, Health, Place, State, pause};
use crate::call::{Authentication, Subject};
use crate::limits::fair::Weights;
use crate::sandbox::Error;
use crate::sandbox::turns::Turns;
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;

const MOST: Duration = Duration::from_secs(30);

fn host(company: Company) -> (Turns, Health) {
    let turns = Turns::new([1, 1], Weights::new());
    let place = Place { turns: turns.clone(), number: 0, company };
    (turns, Health::new(&"first".into(), place, MOST))
}

/// Where the next program would be taken that suits the first place best.
fn next(turns: &Turns) -> usize {
    let subject = Subject {
        id: "agent".into(),
        tenant: "acme".into(),
        roles: Vec::new(),
        authentication: Authentication::Local,
    };
    let best = Arc::new(|place: usize| Some(10 - place));
    turns.take(&subject, best).now_or_never().flatten().unwrap().place()
}

fn unreachable() -> Error {
    Error::Unreachable("refused".to_owned())
}

#[test]
fn pauses_double_up_to_their_bound_and_half_of_each_is_by_chance() {
    for chance in [0, 1, 500, 999, u64::MAX] {
        let pauses: Vec<_> = (0..70).map(|pauses| pause(pauses, MOST, chance)).collect();
        assert!(pauses.is_sorted());
        assert!(pauses.iter().all(|pause| (Duration::from_millis(250)..=MOST).contains(pause)));
        assert!(pauses[1] >= pauses[0] * 2 - Duration::from_millis(1));
        assert!(pauses[69] >= MOST / 2);
    }
    assert!(pause(3, MOST, 999) > pause(3, MOST, 0));
    assert!(pause(3, Duration::from_millis(10), 999) <= Duration::from_millis(10));
}

#[tokio::test]
async fn a_host_that_fails_is_left_out_until_it_is_well() {
    let (turns, health) = host(Company::Others);
    let shut = health.until_shut();
    assert_eq!((health.is_shut(), next(&turns)), (false, 0));
    health.blame(&unreachable());
    assert_eq!((health.is_shut(), next(&turns), health.state().0), (true, 1, State::Away));
    shut.await;
    health.still_away(&unreachable());
    assert_eq!(next(&turns), 1);
    health.is_well();
    assert_eq!((health.is_shut(), next(&turns), health.state().0), (false, 0, State::Healthy));
}

#[tokio::test]
async fn a_host_that_is_alone_is_never_shut() {
    let (turns, health) = host(Company::Alone);
    health.blame(&unreachable());
    assert_eq!((health.is_shut(), next(&turns), health.state().0), (false, 0, State::Away));
    assert!(health.until_shut().now_or_never().is_none());
}

#[tokio::test]
async fn what_may_be_a_program_s_or_a_profile_s_fault_is_looked_into_first() {
    let (turns, health) = host(Company::Others);
    assert!(health.doubted().now_or_never().is_none());
    for perhaps in [
        Error::Engine("no such runtime".to_owned()),
        Error::Agent("its stream ended".to_owned()),
        Error::BrokenOff("its stream ended".to_owned()),
        Error::Timeout("load"),
        Error::Timeout("ready"),
    ] {
        health.blame(&perhaps);
        assert!(health.doubted().now_or_never().is_some(), "{perhaps}");
    }
    health.blame(&Error::Busy(1));
    health.blame(&Error::GivenUp);
    assert!(health.doubted().now_or_never().is_none());
    assert_eq!((health.is_shut(), next(&turns)), (false, 0));
    health.blame(&Error::Timeout("create"));
    assert!(health.is_shut());
}

#[tokio::test]
async fn a_host_that_fails_again_soon_is_asked_later_each_time() {
    let (_turns, health) = host(Company::Others);
    let mut least = Duration::ZERO;
    for _ in 0..5 {
        health.failed(&unreachable());
        assert!(health.pause() >= least);
        least = health.pause() / 2;
        health.is_well();
    }
    assert!(least >= Duration::from_secs(1));
}
