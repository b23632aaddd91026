//! Logs and metrics that go nowhere: the calls go on.

use super::{HARMLESS, assert_up};
use crate::served::{Served, With};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Each call leaves some lines.
const TALKATIVE: &str = "[log]\nfilter = \"debug\"\n";

/// The reader's and the writer's end of a way that is full.
fn full() -> (UnixStream, UnixStream) {
    let (reader, mut writer) = UnixStream::pair().unwrap();
    writer.set_nonblocking(true).unwrap();
    loop {
        match writer.write(&[b'.'; 4096]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    writer.set_nonblocking(false).unwrap();
    (reader, writer)
}

async fn assert_both_run(served: &mut Served) {
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
    }
    assert_up(served).await;
}

/// A collector of logs that hangs must not hang what it collects from.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_nobody_reads_holds_up_nobody() {
    let (mut reader, writer) = full();
    let with = With { settings: TALKATIVE, ..With::default() };
    let mut served = Served::start_logging_to(&with, Stdio::from(OwnedFd::from(writer)));
    for _ in 0..20 {
        assert_both_run(&mut served).await;
    }
    assert_eq!(served.ledger().len(), 80);
    // What waited is there for a reader who comes late.
    let mut seen = String::new();
    while !seen.contains("call closed") {
        let mut bytes = [0; 4096];
        let count = reader.read(&mut bytes).unwrap();
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    // And where none comes, its end is not waited for without end.
    let (_reader, writer) = full();
    let served = Served::start_logging_to(&with, Stdio::from(OwnedFd::from(writer)));
    served.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_closed_is_counted_and_the_calls_go_on() {
    let (reader, writer) = UnixStream::pair().unwrap();
    drop(reader);
    let with = With { settings: TALKATIVE, ..With::default() };
    let mut served = Served::start_logging_to(&with, Stdio::from(OwnedFd::from(writer)));
    assert_both_run(&mut served).await;
    while served.metric("regate_log_lines_lost_total", &[]).await < 2.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_both_run(&mut served).await;
}

/// No file takes anything on a disk that is full; `/dev/full` is one.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_on_a_full_disk_is_counted_and_the_calls_go_on() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let with = With { settings: TALKATIVE, ..With::default() };
    let mut served = Served::start_logging_to(&with, full.into());
    assert_both_run(&mut served).await;
    while served.metric("regate_log_lines_lost_total", &[]).await < 2.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whoever asks for metrics again and again and takes none of them keeps its own connection busy.
#[tokio::test(flavor = "multi_thread")]
async fn metrics_that_nobody_takes_hold_up_nobody() {
    let mut served = Served::start(&With::default());
    let address = served.url.trim_start_matches("http://").to_owned();
    let ask = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut scrapers = Vec::new();
    for _ in 0..8 {
        let mut scraper = TcpStream::connect(&address).await.unwrap();
        // Until neither side takes anything more.
        while tokio::time::timeout(Duration::from_millis(200), scraper.write_all(ask.as_bytes()))
            .await
            .is_ok_and(|sent| sent.is_ok())
        {}
        scrapers.push(scraper);
    }
    assert_both_run(&mut served).await;
    assert_eq!(served.ledger().len(), 4);
}
