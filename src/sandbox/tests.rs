use super::chores;
use super::container::{self, Shape};
use super::engine::unenforceable;
use super::output::{Output, Overflow, Stream};
use super::register::Register;
use super::{Preload, Settings};
use crate::call::Text;
use crate::policy::{Profile, Runtime};
use bollard::models::{HostConfig, SystemInfo};
use std::time::Duration;

fn profile() -> Profile {
    Profile {
        runtime: Runtime::Runc,
        image: "python".into(),
        files_max: Some(99),
        memory_bytes: 1_000_000,
        cpu_milli: 250,
        pids_max: 7,
        wall_ms: 1_500,
        output_bytes_max: 10,
        writable_bytes_max: 2_000_000,
    }
}

fn shape(modules: &[&str]) -> Shape {
    let modules = modules.iter().map(|module| Text::from(*module)).collect::<Vec<_>>();
    Shape::new(&profile(), &"image:1".into(), &modules)
}

fn host_config() -> HostConfig {
    container::body(&Settings::default(), &shape(&[])).host_config.unwrap()
}

#[test]
fn the_profile_s_limits_are_the_container_s() {
    let host = host_config();
    assert_eq!(host.memory, Some(1_000_000));
    assert_eq!(host.memory_swap, host.memory);
    assert_eq!(host.nano_cpus, Some(250_000_000));
    assert_eq!(host.pids_limit, Some(7));
    let tmpfs = host.tmpfs.unwrap();
    assert!(tmpfs["/tmp"].contains(",size=2000000,nr_inodes=99,"));
    assert_eq!(tmpfs["/tmp"], tmpfs["/workspace"]);
}

#[test]
fn processes_are_counted_by_the_kernel_that_a_program_runs_on() {
    let in_user_space = Profile { runtime: Runtime::Runsc, ..profile() };
    for (profile, at_host, inside) in [(profile(), 7, None), (in_user_space, 152, Some(7))] {
        let shape = Shape::new(&profile, &"image:1".into(), &[]);
        let host = container::body(&Settings::default(), &shape).host_config.unwrap();
        assert_eq!(host.pids_limit, Some(at_host));
        let limits = host.ulimits.unwrap();
        let counted = limits.iter().find(|limit| limit.name.as_deref() == Some("nproc"));
        assert_eq!(counted.and_then(|limit| limit.hard), inside);
    }
}

#[test]
fn nothing_that_a_program_writes_reaches_the_host_s_disk() {
    let host = host_config();
    assert_eq!(host.log_config.unwrap().typ.as_deref(), Some("none"));
    assert_eq!(host.readonly_rootfs, Some(true));
    assert_eq!((host.binds, host.mounts), (None, None));
}

#[test]
fn the_agent_is_told_what_to_import_and_containers_of_other_modules_are_others() {
    let body = container::body(&Settings::default(), &shape(&["numpy", "pandas"]));
    assert_eq!(
        body.entrypoint.unwrap(),
        ["/usr/libexec/regate/agent", "610000", "numpy", "pandas"]
    );
    assert_ne!(shape(&["numpy"]), shape(&[]));
}

#[test]
fn a_program_is_kept_apart_from_its_agent_where_the_kernel_does_not_guard_pid_1() {
    let in_user_space = Profile { runtime: Runtime::Runsc, ..profile() };
    let shape = Shape::new(&in_user_space, &"image:1".into(), &["numpy".into()]);
    let entrypoint = container::body(&Settings::default(), &shape).entrypoint.unwrap();
    assert_eq!(entrypoint[1..], ["610000", "--apart", "numpy"]);
}

#[test]
fn containers_of_profiles_that_differ_in_what_the_agent_is_told_stand_in_for_each_other() {
    let longer = Profile { wall_ms: 9_000, output_bytes_max: 77, ..profile() };
    assert_eq!(Shape::new(&longer, &"image:1".into(), &[]), shape(&[]));
    let larger = Profile { memory_bytes: 9_000_000, ..profile() };
    assert_ne!(Shape::new(&larger, &"image:1".into(), &[]), shape(&[]));
}

#[test]
fn labels_say_whose_a_container_is() {
    let labels = container::body(&Settings::default(), &shape(&[])).labels.unwrap();
    assert_eq!(labels["regate.instance"], "regate");
}

#[test]
fn a_program_gets_the_modules_that_it_imports_and_no_others() {
    let preload = [&["pandas", "numpy"][..], &["pandas"], &["matplotlib.pyplot"]];
    let settings = Settings {
        preload: preload
            .map(|modules| Preload {
                modules: modules.iter().map(|module| Text::from(*module)).collect(),
                stock_max: 1,
            })
            .into(),
        ..Settings::default()
    };
    let cases: [(&[&str], &[&str]); 7] = [
        (&["json", "pandas", "numpy"], &["pandas", "numpy"]),
        (&["pandas"], &["pandas"]),
        (&["pandas.api.types"], &["pandas"]),
        (&["pandas_like"], &[]),
        (&["matplotlib"], &[]),
        (&["matplotlib.pyplot", "numpy"], &["matplotlib.pyplot"]),
        (&[], &[]),
    ];
    for (imported, expected) in cases {
        let preloaded = settings.preloaded(imported);
        assert_eq!(preloaded.iter().map(|module| &**module).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn output_is_taken_up_to_the_cap_on_each_stream() {
    let mut output = Output::new(4);
    assert_eq!(output.take(Stream::Stdout, b"abc"), Ok(()));
    assert_eq!(output.take(Stream::Stderr, b"1234"), Ok(()));
    assert_eq!(output.take(Stream::Stdout, b"de"), Err(Overflow));
    assert_eq!(output.take(Stream::Stdout, b"d"), Ok(()));
    assert_eq!(output.read(), ("abcd".to_owned(), "1234".to_owned(), Vec::new()));
}

#[test]
fn output_that_is_no_text_is_shown_with_replacements() {
    let mut output = Output::new(100);
    assert_eq!(output.take(Stream::Stdout, b"a\xffb"), Ok(()));
    assert_eq!(output.read().0, "a\u{fffd}b");
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

#[test]
fn chores_are_put_off_while_somebody_is_busy_but_not_for_long() {
    let cases = [(None, true), (Some(0), false), (Some(999), false), (Some(1_000), true)];
    for (busy_ms, due) in cases {
        assert_eq!(chores::are_due(busy_ms.map(Duration::from_millis)), due, "{busy_ms:?}");
    }
}
