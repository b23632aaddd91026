//! A grant is for this call, once, within its time and under its bundle, through REST and MCP.

use crate::approving::{AGENT, EVE, House, PAYS, lay};
use crate::bundle;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What is told of an approval, to one who may answer.
async fn state(house: &House, id: &Value) -> Value {
    let path = format!("/v1/approvals/{}", id.as_str().unwrap());
    house.served.get_as(EVE, &path).await.1["state"].take()
}

/// Asked at one door, approved, and not yet come for.
async fn approved(house: &House) -> Value {
    let held = house.rest(PAYS).await;
    let id = held["approval"].clone();
    assert_eq!(house.answer(EVE, &id, "approve").await.0, 200, "{held}");
    id
}

fn decided(reply: &Value) -> (&str, &str) {
    (reply["decision"].as_str().unwrap(), reply["cause"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_answers_in_time_it_is_over() {
    let house = House::open_with("pending_ms_max = 0\n");
    for reply in [house.rest(PAYS).await, house.mcp(PAYS).await] {
        assert_eq!(decided(&reply), ("denied", "approval"), "{reply}");
    }
    let records = house.served.ledger();
    let expired =
        records.iter().filter(|record| record["body"]["approval"]["said"] == "expired").count();
    assert_eq!((expired, house.runs()), (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_that_nobody_came_for_is_over() {
    let house = House::open_with("grant_ms_max = 0\n");
    let id = approved(&house).await;
    let late = house.mcp(PAYS).await;
    // Whoever looks first says so: the call itself, or the gateway as it goes by.
    assert!(matches!(decided(&late), ("denied", "approval") | ("held", "rule")), "{late}");
    assert_eq!(state(&house, &id).await, "expired");
    let anew = house.rest(PAYS).await;
    assert_eq!(anew["decision"], "held", "{anew}");
    assert_ne!(anew["approval"], id);
    assert_eq!(house.runs(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_came_later_refuses_what_was_approved() {
    let house = House::open_with("");
    let id = approved(&house).await;
    lay(&bundle::read("fixtures/bundles/refusing"), house.bundle.path());
    house.served.reloaded().await;
    for reply in [house.rest(PAYS).await, house.mcp(PAYS).await] {
        assert_eq!(decided(&reply), ("denied", "rule"), "{reply}");
    }
    assert_eq!((state(&house, &id).await, house.runs()), ("approved".into(), 0));
}

/// Nor does one that only says the same in other words take over what another asked for.
#[tokio::test(flavor = "multi_thread")]
async fn another_bundle_asks_for_itself() {
    let house = House::open_with("");
    let id = approved(&house).await;
    let labels = house.bundle.path().join("data/labels.json");
    let text = std::fs::read_to_string(&labels).unwrap();
    std::fs::write(&labels, format!("{text}\n")).unwrap();
    house.served.reloaded().await;
    let held = house.mcp(PAYS).await;
    assert_eq!(held["decision"], "held", "{held}");
    assert_ne!(held["approval"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_twice_and_called_eight_times_at_once_it_is_had_once() {
    let house = Arc::new(House::open_with(""));
    let id = house.rest(PAYS).await["approval"].clone();
    let (one, other) =
        tokio::join!(house.answer(EVE, &id, "approve"), house.answer(EVE, &id, "approve"));
    let mut statuses = [one.0, other.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);

    let calls: Vec<_> = (0..8)
        .map(|number| {
            let house = Arc::clone(&house);
            tokio::spawn(async move {
                if number % 2 == 0 { house.rest(PAYS).await } else { house.mcp(PAYS).await }
            })
        })
        .collect();
    let mut had = 0;
    for call in calls {
        let reply = call.await.unwrap();
        match decided(&reply) {
            ("permitted", _) => {
                assert_eq!(reply["result"]["stdout"], "3\n", "{reply}");
                had += 1;
            }
            // It is spent, or asked for anew.
            ("denied", "approval") | ("held", "rule") => {}
            _ => panic!("{reply}"),
        }
    }
    assert_eq!((had, house.runs()), (1, 1));
    assert_eq!(state(&house, &id).await, "spent");
    assert!(house.served.verify());
}

/// What was begun and not seen to its end may have been done: the ledger says so, and the grant is
/// gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_leaves_a_grant_spent_and_never_runs_it_again() {
    let house = House::open_with("");
    let code = format!("{PAYS}import time; time.sleep(60)\n");
    let id = house.rest(&code).await["approval"].clone();
    assert_eq!(house.answer(EVE, &id, "approve").await.0, 200);
    let url = format!("{}/v1/calls", house.served.url);
    let body = json!({"tool": "run_python", "arguments": {"code": code}});
    let call = reqwest::Client::new().post(url).bearer_auth(AGENT).json(&body).send();
    let cut_off = tokio::spawn(call);
    let spent = |house: &House| {
        let records = house.served.ledger();
        records.into_iter().find(|record| record["body"]["approval"]["does"] == "spends")
    };
    let spent = loop {
        match spent(&house) {
            Some(record) => break record,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let house = house.killed_and_restarted();
    assert!(cut_off.await.unwrap().is_err(), "it was to be cut off");
    let records = house.served.ledger();
    let outcomes: Vec<_> = records.iter().filter(|record| record["kind"] == "outcome").collect();
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    assert_eq!(outcomes[0]["body"]["outcome"], "interrupted");
    assert_eq!(outcomes[0]["call"], spent["call"]);
    assert_eq!(state(&house, &id).await, "spent");
    let anew = house.rest(&code).await;
    assert_eq!(anew["decision"], "held", "{anew}");
    assert_ne!(anew["approval"], id);
    assert!(house.served.verify());
}
