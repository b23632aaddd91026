//! An approval is for this call and no other, at both doors alike: whatever was changed, and
//! whatever else is in force when it is used.

use crate::bundle;
use crate::failing_closed::assert_counted;
use crate::served::{Asked, DOORS, Proposed, Served, With, lay_asking_bundle};
use crate::settings::keys;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const AGENT: &str = "rgt_agent";

const PAYS: &str = "\
with open('payments.csv', 'w') as file:
    print(file.write('a,1'))
";

/// The agent's key, and no wait for an answer.
fn settings() -> String {
    format!("{}[approvals]\nwait_ms_max = 0\n", keys(&[[AGENT, "agent", "acme"]]))
}

/// With a bundle that asks people, laid out in the one folder, and its records in the other.
fn serve(bundle: &TempDir, data: &TempDir, settings: &str) -> Served {
    lay_asking_bundle(bundle.path());
    let (policies, data) = (Some(bundle.path()), Some(data.path()));
    Served::start(&With { policies, data, settings, ..With::default() })
}

/// The operator's answer: the status.
async fn answer(served: &Served, data: &Path, id: &Value, word: &str) -> u16 {
    let key = std::fs::read_to_string(data.join("operator.key")).unwrap();
    let path = format!("/v1/approvals/{}", id.as_str().unwrap());
    served.post_as(key.trim(), &path, &json!({ "answer": word })).await.0
}

fn proposed(tool: &str, arguments: Value) -> Proposed<'_> {
    Proposed { key: AGENT, session: None, tool, arguments }
}

fn pays() -> Proposed<'static> {
    proposed("run_python", json!({ "code": PAYS }))
}

fn runs(served: &Served) -> usize {
    served.ledger().iter().filter(|record| record["kind"] == "outcome").count()
}

/// The order of arguments is nothing, and anything else of them is another call.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_in_another_order_are_the_same_call_and_changed_ones_are_not() {
    let settings = settings();
    let with = With { case: Some("holding"), settings: &settings, ..With::default() };
    let served = Served::start(&with);
    let asked = served.propose(&proposed("trigger", json!({"a": 1, "b": {"c": 2, "d": 3}}))).await;
    let id = asked[0]["approval"].clone();
    assert!(id.is_string(), "{asked:?}");
    let reordered = json!({"b": {"d": 3, "c": 2}, "a": 1});
    for reply in asked.iter().chain(&served.propose(&proposed("trigger", reordered)).await) {
        assert_eq!((&reply["decision"], &reply["approval"]), (&"held".into(), &id), "{reply}");
    }
    let others = [
        json!({"a": 2, "b": {"c": 2, "d": 3}}),
        json!({"a": "1", "b": {"c": 2, "d": 3}}),
        json!({"a": 1, "b": {"c": 2}}),
        json!({"a": 1, "b": {"c": 2, "d": 3}, "e": null}),
    ];
    for arguments in others {
        let [rest, mcp] = served.propose(&proposed("trigger", arguments)).await;
        assert_eq!(rest["decision"], "held", "{rest}");
        assert_ne!(rest["approval"], id, "{rest}");
        assert_eq!(rest["approval"], mcp["approval"]);
    }
}

/// A bundle that refuses comes into force between the approval and its use.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_no_way_round_a_policy_that_refuses() {
    let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = serve(&bundle, &data, &settings());
    let [held, _] = served.propose(&pays()).await;
    assert_eq!(answer(&served, data.path(), &held["approval"], "approve").await, 200);

    for file in bundle::read("fixtures/bundles/refusing") {
        let path = bundle.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    served.signal("HUP");
    let of_old = held["policy"].as_str().unwrap();
    while served.metric("regate_bundle_info", &[of_old]).await > 0.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for reply in served.propose(&pays()).await {
        assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"rule".into()));
        assert_eq!(reply["result"], Value::Null, "{reply}");
    }
    assert_eq!(runs(&served), 0);
    assert!(served.verify());
}

/// What was approved and nobody came for in time runs no more, and is asked for anew.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_whose_time_is_over_is_none() {
    let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut served = serve(&bundle, &data, &format!("{}grant_ms_max = 0\n", settings()));
    let asked = Asked { key: AGENT, session: None, code: PAYS };
    for door in DOORS {
        let held = served.through(door, &asked).await;
        assert_eq!(held["decision"], "held", "{held}");
        assert_eq!(answer(&served, data.path(), &held["approval"], "approve").await, 200);
        let late = served.through(door, &asked).await;
        assert_eq!((&late["decision"], &late["cause"]), (&"denied".into(), &"approval".into()));
        assert_eq!(late["result"], Value::Null, "{late}");
    }
    assert_counted(&mut served, "approval").await;
    assert_eq!(runs(&served), 0);
    assert_eq!(served.metric("regate_holds_total", &["state=\"expired\""]).await, 2.0);
}

/// Two people at once, and both doors at once: one answer counts, and one call runs.
#[tokio::test(flavor = "multi_thread")]
async fn approved_twice_at_once_it_runs_once() {
    let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = serve(&bundle, &data, &settings());
    let [held, _] = served.propose(&pays()).await;
    let say = || answer(&served, data.path(), &held["approval"], "approve");
    let (first, second) = tokio::join!(say(), say());
    assert_eq!(first.min(second), 200, "{first} {second}");
    assert_eq!(first.max(second), 409, "{first} {second}");

    let pays = pays();
    let (left, right) = tokio::join!(served.propose(&pays), served.propose(&pays));
    let replies = [left, right].concat();
    let ran = replies.iter().filter(|reply| reply["result"]["stdout"] == "3\n").count();
    assert_eq!((ran, runs(&served)), (1, 1), "{replies:?}");
    for reply in replies.iter().filter(|reply| reply["decision"] != "permitted") {
        assert!(reply["decision"] == "held" || reply["cause"] == "approval", "{reply}");
    }
    assert!(served.verify());
}
