//! The agent against the program that it looks after.

use super::bench::{Bench, program};
use regate::sandbox::End;

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
