//! The real program, serving on a port of its own, with state in a folder of its own.

use crate::bundle;
use crate::overlay::over_the_smallest;
use crate::settings::without_stock;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    data: PathBuf,
    client: reqwest::Client,
    folder: TempDir,
}

/// What a gateway is started with, beside the defaults.
#[derive(Default)]
pub(crate) struct With<'a> {
    /// A folder below `fixtures/bundles`, laid over the smallest bundle that loads.
    pub(crate) case: Option<&'a str>,
    /// The bundle's folder, where it is neither that nor the shipped one.
    pub(crate) policies: Option<&'a Path>,
    /// Lines of the settings file.
    pub(crate) settings: &'a str,
    /// The folder for its state, where that is not one of its own.
    pub(crate) data: Option<&'a Path>,
}

/// A call of `run_python` by a subject with a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) key: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) code: &'a str,
}

/// The ways to a call of the same tool.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Door {
    Rest,
    Mcp,
}

pub(crate) const DOORS: [Door; 2] = [Door::Rest, Door::Mcp];

/// A call of any tool with any arguments, as both protocols know it.
#[derive(Debug, Clone)]
pub(crate) struct Proposed<'a> {
    pub(crate) key: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) tool: &'a str,
    pub(crate) arguments: Value,
}

impl<'a> Proposed<'a> {
    fn python(asked: &Asked<'a>) -> Self {
        let Asked { key, session, code } = *asked;
        Self { key, session, tool: "run_python", arguments: json!({ "code": code }) }
    }
}

pub(crate) fn root(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

pub(crate) fn regate() -> Command {
    Command::new(env!("CARGO_BIN_EXE_regate"))
}

/// Writes the bundle of a case into a folder.
fn lay_over(case: &str, folder: &Path) -> PathBuf {
    let bundle = folder.join("policies");
    for file in over_the_smallest(case) {
        let path = bundle.join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    bundle
}

/// Writes the shipped bundle into a folder, and beside it a rule that asks people of the role
/// `security`.
pub(crate) fn lay_asking_bundle(folder: &Path) {
    for file in [bundle::shipped(), bundle::read("fixtures/bundles/asking")].concat() {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Served {
    pub(crate) fn start(with: &With<'_>) -> Self {
        let folder = TempDir::new().unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        Self::start_in(folder, with, log.into())
    }

    /// The same, with another place for its log than a file.
    pub(crate) fn start_logging_to(with: &With<'_>, log: Stdio) -> Self {
        Self::start_in(TempDir::new().unwrap(), with, log)
    }

    fn start_in(folder: TempDir, with: &With<'_>, log: Stdio) -> Self {
        let data = with.data.map_or_else(|| folder.path().join("data"), Path::to_owned);
        let settings = folder.path().join("regate.toml");
        std::fs::write(&settings, without_stock(with.settings)).unwrap();
        let policies = with.policies.map_or_else(|| root("policies"), Path::to_owned);
        let policies = with.case.map_or(policies, |case| lay_over(case, folder.path()));
        let mut child = regate()
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(&settings)
            .arg("--data")
            .arg(&data)
            .arg("--policies")
            .arg(policies)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("regate listens on ").map(str::to_owned);
        let log = || std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        let url = url.unwrap_or_else(|| panic!("{}", log()));
        Self { child, url, data, client: reqwest::Client::new(), folder }
    }

    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.client
    }

    pub(crate) async fn call(&self, code: &str) -> Value {
        self.post("/v1/calls", "run_python", code).await
    }

    pub(crate) async fn decide(&self, code: &str) -> Value {
        self.post("/v1/decisions", "run_python", code).await
    }

    /// The same call of a tool with code through REST and through MCP: what both answer.
    pub(crate) async fn both(&self, tool: &str, code: &str) -> [Value; 2] {
        let arguments = json!({ "code": code });
        self.propose(&Proposed { key: "any", session: None, tool, arguments }).await
    }

    pub(crate) async fn through(&self, door: Door, asked: &Asked<'_>) -> Value {
        match door {
            Door::Rest => self.rest(asked).await,
            Door::Mcp => self.mcp(asked).await,
        }
    }

    /// The same call through REST and through MCP: what both answer.
    pub(crate) async fn propose(&self, proposed: &Proposed<'_>) -> [Value; 2] {
        [self.rest_of(proposed).await, self.mcp_of(proposed).await]
    }

    pub(crate) async fn rest_of(&self, proposed: &Proposed<'_>) -> Value {
        let Proposed { key, session, tool, arguments } = proposed;
        let mut body = json!({"tool": tool, "arguments": arguments});
        if let Some(session) = session {
            body["session"] = (*session).into();
        }
        let (status, reply) = self.rest_body(key, &body).await;
        assert_eq!(status, 200, "{reply}");
        reply
    }

    pub(crate) async fn mcp_of(&self, proposed: &Proposed<'_>) -> Value {
        self.mcp_result_of(proposed).await["structuredContent"].clone()
    }

    async fn post(&self, path: &str, tool: &str, code: &str) -> Value {
        let body = json!({"tool": tool, "arguments": {"code": code}});
        let sent =
            self.client.post(format!("{}{path}", self.url)).json(&body).send().await.unwrap();
        assert_eq!(sent.status(), 200);
        sent.json().await.unwrap()
    }

    /// A call through REST, with the key of its subject.
    pub(crate) async fn rest(&self, asked: &Asked<'_>) -> Value {
        self.rest_with(&[], asked).await
    }

    /// The same with more headers.
    pub(crate) async fn rest_with(&self, headers: &[(&str, &str)], asked: &Asked<'_>) -> Value {
        let body = json!({"tool": "run_python", "arguments": {"code": asked.code}});
        let mut message = self.client.post(format!("{}/v1/calls", self.url)).json(&body);
        for (name, value) in headers {
            message = message.header(*name, *value);
        }
        if let Some(session) = asked.session {
            message = message.header("Regate-Session", session);
        }
        let sent = message.bearer_auth(asked.key).send().await.unwrap();
        assert_eq!(sent.status(), 200);
        sent.json().await.unwrap()
    }

    /// Any message with a key: the status and what was answered.
    pub(crate) async fn post_as(&self, key: &str, path: &str, body: &Value) -> (u16, Value) {
        let message = self.client.post(format!("{}{path}", self.url)).json(body);
        let sent = message.bearer_auth(key).send().await.unwrap();
        (sent.status().as_u16(), sent.json().await.unwrap())
    }

    /// The same without a body.
    pub(crate) async fn get_as(&self, key: &str, path: &str) -> (u16, Value) {
        let message = self.client.get(format!("{}{path}", self.url)).bearer_auth(key);
        let sent = message.send().await.unwrap();
        (sent.status().as_u16(), sent.json().await.unwrap())
    }

    /// The decision alone on a call through REST, with the key of its subject.
    pub(crate) async fn decide_as(&self, asked: &Asked<'_>) -> Value {
        let body = json!({
            "tool": "run_python", "arguments": {"code": asked.code}, "session": asked.session,
        });
        let message = self.client.post(format!("{}/v1/decisions", self.url)).json(&body);
        message.bearer_auth(asked.key).send().await.unwrap().json().await.unwrap()
    }

    /// A message to `POST /v1/calls`: the status and the answer.
    pub(crate) async fn rest_body(&self, key: &str, body: &Value) -> (u16, Value) {
        let message = self.client.post(format!("{}/v1/calls", self.url)).json(body);
        let sent = message.bearer_auth(key).send().await.unwrap();
        (sent.status().as_u16(), sent.json().await.unwrap())
    }

    /// Reports what a session used: the status and the answer.
    pub(crate) async fn report(&self, key: &str, session: &str, body: &str) -> (u16, Value) {
        let message = self
            .client
            .post(format!("{}/v1/sessions/{session}/usage", self.url))
            .header("Content-Type", "application/json")
            .body(body.to_owned());
        let sent = message.bearer_auth(key).send().await.unwrap();
        (sent.status().as_u16(), sent.json().await.unwrap())
    }

    /// The same call through MCP of the newer era, in which every message stands alone.
    pub(crate) async fn mcp(&self, asked: &Asked<'_>) -> Value {
        self.mcp_of(&Proposed::python(asked)).await
    }

    /// The same, and the whole result of it.
    pub(crate) async fn mcp_result(&self, asked: &Asked<'_>) -> Value {
        self.mcp_result_of(&Proposed::python(asked)).await
    }

    async fn mcp_result_of(&self, proposed: &Proposed<'_>) -> Value {
        const VERSION: &str = "2026-07-28";
        let Proposed { key, session, tool, arguments } = proposed;
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(session) = session {
            meta["regate/session"] = (*session).into();
        }
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let message = self.client.post(format!("{}/mcp", self.url)).json(&body);
        let message = message
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", VERSION)
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", *tool);
        let sent = message.bearer_auth(key).send().await.unwrap();
        let answer: Value = sent.json().await.unwrap();
        answer["result"].clone()
    }

    pub(crate) async fn get(&self, path: &str) -> String {
        let sent = self.client.get(format!("{}{path}", self.url)).send().await.unwrap();
        sent.text().await.unwrap()
    }

    /// The sum of a metric's samples whose labels contain all of these texts.
    pub(crate) async fn metric(&self, name: &str, labels: &[&str]) -> f64 {
        self.get("/metrics")
            .await
            .lines()
            .filter(|line| {
                line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))
            })
            .filter(|line| labels.iter().all(|label| line.contains(label)))
            .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
            .sum()
    }

    /// The ledger's records, as `regate ledger show` prints them while the gateway runs.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        let shown = self.ledger_command(&["show", "--limit", "10000", "--format", "json"]);
        String::from_utf8(shown.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub(crate) fn verify(&self) -> bool {
        self.ledger_command(&["verify"]).status.success()
    }

    fn ledger_command(&self, words: &[&str]) -> Output {
        regate().arg("ledger").args(words).arg("--data").arg(&self.data).output().unwrap()
    }

    /// Resident memory, in KiB.
    pub(crate) fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Lets it load its bundle anew, and tells what became of that.
    pub(crate) async fn reloaded(&self) -> Value {
        let state = async || {
            let ready: Value = serde_json::from_str(&self.get("/readyz").await).unwrap();
            ready["bundle"].clone()
        };
        let before = state().await;
        self.signal("HUP");
        loop {
            let now = state().await;
            if now != before {
                return now;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    /// Stops it as an operator would, and waits for its end.
    pub(crate) fn stop(&self) {
        self.signal("TERM");
        let process = format!("/proc/{}/stat", self.child.id());
        // A process that ended and was not waited for is a zombie, `Z`.
        while !std::fs::read_to_string(&process).unwrap().contains(") Z ") {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Waits for its end.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub(crate) fn is_up(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let errors: Vec<&str> = log.lines().filter(|line| line.contains("ERROR")).collect();
            println!("{}", errors.join("\n"));
        }
    }
}
