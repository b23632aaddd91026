//! What a call needs is taken away in the middle and given back: denials with their causes, and
//! recovery without a restart.

use crate::disk::{Immutable, Mount, fill};
use crate::engine::containers;
use crate::failing_closed::{HARMLESS, assert_counted};
use crate::proxy::Proxy;
use crate::served::{Served, With};
use serde_json::Value;
use std::time::Duration;

/// Uses up what room the database may have left of its own.
async fn until_denied(served: &Served) -> Value {
    for _ in 0..1_000 {
        let reply = served.decide(HARMLESS).await;
        if reply["decision"] == "denied" {
            return reply;
        }
    }
    panic!("nothing was denied");
}

fn assert_cause(reply: &Value, cause: &str) {
    assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &cause.into()), "{reply}");
    assert_eq!(reply["result"], Value::Null, "{reply}");
}

async fn ready(served: &Served, component: &str) -> Value {
    let readyz: Value = serde_json::from_str(&served.get("/readyz").await).unwrap();
    readyz[component]["ok"].clone()
}

#[tokio::test]
async fn a_full_disk_denies_and_room_on_it_is_enough_to_go_on() {
    let disk = tempfile::TempDir::new().unwrap();
    let _mount = Mount::small(disk.path(), 1);
    let (data, ballast) = (disk.path().join("data"), disk.path().join("ballast"));
    let mut served = Served::start(&With { data: Some(&data), ..With::default() });
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");

    fill(&ballast);
    assert_cause(&until_denied(&served).await, "ledger");
    assert_counted(&mut served, "ledger").await;
    assert!(served.metric("regate_ledger_errors_total", &[]).await >= 1.0);
    assert_eq!(ready(&served, "ledger").await, false);

    std::fs::remove_file(ballast).unwrap();
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    assert!(served.verify());
}

/// A subject may fill the ledger with refused calls, but only so far.
#[tokio::test]
async fn a_ledger_that_has_its_size_denies_until_something_is_moved_away() {
    let data = tempfile::tempdir().unwrap();
    let settings = "[ledger]\ntotal_bytes_max = 67108864\n";
    let with = With { data: Some(data.path()), settings, ..With::default() };
    let mut served = Served::start(&with);
    let ballast = data.path().join("ledger-ballast");
    std::fs::File::create(&ballast).unwrap().set_len(67_108_864).unwrap();
    // The size is looked at now and then.
    while served.decide(HARMLESS).await["decision"] == "permitted" {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_cause(&served.call(HARMLESS).await, "ledger");
    assert_counted(&mut served, "ledger").await;
    assert!(served.metric("regate_ledger_errors_total", &["no_room"]).await >= 1.0);
    assert!(served.metric("regate_ledger_bytes", &[]).await >= 67_108_864.0);
    assert_eq!(ready(&served, "ledger").await, false);
    std::fs::remove_file(ballast).unwrap();
    while served.decide(HARMLESS).await["decision"] == "denied" {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(served.verify());
}

/// Not even root writes to what is immutable, by a file that is open neither.
#[tokio::test]
async fn a_ledger_that_becomes_read_only_denies_until_it_can_be_written() {
    // A disk, not memory: there nothing is immutable.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut served = Served::start(&With { data: Some(folder.path()), ..With::default() });
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    for _ in 0..2 {
        let shut =
            ["ledger.db", "ledger.db-wal"].map(|name| Immutable::new(folder.path().join(name)));
        for _ in 0..3 {
            assert_cause(&served.call(HARMLESS).await, "ledger");
        }
        assert_counted(&mut served, "ledger").await;
        assert_eq!(ready(&served, "ledger").await, false);
        drop(shut);
        assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    }
    assert!(served.verify());
    let records = served.ledger();
    assert!(records.iter().all(|record| record["body"]["advisory"] == true), "a call was recorded");
}

#[tokio::test(flavor = "multi_thread")]
async fn docker_that_stops_in_the_middle_denies_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("docker.sock");
    let mut proxy = Proxy::at(&socket);
    let instance = format!("outage-test-{}", std::process::id());
    let settings = format!(
        "[sandbox]\ninstance = '{instance}'\ndocker = 'unix://{}'\n",
        socket.to_str().unwrap()
    );
    let served = Served::start(&With { settings: &settings, ..With::default() });
    assert_eq!(served.call(HARMLESS).await["result"]["stdout"], "1\n");

    let running = served.call("import time\nprint(1)\ntime.sleep(20)");
    let stopping = async {
        while containers(&instance) == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // The program is running, or about to be.
        tokio::time::sleep(Duration::from_millis(500)).await;
        proxy.stop().await;
    };
    let (cut_off, ()) = tokio::join!(running, stopping);
    assert_cause(&cut_off, "sandbox");
    assert_cause(&served.call(HARMLESS).await, "sandbox");
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    assert_eq!(ready(&served, "docker").await, false);
    let records = served.ledger();
    let ended = |call: &Value| {
        let of_call = |record: &&Value| record["kind"] == "outcome" && record["call"] == *call;
        records.iter().find(of_call).map(|record| record["body"]["outcome"].clone())
    };
    assert_eq!(ended(&cut_off["id"]), Some("unavailable".into()));

    proxy.start();
    assert_eq!(served.call(HARMLESS).await["result"]["stdout"], "1\n");
    while ready(&served, "docker").await == false {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // What was running is removed as well, by its own life or by the next sweep.
    while containers(&instance) > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(served.verify());
}
