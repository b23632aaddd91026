//! `kill -9` at random moments under load: no call is executed twice, none without its decision
//! recorded, and the chain holds, over files that are sealed meanwhile.

use crate::dice::Dice;
use crate::engine::{Starts, containers};
use crate::served::{Served, With};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const KILLS: usize = 30;
const CLIENTS: usize = 3;

/// What clients were told, over all lives of the gateway.
#[derive(Default)]
struct Told {
    replies: AtomicUsize,
    /// The calls whose result was handed out.
    done: Mutex<BTreeSet<String>>,
}

/// A busy machine has all its time; each few calls the ledger is sealed.
fn settings(instance: &str) -> String {
    format!(
        "[sandbox]\ninstance = '{instance}'\nengine_ms_max = 60000\nwait_ms_max = 120000\n\
         [ledger]\nappend_ms_max = 60000\nrotate_bytes_max = 12000\n"
    )
}

fn start(data: &Path, instance: &str) -> Served {
    let settings = settings(instance);
    Served::start(&With { data: Some(data), settings: &settings, ..With::default() })
}

/// Calls again and again, until nobody answers.
async fn keep_calling(url: String, told: Arc<Told>) {
    let client = reqwest::Client::new();
    let body = json!({"tool": "run_python", "arguments": {"code": "print(1)"}});
    loop {
        let sent = client.post(format!("{url}/v1/calls")).json(&body).send().await;
        let Ok(answer) = sent else { return };
        let Ok(reply) = answer.json::<Value>().await else { return };
        if reply["result"].is_object() {
            told.done.lock().unwrap().insert(reply["id"].as_str().unwrap().to_owned());
        }
        told.replies.fetch_add(1, Ordering::SeqCst);
    }
}

/// One life: it ends some replies after its beginning, and some moments after the last of them.
async fn live(data: &Path, instance: &str, told: &Arc<Told>, dice: &mut Dice) {
    let served = start(data, instance);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| tokio::spawn(keep_calling(served.url.clone(), Arc::clone(told))))
        .collect();
    let enough = told.replies.load(Ordering::SeqCst) + dice.below(4);
    while told.replies.load(Ordering::SeqCst) < enough {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_micros(dice.below(300_000) as u64)).await;
    served.signal("KILL");
    drop(served);
    for client in clients {
        client.await.unwrap();
    }
}

/// The outcomes of each call, and the calls that were permitted.
fn recorded(records: &[Value]) -> (BTreeMap<&str, Vec<&str>>, BTreeSet<&str>) {
    let mut outcomes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut permitted = BTreeSet::new();
    for record in records {
        let (call, body) = (record["call"].as_str(), &record["body"]);
        match record["kind"].as_str().unwrap() {
            "outcome" => {
                outcomes.entry(call.unwrap()).or_default().push(body["outcome"].as_str().unwrap())
            }
            "decision" if body["decision"] == "permitted" => {
                assert!(permitted.insert(call.unwrap()), "{call:?} was decided twice");
            }
            _ => {}
        }
    }
    (outcomes, permitted)
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_kills_lose_and_repeat_nothing() {
    let instance = format!("killing-test-{}", std::process::id());
    let data = tempfile::tempdir().unwrap();
    let starts = Starts::of(&instance);
    let told = Arc::new(Told::default());
    let mut dice = Dice::new(20_261_130);
    for _ in 0..KILLS {
        live(data.path(), &instance, &told, &mut dice).await;
    }

    let served = start(data.path(), &instance);
    let last = served.call("print(2)").await;
    assert_eq!(last["result"]["stdout"], "2\n", "{last}");
    let started = starts.until(last["id"].as_str().unwrap());
    assert!(served.verify());
    let records = served.ledger();
    served.stop();
    assert_eq!(containers(&instance), 0, "a container is left");

    let (outcomes, permitted) = recorded(&records);
    let executed: BTreeSet<&str> = started.iter().map(String::as_str).collect();
    assert_eq!(executed.len(), started.len(), "a call was executed twice");
    let unrecorded: Vec<_> = executed.difference(&permitted).collect();
    assert!(unrecorded.is_empty(), "{unrecorded:?} were executed without a decision");
    for call in &permitted {
        let ends = outcomes.get(call).map(Vec::as_slice).unwrap_or_default();
        assert_eq!(ends.len(), 1, "{call} ended {ends:?}");
    }
    for call in told.done.lock().unwrap().iter() {
        assert_eq!(outcomes[call.as_str()], ["ok"], "{call} was answered");
        assert!(executed.contains(call.as_str()), "{call} was answered and not executed");
    }
    let interrupted = outcomes.values().filter(|ends| ends[0] == "interrupted").count();
    let sealed = records.iter().filter(|record| record["kind"] == "seal").count();
    println!(
        "{} calls permitted, {} executed, {interrupted} interrupted, {sealed} seals",
        permitted.len(),
        executed.len()
    );
    assert!(interrupted > 0 && sealed > 0 && executed.len() > KILLS);
}
