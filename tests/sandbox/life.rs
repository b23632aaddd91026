//! No container is left behind, whatever becomes of those who wait for it.

use super::bench::{Bench, program, unique};
use crate::processes::{await_processes, processes_named};
use regate::sandbox::{End, Error, Host, Settings};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::time::Instant;

#[tokio::test]
async fn many_calls_leave_no_container() {
    let bench = Arc::new(Bench::new());
    for _ in 0..20 {
        let run = bench.run(program!("ends/hello")).await;
        assert_eq!((run.end, &*run.stdout), (End::Exited(0), "hello\n"));
    }
    bench.leaves_nothing().await;
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let bench = Arc::clone(&bench);
        runs.spawn(async move { bench.run(program!("ends/hello")).await.stdout });
    }
    assert_eq!(runs.join_all().await, ["hello\n"; 8]);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_is_killed_and_removed() {
    let name = unique("t");
    let program = program!("processes/time").replace("regate-NAME", &name);
    let bench = Arc::new(Bench::new());
    let running = {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { bench.run(&program).await })
    };
    await_processes(&name, 2).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    bench.leaves_nothing().await;
    assert_eq!(processes_named(&name).await, 0);
}

/// Starts a program that never ends, and takes the gateway away from it, as a kill would.
fn orphan(bench: &Arc<Bench>, name: &str) {
    let program = program!("processes/time").replace("regate-NAME", name);
    let gateway = Runtime::new().unwrap();
    // What the profile is looked at in is gone then.
    gateway.block_on(async {
        bench.run("").await;
        bench.sandbox.drain().await;
    });
    let running = Arc::clone(bench);
    gateway.spawn(async move { running.run(&program).await });
    gateway.block_on(await_processes(name, 2));
    gateway.shutdown_background();
}

#[test]
fn a_program_ends_with_the_gateway_that_began_it() {
    let name = unique("t");
    let bench = Arc::new(Bench::new());
    orphan(&bench, &name);
    Runtime::new().unwrap().block_on(await_processes(&name, 0));
}

#[test]
fn a_sweep_removes_what_its_own_earlier_life_left_and_nothing_else() {
    let bench = Arc::new(Bench::new());
    orphan(&bench, &unique("t"));
    Runtime::new().unwrap().block_on(async {
        assert_eq!(Bench::new().sweep_anew().await, 0);
        assert_eq!(bench.sweep_anew().await, 1);
        assert_eq!(bench.sweep_anew().await, 0);
    });
}

#[tokio::test]
async fn a_sweep_leaves_runs_under_way_alone() {
    let name = unique("t");
    let program = program!("processes/time").replace("regate-NAME", &name);
    let bench = Bench::new().wall_ms(4_000);
    let sweep = async {
        await_processes(&name, 2).await;
        bench.sandbox.sweep().await.unwrap()
    };
    let (run, swept) = tokio::join!(bench.run(&program), sweep);
    assert_eq!((run.end, swept), (End::TimedOut, 0));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn who_gets_no_turn_is_told_so() {
    let name = unique("t");
    let program = program!("processes/time").replace("regate-NAME", &name);
    let bench =
        Bench::with(Settings { runs_at_once_max: 1, wait_ms_max: 10, ..Bench::new().settings });
    let bench = bench.wall_ms(4_000);
    let second = async {
        await_processes(&name, 2).await;
        bench.try_run(program!("ends/hello").as_bytes()).await
    };
    let (first, second) = tokio::join!(bench.run(&program), second);
    assert_eq!(first.end, End::TimedOut);
    assert!(matches!(second, Err(Error::Busy(10))));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn an_engine_and_an_image_that_are_there_are_found() {
    let bench = Bench::new();
    bench.sandbox.check(Some(&bench.profile)).await.unwrap();
}

#[tokio::test]
async fn an_image_that_is_missing_is_an_error() {
    let bench = Bench::with(Settings {
        images: [("python".into(), "regate-sandbox:missing".into())].into(),
        ..Bench::new().settings
    });
    assert!(matches!(bench.sandbox.check(Some(&bench.profile)).await, Err(Error::Engine(_))));
    let run = bench.try_run(program!("ends/hello").as_bytes()).await;
    assert!(matches!(run, Err(Error::Engine(_))));
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn an_engine_that_is_down_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench_at(&folder.path().join("none.sock").display().to_string());
    let asked = Instant::now();
    let answer = bench.sandbox.check(Some(&bench.profile)).await;
    assert!(matches!(answer, Err(Error::Unreachable(_))));
    let run = bench.try_run(program!("ends/hello").as_bytes()).await;
    assert!(matches!(run, Err(Error::Unreachable(_))));
    assert!(asked.elapsed() < Duration::from_millis(bench.settings.engine_ms_max));
}

#[tokio::test]
async fn an_engine_that_hangs_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hangs.sock");
    let _silent = UnixListener::bind(&path).unwrap();
    let bench = bench_at(&path.display().to_string());
    let answer = bench.sandbox.check(Some(&bench.profile)).await;
    assert!(matches!(answer, Err(Error::Timeout("version"))));
}

fn bench_at(socket: &str) -> Bench {
    Bench::with(Settings {
        hosts: vec![Host::at(&format!("unix://{socket}"))],
        engine_ms_max: 2_000,
        ..Bench::new().settings
    })
}
