//! The table "Failing closed" of ARCHITECTURE.md through the served doors, REST and MCP alike:
//! each cause in the reply, in the ledger and in a metric, and the gateway stays up.
//!
//! What is taken away in the middle and given back is in `outages.rs`, kills are in `killing`,
//! results in `results.rs`, what is used in a day in `quotas.rs`.

mod code;
mod effects;
mod loading;
mod logs;
mod people;
mod policy;
mod records;

use crate::served::Served;
use serde_json::Value;

pub(crate) const HARMLESS: &str = "print(1)";

/// The replies, through REST and through MCP, are denials with this cause, and so say the ledger
/// and the metric of each door. Answers the ledger's records of the two decisions.
async fn assert_denied(served: &mut Served, replies: &[Value; 2], cause: &str) -> [Value; 2] {
    let records = served.ledger();
    let recorded = replies.each_ref().map(|reply| {
        assert_eq!(reply["decision"], "denied", "{reply}");
        assert_eq!(reply["cause"], cause, "{reply}");
        assert_eq!(reply["result"], Value::Null, "{reply}");
        assert!(!reply["findings"].as_array().unwrap().is_empty(), "no reason is told: {reply}");
        let decision = |record: &&Value| {
            record["kind"] == "decision"
                && record["call"] == reply["id"]
                && record["body"]["decision"] == "denied"
        };
        let record = records.iter().rfind(decision).unwrap_or_else(|| {
            panic!("{reply} is not recorded");
        });
        assert_eq!(record["body"]["cause"], cause, "{record}");
        record.clone()
    });
    for door in ["rest", "mcp"] {
        let labels = [&*format!("door=\"{door}\""), "denied", &format!("cause=\"{cause}\"")];
        let counted = served.metric("regate_calls_total", &labels).await;
        assert!(counted >= 1.0, "{cause} is not counted for {door}");
    }
    assert_up(served).await;
    recorded
}

/// It answers, and decides.
async fn assert_up(served: &mut Served) {
    assert_eq!(served.get("/healthz").await.trim(), "ok");
    assert!(served.is_up());
}

pub(crate) async fn assert_counted(served: &mut Served, cause: &str) {
    let labels = ["decision=\"denied\"", &format!("cause=\"{cause}\"")];
    assert!(served.metric("regate_calls_total", &labels).await >= 1.0, "{cause} is not counted");
    assert!(served.is_up());
}
