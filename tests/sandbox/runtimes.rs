//! What holds of every run, whichever kernel it is on.

use super::bench::{Bench, program};
use regate::policy::Runtime;
use regate::sandbox::{End, Error, Preload, Settings};

const SHORT_MS: u64 = 6_000;
const LONG_MS: u64 = 120_000;

#[tokio::test]
async fn each_profile_of_the_bundle_runs_on_its_own_kernel() {
    for (profile, kernel) in [("strict", "the host's\n"), ("gvisor", "gVisor\n")] {
        let bench = Bench::under(profile);
        let run = bench.run(program!("runtimes/kernel")).await;
        assert_eq!((run.end, &*run.stdout), (End::Exited(0), kernel), "{}", run.stderr);
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn programs_begin_and_end_alike() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let cases = [
            (program!("ends/hello"), End::Exited(0)),
            (program!("ends/exit_code"), End::Exited(7)),
            (program!("ends/traceback"), End::Exited(1)),
            (program!("ends/signal"), End::Signalled(11)),
        ];
        for (program, end) in cases {
            let run = bench.run(program).await;
            assert_eq!(run.end, end, "{runtime:?} {run:?}");
        }
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn what_a_run_used_is_told_as_far_as_it_is_known() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let busy = bench.run(program!("agent/busy")).await;
        assert_eq!((busy.end, &*busy.stdout), (End::Exited(0), "done\n"));
        assert!((300..=30_000).contains(&busy.cpu_ms), "{runtime:?} {busy:?}");
        let idle = bench.run(program!("agent/idle")).await;
        assert!(idle.cpu_ms < 200 && idle.duration_ms >= 1_000, "{runtime:?} {idle:?}");
        let peak = idle.memory_peak_bytes;
        assert_eq!(peak.is_none(), runtime == Runtime::Runsc, "{runtime:?} {peak:?}");
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn time_memory_output_and_orphans_end_alike() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime).wall_ms(SHORT_MS);
        let late = bench.run(program!("runtimes/endless")).await;
        assert_eq!((late.end, &*late.stdout), (End::TimedOut, "waiting\nwaiting\n"), "{runtime:?}");
        let bench = Bench::of(runtime);
        let memory = bench.run(program!("limits/memory")).await;
        assert_eq!(memory.end, End::OutOfMemory, "{runtime:?}");
        let output = bench.run(program!("limits/output")).await;
        assert_eq!((output.end, output.truncated), (End::Exited(0), true), "{runtime:?}");
        assert_eq!((output.stdout.len(), output.stderr.len()), (100_000, 100_000));
        let flood = bench.run(program!("limits/flood")).await;
        assert_eq!((flood.end, flood.truncated), (End::Signalled(9), true), "{runtime:?}");
        let orphans = bench.run(program!("processes/zombies")).await;
        assert_eq!(orphans.stdout, "no zombie was left\n", "{runtime:?} {orphans:?}");
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn a_fork_bomb_goes_off_inside_and_is_charged() {
    // Busy processes take more of the host's threads than there may be, and gVisor gives up.
    let ends =
        [(Runtime::Runc, SHORT_MS, End::TimedOut), (Runtime::Runsc, LONG_MS, End::Signalled(9))];
    for (runtime, wall_ms, end) in ends {
        let bench = Bench::of(runtime).wall_ms(wall_ms);
        let run = bench.run(program!("processes/fork_bomb")).await;
        assert_eq!(run.end, end, "{runtime:?} {run:?}");
        assert!(run.cpu_ms > 0 && run.duration_ms > 0, "{runtime:?} {run:?}");
        bench.leaves_nothing().await;
    }
}

#[tokio::test]
async fn modules_are_imported_beforehand_and_events_told() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let preload = Preload { modules: vec!["pandas".into()], stock_max: 0 };
        let bench = Bench {
            profile: bench.profile,
            ..Bench::with(Settings { preload: vec![preload], ..bench.settings })
        };
        let loaded = program!("packages/loaded");
        assert_eq!(bench.run_importing(loaded, &["pandas"]).await.stdout, "True\n", "{runtime:?}");
        assert_eq!(bench.run_importing(loaded, &["json"]).await.stdout, "False\n", "{runtime:?}");
        let observed = bench.run_observed(program!("events/done")).await;
        assert!(observed.events.iter().any(|event| &*event.name == "open"), "{runtime:?}");
        bench.leaves_nothing().await;
    }
}

/// The image's base has no agent.
#[tokio::test]
async fn a_start_that_fails_leaves_no_container() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime);
        let images = [("python".into(), "regate-base:bookworm".into())].into();
        let without = Bench::with(Settings { images, ..bench.settings });
        let bench = Bench { profile: bench.profile, ..without };
        let run = bench.try_run(program!("ends/hello").as_bytes()).await;
        assert!(matches!(run, Err(Error::Engine(_))), "{runtime:?} {run:?}");
        bench.leaves_nothing().await;
    }
}

/// gVisor keeps no process from opening what another has open, though it be in another namespace
/// of processes, where nobody of this one can be named.
#[tokio::test]
async fn who_speaks_in_the_agent_s_place_is_ended_and_learns_nothing() {
    let bench = Bench::of(Runtime::Runsc);
    let forger = bench.run(program!("agent/forge")).await;
    assert_eq!(forger.end, End::Signalled(9), "{forger:?}");
    assert!(forger.cpu_ms > 0, "{forger:?}");
    let peers = bench.run(program!("runtimes/peers")).await;
    let expected = "\
        memory PermissionError\n\
        trace PermissionError\n\
        report OSError\n\
        parent 0\n";
    assert_eq!((peers.end, &*peers.stdout), (End::Exited(0), expected), "{}", peers.stderr);
    bench.leaves_nothing().await;
}

/// gVisor lets a process stop and kill the first one that it can name, which is not the agent: the
/// agent tells what became of it.
#[tokio::test]
async fn who_stops_what_looks_after_it_wins_nothing_on_either_kernel() {
    for runtime in Runtime::ALL {
        let bench = Bench::of(runtime).wall_ms(SHORT_MS);
        let stopped = bench.run(program!("runtimes/stop_agent")).await;
        assert_eq!(stopped.end, End::TimedOut, "{runtime:?} {stopped:?}");
        let killed = bench.run(program!("runtimes/kill_agent")).await;
        let end = match runtime {
            Runtime::Runc => End::TimedOut,
            Runtime::Runsc => End::Signalled(9),
        };
        assert_eq!(killed.end, end, "{runtime:?} {killed:?}");
        assert!(stopped.cpu_ms > 0 && killed.cpu_ms > 0, "{stopped:?} {killed:?}");
        bench.leaves_nothing().await;
    }
}
