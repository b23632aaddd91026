//! What is seen, held against what is asked for; and what is remembered of it.

use super::seen::Seen;
use super::shortfall::{Swap, shortfalls};
use super::{Probes, Standing};
use crate::policy::{Profile, Runtime};
use serde_json::{Value, json};

fn asked(runtime: Runtime) -> Profile {
    Profile {
        runtime,
        image: "python".into(),
        memory_bytes: 256 << 20,
        cpu_milli: 1_000,
        pids_max: 64,
        wall_ms: 1_000,
        output_bytes_max: 1_000,
        writable_bytes_max: 16 << 20,
        files_max: runtime.counts_files().then_some(4_096),
    }
}

/// What is seen in a container in which all holds.
fn whole(runtime: Runtime) -> Value {
    let text = match runtime {
        Runtime::Runc => include_str!("../../../fixtures/sandbox/seen/runc.json"),
        Runtime::Runsc => include_str!("../../../fixtures/sandbox/seen/runsc.json"),
    };
    serde_json::from_str(text).unwrap()
}

/// What does not hold where one thing is seen otherwise.
fn found(runtime: Runtime, place: &str, value: Value, swap: Swap) -> Vec<String> {
    let mut seen = whole(runtime);
    *seen.pointer_mut(place).unwrap() = value;
    shortfalls(&asked(runtime), &Seen::read(&seen.to_string()).unwrap(), swap)
}

#[test]
fn where_all_holds_nothing_is_found() {
    for runtime in Runtime::ALL {
        let seen = Seen::read(&whole(runtime).to_string()).unwrap();
        assert_eq!(shortfalls(&asked(runtime), &seen, Swap::Counted), [""; 0], "{runtime:?}");
    }
}

#[test]
fn each_limit_that_does_not_hold_is_found_in_either_kernel() {
    let cases = [
        ("/folders/~1tmp/bytes", json!(270_553_174_016_u64), "bytes in /tmp"),
        ("/folders/~1workspace/bytes", json!(16_777_217), "bytes in /workspace"),
        ("/folders/~1workspace/options", json!(["rw"]), "/workspace is not mounted noexec"),
        ("/folders/~1dev~1shm/bytes", json!(67_108_864), "bytes in /dev/shm"),
        ("/folders/~1tmp/options", json!(null), "/tmp is not mounted noexec"),
        ("/folders/~1/options", json!(["rw"]), "/ is not mounted ro"),
        ("/rlimits/nofile", json!(1_048_576), "`nofile`"),
        ("/rlimits/core", json!(-1), "`core`"),
        ("/rlimits", json!({}), "`fsize`"),
        ("/no_new_privileges", json!(0), "new privileges"),
        ("/capabilities/3", json!("00000000a80425fb"), "capabilities"),
        ("/capabilities/0", json!(null), "capabilities"),
        ("/capabilities", json!([]), "capabilities"),
        ("/user", json!(0), "the user"),
        ("/interfaces", json!(["lo", "eth0"]), "network"),
    ];
    for runtime in Runtime::ALL {
        for (place, value, expected) in &cases {
            let found = found(runtime, place, value.clone(), Swap::Counted);
            assert!(found.iter().any(|found| found.contains(expected)), "{place}: {found:?}");
        }
    }
}

#[test]
fn each_limit_that_the_host_s_kernel_shows_is_compared() {
    let cases = [
        ("/memory_bytes", json!(null), "memory_bytes: no limit"),
        ("/memory_bytes", json!(268_435_457), "memory_bytes: 268435457"),
        ("/memory_and_swap_bytes", json!(536_870_912), "swap together: 536870912"),
        ("/pids_max", json!(null), "pids_max"),
        ("/pids_max", json!(65), "pids_max"),
        ("/cpu_milli", json!(null), "cpu_milli"),
        ("/cpu_milli", json!(2_000), "cpu_milli"),
        ("/folders/~1tmp/files", json!(0), "names in /tmp"),
        ("/folders/~1workspace/files", json!(4_097), "names in /workspace"),
        ("/folders/~1tmp/options", json!(["noexec", "nodev"]), "nosuid"),
        ("/seccomp", json!("0"), "filter"),
        ("/seccomp", json!(null), "filter"),
    ];
    for (place, value, expected) in cases {
        let found = found(Runtime::Runc, place, value, Swap::Counted);
        assert!(matches!(&*found, [found] if found.contains(expected)), "{place}: {found:?}");
    }
}

#[test]
fn swap_that_is_not_counted_matters_where_there_may_be_some() {
    let mut seen = whole(Runtime::Runc);
    seen["memory_and_swap_bytes"] = json!(null);
    for (host_swap, holds) in [(json!(0), true), (json!(4096), false), (json!(null), false)] {
        seen["host_swap_bytes"] = host_swap;
        let seen = Seen::read(&seen.to_string()).unwrap();
        let found = shortfalls(&asked(Runtime::Runc), &seen, Swap::Uncounted);
        assert_eq!(found.is_empty(), holds, "{found:?}");
    }
    let seen = Seen::read(&whole(Runtime::Runsc).to_string()).unwrap();
    let found = shortfalls(&asked(Runtime::Runsc), &seen, Swap::Uncounted);
    assert!(matches!(&*found, [found] if found.contains("does not count swap")), "{found:?}");
}

#[test]
fn a_kernel_in_user_space_has_to_be_there_and_to_have_its_memory() {
    for (place, value, expected) in [
        ("/gvisor", json!(false), "gVisor"),
        ("/memory_shown_bytes", json!(25_325_268_992_u64), "memory_bytes"),
        ("/memory_shown_bytes", json!(null), "memory_bytes"),
        ("/rlimits/nproc", json!(65), "`nproc`"),
        ("/rlimits/nproc", json!(-1), "`nproc`"),
    ] {
        let found = found(Runtime::Runsc, place, value, Swap::Counted);
        assert!(matches!(&*found, [found] if found.contains(expected)), "{place}: {found:?}");
    }
}

#[test]
fn what_is_smaller_than_asked_for_holds() {
    for (place, value) in [
        ("/memory_bytes", json!(268_431_360)),
        ("/pids_max", json!(63)),
        ("/folders/~1tmp/bytes", json!(4_096)),
        ("/rlimits/nofile", json!(64)),
        ("/interfaces", json!([])),
    ] {
        assert_eq!(found(Runtime::Runc, place, value, Swap::Counted), [""; 0], "{place}");
    }
}

#[test]
fn what_is_no_whole_report_is_none() {
    let mut seen = whole(Runtime::Runc);
    assert!(Seen::read("").is_err());
    seen.as_object_mut().unwrap().remove("user");
    assert!(Seen::read(&seen.to_string()).is_err());
    seen["user"] = json!(65_534);
    assert!(Seen::read(&seen.to_string()).is_ok());
    seen["more"] = json!(1);
    assert!(Seen::read(&seen.to_string()).is_err());
}

#[test]
fn nothing_is_known_of_what_was_not_looked_at_or_of_another_engine() {
    let probes = Probes::default();
    let profile = asked(Runtime::Runc);
    assert_eq!(probes.standing(&profile), Standing::Unknown);
    let learn = || {
        let cell = std::sync::Arc::clone(probes.lock().cells.entry(profile.clone()).or_default());
        cell.set(Standing::Ready).unwrap();
    };
    learn();
    assert_eq!(probes.standing(&profile), Standing::Ready);
    probes.keep(None, std::slice::from_ref(&profile));
    assert_eq!(probes.standing(&profile), Standing::Unknown);
    learn();
    probes.keep(None, &[]);
    assert_eq!(probes.standing(&profile), Standing::Unknown);
}
