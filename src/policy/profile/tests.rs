//! What makes a profile smaller never makes it larger.

use super::{Caps, Limit, Profile, Runtime, Unfit};
use proptest::prelude::*;

fn profile() -> Profile {
    Profile {
        runtime: Runtime::Runc,
        image: "python".into(),
        memory_bytes: 512 << 20,
        cpu_milli: 1_000,
        pids_max: 64,
        wall_ms: 30_000,
        output_bytes_max: 1 << 20,
        writable_bytes_max: 64 << 20,
        files_max: Some(4_096),
    }
}

fn gvisor() -> Profile {
    Profile { runtime: Runtime::Runsc, files_max: None, ..profile() }
}

fn cap(limit: Limit, value: u64) -> Caps {
    Caps::from([(limit, value)])
}

#[test]
fn every_limit_is_the_smallest_of_what_profile_decision_and_operator_say() {
    for limit in Limit::ALL {
        let has = profile().value(limit).unwrap();
        let least = Runtime::Runc.least(limit);
        let cases = [
            (Caps::new(), Caps::new(), has),
            (cap(limit, has), Caps::new(), has),
            (cap(limit, least), Caps::new(), least),
            (Caps::new(), cap(limit, least), least),
            (Caps::new(), cap(limit, u64::MAX), has),
            (cap(limit, has - 1), cap(limit, has - 2), has - 2),
            (cap(limit, has - 2), cap(limit, has - 1), has - 2),
        ];
        for (tightening, ceilings, expected) in cases {
            let run = profile().effective(&tightening, &ceilings).unwrap();
            assert_eq!(run.value(limit), Some(expected), "{tightening:?} {ceilings:?}");
            for other in Limit::ALL.into_iter().filter(|other| *other != limit) {
                assert_eq!(run.value(other), profile().value(other));
            }
        }
    }
}

#[test]
fn what_would_be_wider_or_too_little_or_is_not_held_is_refused() {
    for limit in Limit::ALL {
        let wider = cap(limit, profile().value(limit).unwrap() + 1);
        assert_eq!(profile().effective(&wider, &Caps::new()), Err(Unfit::Wider(limit)));
        let little = cap(limit, Runtime::Runc.least(limit) - 1);
        let too_little = Err(Unfit::TooLittle(limit));
        assert_eq!(profile().effective(&little, &Caps::new()), too_little);
        assert_eq!(profile().effective(&Caps::new(), &little), too_little);
    }
    // What the decision may not ask for it may not ask for under a low ceiling either.
    let wider = cap(Limit::WallMs, 30_001);
    let ceiling = cap(Limit::WallMs, 1_000);
    assert_eq!(profile().effective(&wider, &ceiling), Err(Unfit::Wider(Limit::WallMs)));
    let files = cap(Limit::FilesMax, 10);
    let not_held = Err(Unfit::NotHeld(Limit::FilesMax));
    assert_eq!(gvisor().effective(&files, &Caps::new()), not_held);
    assert_eq!(gvisor().effective(&Caps::new(), &files), not_held);
}

#[test]
fn names_are_told_apart() {
    for limit in Limit::ALL {
        assert_eq!(Limit::named(limit.as_str()), Some(limit));
    }
    for runtime in Runtime::ALL {
        assert_eq!(Runtime::named(runtime.as_str()), Some(runtime));
    }
    assert_eq!((Limit::named("wall"), Runtime::named("crun")), (None, None));
}

fn caps() -> impl Strategy<Value = Caps> {
    let value = prop_oneof![0..200_000_u64, 0..(1_u64 << 31), any::<u64>()];
    proptest::collection::btree_map(proptest::sample::select(&Limit::ALL[..]), value, 0..4)
}

proptest! {
    #[test]
    fn nothing_is_ever_wider(tightening in caps(), ceilings in caps(), is_runc: bool) {
        let profile = if is_runc { profile() } else { gvisor() };
        let Ok(run) = profile.effective(&tightening, &ceilings) else { return Ok(()) };
        for limit in Limit::ALL {
            let bounds = [profile.value(limit), tightening.get(&limit).copied(), ceilings.get(&limit).copied()];
            for bound in bounds.into_iter().flatten() {
                prop_assert!(run.value(limit).is_some_and(|value| value <= bound));
            }
        }
        prop_assert_eq!((run.runtime, &run.image), (profile.runtime, &profile.image));
    }
}
