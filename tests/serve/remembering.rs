//! What a call did is held against later ones: over other connections, by another door, after a
//! restart, and whatever session they claim to be of.

use crate::bundle;
use crate::served::{Asked, DOORS, Door, Served, With};
use crate::settings::keys;
use regate::policy::BundleFile;
use serde_json::Value;
use std::path::Path;

const ALICE: &str = "rgt_alice";
const BOB: &str = "rgt_bob";

const READS: &str = "\
with open('secret/pay.csv') as file:
    print(file.read())
";
const WRITES_AND_READS: &str = "\
from pathlib import Path
Path('secret').mkdir()
with open('secret/pay.csv', 'w') as file:
    file.write('a,1')
with open('secret/pay.csv') as file:
    print(file.read())
";
const SENDS: &str = "\
import requests
requests.post('https://example.com/', json={'a': 1})
";

/// The shipped bundle, but that `requests` may be imported and one host be reached.
fn lay_reaching_bundle(folder: &Path) {
    let other = bundle::read("fixtures/bundles/reaching");
    let replaced = |file: &BundleFile| other.iter().any(|other| other.path == file.path);
    let shipped = bundle::shipped().into_iter().filter(|file| !replaced(file));
    for mut file in shipped.chain(other.clone()) {
        if file.path == "data/imports.json" {
            let mut data: Value = serde_json::from_str(&file.text).unwrap();
            data["allowed"]["requests"] = serde_json::json!({"reason": "It reaches one host."});
            file.text = data.to_string();
        }
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

fn settings() -> String {
    keys(&[[ALICE, "agent", "acme"], [BOB, "agent", "umbrella"]])
}

struct House {
    served: Served,
    bundle: tempfile::TempDir,
    data: tempfile::TempDir,
}

impl House {
    fn open() -> Self {
        let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        lay_reaching_bundle(bundle.path());
        Self { served: serve(bundle.path(), data.path()), bundle, data }
    }

    fn restart(&mut self) {
        self.served.stop();
        self.served = serve(self.bundle.path(), self.data.path());
    }

    /// The same call through REST and through MCP, and what both answer.
    async fn both(&self, key: &str, session: Option<&str>, code: &str) -> [Value; 2] {
        let asked = Asked { key, session, code };
        [self.served.rest(&asked).await, self.served.mcp(&asked).await]
    }
}

fn serve(bundle: &Path, data: &Path) -> Served {
    let settings = settings();
    Served::start(&With {
        policies: Some(bundle),
        data: Some(data),
        settings: &settings,
        ..With::default()
    })
}

fn decisions(replies: &[Value]) -> Vec<&str> {
    replies.iter().map(|reply| reply["decision"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_does_not_leave_by_a_later_call() {
    for door in DOORS {
        read_and_try_to_send(door).await;
    }
}

/// The denials name the call that read.
fn assert_because_of(denied: &[Value; 2], read: &Value) {
    let because =
        format!("step 1 of the session `reading` (call {})", read["id"].as_str().unwrap());
    for reply in denied {
        assert_eq!(reply["findings"][0]["rule"], "labels/inside", "{reply}");
        let message = reply["findings"][0]["message"].as_str().unwrap();
        assert!(message.contains(&because), "{message}");
    }
}

async fn read_and_try_to_send(door: Door) {
    let mut house = House::open();
    let before = house.both(ALICE, Some("before"), SENDS).await;
    assert_eq!(decisions(&before), ["permitted", "permitted"], "{before:?}");

    let asked = Asked { key: ALICE, session: Some("reading"), code: WRITES_AND_READS };
    let read = house.served.through(door, &asked).await;
    assert_eq!(read["result"]["stdout"], "a,1\n", "{read}");
    house.restart();

    for session in [Some("reading"), Some("before"), Some("another"), None] {
        let sent = house.both(ALICE, session, SENDS).await;
        assert_eq!(decisions(&sent), ["denied", "denied"], "{session:?}: {sent:?}");
        assert_because_of(&sent, &read);
    }
    let other_tenant = house.both(BOB, Some("reading"), SENDS).await;
    assert_eq!(decisions(&other_tenant), ["permitted", "permitted"], "{other_tenant:?}");
    assert!(house.served.verify());
    assert!(house.served.metric("regate_calls_total", &["cause=\"rule\"", "denied"]).await >= 8.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_failed_marks_nobody_and_shows_nothing() {
    let house = House::open();
    // There is no such file in a fresh workspace.
    let read = house.both(ALICE, Some("reading"), READS).await;
    for reply in &read {
        assert_eq!(reply["decision"], "permitted", "{reply}");
        assert_eq!(reply["findings"][0]["rule"], "regate/withheld", "{reply}");
        assert_eq!(reply["result"]["exit_code"], 1, "{reply}");
        assert_eq!(
            (&reply["result"]["stdout"], &reply["result"]["stderr"]),
            (&"".into(), &"".into())
        );
    }
    let sent = house.both(ALICE, Some("reading"), SENDS).await;
    assert_eq!(decisions(&sent), ["permitted", "permitted"], "{sent:?}");
    assert_eq!(house.served.metric("regate_labels_total", &[]).await, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_is_a_session_where_none_is_named() {
    let house = House::open();
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let named = Asked { key: ALICE, session: Some("run"), code: "print(1)" };
    let traced = Asked { session: None, ..named };
    house.served.rest_with(&[("traceparent", parent)], &traced).await;
    house.served.rest_with(&[("traceparent", parent)], &named).await;
    house.served.rest(&traced).await;
    let sessions: Vec<Value> = house
        .served
        .ledger()
        .into_iter()
        .filter(|record| record["kind"] == "decision")
        .map(|record| record["body"]["session"].clone())
        .collect();
    assert_eq!(sessions, ["trace-4bf92f3577b34da6a3ce929d0e0e4736", "run", "default"]);
}
