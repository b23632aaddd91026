//! The MCP door in both eras: what a client sees from its first message to its last.

use crate::house::House;
use crate::wire::{self, Reply};
use serde_json::{Value, json};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

async fn new_era(house: &House, method: &str, mut params: Value) -> Reply {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = format!("MCP-Protocol-Version: {NEW}\nMcp-Method: {method}\n");
    if let Some(name) = params["name"].as_str() {
        headers.push_str(&format!("Mcp-Name: {name}\n"));
    }
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    wire::send(house.address, &wire::mcp_head(&headers), body.to_string().as_bytes()).await
}

async fn run(house: &House, code: &str) -> Value {
    let params = json!({"name": "run_python", "arguments": {"code": code}});
    let reply = new_era(house, "tools/call", params).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["result"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_new_era_is_discovered() {
    let house = House::open().await;
    let reply = new_era(&house, "server/discover", json!({})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let result = reply.json()["result"].clone();
    let versions = result["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(NEW)) && versions.contains(&json!(OLD)), "{result}");
    assert_eq!(result["resultType"], "complete");
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_new_era_lists_the_tool_with_its_life_time() {
    let house = House::open().await;
    let result = new_era(&house, "tools/list", json!({})).await.json()["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["cacheScope"], "private");
    assert!(result["ttlMs"].as_u64().unwrap() > 0, "{result}");
    let tools = result["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "run_python");
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["code"]));
    assert_eq!(tools[0]["inputSchema"]["additionalProperties"], false);
    assert_eq!(tools[0]["annotations"]["openWorldHint"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permitted_program_gives_its_output_in_text_and_in_structure() {
    let house = House::open().await;
    let result = run(&house, "print(6 * 7)").await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["content"][0]["text"], "stdout:\n42\nexit code: 0\n");
    let structured = &result["structuredContent"];
    assert_eq!(structured["decision"], "permitted");
    assert_eq!(structured["result"]["stdout"], "42\n");
    assert_eq!(structured["result"]["exit_code"], 0);
    assert_eq!(result["_meta"]["regate/decision"]["id"], structured["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_fails_is_an_error_with_its_output() {
    let house = House::open().await;
    let result = run(&house, "print('before')\nraise ValueError('it broke')").await;
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("stdout:\nbefore\nstderr:\n"), "{text}");
    assert!(text.contains("it broke") && text.ends_with("exit code: 1\n"), "{text}");
    assert_eq!(result["structuredContent"]["decision"], "permitted");
    let records = house.ledger().await;
    assert_eq!(records[1].1["outcome"], "failed", "{records:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_tells_the_model_what_where_and_what_instead() {
    let house = House::open().await;
    let result = run(&house, "import os\nos.system('id')").await;
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Refused: nothing was run.\n"), "{text}");
    // Places are told as editors show them; the structure counts columns from 0.
    assert!(text.contains("line 2, column 1: "), "{text}");
    assert!(text.contains("(rule process/spawn)"), "{text}");
    assert!(text.contains("Instead: "), "{text}");
    assert!(text.contains("Do not send the same call again"), "{text}");
    let findings = result["structuredContent"]["findings"].as_array().unwrap();
    let spawn = findings.iter().find(|finding| finding["rule"] == "process/spawn").unwrap();
    assert_eq!((&spawn["span"]["line"], &spawn["span"]["column"]), (&json!(2), &json!(0)));
    assert_eq!(result["structuredContent"]["result"], Value::Null);
}

/// The same call is answered alike at each door, and so is one of a tool that is not served.
#[tokio::test(flavor = "multi_thread")]
async fn every_door_gives_the_same_decision_and_reason() {
    let house = House::open().await;
    for (tool, code) in [
        ("run_python", "import os\nos.system('id')"),
        ("run_python", "print(1)\0"),
        ("delete_everything", "print(1)"),
    ] {
        let arguments = json!({"code": code});
        let body = json!({"tool": tool, "arguments": arguments}).to_string();
        let send = |path| wire::rest_head(path, "");
        let called = wire::send(house.address, &send("/v1/calls"), body.as_bytes()).await;
        let advised = wire::send(house.address, &send("/v1/decisions"), body.as_bytes()).await;
        let params = json!({"name": tool, "arguments": arguments});
        let new = new_era(&house, "tools/call", params.clone()).await.json();
        let session = Session::open(&house).await;
        let old = session.send(json!({"id": 3, "method": "tools/call", "params": params})).await;
        let without_id = |mut reply: Value| {
            assert_eq!(reply["decision"], "denied", "{reply}");
            reply.as_object_mut().unwrap().remove("id").unwrap();
            reply
        };
        let first = without_id(called.json());
        assert_eq!(first, without_id(advised.json()));
        assert_eq!(first, without_id(new["result"]["structuredContent"].clone()));
        assert_eq!(first, without_id(old.json()["result"]["structuredContent"].clone()));
    }
}

/// Whatever a policy permits, a tool that is not served has no effect.
#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_served_is_denied_even_where_policy_permits_it() {
    let house = House::ruled_by("fixtures/wire/policies").await;
    let params = json!({"name": "delete_everything", "arguments": {}});
    let reply = new_era(&house, "tools/call", params).await.json();
    let decision = &reply["result"]["structuredContent"];
    assert_eq!(
        (&decision["decision"], &decision["cause"]),
        (&json!("denied"), &json!("obligation"))
    );
    let records = house.ledger().await;
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(records[0].1["decision"], "denied");
}

/// The agent's run is what the caller says it is, and never the MCP session.
#[tokio::test(flavor = "multi_thread")]
async fn the_run_is_named_by_the_caller_and_never_by_the_protocol() {
    let house = House::open().await;
    let code = "import os\nos.system('id')";
    wire::call(house.address, "Regate-Session: from-header\n", code).await;
    let session = Session::open(&house).await;
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for meta in [
        json!({"regate/session": "from-meta", "traceparent": trace}),
        json!({"traceparent": trace}),
        json!({"traceparent": "no trace"}),
        json!({}),
    ] {
        let params = json!({"name": "run_python", "arguments": {"code": code}, "_meta": meta});
        let sent = session.send(json!({"id": 2, "method": "tools/call", "params": params})).await;
        assert_eq!(sent.status, 200);
    }
    let records = house.ledger().await;
    let sessions: Vec<_> = records.iter().map(|(_, body)| body["session"].clone()).collect();
    let of_trace = "trace-4bf92f3577b34da6a3ce929d0e0e4736";
    assert_eq!(sessions, ["from-header", "from-meta", of_trace, "default", "default"]);
}

/// A client of the old era.
struct Session<'a> {
    house: &'a House,
    id: String,
}

impl<'a> Session<'a> {
    async fn open(house: &'a House) -> Self {
        let params = json!({
            "protocolVersion": OLD,
            "capabilities": {},
            "clientInfo": {"name": "wire", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let head = wire::mcp_head("");
        let reply = wire::send(house.address, &head, body.to_string().as_bytes()).await;
        assert_eq!(reply.json()["result"]["protocolVersion"], OLD, "{reply:?}");
        let session = Self { house, id: reply.header("mcp-session-id").unwrap().to_owned() };
        let noted = session.send(json!({"method": "notifications/initialized"})).await;
        assert_eq!(noted.status, 202, "{noted:?}");
        session
    }

    fn headers(&self) -> String {
        format!("Mcp-Session-Id: {}\nMCP-Protocol-Version: {OLD}\n", self.id)
    }

    async fn send(&self, mut message: Value) -> Reply {
        message["jsonrpc"] = json!("2.0");
        let head = wire::mcp_head(&self.headers());
        wire::send(self.house.address, &head, message.to_string().as_bytes()).await
    }
}

/// rmcp knows a call with a member of a wrong type for no call, and would answer it with 200.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_a_mistyped_member_is_refused_and_recorded() {
    let house = House::open().await;
    let session = Session::open(&house).await;
    let arguments = json!({"code": "print(1)"});
    let params = json!({"name": "run_python", "arguments": arguments, "requestState": 7});
    let reply = session.send(json!({"id": 3, "method": "tools/call", "params": params})).await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32602)), "{reply:?}");
    let records = house.ledger().await;
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(reply.json()["error"]["data"]["call"], records[0].1["call"]);
    assert_eq!(records[0].1["tool"]["name"], "run_python");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_old_era_from_its_first_message_to_its_last() {
    let house = House::open().await;
    let session = Session::open(&house).await;
    let listed = session.send(json!({"id": 2, "method": "tools/list"})).await.json();
    assert_eq!(listed["result"]["tools"][0]["name"], "run_python");
    assert_eq!(listed["result"]["resultType"], Value::Null, "not of this era: {listed}");

    let params = json!({"name": "run_python", "arguments": {"code": "print(1)"}});
    let called = session.send(json!({"id": 3, "method": "tools/call", "params": params})).await;
    let result = called.json()["result"].clone();
    assert_eq!(result["structuredContent"]["result"]["stdout"], "1\n", "{result}");
    assert_eq!(result["isError"], false);

    let head = format!("DELETE /mcp HTTP/1.1\nHost: {{host}}\n{}", session.headers());
    let ended = wire::send(house.address, &head, b"").await;
    assert!((200..300).contains(&ended.status), "{ended:?}");
    let after = session.send(json!({"id": 4, "method": "tools/list"})).await;
    assert_eq!(after.status, 404, "{after:?}");
}
