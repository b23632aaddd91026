//! A team opens a host by a line of data: what programs then reach, through both doors.

use crate::network;
use crate::served::{Asked, DOORS, Door, Served, With, copy, root};
use crate::settings::keys;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const LISTED: &str = include_str!("../../fixtures/egress/listed.py");
const UNLISTED: &str = include_str!("../../fixtures/egress/unlisted.py");
const UNHURRIED: &str = include_str!("../../fixtures/egress/unhurried.py");
const READS_SECRETS: &str = include_str!("../../fixtures/egress/reads_secrets.py");
const KEY: &str = "rgt_alice";

/// The shipped bundle with one host on its list.
fn opened(folder: &Path) -> PathBuf {
    let policies = folder.join("policies");
    copy(&root("policies"), &policies);
    let path = policies.join("data/hosts.json");
    let mut hosts: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    hosts["open"] = json!({"api.example.com:80": {"reason": "The tests' own."}});
    std::fs::write(path, hosts.to_string()).unwrap();
    policies
}

fn serve(policies: Option<&Path>) -> Served {
    let settings = keys(&[[KEY, "alice", "acme"]]) + "roles = [\"auditor\"]\n";
    Served::start(&With { policies, settings: &settings, ..With::default() })
}

fn asked(code: &str) -> Asked<'_> {
    Asked { key: KEY, session: Some("run"), code }
}

fn connections(served: &Served) -> Vec<Value> {
    let records = served.ledger().into_iter();
    records
        .filter(|record| record["kind"] == "connection")
        .map(|mut one| one["body"].take())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_on_the_list_is_reached_recorded_and_counted() {
    let name = "egress::a_host_on_the_list_is_reached_recorded_and_counted";
    let Some(network) = network::enter(name) else { return };
    let folder = TempDir::new().unwrap();
    let served = serve(Some(&opened(folder.path())));
    for door in DOORS {
        let reply = served.through(door, &asked(LISTED)).await;
        let stdout =
            "hello from 80/listed with 0\n403 This host and port are not open to this call\n";
        assert_eq!(reply["result"]["stdout"], stdout, "{reply}");
        assert_eq!(reply["findings"], json!([]), "{reply}");
        assert!(!reply.to_string().contains("connections"), "{reply}");
    }
    assert!(network.heard().iter().any(|line| line.contains("GET /listed")));
    let told = |one: &Value| {
        let connection = &one["connection"];
        let words = (one["decision"].clone(), one["cause"].clone());
        (connection["host"].clone(), connection["port"].clone(), words)
    };
    let one = |port: u16, words: [&str; 2]| {
        (json!("api.example.com"), json!(port), (json!(words[0]), json!(words[1])))
    };
    let expected = [one(80, ["permitted", "rule"]), one(81, ["denied", "unlisted"])];
    let recorded: Vec<_> = connections(&served).iter().map(told).collect();
    assert_eq!(recorded, [expected.clone(), expected].concat());
    let outcome = served.ledger().pop().unwrap();
    let ended = outcome["body"]["summary"]["connections"].as_array().unwrap().clone();
    let words: Vec<_> = ended.iter().map(|one| &one["ended"]).collect();
    assert_eq!(words, ["closed", "unlisted"], "{outcome}");
    assert!(ended[0]["received_bytes"].as_u64().unwrap() > 20, "{outcome}");
    for labels in [["permitted", "closed"], ["denied", "unlisted"]] {
        let count = served.metric("regate_connections_total", &labels).await;
        assert_eq!(count.to_bits(), f64::to_bits(2.0), "{labels:?}");
    }
    assert!(served.verify());
    let (status, page) = served.get_as(KEY, "/v1/ledger?kind=connection").await;
    assert_eq!((status, page["records"].as_array().map(Vec::len)), (200, Some(4)), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_hosts_are_refused_with_the_list_and_all_are_without_it() {
    let folder = TempDir::new().unwrap();
    let served = serve(Some(&opened(folder.path())));
    let reply = served.through(Door::Rest, &asked(UNLISTED)).await;
    assert_eq!((&reply["decision"], &reply["cause"]), (&json!("denied"), &json!("rule")));
    assert_eq!(reply["findings"][0]["rule"], "net/connect", "{reply}");
    let remedy = reply["findings"][0]["remedy"].as_str().unwrap();
    assert!(remedy.contains("api.example.com:80"), "{remedy}");
    let shipped = serve(None);
    for code in [LISTED, UNLISTED] {
        let reply = shipped.through(Door::Mcp, &asked(code)).await;
        assert_eq!(reply["decision"], "denied", "{reply}");
    }
    assert_eq!(connections(&served), [] as [Value; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_is_put_on_meanwhile_keeps_the_next_connection_shut() {
    let name = "egress::a_label_that_is_put_on_meanwhile_keeps_the_next_connection_shut";
    let Some(network) = network::enter(name) else { return };
    let folder = TempDir::new().unwrap();
    let served = serve(Some(&opened(folder.path())));
    let labels = async {
        while !network.has_heard("GET /late") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let reply = served.rest(&asked(READS_SECRETS)).await;
        assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
        std::fs::write(network.path("released"), "").unwrap();
    };
    let call = asked(UNHURRIED);
    let (reply, ()) = tokio::join!(served.rest(&call), labels);
    let stdout = "late\n403 Policy refuses this connection\n";
    assert_eq!(reply["result"]["stdout"], stdout, "{reply}");
    let last = connections(&served).pop().unwrap();
    assert_eq!((&last["decision"], &last["cause"]), (&json!("denied"), &json!("rule")), "{last}");
    assert_eq!(last["findings"][0]["rule"], "connections/obliged", "{last}");
    let reply = served.rest(&asked(LISTED)).await;
    assert_eq!(reply["findings"][0]["rule"], "labels/inside", "{reply}");
}
