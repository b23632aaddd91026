//! What a call needs is taken away in the middle and given back: denials with their causes, and
//! recovery without a restart.

use crate::disk::{Immutable, Mount, fill};
use crate::dockerd::Dockerd;
use crate::failing_closed::HARMLESS;
use crate::served::{Asked, Served, With};
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

/// Both doors deny for want of a ledger, and count it; nothing runs.
async fn assert_both_denied(served: &mut Served) {
    for reply in served.both("run_python", HARMLESS).await {
        assert_cause(&reply, "ledger");
    }
    for door in ["door=\"rest\"", "door=\"mcp\""] {
        let labels = [door, "denied", "cause=\"ledger\""];
        assert!(served.metric("regate_calls_total", &labels).await >= 1.0, "{door}");
    }
    assert_eq!(served.metric("regate_sandbox_outcomes_total", &[]).await, 0.0);
    assert!(served.is_up());
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
    assert_both_denied(&mut served).await;
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
    assert_both_denied(&mut served).await;
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
        for _ in 0..2 {
            assert_both_denied(&mut served).await;
        }
        assert_eq!(ready(&served, "ledger").await, false);
        drop(shut);
        assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    }
    assert!(served.verify());
    let records = served.ledger();
    assert!(records.iter().all(|record| record["body"]["advisory"] == true), "a call was recorded");
}

/// A call through each door, and what befalls the engine while both run.
async fn interrupted(
    served: &Served,
    instance: &str,
    dockerd: &mut Dockerd,
    befalls: impl FnOnce(&mut Dockerd),
) -> [Value; 2] {
    let code = "import time\nprint(1)\ntime.sleep(20)";
    let asked = Asked { key: "any", session: None, code };
    let befalling = async {
        while dockerd.containers(instance) < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // The programs are running, or about to be.
        tokio::time::sleep(Duration::from_millis(500)).await;
        befalls(dockerd);
    };
    let (rest, mcp, ()) = tokio::join!(served.rest(&asked), served.mcp(&asked), befalling);
    [rest, mcp]
}

/// The outcomes that the ledger has of these calls.
fn outcomes(served: &Served, replies: &[Value; 2]) -> [Value; 2] {
    let records = served.ledger();
    replies.each_ref().map(|reply| {
        let of_call =
            |record: &&Value| record["kind"] == "outcome" && record["call"] == reply["id"];
        records.iter().find(of_call).unwrap()["body"]["outcome"].clone()
    })
}

/// How a call fares without an engine: the cause at the doors, and the outcome in the ledger.
type Fate = [&'static str; 2];

const NOT_BEGUN: Fate = ["sandbox", "unavailable"];
const BROKEN_OFF: Fate = ["interrupted", "interrupted"];

/// What needs the engine is denied at both doors, for its cause; what does not goes on.
async fn assert_without_engine(served: &mut Served, denied: &[Value; 2], fate: Fate) {
    let [cause, outcome] = fate;
    for reply in denied {
        assert_cause(reply, cause);
    }
    assert_eq!(outcomes(served, denied), [outcome, outcome]);
    for door in ["door=\"rest\"", "door=\"mcp\""] {
        let labels = [door, "denied", &format!("cause=\"{cause}\"")];
        assert!(served.metric("regate_calls_total", &labels).await >= 1.0, "{door}");
    }
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    for reply in served.both("run_python", "import os\nos.system('id')").await {
        assert_cause(&reply, "rule");
    }
    assert_eq!(ready(served, "docker").await, false);
    assert!(served.is_up());
}

async fn assert_with_engine(served: &Served) {
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
    }
    while ready(served, "docker").await == false {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// An engine that is stopped and started, and then one that only hangs for a while.
#[tokio::test(flavor = "multi_thread")]
async fn docker_that_stops_in_the_middle_denies_until_it_is_back() {
    let mut dockerd = Dockerd::with_image();
    let instance = format!("outage-test-{}", std::process::id());
    let settings =
        format!("[sandbox]\ninstance = '{instance}'\ndocker = '{}'\n", dockerd.endpoint());
    let mut served = Served::start(&With { settings: &settings, ..With::default() });
    assert_with_engine(&served).await;

    let cut_off = interrupted(&served, &instance, &mut dockerd, Dockerd::stop).await;
    assert_without_engine(&mut served, &cut_off, BROKEN_OFF).await;
    let denied = served.both("run_python", HARMLESS).await;
    assert_without_engine(&mut served, &denied, NOT_BEGUN).await;
    dockerd.start();
    assert_with_engine(&served).await;

    dockerd.hang();
    let asked = Asked { key: "any", session: None, code: HARMLESS };
    let denied = tokio::join!(served.rest(&asked), served.mcp(&asked));
    assert_without_engine(&mut served, &denied.into(), NOT_BEGUN).await;
    dockerd.go_on();
    assert_with_engine(&served).await;
    // What was running is removed as well, by its own life or by the next sweep.
    while dockerd.containers(&instance) > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(served.verify());
}
