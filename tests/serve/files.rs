//! The files of sessions through the served doors: what is put there, what runs make of it, who
//! sees it, and what is never handed out.

use crate::bundle;
use crate::served::{Asked, Served, With, copy, root};
use crate::settings::keys;
use crate::unsent::send_head;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const COUNTS: &str = include_str!("../../fixtures/files/counts.py");
const DOUBLES: &str = include_str!("../../fixtures/files/doubles.py");
const LEAKS: &str = include_str!("../../fixtures/files/leaks.py");
const LEAKS_TWIN: &str = include_str!("../../fixtures/files/leaks_twin.py");
const LARGE_TABLE: &str = include_str!("../../fixtures/files/large_table.py");
const SMALL_TABLE: &str = include_str!("../../fixtures/files/small_table.py");
const PAGE: &str = include_str!("../../fixtures/files/page.py");

/// Two subjects of one tenant, and one of the same name of another.
fn settings() -> String {
    keys(&[["ann-key", "ann", "acme"], ["bob-key", "bob", "acme"], ["eve-key", "ann", "other"]])
}

fn ann<'a>(session: Option<&'a str>, code: &'a str) -> Asked<'a> {
    Asked { key: "ann-key", session, code }
}

fn stdout(reply: &Value) -> &str {
    reply["result"]["stdout"].as_str().unwrap_or_else(|| panic!("{reply}"))
}

fn names(reply: &Value) -> Vec<&str> {
    let files = reply["result"]["files"].as_array().unwrap_or_else(|| panic!("{reply}"));
    files.iter().map(|file| file["name"].as_str().unwrap()).collect()
}

async fn listed(served: &Served, key: &str, session: &str) -> Vec<String> {
    let (status, reply) = served.get_as(key, &format!("/v1/sessions/{session}/files")).await;
    assert_eq!(status, 200, "{reply}");
    let files = reply["files"].as_array().unwrap();
    files.iter().map(|file| file["name"].as_str().unwrap().to_owned()).collect()
}

async fn upload(served: &Served, key: &str, name: &str, bytes: &[u8]) -> (u16, Value) {
    let url = format!("{}/v1/sessions/run/files?name={name}", served.url);
    let sent = served.client().post(url).bearer_auth(key).body(bytes.to_vec()).send();
    let sent = sent.await.unwrap();
    (sent.status().as_u16(), sent.json().await.unwrap())
}

async fn download(served: &Served, key: &str, path: &str) -> reqwest::Response {
    served.client().get(format!("{}{path}", served.url)).bearer_auth(key).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_finds_its_files_again_and_nobody_else_does() {
    let settings = settings();
    let served = Served::start(&With { settings: &settings, ..With::default() });
    let first = served.rest(&ann(Some("run"), COUNTS)).await;
    assert_eq!((stdout(&first), names(&first)), ("1\n", vec!["count.txt"]));
    let file = &first["result"]["files"][0];
    assert_eq!(file["uri"], "/v1/sessions/run/files/count.txt");
    assert_eq!(*file["digest"].as_str().unwrap(), *blake3::hash(b"1").to_hex());
    // At the other door it is the same session.
    assert_eq!(stdout(&served.mcp(&ann(Some("run"), COUNTS)).await), "2\n");
    for other in [
        ann(Some("other"), COUNTS),
        ann(None, COUNTS),
        ann(None, COUNTS),
        Asked { key: "bob-key", ..ann(Some("run"), COUNTS) },
        Asked { key: "eve-key", ..ann(Some("run"), COUNTS) },
    ] {
        assert_eq!(stdout(&served.rest(&other).await), "1\n", "{other:?}");
    }
    let content = download(&served, "ann-key", "/v1/sessions/run/files/count.txt").await;
    assert_eq!(content.text().await.unwrap(), "2");
    let bob = download(&served, "bob-key", "/v1/sessions/other/files/count.txt").await;
    assert_eq!(bob.status(), 404);
    assert_eq!(listed(&served, "bob-key", "other").await, [""; 0]);
}

/// A call that names no session leaves its files under its own id.
#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_call_without_a_session_are_had_by_its_id() {
    let served = Served::start(&With::default());
    let reply = served.call(COUNTS).await;
    let id = reply["id"].as_str().unwrap();
    assert_eq!(reply["result"]["files"][0]["uri"], format!("/v1/sessions/{id}/files/count.txt"));
    let uri = reply["result"]["files"][0]["uri"].as_str().unwrap();
    assert_eq!(download(&served, "any", uri).await.text().await.unwrap(), "1");
    assert_eq!(listed(&served, "any", "default").await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_recorded_read_by_a_run_and_removed() {
    let settings = settings();
    let served = Served::start(&With { settings: &settings, ..With::default() });
    let (status, put) = upload(&served, "ann-key", "in/numbers.csv", b"1\n20\n").await;
    assert_eq!((status, &put["media_type"], &put["bytes"]), (201, &"text/csv".into(), &5.into()));
    let ran = served.rest(&ann(Some("run"), DOUBLES)).await;
    assert_eq!((stdout(&ran), names(&ran)), ("21\n", vec!["out.csv"]));
    assert_eq!(listed(&served, "ann-key", "run").await, ["in/numbers.csv", "out.csv"]);
    let path = "/v1/sessions/run/files/in/numbers.csv";
    let got = download(&served, "ann-key", path).await;
    let tag = got.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(got.text().await.unwrap(), "1\n20\n");
    let again = served.client().get(format!("{}{path}", served.url)).bearer_auth("ann-key");
    let again = again.header("If-None-Match", &tag).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.text().await.unwrap().len()), (304, 0));
    for (key, status) in [("bob-key", 404), ("ann-key", 204), ("ann-key", 404)] {
        let sent = served.client().delete(format!("{}{path}", served.url)).bearer_auth(key);
        assert_eq!(sent.send().await.unwrap().status().as_u16(), status);
    }
    let records = served.ledger();
    let changes: Vec<_> = records.iter().filter(|record| record["kind"] == "file").collect();
    assert_eq!(changes[0]["body"]["does"], "puts");
    assert_eq!(changes[0]["body"]["call"], put["id"]);
    assert_eq!(changes[0]["body"]["digest"], put["digest"]);
    assert_eq!(changes[1]["body"]["does"], "removes");
    let outcome = records.iter().find(|record| record["kind"] == "outcome").unwrap();
    let kept = &outcome["body"]["summary"]["files"];
    assert_eq!((&kept[0]["name"], &kept[0]["bytes"]), (&"out.csv".into(), &5.into()));
    assert!(served.verify());
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_none_and_files_that_are_too_large_are_refused() {
    let bounds = "[files]\nfile_bytes_max = 8\nsession_bytes_max = 9\nsession_files_max = 3\n";
    let settings = settings() + bounds;
    let served = Served::start(&With { settings: &settings, ..With::default() });
    for name in ["", "../a", "%2fetc%2fpasswd", "a%00", "a%0Ab", "a/", "a%5Cb", "a&name=b", "a&b=c"]
    {
        let (status, reply) = upload(&served, "ann-key", name, b"1").await;
        assert_eq!(status, 400, "{name}: {reply}");
    }
    assert_eq!(upload(&served, "no-key", "a", b"1").await.0, 401);
    assert_eq!(upload(&served, "ann-key", "a", b"12345678").await.0, 201);
    assert_eq!(upload(&served, "ann-key", "b", b"123456789").await.0, 413);
    let (status, reply) = upload(&served, "ann-key", "b", b"12345").await;
    assert_eq!(
        (status, &reply["detail"]),
        (413, &"The limit `files.session_bytes_max` is reached.".into())
    );
    assert_eq!(upload(&served, "ann-key", "b", b"1").await.0, 201);
    for path in [
        "/v1/sessions/run/files/..%2Fa",
        "/v1/sessions/run/files/a%0A",
        "/v1/sessions/run/files//a",
    ] {
        assert_eq!(download(&served, "ann-key", path).await.status(), 400, "{path}");
    }
    // What a run would put there in addition fails it.
    let ran = served.rest(&ann(Some("run"), COUNTS)).await;
    assert_eq!((&ran["decision"], &ran["cause"]), (&"denied".into(), &"files".into()), "{ran}");
    assert_eq!(ran["result"], Value::Null);
    let told = ran["findings"][0]["message"].as_str().unwrap();
    assert!(told.contains("`files.session_bytes_max`"), "{told}");
    assert_eq!(listed(&served, "ann-key", "run").await, ["a", "b"]);
    let limits = served.metric("regate_limits_total", &["files.session_bytes_max"]).await;
    assert!(limits >= 1.0);
    assert_eq!(upload(&served, "ann-key", "c", b"").await.0, 201);
    assert_eq!(upload(&served, "ann-key", "d", b"").await.0, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_a_secret_is_neither_handed_out_nor_kept() {
    let settings = settings();
    let served = Served::start(&With { settings: &settings, ..With::default() });
    let reply = served.rest(&ann(Some("run"), LEAKS)).await;
    assert_eq!((stdout(&reply), names(&reply)), ("done\n", vec!["harmless.txt"]));
    assert_eq!(reply["result"]["files_left"], 4);
    let findings: Vec<_> = reply["findings"].as_array().unwrap().iter().collect();
    let barred = |name: &str| {
        findings.iter().any(|finding| {
            finding["rule"] == "regate/files" && finding["message"].as_str().unwrap().contains(name)
        })
    };
    for name in ["`note.txt`", "`raw.parquet`", "`wide.txt`", "a file is neither", "github_token"] {
        assert!(barred(name), "{name}: {reply}");
    }
    assert_eq!(listed(&served, "ann-key", "run").await, ["harmless.txt"]);
    let token = ["gh", "p_", "eGzMcNU77sVTUUJ596lLlGUriAX1Dy2gnX7Y"].concat();
    assert!(!reply.to_string().contains(&token) && !served.log().contains(&token));
    for record in served.ledger() {
        assert!(!record.to_string().contains(&token), "{record}");
    }
    let twin = served.rest(&ann(Some("twin"), LEAKS_TWIN)).await;
    assert_eq!(names(&twin), ["note.txt", "raw.parquet", "wide.txt"]);
    assert_eq!((&twin["findings"], &twin["result"]["files_left"]), (&json!([]), &0.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_withheld_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root("policies"), folder.path());
    for file in bundle::read("fixtures/bundles/results/filing") {
        let path = folder.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    let policies = Some(folder.path());
    let served = Served::start(&With { policies, ..With::default() });
    let asked = |code| Asked { key: "any", session: Some("run"), code };
    let withheld = served.rest(&asked(LARGE_TABLE)).await;
    assert_eq!((&withheld["decision"], &withheld["result"]), (&"permitted".into(), &Value::Null));
    assert_eq!(withheld["findings"][0]["message"], "the table `table.csv` is large");
    assert_eq!(listed(&served, "any", "run").await, [""; 0]);
    let twin = served.rest(&asked(SMALL_TABLE)).await;
    assert_eq!(
        (stdout(&twin), listed(&served, "any", "run").await),
        ("done\n", vec!["table.csv".to_owned()])
    );
    // The one before was no change, and this one is none either.
    assert_eq!(served.rest(&asked(LARGE_TABLE)).await["result"], Value::Null);
    let kept = download(&served, "any", "/v1/sessions/run/files/table.csv").await;
    assert_eq!(kept.text().await.unwrap(), "1,2\n");
}

/// Where files cannot be kept the call is refused, and calls without files go on.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_kept_fail_their_call() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(&With { data: Some(data.path()), ..With::default() });
    block(&data.path().join("files/blobs"), "local");
    for session in [Some("run"), None] {
        let reply = served.rest(&Asked { key: "any", session, code: COUNTS }).await;
        assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"files".into()));
        assert_eq!(reply["result"], Value::Null);
    }
    let other = served.rest(&Asked { key: "any", session: Some("run"), code: "print(1)" }).await;
    assert_eq!(stdout(&other), "1\n");
    assert!(served.metric("regate_calls_total", &["cause=\"files\""]).await >= 2.0);
}

/// A file stands where the folder of a tenant would be made.
fn block(blobs: &Path, tenant: &str) {
    std::fs::write(blobs.join(blake3::hash(tenant.as_bytes()).to_hex().as_str()), "").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_handed_out_in_a_form_that_a_browser_would_run() {
    let served = Served::start(&With::default());
    let reply = served.rest(&Asked { key: "any", session: Some("run"), code: PAGE }).await;
    assert_eq!(names(&reply), ["page.html", "page.png", "page.svg"], "{reply}");
    for (name, sent_as) in [
        ("page.html", "application/octet-stream"),
        ("page.svg", "application/octet-stream"),
        ("page.png", "text/plain; charset=utf-8"),
    ] {
        let got = download(&served, "any", &format!("/v1/sessions/run/files/{name}")).await;
        let headers = got.headers();
        assert_eq!(headers["content-type"], sent_as, "{name}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["content-disposition"], "attachment");
        assert_eq!(headers["content-security-policy"], "sandbox");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_outlive_the_gateway() {
    let data = tempfile::tempdir().unwrap();
    let start = || Served::start(&With { data: Some(data.path()), ..With::default() });
    let asked = Asked { key: "any", session: Some("run"), code: COUNTS };
    let mut served = start();
    assert_eq!(stdout(&served.rest(&asked).await), "1\n");
    served.signal("KILL");
    served.exit_code();
    let served = start();
    assert_eq!(stdout(&served.rest(&asked).await), "2\n");
    assert_eq!(listed(&served, "any", "run").await, ["count.txt"]);
}

/// The official Python SDK: a plot comes back as an image that a model sees, other files as links
/// that can be read.
async fn sees_a_plot(mode: &str, protocol: &str, missing: i64) {
    let served = Served::start(&With::default());
    let python = root("target/venv/bin/python");
    assert!(python.exists(), "{} is missing: run tests/mcp/setup", python.display());
    let foreign = "regate://sessions/none/files/plot.png";
    let mut command = std::process::Command::new(python);
    command.arg(root("tests/mcp/files_client.py")).arg(format!("{}/mcp", served.url));
    command.args(["--mode", mode, "--read", foreign, "--read", "file:///etc/passwd"]);
    command.arg(root("fixtures/files/plot.py")).stdin(std::process::Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["protocol"], &told["is_error"]), (&protocol.into(), &false.into()), "{told}");
    let content = told["content"].as_array().unwrap();
    let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "resource_link"]);
    assert!(content[0]["text"].as_str().unwrap().contains("- plot.png (image/png, "), "{told}");
    assert_eq!(content[1]["mimeType"], "image/png");
    assert!(content[1]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let id = told["structured"]["id"].as_str().unwrap();
    let [numbers, plot] =
        ["numbers.csv", "plot.png"].map(|name| format!("regate://sessions/{id}/files/{name}"));
    assert_eq!(
        (&content[2]["uri"], &content[2]["mimeType"]),
        (&numbers.clone().into(), &"text/csv".into())
    );
    let resources = told["resources"].as_array().unwrap();
    let uris: Vec<_> = resources.iter().map(|resource| &resource["uri"]).collect();
    assert_eq!(uris, [&numbers, &plot]);
    assert_eq!(told["read"][&numbers][0]["text"], "1\n4\n9\n16\n");
    assert_eq!(told["read"][&plot][0]["blob"], content[1]["data"]);
    for uri in [foreign, "file:///etc/passwd"] {
        assert_eq!(told["read"][uri]["code"], missing, "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_new_era_sees_a_plot() {
    sees_a_plot("auto", "2026-07-28", -32602).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_old_era_sees_a_plot() {
    sees_a_plot("legacy", "2025-11-25", -32002).await;
}

/// Uploads of which nothing comes hold places, of a tenant no more than its share.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_whose_uploads_do_not_come_keeps_nobody_else_from_uploading() {
    let bounds = "[files]\ntransfers_at_once_max = 3\ntransfers_at_once_per_tenant_max = 2\n";
    let settings = format!("{}{bounds}", settings());
    let served = Served::start(&With { settings: &settings, ..With::default() });
    let line = "POST /v1/sessions/run/files?name=a";
    let unsent = [send_head(&served, "ann-key", line), send_head(&served, "bob-key", line)];
    for key in ["ann-key", "bob-key"] {
        let (status, reply) = upload(&served, key, "b", b"b").await;
        assert_eq!(status, 429, "{reply}");
    }
    let (status, reply) = upload(&served, "eve-key", "b", b"b").await;
    assert_eq!(status, 201, "{reply}");
    drop(unsent);
    while upload(&served, "ann-key", "b", b"b").await.0 == 429 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(listed(&served, "ann-key", "run").await, ["b"]);
}
