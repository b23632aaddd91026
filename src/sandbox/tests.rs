use super::Settings;
use super::container;
use super::engine::unenforceable;
use super::life::Register;
use super::output::{Output, Stream};
use crate::call::CallId;
use crate::policy::Profile;
use bollard::models::{HostConfig, SystemInfo};
use std::ops::ControlFlow;

const PROFILE: Profile = Profile {
    memory_bytes: 1_000_000,
    cpu_milli: 250,
    pids_max: 7,
    wall_ms: 1_500,
    output_bytes_max: 10,
    writable_bytes_max: 2_000_000,
};

fn host_config() -> HostConfig {
    let body = container::body(&Settings::default(), &CallId::new("c1"), &PROFILE);
    body.host_config.unwrap()
}

#[test]
fn the_profile_s_limits_are_the_container_s() {
    let host = host_config();
    assert_eq!(host.memory, Some(1_000_000));
    assert_eq!(host.memory_swap, host.memory);
    assert_eq!(host.nano_cpus, Some(250_000_000));
    assert_eq!(host.pids_limit, Some(7));
    let tmpfs = host.tmpfs.unwrap();
    assert!(tmpfs["/tmp"].contains(",size=2000000,"));
    assert_eq!(tmpfs["/tmp"], tmpfs["/workspace"]);
}

#[test]
fn nothing_that_a_program_writes_reaches_the_host_s_disk() {
    let host = host_config();
    assert_eq!(host.log_config.unwrap().typ.as_deref(), Some("none"));
    assert_eq!(host.readonly_rootfs, Some(true));
    assert_eq!((host.binds, host.mounts), (None, None));
}

#[test]
fn the_run_s_own_deadline_comes_after_the_gateway_s() {
    let body = container::body(&Settings::default(), &CallId::new("c1"), &PROFILE);
    let entrypoint = body.entrypoint.unwrap();
    assert_eq!(entrypoint, ["timeout", "--signal=KILL", "3.500"]);
}

#[test]
fn labels_say_whose_a_container_is() {
    let body = container::body(&Settings::default(), &CallId::new("c1"), &PROFILE);
    let labels = body.labels.unwrap();
    assert_eq!(labels["regate.instance"], "regate");
    assert_eq!(labels["regate.call"], "c1");
}

#[test]
fn output_is_kept_up_to_the_cap_on_each_stream() {
    let mut output = Output::new(4);
    assert_eq!(output.take(Stream::Stdout, b"abc"), ControlFlow::Continue(()));
    assert_eq!(output.take(Stream::Stderr, b"1234"), ControlFlow::Continue(()));
    assert!(!output.truncated());
    assert_eq!(output.take(Stream::Stdout, b"def"), ControlFlow::Continue(()));
    assert!(output.truncated());
    assert_eq!(output.stdout(), "abcd");
    assert_eq!(output.stderr(), "1234");
}

#[test]
fn output_without_end_breaks_off() {
    let mut output = Output::new(4);
    let chunk = vec![b'x'; 1024 * 1024];
    let taken = (0..1000).take_while(|_| output.take(Stream::Stderr, &chunk).is_continue());
    assert_eq!(taken.count(), 64);
    assert_eq!(output.stderr(), "xxxx");
}

#[test]
fn output_that_is_no_text_is_shown_with_replacements() {
    let mut output = Output::new(100);
    assert!(output.take(Stream::Stdout, b"a\xffb").is_continue());
    assert_eq!(output.stdout(), "a\u{fffd}b");
}

#[test]
fn a_name_is_in_the_register_as_long_as_its_entry_lives() {
    let register = Register::default();
    let entry = register.enter("a".to_owned());
    assert!(register.holds("a"));
    assert!(!register.holds("b"));
    drop(entry);
    assert!(!register.holds("a"));
}

#[test]
fn an_engine_that_cannot_hold_a_limit_is_known() {
    let able = SystemInfo {
        memory_limit: Some(true),
        cpu_cfs_quota: Some(true),
        pids_limit: Some(true),
        security_options: Some(vec!["name=seccomp,profile=default".to_owned()]),
        ..SystemInfo::default()
    };
    assert_eq!(unenforceable(&able), None);
    let unable = [
        SystemInfo { memory_limit: Some(false), ..able.clone() },
        SystemInfo { cpu_cfs_quota: Some(false), ..able.clone() },
        SystemInfo { pids_limit: Some(false), ..able.clone() },
        SystemInfo { security_options: None, ..able.clone() },
    ];
    let limits = unable.iter().map(unenforceable).collect::<Vec<_>>();
    let expected = ["memory", "CPU time", "processes", "system calls"].map(Some);
    assert_eq!(limits, expected);
    let without_swap_limit = SystemInfo { swap_limit: Some(false), ..able };
    assert_eq!(unenforceable(&without_swap_limit), None);
}
