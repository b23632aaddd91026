//! `regate approvals`: what waits for a person, shown and answered through the gateway that runs.

mod args;
pub(super) mod operator;

pub(super) use args::ApprovalsCommand;

use super::Exit;
use super::args::Format;
use super::output::Output;
use super::show::plain;
use anyhow::{Context, bail};
use args::{Answer, Where};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the gateway may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(10);

pub(super) fn run(command: ApprovalsCommand, output: &mut Output) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match command {
            ApprovalsCommand::List { format, gateway } => {
                let told = ask(&gateway, Method::GET, "", None).await?;
                list(&told, format, output);
            }
            ApprovalsCommand::Show { id, format, gateway } => {
                let told = ask(&gateway, Method::GET, &id, None).await?;
                show(&told, format, output);
            }
            ApprovalsCommand::Approve(answer) => say("approve", &answer, output).await?,
            ApprovalsCommand::Refuse(answer) => say("refuse", &answer, output).await?,
        }
        Ok(Exit::Done)
    })
}

async fn say(word: &str, answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let body = json!({"answer": word, "note": answer.note});
    let told = ask(&answer.gateway, Method::POST, &answer.id, Some(body)).await?;
    output.line(format!("{} is {}", text(&told, "/id"), text(&told, "/state")));
    Ok(())
}

async fn ask(
    gateway: &Where,
    method: Method,
    id: &str,
    body: Option<Value>,
) -> anyhow::Result<Value> {
    let path = if id.is_empty() { String::new() } else { format!("/{}", name(id)?) };
    let url = format!("{}/v1/approvals{path}", gateway.url.trim_end_matches('/'));
    let client = reqwest::Client::builder().timeout(ANSWER_MAX);
    // Certificates that are not needed must not be missed.
    let plain = url.starts_with("http://");
    let client = if plain { client.tls_certs_only(Vec::new()) } else { client }.build()?;
    let mut message = client.request(method, &url).bearer_auth(key(gateway)?);
    if let Some(body) = body {
        message = message.json(&body);
    }
    let response = message.send().await.with_context(|| format!("cannot reach {}", gateway.url))?;
    answered(response).await
}

/// An id goes into an address, and nothing else does.
fn name(id: &str) -> anyhow::Result<&str> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if id.bytes().all(known) { Ok(id) } else { bail!("`{}` is no id", plain(id)) }
}

fn key(gateway: &Where) -> anyhow::Result<String> {
    match std::env::var("REGATE_KEY") {
        Ok(key) => Ok(key),
        Err(_) => operator::read(&gateway.data.data),
    }
}

async fn answered(response: Response) -> anyhow::Result<Value> {
    let status = response.status();
    let told: Value = response.json().await.context("the gateway answered something else")?;
    if status.is_success() {
        return Ok(told);
    }
    bail!("{}: {}", text(&told, "/title"), text(&told, "/detail"))
}

fn list(told: &Value, format: Format, output: &mut Output) {
    let open = told.get("approvals").and_then(Value::as_array).map(Vec::as_slice);
    for approval in open.unwrap_or_default() {
        match format {
            Format::Json => output.line(approval.to_string()),
            Format::Text => output.line(line(approval)),
        }
    }
    if format == Format::Text && open.is_none_or(<[Value]>::is_empty) {
        output.line("nothing waits");
    }
}

fn line(approval: &Value) -> String {
    let [id, asked, tenant, subject, tool] =
        ["/id", "/asked", "/tenant", "/subject", "/tool"].map(|path| text(approval, path));
    let roles = approval.get("approvers").and_then(Value::as_array);
    let roles: Vec<String> =
        roles.into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
    let whom = if roles.is_empty() { String::new() } else { format!("  for {}", roles.join(", ")) };
    format!("{id}  {asked}  {tenant}/{subject}  {tool}{whom}")
}

fn show(told: &Value, format: Format, output: &mut Output) {
    if format == Format::Json {
        output.line(told.to_string());
        return;
    }
    output.line(line(told));
    for (label, path) in [("state", "/state"), ("session", "/session"), ("expires", "/expires")] {
        output.line(format!("{label}: {}", text(told, path)));
    }
    let findings = told.pointer("/recorded/findings").and_then(Value::as_array);
    for finding in findings.into_iter().flatten() {
        output.line(format!("- {} ({})", text(finding, "/message"), text(finding, "/rule")));
    }
    show_facts(told, output);
    // Once it is over, what the ledger keeps is all there is.
    let kept = ["/arguments", "/recorded/arguments"].map(|path| told.pointer(path));
    let arguments = kept.into_iter().flatten().find_map(Value::as_object);
    for (name, value) in arguments.into_iter().flatten() {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output.line(format!("{}:", plain(name)));
        for line in shown.lines() {
            output.line(format!("    {}", plain(line)));
        }
    }
}

/// What the code needs, and what it names.
fn show_facts(told: &Value, output: &mut Output) {
    let each = |path| told.pointer(path).and_then(Value::as_array).into_iter().flatten();
    let line = |fact: &Value| fact.get("line").and_then(Value::as_u64).unwrap_or_default();
    for capability in each("/facts/capabilities") {
        let [name, because] = ["/name", "/because"].map(|path| text(capability, path));
        output.line(format!("needs {name}: {because}, line {}", line(capability)));
    }
    for resource in each("/facts/resources") {
        let [op, kind, name] = ["/op", "/kind", "/name"].map(|path| text(resource, path));
        let name = if name.is_empty() { "(not known)" } else { &name };
        output.line(format!("names {kind} {name}: {op}, line {}", line(resource)));
    }
}

/// A text of what was told, with nothing in it that a terminal would obey.
fn text(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).map(plain).unwrap_or_default()
}
