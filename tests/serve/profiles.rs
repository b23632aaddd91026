//! Sandbox profiles, from the rule that obliges one to what a program sees of it; and one that the
//! engine cannot hold.

use crate::dockerd::Dockerd;
use crate::served::{Served, With};
use serde_json::Value;
use std::time::Duration;

const KERNEL: &str = include_str!("../../fixtures/sandbox/runtimes/kernel.py");
const LIMITS: &str = include_str!("../../fixtures/sandbox/runtimes/limits.py");

/// The state of a profile as readiness tells it, and whether the gateway is ready.
async fn standing(served: &Served, profile: &str) -> (Value, Value, Value) {
    let readyz: Value = serde_json::from_str(&served.get("/readyz").await).unwrap();
    let profiles = readyz["profiles"].as_array().unwrap();
    let found = profiles.iter().find(|found| found["name"] == profile).unwrap();
    (found["state"].clone(), found["reasons"].clone(), readyz["ready"].clone())
}

async fn await_standing(served: &Served, profile: &str, state: &str) -> (Value, Value) {
    loop {
        let (found, reasons, ready) = standing(served, profile).await;
        if found == state {
            return (reasons, ready);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_rule_obliges_a_kernel_of_its_own() {
    let served = Served::start(&With { case: Some("kernels/gvisor"), ..With::default() });
    let reply = served.call(KERNEL).await;
    assert_eq!(reply["result"]["stdout"], "gVisor\n", "{reply}");
    assert_eq!(
        standing(&served, "gvisor").await,
        ("ready".into(), Value::Array(vec![]), true.into())
    );
    let usual = Served::start(&With { case: Some("permit_all"), ..With::default() });
    let reply = usual.call(KERNEL).await;
    assert_eq!(reply["result"]["stdout"], "the host's\n", "{reply}");
}

#[tokio::test]
async fn a_tightening_and_a_ceiling_are_what_a_program_sees() {
    let settings =
        "[sandbox.ceilings]\nmemory_bytes_max = 100663296\npids_max = 20\nfiles_max = 50\n";
    let served =
        Served::start(&With { case: Some("kernels/smaller"), settings, ..With::default() });
    let reply = served.call(LIMITS).await;
    let expected = "processes 9\nmemory 100663296\nroom 1048576 names 50\n";
    assert_eq!(reply["result"]["stdout"], expected, "{reply}");
    // The runtime of this one counts no names.
    let (state, reasons, ready) = standing(&served, "gvisor").await;
    assert_eq!((state, ready), ("refused".into(), true.into()));
    assert!(reasons[0].as_str().unwrap().contains("files_max"), "{reasons}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_that_the_engine_cannot_hold_is_refused_until_it_can() {
    let dockerd = Dockerd::with_image();
    let settings = format!("[sandbox]\ndocker = '{}'\n", dockerd.endpoint());
    let with = |case| With { case: Some(case), settings: &settings, ..With::default() };
    let served = Served::start(&with("kernels/gvisor"));
    let usual = Served::start(&with("kernels/usual_refused"));
    for served in [&served, &usual] {
        // Found out by the first, known to the second.
        for cause in ["sandbox", "obligation"] {
            let reply = served.call(KERNEL).await;
            assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &cause.into()));
            assert!(!reply.to_string().contains("runsc"), "{reply}");
        }
    }
    let (reasons, ready) = await_standing(&served, "gvisor", "refused").await;
    assert!(reasons[0].as_str().unwrap().contains("no runtime `runsc`"), "{reasons}");
    assert_eq!(ready, true);
    let refused = ["profile=\"gvisor\"", "state=\"refused\""];
    assert_eq!(served.metric("regate_sandbox_profiles", &refused).await, 1.0);
    assert_eq!(await_standing(&usual, "strict", "refused").await.1, false);

    dockerd.learn_gvisor();
    for (served, profile) in [(&served, "gvisor"), (&usual, "strict")] {
        await_standing(served, profile, "unknown").await;
        let reply = served.call(KERNEL).await;
        assert_eq!(reply["result"]["stdout"], "gVisor\n", "{reply}");
        assert_eq!(await_standing(served, profile, "ready").await.1, true);
    }
}
