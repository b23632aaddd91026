//! The corpus's malicious programs are run on purpose, without policy: none of them reaches
//! anything outside of its container, as an engine in a network of its own can tell.

use crate::dockerd::Dockerd;
use crate::served::{Served, With};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const CORPUS: &str = include_str!("../../fixtures/corpus/python.jsonl");
const AT_ONCE: usize = 4;

fn malicious() -> impl Iterator<Item = Value> {
    let entries = CORPUS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.filter(|entry| entry["label"] == "malicious")
}

async fn run(served: &Served, entry: &Value) -> Value {
    let reply = served.call(entry["code"].as_str().unwrap()).await;
    assert_eq!(reply["decision"], "permitted", "{}: {reply}", entry["id"]);
    assert!(reply["result"]["duration_ms"].is_u64(), "{}: {reply}", entry["id"]);
    // It is in the gateway's environment.
    assert!(!reply.to_string().contains(env!("CARGO_MANIFEST_DIR")), "{}: {reply}", entry["id"]);
    reply
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_malicious_reaches_nothing_outside_even_without_policy() {
    let dockerd = Dockerd::with_image();
    dockerd.raise_loopback();
    let layers = dockerd.layers();
    let settings = format!(
        "[sandbox]\ndocker = '{}'\nengine_ms_max = 60000\nwait_ms_max = 600000\n\
         [sandbox.ceilings]\nwall_ms_max = 10000\n",
        dockerd.endpoint()
    );
    let with = With { case: Some("permit_all"), settings: &settings, ..With::default() };
    let served = Arc::new(Served::start(&with));
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut runs = JoinSet::new();
    for entry in malicious() {
        let (served, turns) = (Arc::clone(&served), Arc::clone(&turns));
        runs.spawn(async move {
            let _turn = turns.acquire().await.unwrap();
            run(&served, &entry).await
        });
    }
    let replies = runs.join_all().await;
    assert_eq!(replies.len(), 196);
    // They do run, and reach what there is inside.
    assert!(replies.iter().any(|reply| reply.to_string().contains("uid=65534")));
    served.stop();
    assert_eq!(dockerd.packets(), 0);
    assert_eq!(dockerd.layers(), layers);
    // The witness counts what does leave a container.
    dockerd.send_from_its_network();
    assert!(dockerd.packets() > 0);
}
