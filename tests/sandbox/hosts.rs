//! Several hosts: a program is taken to another where nothing of it was run, and only there.
//! Each is a socket of its own; behind those that answer is the same engine.

#![expect(clippy::disallowed_methods, reason = "the engine's own client is the witness")]

use super::bench::{Bench, program, unique};
use super::pool;
use super::stalls::silence;
use crate::processes::{await_processes, processes_named};
use regate::sandbox::{Error, Host, Settings, State};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::UnixListener;

const ENGINE: &str = "/var/run/docker.sock";

fn host(name: &str, socket: &Path) -> Host {
    Host { name: name.into(), ..Host::at(&format!("unix://{}", socket.display())) }
}

/// A bench on one host that has this socket, and one that is the machine's engine.
fn bench_beside(socket: &Path) -> Bench {
    Bench::with(Settings {
        hosts: vec![host("first", socket), host("second", Path::new(ENGINE))],
        // Much longer than any answer takes that is not kept back.
        engine_ms_max: 8_000,
        ..Bench::new().settings
    })
}

impl Bench {
    fn states(&self) -> Vec<State> {
        self.sandbox.hosts().iter().map(|host| host.state).collect()
    }
}

fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("engine.sock");
    (folder, socket)
}

#[tokio::test]
async fn a_program_is_taken_to_another_host_where_nothing_of_it_was_run() {
    let (_folder, socket) = folder();
    let nobody = bench_beside(&socket);
    let (_folder, socket) = folder();
    let _silent = UnixListener::bind(&socket).unwrap();
    let hangs = bench_beside(&socket);
    let (_folder, socket) = folder();
    silence(&socket, "POST", "/start");
    let makes_none = bench_beside(&socket);
    let served = async |bench: &Bench| {
        assert_eq!(bench.states(), [State::Healthy; 2]);
        for _ in 0..2 {
            assert_eq!(bench.run(program!("ends/hello")).await.stdout, "hello\n");
            assert_eq!(bench.states(), [State::Away, State::Healthy]);
        }
        bench.sandbox.check(None).await.unwrap();
        bench.leaves_nothing().await;
    };
    tokio::join!(served(&nobody), served(&hangs), served(&makes_none));
}

#[tokio::test]
async fn a_host_that_answers_again_comes_back_by_itself() {
    let (_folder, socket) = folder();
    let bench = Bench::with(Settings { away_ms_max: 1_000, ..bench_beside(&socket).settings });
    bench.run(program!("ends/hello")).await;
    assert_eq!(bench.states(), [State::Away, State::Healthy]);
    silence(&socket, "NOTHING", "");
    let back = async {
        while bench.states() != [State::Healthy; 2] {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        () = bench.sandbox.tend() => {}
        () = back => {}
    }
    assert_eq!(bench.run(program!("ends/hello")).await.stdout, "hello\n");
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn without_any_host_a_program_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = ["first", "second"].map(|name| host(name, &folder.path().join(name)));
    let bench = Bench::with(Settings { hosts: hosts.into(), ..Bench::new().settings });
    for _ in 0..2 {
        let refused = bench.try_run(program!("ends/hello").as_bytes()).await;
        assert!(matches!(refused, Err(Error::Unreachable(_) | Error::Away)), "{refused:?}");
    }
    assert_eq!(bench.states(), [State::Away; 2]);
    assert!(bench.sandbox.check(None).await.is_err());
    assert!(bench.sandbox.sweep().await.is_err());
}

#[tokio::test]
async fn a_program_that_was_let_go_is_never_run_again() {
    let (_folder, socket) = folder();
    silence(&socket, "NOTHING", "");
    let bench = Arc::new(bench_beside(&socket));
    let name = unique("t");
    let program = program!("processes/time").replace("regate-NAME", &name);
    let running = {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { bench.try_run(program.as_bytes()).await })
    };
    await_processes(&name, 2).await;
    // What the profile was looked at in may still be there.
    let ids = loop {
        let ids = pool::running(&bench.settings.instance);
        if ids.len() == 1 {
            break ids;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(Command::new("docker").arg("kill").args(ids).output().unwrap().status.success());
    let ended = running.await.unwrap();
    assert!(matches!(ended, Err(Error::BrokenOff(_))), "{ended:?}");
    assert_eq!(processes_named(&name).await, 0);
    assert_eq!(bench.states(), [State::Healthy; 2]);
    bench.leaves_nothing().await;
}
