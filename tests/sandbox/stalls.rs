//! An engine that falls silent in the middle of a run: every answer is waited for so long and no
//! longer, and nothing is left all the same.

use super::bench::{Bench, program};
use regate::sandbox::{End, Error, Host, Settings};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

const ENGINE: &str = "/var/run/docker.sock";

/// Listens as the engine does and passes everything on to it, but keeps the answers to what
/// begins with these words to itself.
pub(crate) fn silence(socket: &Path, method: &'static str, ending: &'static str) {
    let listener = UnixListener::bind(socket).unwrap();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(pass_on(client, method, ending));
        }
    });
}

/// One connection, for one message after another. What follows one that is kept silent about has
/// no answer either.
async fn pass_on(client: UnixStream, method: &str, ending: &str) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_engine, mut to_engine) = UnixStream::connect(ENGINE).await?.into_split();
    let silent = AtomicBool::new(false);
    let asks = async {
        let mut said = Vec::with_capacity(64 * 1024);
        while from_client.read_buf(&mut said).await? > 0 {
            if is_to(&said, method, ending) {
                silent.store(true, Ordering::SeqCst);
            }
            to_engine.write_all(&said).await?;
            said.clear();
        }
        to_engine.shutdown().await
    };
    let answers = async {
        let mut said = Vec::with_capacity(64 * 1024);
        while from_engine.read_buf(&mut said).await? > 0 {
            if !silent.load(Ordering::SeqCst) {
                to_client.write_all(&said).await?;
            }
            said.clear();
        }
        if silent.load(Ordering::SeqCst) { Ok(()) } else { to_client.shutdown().await }
    };
    tokio::try_join!(asks, answers).map(drop)
}

fn is_to(said: &[u8], method: &str, ending: &str) -> bool {
    let head = String::from_utf8_lossy(said);
    let target = head.split(' ').nth(1).unwrap_or_default();
    head.starts_with(method) && target.split('?').next().unwrap_or_default().ends_with(ending)
}

fn bench_at(socket: &Path) -> Bench {
    Bench::with(Settings {
        hosts: vec![Host::at(&format!("unix://{}", socket.display()))],
        // Much longer than any answer takes that is not kept back.
        engine_ms_max: 8_000,
        ..Bench::new().settings
    })
}

async fn gives_up_on(method: &'static str, ending: &'static str) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("engine.sock");
    silence(&socket, method, ending);
    let bench = bench_at(&socket);
    let run = bench.try_run(program!("ends/hello").as_bytes()).await;
    bench.leaves_nothing().await;
    run.unwrap_err()
}

#[tokio::test]
async fn a_run_is_given_up_where_an_answer_does_not_come() {
    let (create, attach, start) = tokio::join!(
        gives_up_on("POST", "/containers/create"),
        gives_up_on("POST", "/attach"),
        gives_up_on("POST", "/start"),
    );
    assert!(matches!(create, Error::Timeout("create")), "{create}");
    assert!(matches!(attach, Error::Timeout("attach")), "{attach}");
    assert!(matches!(start, Error::Timeout("start")), "{start}");
}

#[tokio::test]
async fn a_time_out_is_one_even_where_the_kill_is_not_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("engine.sock");
    silence(&socket, "POST", "/kill");
    let bench = bench_at(&socket).wall_ms(1_000);
    let run = bench.run(program!("processes/time")).await;
    assert_eq!(run.end, End::TimedOut);
    bench.leaves_nothing().await;
}
