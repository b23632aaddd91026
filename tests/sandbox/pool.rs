//! Containers that wait for their program: each for one only, and as many as should.

#![expect(clippy::disallowed_methods, reason = "the engine's own client is the witness")]

use super::bench::{Bench, program};
use regate::sandbox::{End, Preload, Settings};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A bench whose sandbox keeps so many containers, and as many with pandas.
fn bench(stock_max: u32) -> Bench {
    let preload = Preload { modules: vec!["pandas".into()], stock_max };
    Bench::with(Settings { stock_max, preload: vec![preload], ..Bench::new().settings })
}

impl Bench {
    /// Looks after the stock until there are so many of each kind.
    async fn stock_up(&self) {
        self.sandbox.prepare(&self.profile);
        let full = async {
            while !self.sandbox.stock().iter().all(|kind| kind.ready == kind.target) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            () = self.sandbox.tend() => {}
            () = full => {}
        }
    }

    fn ready(&self) -> Vec<usize> {
        self.sandbox.stock().iter().map(|kind| kind.ready).collect()
    }
}

/// The names of the running containers of an instance, as the engine knows them.
pub(crate) fn running(instance: &str) -> Vec<String> {
    let filter = format!("label=regate.instance={instance}");
    let listed = Command::new("docker")
        .args(["ps", "--format", "{{.Names}}", "--filter", &filter])
        .output()
        .unwrap();
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn stock_is_made_kept_and_removed() {
    let bench = bench(2);
    bench.stock_up().await;
    assert_eq!(bench.ready(), [2, 2]);
    assert_eq!(bench.sandbox.sweep().await.unwrap(), 0);
    assert_eq!(running(&bench.settings.instance).len(), 4);
    bench.leaves_nothing().await;
    assert_eq!(bench.ready(), [0; 0]);
}

#[tokio::test]
async fn a_container_of_the_stock_runs_one_program() {
    let bench = bench(2);
    for _ in 0..2 {
        bench.stock_up().await;
        let before = running(&bench.settings.instance);
        assert_eq!(bench.run(program!("walls/traces")).await.end, End::Exited(0));
        bench.stock_up().await;
        // The one that ran it is removed by and by.
        while running(&bench.settings.instance).len() > before.len() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let after = running(&bench.settings.instance);
        assert_eq!(before.iter().filter(|name| after.contains(name)).count(), 3);
    }
    let run = bench.run(program!("walls/traces_twin")).await;
    assert_eq!(run.stdout, "/workspace []\n/tmp []\n/dev/shm []\nprocesses 2\n");
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_a_program_imports_chooses_its_container() {
    let bench = bench(1);
    bench.stock_up().await;
    let loaded = program!("packages/loaded");
    assert_eq!(bench.run_importing(loaded, &["json", "pandas"]).await.stdout, "True\n");
    assert_eq!(bench.run_importing(loaded, &["json"]).await.stdout, "False\n");
    // There is none left of either: the next are made as they are asked for.
    assert_eq!(bench.run_importing(loaded, &["pandas"]).await.stdout, "True\n");
    assert_eq!(bench.run_importing(loaded, &[]).await.stdout, "False\n");
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn more_at_once_than_there_are_in_stock_are_all_served() {
    let bench = Arc::new(bench(2));
    bench.stock_up().await;
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let bench = Arc::clone(&bench);
        runs.spawn(async move { bench.run(program!("ends/hello")).await.stdout });
    }
    assert_eq!(runs.join_all().await, ["hello\n"; 12]);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_container_that_died_while_it_waited_is_given_to_nobody() {
    let bench = bench(2);
    bench.stock_up().await;
    let killed = Command::new("docker")
        .arg("kill")
        .args(running(&bench.settings.instance))
        .output()
        .unwrap();
    assert!(killed.status.success());
    for _ in 0..3 {
        assert_eq!(bench.run(program!("ends/hello")).await.stdout, "hello\n");
    }
    bench.stock_up().await;
    assert_eq!(running(&bench.settings.instance).len(), 4);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn what_waited_too_long_is_replaced_and_what_nobody_asks_for_removed() {
    let settings = Settings { stock_ms_max: 1_000, ..bench(1).settings };
    let bench = Bench::with(settings);
    bench.stock_up().await;
    let before = running(&bench.settings.instance);
    while running(&bench.settings.instance).iter().any(|name| before.contains(name)) {
        bench.stock_up().await;
    }
    while !bench.ready().is_empty() {
        tokio::select! {
            () = bench.sandbox.tend() => {}
            () = tokio::time::sleep(Duration::from_millis(50)) => {}
        }
    }
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn stock_leaves_room_for_runs() {
    let settings = Settings { containers_max: 3, runs_at_once_max: 2, ..bench(4).settings };
    let bench = Arc::new(Bench::with(settings));
    bench.sandbox.prepare(&bench.profile);
    while bench.ready().iter().sum::<usize>() < 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(bench.ready().iter().sum::<usize>(), 1);
    let runs = ["pandas", "json", "pandas", "json"].map(|module| {
        let bench = Arc::clone(&bench);
        async move { bench.run_importing(program!("ends/hello"), &[module]).await.stdout }
    });
    assert_eq!(futures_util::future::join_all(runs).await, ["hello\n"; 4]);
    bench.leaves_nothing().await;
}
