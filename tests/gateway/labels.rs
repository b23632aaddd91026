//! Whatever callers send, the number of metric series stays what it is.

use crate::house::{House, key};
use regate::gateway::Settings;
use serde_json::json;
use std::time::Duration;

fn series(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with('#')).count()
}

/// Sends calls of as many tools in as many sessions, at both doors.
async fn flood(house: &House, names: std::ops::Range<u32>) {
    let client = reqwest::Client::new();
    let base = format!("http://{}", house.address);
    for name in names {
        let tool = format!("tool_{name}");
        let rest = json!({"tool": tool, "arguments": {}, "session": format!("session_{name}")});
        let sent = client.post(format!("{base}/v1/calls")).header("x-api-key", "rgt_a").json(&rest);
        assert_eq!(sent.send().await.unwrap().status(), 200);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let sent = client
            .post(format!("{base}/mcp"))
            .header("x-api-key", "rgt_a")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", &tool)
            .json(&mcp);
        assert_eq!(sent.send().await.unwrap().status(), 200);
        // A path and a key of its own, as a scanner sends them.
        let sent = client.get(format!("{base}/{tool}")).header("x-api-key", &tool);
        assert_eq!(sent.send().await.unwrap().status(), 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_tools_and_sessions_make_no_new_series() {
    let keys = vec![key("rgt_a", "alice")];
    let house = House::with(&Settings { keys, ..Settings::default() }).await;
    flood(&house, 0..10).await;
    let before = series(&house.metrics.render(Duration::ZERO));
    flood(&house, 10..1000).await;
    let text = house.metrics.render(Duration::ZERO);
    // A busy machine may meet a time-out or a limit, which are series of closed sets; names as
    // labels would be thousands.
    assert!(series(&text) < before + 50, "{text}");
    assert!(before > 10, "{text}");
    assert!(!text.contains("tool_") && !text.contains("session_"), "{text}");
    assert!(!text.contains("alice"), "{text}");
}
