//! What a program uses up is its own.

use super::bench::{Bench, program, unique};
use crate::processes::{await_processes, processes_named};
use regate::sandbox::End;

/// A time limit that every program of these tests overruns, and that lets it start.
const SHORT_MS: u64 = 4_000;

#[tokio::test]
async fn a_time_out_ends_the_whole_tree() {
    let name = unique("t");
    let program = program!("processes/time").replace("regate-NAME", &name);
    let bench = Bench::new().wall_ms(SHORT_MS);
    let (run, ()) = tokio::join!(bench.run(&program), await_processes(&name, 2));
    assert_eq!(run.end, End::TimedOut);
    assert_eq!(run.stdout, "waiting\nwaiting\n");
    assert!(run.duration_ms >= SHORT_MS);
    bench.leaves_nothing().await;
    assert_eq!(processes_named(&name).await, 0);
    let bench = Bench::new();
    let twin = bench.run(program!("processes/time_twin")).await;
    assert_eq!(twin.end, End::Exited(0));
    assert_eq!(twin.stdout, "both ended\n");
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn stopping_what_looks_after_it_wins_a_program_nothing() {
    let name = unique("t");
    let program = program!("processes/time_unguarded").replace("regate-NAME", &name);
    let bench = Bench::new().wall_ms(SHORT_MS);
    let (run, ()) = tokio::join!(bench.run(&program), await_processes(&name, 1));
    assert_eq!(run.end, End::TimedOut);
    bench.leaves_nothing().await;
    assert_eq!(processes_named(&name).await, 0);
}

#[tokio::test]
async fn memory_that_runs_out_is_told_from_a_kill() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/memory")).await;
    assert_eq!(run.end, End::OutOfMemory);
    let twin = bench.run(program!("limits/memory_twin")).await;
    assert_eq!((twin.end, &*twin.stdout), (End::Exited(0), "40000000\n"));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_program_may_outlive_a_child_that_ran_out_of_memory() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/memory_child")).await;
    assert_eq!((run.end, &*run.stdout), (End::Exited(0), "child -9\n"));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn output_beyond_the_cap_is_cut_and_said_to_be() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/output")).await;
    assert_eq!(run.end, End::Exited(0));
    assert!(run.truncated);
    assert_eq!(run.stdout, "o".repeat(100_000));
    assert_eq!(run.stderr, "e".repeat(100_000));
    let twin = bench.run(program!("limits/output_twin")).await;
    assert!(!twin.truncated);
    assert_eq!(twin.stdout.len(), 100_000);
    assert_eq!(twin.stderr.len(), 100_000);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn output_without_end_is_stopped_long_before_the_time_is_up() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/flood")).await;
    assert_eq!(run.end, End::Signalled(9));
    assert!(run.truncated);
    assert_eq!((run.stdout.len(), run.stderr.len()), (100_000, 100_000));
    assert!(run.duration_ms < bench.profile.wall_ms);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_fork_bomb_goes_off_inside() {
    let bench = Bench::new().wall_ms(SHORT_MS);
    let run = bench.run(program!("processes/fork_bomb")).await;
    assert_eq!(run.end, End::TimedOut);
    bench.leaves_nothing().await;
    // Beside the program there is the one that looks after it.
    let count = bench.run(program!("processes/fork_count")).await;
    assert_eq!((count.end, &*count.stdout), (End::Exited(0), "62\n"));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn orphans_do_not_use_up_the_processes() {
    let bench = Bench::new();
    let run = bench.run(program!("processes/zombies")).await;
    let expected = (End::Exited(0), "no zombie was left\n");
    assert_eq!((run.end, &*run.stdout), expected);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn folders_take_so_many_bytes_and_so_many_names() {
    let bench = Bench::new();
    let run = bench.run(program!("limits/disk")).await;
    let expected = "\
        /workspace 16777216 No space left on device\n\
        /workspace 4095 No space left on device\n\
        /tmp 16777216 No space left on device\n\
        /tmp 4095 No space left on device\n\
        /dev/shm 16777216 No space left on device\n\
        sparse File too large\n";
    assert_eq!((run.end, &*run.stdout), (End::Exited(0), expected));
    let twin = bench.run(program!("limits/disk_twin")).await;
    let expected = "\
        /workspace/note.txt kept\n\
        /tmp/note.txt kept\n\
        /dev/shm/note.txt kept\n";
    assert_eq!((twin.end, &*twin.stdout), (End::Exited(0), expected));
    bench.leaves_nothing().await;
}
