//! The limits of a bundle, held strictly.

use super::read;
use crate::call::{Allowance, Allowances, DayCaps, SessionCaps};
use std::num::NonZeroU32;

const SHIPPED: &str = include_str!("../../../../policies/data/limits.json");
const BOUNDED: &str = include_str!("../../../../fixtures/bundles/bounded/data/limits.json");

#[test]
fn the_shipped_bundle_bounds_nothing() {
    let limits = read(SHIPPED).unwrap();
    assert_eq!((limits.allowances, limits.told.len()), (Allowances::default(), 0));
}

#[test]
fn every_limit_is_read() {
    let limits = read(BOUNDED).unwrap();
    let subject = Allowance {
        calls_at_once_max: Some(5),
        calls_per_second_max: NonZeroU32::new(10),
        burst_max: NonZeroU32::new(20),
        day: DayCaps {
            calls_per_day_max: Some(1_000),
            tokens_per_day_max: Some(2_000),
            cost_microusd_per_day_max: Some(3_000),
            sandbox_cpu_ms_per_day_max: Some(4_000),
        },
    };
    let tenant = Allowance {
        calls_per_second_max: NonZeroU32::new(30),
        // It was not written.
        burst_max: NonZeroU32::new(30),
        day: DayCaps { calls_per_day_max: Some(5_000), ..DayCaps::default() },
        ..Allowance::default()
    };
    let session = SessionCaps {
        steps_max: Some(100),
        ms_max: Some(3_600_000),
        tokens_max: Some(500),
        cost_microusd_max: Some(600),
    };
    assert_eq!(limits.allowances, Allowances { subject, tenant, session });
    assert_eq!(limits.told.len(), 13);
    assert!(limits.told.iter().all(|told| !told.reason.is_empty()));
}

#[test]
fn a_group_may_be_left_out_and_the_reason_may_not() {
    assert!(read("{\"reason\": \"none is needed\"}").is_ok());
    assert!(read("{}").is_err());
    assert!(read("{\"reason\": \" \"}").is_err());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (from, to, told) in [
        (
            "\"steps_max\"",
            "\"steps\"",
            "`session`: `steps` is no limit; there are steps_max, ms_max",
        ),
        ("\"session\"", "\"sessions\"", "unknown field `sessions`"),
        ("\"value\": 100,", "\"value\": 0,", "`session`: the value of `steps_max` is 0, and not"),
        ("\"value\": 100,", "\"value\": -1,", "the value of `steps_max` is -1"),
        ("\"value\": 100,", "\"value\": 1.5,", "the value of `steps_max` is 1.5"),
        ("\"value\": 100,", "\"value\": \"100\",", "the value of `steps_max` is \"100\""),
        ("\"value\": 100,", "\"value\": null,", "the value of `steps_max` is null"),
        ("\"value\": 100,", "", "missing field `value`"),
        (
            "\"value\": 10,",
            "\"value\": 4294967296,",
            "`subject`: `calls_per_second_max` is at most",
        ),
        ("\"ms_max\"", "\"steps_max\"", "`session`: `steps_max` is told twice"),
        ("No agent thinks faster.", " ", "`subject`: `calls_per_second_max` has a reason"),
        ("\"calls_at_once_max\"", "\"steps_max\"", "`subject`: `steps_max` is no limit"),
    ] {
        let changed = BOUNDED.replacen(from, to, 1);
        assert_ne!(changed, BOUNDED, "{from} is not there");
        let error = read(&changed).unwrap_err();
        assert!(error.contains(told), "{to}: {error}");
    }
}
