//! Many calls: nothing is lost, left over or piled up.

use crate::engine::containers;
use crate::served::{Served, With};
use std::sync::Arc;

const PROGRAM: &str = "print(sum(range(10)))";

/// A busy machine has all its time.
fn settings(instance: &str) -> String {
    format!(
        "[sandbox]\ninstance = '{instance}'\nengine_ms_max = 60000\nwait_ms_max = 120000\n\
         [ledger]\nappend_ms_max = 60000\n"
    )
}

fn assert_ran(reply: &serde_json::Value) {
    assert_ran_with(reply, "45\n");
}

fn assert_ran_with(reply: &serde_json::Value, stdout: &str) {
    assert_eq!(reply["result"]["stdout"], stdout, "{reply}");
    assert_eq!(reply["result"]["exit_code"], 0, "{reply}");
}

/// 200 one after another, then 16 at once.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_calls_and_sixteen_at_once() {
    // Known and its own, so that its containers can be counted and no other run sweeps them.
    let instance = format!("load-test-{}", std::process::id());
    let with = With { settings: &settings(&instance), ..With::default() };
    let served = Arc::new(Served::start(&with));
    for _ in 0..20 {
        assert_ran(&served.call(PROGRAM).await);
    }
    let warm_kib = served.memory_kib();
    for _ in 20..200 {
        assert_ran(&served.call(PROGRAM).await);
    }
    let grown_kib = served.memory_kib().saturating_sub(warm_kib);

    let burst: Vec<_> = (0..16)
        .map(|_| {
            let served = Arc::clone(&served);
            tokio::spawn(async move { served.call(PROGRAM).await })
        })
        .collect();
    for answered in burst {
        assert_ran(&answered.await.unwrap());
    }

    let records = served.ledger();
    for kind in ["decision", "outcome"] {
        let count = records.iter().filter(|record| record["kind"] == kind).count();
        assert_eq!(count, 216, "{kind} records");
    }
    assert!(served.verify());
    // Removal is off the path of a call, and finished when the gateway stops.
    served.stop();
    assert_eq!(containers(&instance), 0, "a container is left");
    println!("memory grew by {grown_kib} KiB from {warm_kib} KiB over 180 calls");
    assert!(grown_kib < warm_kib / 4, "memory grew by {grown_kib} KiB from {warm_kib} KiB");
}

/// Two gateways on one engine: neither takes the other's containers for its own leftovers.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_starts_leaves_the_containers_of_another_alone() {
    let first = Arc::new(Served::start(&With::default()));
    let running = tokio::spawn({
        let first = Arc::clone(&first);
        async move { first.call("import time\nprint(1)\ntime.sleep(3)").await }
    });
    while first.metric("regate_calls_in_flight", &[]).await < 1.0 {
        tokio::task::yield_now().await;
    }
    let second = Served::start(&With::default());
    assert_ran_with(&second.call("print(2)").await, "2\n");
    assert_ran_with(&running.await.unwrap(), "1\n");
}
