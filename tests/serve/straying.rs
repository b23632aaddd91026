//! A program that does what its facts do not tell: a bundle says that asking for an identity starts a process.

use crate::served::{Asked, DOORS, Served, With, copy, root};
use crate::settings::keys;
use serde_json::{Value, json};
use tempfile::TempDir;

const KEY: &str = "rgt_alice";
const LOOKS: &str = "id(1)\nprint('rested')";

/// The shipped bundle, but for what it says of one event of the interpreter.
fn mistaken(folder: &TempDir) -> std::path::PathBuf {
    let policies = folder.path().join("policies");
    copy(&root("policies"), &policies);
    let path = policies.join("image/python_events.json");
    let mut table: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    table["kinds"]["nothing"].as_object_mut().unwrap().remove("builtins.id").unwrap();
    table["kinds"]["process"]["builtins.id"] = json!([]);
    std::fs::write(path, table.to_string()).unwrap();
    policies
}

#[tokio::test]
async fn what_was_not_foretold_is_withheld_recorded_counted_and_remembered() {
    let folder = TempDir::new().unwrap();
    let policies = mistaken(&folder);
    let keys = keys(&[[KEY, "alice", "acme"]]);
    let with = With { policies: Some(&policies), settings: &keys, ..With::default() };
    let served = Served::start(&with);
    for (door, count) in DOORS.into_iter().zip([1.0, 2.0]) {
        let asked = Asked { key: KEY, session: Some("run"), code: LOOKS };
        let reply = served.through(door, &asked).await;
        assert_eq!(reply["decision"], "permitted", "{reply}");
        assert_eq!(reply["findings"][0]["rule"], "results/drift", "{reply}");
        assert!(!reply.to_string().contains("rested"), "{reply}");
        let drift = served.metric("regate_drift_total", &["process.spawn"]).await;
        assert_eq!(drift.to_bits(), f64::to_bits(count));
        let outcome = served.ledger().pop().unwrap();
        let expected = json!([{"capability": "process.spawn", "event": "builtins.id", "line": 1}]);
        assert_eq!(outcome["body"]["summary"]["drift"], expected, "{outcome}");
        assert_eq!(outcome["body"]["labels"], json!(["drift"]), "{outcome}");
    }
    let twin = Asked { key: KEY, session: Some("run"), code: "print('awake')" };
    let reply = served.rest(&twin).await;
    assert_eq!(reply["result"]["stdout"], "awake\n", "{reply}");
}
