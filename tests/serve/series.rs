//! Whatever names callers make up, the metrics stay as many as they are.

use crate::served::{Proposed, Served, With};
use crate::settings::keys;
use serde_json::json;
use std::sync::Arc;

/// Each call has three names of its own: of a tool, a session and an argument.
const CALLS: usize = 34_000;
const AT_ONCE: usize = 16;
/// Who calls is known by a key; each has a tenant of its own.
const SUBJECTS: usize = 500;

fn settings() -> String {
    let names: Vec<[String; 3]> = (0..SUBJECTS)
        .map(|number| {
            [format!("rgt_{number}"), format!("subject_{number}"), format!("tenant_{number}")]
        })
        .collect();
    let keys: String = names
        .iter()
        .map(|[key, subject, tenant]| keys(&[[key.as_str(), subject.as_str(), tenant.as_str()]]))
        .collect();
    format!("[log]\nfilter = \"error\"\n[ledger]\nappend_ms_max = 60000\n{keys}")
}

/// Calls, each with names of its own, in turn through REST and through MCP.
async fn call(served: Arc<Served>, numbers: impl Iterator<Item = usize>) {
    for number in numbers {
        let (key, tool) = (format!("rgt_{}", number % SUBJECTS), format!("tool_{number}"));
        let session = format!("session_{number}");
        let arguments = json!({ format!("argument_{number}"): number });
        let proposed = Proposed { key: &key, session: Some(&session), tool: &tool, arguments };
        let decision = if number % 2 == 0 {
            served.rest_of(&proposed).await
        } else {
            served.mcp_of(&proposed).await
        };
        assert_eq!(decision["decision"], "denied", "{decision}");
    }
}

async fn call_all(served: &Arc<Served>, numbers: std::ops::Range<usize>) {
    let lines: Vec<_> = (0..AT_ONCE)
        .map(|first| {
            let numbers = numbers.clone().skip(first).step_by(AT_ONCE);
            tokio::spawn(call(Arc::clone(served), numbers))
        })
        .collect();
    for line in lines {
        line.await.unwrap();
    }
}

fn series(metrics: &str) -> usize {
    metrics.lines().filter(|line| !line.starts_with('#')).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_names_make_no_new_series() {
    let settings = settings();
    let with = With { case: Some("refusing"), settings: &settings, ..With::default() };
    let served = Arc::new(Served::start(&with));
    call_all(&served, 0..1_000).await;
    let (before, warm_kib) = (series(&served.get("/metrics").await), served.memory_kib());
    call_all(&served, 1_000..CALLS).await;
    let metrics = served.get("/metrics").await;
    let after = series(&metrics);
    let grown_kib = served.memory_kib().saturating_sub(warm_kib);
    println!("{before} series, {after} later; memory grew by {grown_kib} KiB from {warm_kib} KiB");
    // A busy machine may meet an error of a closed set; names would be thousands.
    assert!(before > 10 && after < before + 50, "{metrics}");
    for name in ["tool_", "session_", "argument_", "subject_", "tenant_"] {
        assert!(!metrics.contains(name), "{metrics}");
    }
    assert_eq!(served.metric("regate_calls_total", &[]).await, CALLS as f64);
    assert!(grown_kib < warm_kib, "memory grew by {grown_kib} KiB from {warm_kib} KiB");
}
