//! The profiles of a bundle, held strictly.

use super::read;
use crate::policy::Runtime;

const SHIPPED: &str = include_str!("../../../../policies/data/sandbox.json");

#[test]
fn the_shipped_profiles_are_read() {
    let profiles = read(SHIPPED).unwrap();
    let strict = profiles.get("strict").unwrap();
    assert_eq!(strict.memory_bytes, 512 << 20);
    assert_eq!(strict.wall_ms, 30_000);
    assert_eq!((strict.runtime, strict.files_max), (Runtime::Runc, Some(4_096)));
    let gvisor = profiles.get("gvisor").unwrap();
    assert_eq!((gvisor.runtime, gvisor.files_max), (Runtime::Runsc, None));
    assert_eq!((&*strict.image, &*gvisor.image), ("python", "python"));
}

#[test]
fn a_changed_profile_is_refused() {
    for (from, to) in [
        ("\"cpu_milli\"", "\"cpus\""),
        ("\"value\": 30000", "\"value\": 0"),
        ("\"value\": 30000", "\"value\": -1"),
        ("\"value\": 30000", "\"value\": \"30 s\""),
        ("\"value\": 1000,", ""),
        ("\"reason\": \"For code of", "\"because\": \"For code of"),
        ("\"value\": \"runc\"", "\"value\": \"crun\""),
        ("\"value\": \"runc\"", "\"value\": \"\""),
        ("\"value\": \"python\"", "\"value\": \"\""),
        ("\"value\": 4096", "\"value\": 0"),
        ("\"value\": 4096", "\"value\": null"),
        ("\"value\": null", "\"value\": 4096"),
        ("\"value\": 536870912", "\"value\": 4096"),
    ] {
        let changed = SHIPPED.replace(from, to);
        assert_ne!(changed, SHIPPED, "{from} is not there");
        assert!(read(&changed).is_err(), "{to}");
    }
}

#[test]
fn a_value_without_a_reason_is_refused() {
    let (before, after) = SHIPPED.split_once("Longer than").unwrap();
    let (_, after) = after.split_once('"').unwrap();
    let changed = format!("{before}\"{after}");
    assert!(read(&changed).unwrap_err().contains("wall_ms"));
}
