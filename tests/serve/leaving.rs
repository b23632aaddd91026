//! A program that policy lets run tries to leave: by the network, by outliving its time, by
//! outliving the gateway.

use crate::engine::{containers, leave_container, remove_containers};
use crate::network;
use crate::processes::{await_processes, processes_named};
use crate::served::{Asked, Served, With};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const LEAVING: &str = include_str!("../../fixtures/egress/leaving.py");
const OUTLIVING: &str = include_str!("../../fixtures/sandbox/processes/time.py");
const WAYS: &str = include_str!("../../fixtures/egress/leaving.txt");

fn serve(data: Option<&Path>, settings: &str) -> Served {
    Served::start(&With { case: Some("leaving"), settings, data, ..With::default() })
}

fn asked(code: &str) -> Asked<'_> {
    Asked { key: "any", session: None, code }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_out_but_the_open_one_is_shut_and_no_name_is_asked_for() {
    let name = "leaving::every_way_out_but_the_open_one_is_shut_and_no_name_is_asked_for";
    let Some(network) = network::enter(name) else { return };
    let served = serve(None, "");
    let moves = async {
        while !network.has_heard("GET /late") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        network.move_host("moving.example.com", "10.0.0.1");
        std::fs::write(network.path("released"), "").unwrap();
    };
    let call = asked(LEAVING);
    let (reply, ()) = tokio::join!(served.rest(&call), moves);
    assert_eq!(reply["result"]["stdout"], WAYS, "{reply}");
    let heard = network.heard();
    let paths = heard.iter().filter_map(|line| line.split_once("GET ")?.1.split(' ').next());
    let fetched: Vec<_> = paths.collect();
    assert_eq!(fetched, ["/open", "/late", "/still"], "{heard:?}");
    assert_eq!(network.names_asked(), [""; 0]);
    // The witness of that hears what is asked for.
    assert!(tokio::net::lookup_host("witness.example.com:80").await.is_err());
    assert!(network.names_asked().contains(&"witness.example.com".to_owned()));
}

#[tokio::test]
async fn a_program_and_its_child_outlive_neither_their_time_nor_the_gateway() {
    let process = std::process::id();
    let (name, instance) = (format!("lv-{process}"), format!("leaving-test-{process}"));
    let (program, data) = (OUTLIVING.replace("regate-NAME", &name), tempfile::tempdir().unwrap());
    let settings = format!("[sandbox]\ninstance = '{instance}'\n");
    let short = format!("{settings}[sandbox.ceilings]\nwall_ms_max = 4000\n");
    let served = serve(Some(data.path()), &short);
    let reply = served.rest(&asked(&program)).await;
    let result = &reply["result"];
    assert_eq!(result["stdout"], "waiting\nwaiting\n", "{reply}");
    let left = processes_named(&name).await;
    assert_eq!((&result["timed_out"], left), (&Value::Bool(true), 0), "{reply}");
    served.stop();

    let other = format!("{instance}-other");
    leave_container(&other);
    let served = serve(Some(data.path()), &settings);
    let call = asked(&program);
    tokio::select! {
        reply = served.rest(&call) => panic!("{reply}"),
        () = await_processes(&name, 2) => served.signal("KILL"),
    }
    drop(served);
    await_processes(&name, 0).await;
    assert!(containers(&instance) > 0);
    let served = serve(Some(data.path()), &settings);
    while containers(&instance) > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(containers(&other), 1);
    remove_containers(&other);
    drop(served);
}
