//! The agent against the program that it looks after, and against whoever speaks to it.

#![expect(clippy::disallowed_methods, reason = "a test says to an agent what no gateway would")]

use super::bench::{Bench, program};
use regate::sandbox::End;
use std::io::Write;
use std::process::{Command, Stdio};

#[tokio::test]
async fn a_program_can_neither_speak_for_the_agent_nor_stop_it() {
    let bench = Bench::new();
    let run = bench.run(program!("agent/forge")).await;
    // What it prints is held back until its end.
    let expected = "\
        E\0\0\0\u{2}{}descriptor 0 PermissionError\n\
        descriptor 1 PermissionError\n\
        descriptor 2 PermissionError\n\
        memory PermissionError\n\
        environment PermissionError\n\
        trace PermissionError\n\
        SIGSTOP None\n\
        SIGKILL None\n\
        SIGTERM None\n\
        SIGINT None\n\
        SIGHUP None\n\
        SIGCHLD None\n\
        its own frames \n\
        alive 1\n";
    assert_eq!((run.end, &*run.stdout), (End::Exited(0), expected), "{}", run.stderr);
    let twin = bench.run(program!("agent/forge_twin")).await;
    assert_eq!((twin.end, &*twin.stdout), (End::Exited(0), "b'spoken'\n9\n"), "{}", twin.stderr);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_a_run_used_is_told() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/memory_twin")).await;
    assert!(run.memory_peak_bytes.is_none_or(|bytes| bytes > 40_000_000), "{run:?}");
    let busy = bench.run(program!("agent/busy")).await;
    assert_eq!((busy.end, &*busy.stdout), (End::Exited(0), "done\n"));
    assert!((300..=30_000).contains(&busy.cpu_ms), "{busy:?}");
    let idle = bench.run(program!("agent/idle")).await;
    assert!(idle.cpu_ms < 200 && idle.duration_ms >= 1_000, "{idle:?}");
    bench.leaves_nothing().await;
}

#[test]
fn whatever_is_said_to_an_agent_it_ends_and_runs_nothing_that_is_not_whole() {
    // Its own namespace of processes is what a PID 1 may kill in.
    let mut driver = Command::new("docker")
        .args(["run", "--rm", "--interactive", "--network=none", "--user=0"])
        .args(["--cap-add=SYS_ADMIN", "--security-opt=seccomp=unconfined"])
        .args(["--entrypoint=python3", "regate-sandbox:latest", "-", "1", "150"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = driver.stdin.take().unwrap();
    stdin.write_all(program!("agent/anything").as_bytes()).unwrap();
    drop(stdin);
    let output = driver.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "held True\n");
}
