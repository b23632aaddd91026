//! `regate ledger`: the record shown and verified, while a gateway writes it or none does.

use super::Exit;
use super::args::{Data, Format, LedgerCommand, LedgerShow, LedgerVerify};
use super::output::Output;
use super::show::plain;
use crate::call::CallId;
use crate::ledger::Settings;
use crate::ledger::reader::{Reader, Record, Selection, Verification};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

pub(super) fn run(command: LedgerCommand, output: &mut Output) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match command {
        LedgerCommand::Show(args) => runtime.block_on(show(args, output)),
        LedgerCommand::Verify(args) => runtime.block_on(verify(args, output)),
    }
}

async fn open(data: &Data) -> anyhow::Result<Reader> {
    Ok(Reader::open(&Settings::in_directory(&data.data).file).await?)
}

async fn show(args: LedgerShow, output: &mut Output) -> anyhow::Result<Exit> {
    let mut reader = open(&args.data).await?;
    let limit = u64::from(args.limit);
    let each = |record: Record| output.line(line(&record, args.format));
    match (args.after, args.call) {
        (None, None) => reader.tail(limit, each).await?,
        (after, call) => {
            let call = call.map(CallId::new);
            let selection = Selection { after_seq: after.unwrap_or(0), call, limit };
            reader.show(&selection, each).await?
        }
    };
    Ok(Exit::Done)
}

fn line(record: &Record, format: Format) -> String {
    // A body that is not JSON was changed; `verify` says so, and it is shown as it is.
    let body: Value =
        serde_json::from_str(&record.body).unwrap_or_else(|_| Value::String(record.body.clone()));
    match format {
        Format::Json => serde_json::json!({
            "seq": record.seq, "kind": record.kind, "at": record.at.to_string(),
            "call": body.get("call"), "hash": record.hash, "body": body,
        })
        .to_string(),
        Format::Text => text(record, &body),
    }
}

fn text(record: &Record, body: &Value) -> String {
    let word =
        |path: &str| body.pointer(path).and_then(Value::as_str).map(plain).unwrap_or_default();
    let (at, kind, call) = (record.at, plain(&record.kind), word("/call"));
    let head = format!("{:>6}  {at}  {kind:<8}  {call}", record.seq);
    if record.kind == "outcome" {
        return format!("{head}  {}", word("/outcome"));
    }
    if record.kind == "usage" {
        let number = |path: &str| body.pointer(path).and_then(Value::as_u64).unwrap_or_default();
        let (subject, session) = (word("/subject/id"), word("/session"));
        let (tokens, cost) = (number("/tokens"), number("/cost_microusd"));
        return format!("{head}  {subject}  {session}  {tokens} tokens  {cost} microusd");
    }
    let mut rules: Vec<String> = body
        .pointer("/findings")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|finding| finding.get("rule").and_then(Value::as_str).map(plain))
        .collect();
    rules.dedup();
    let (decision, cause) = (word("/decision"), word("/cause"));
    let (subject, tool) = (word("/subject/id"), word("/tool/name"));
    format!("{head}  {decision} ({cause})  {subject}  {tool}  {}", rules.join(" "))
        .trim_end()
        .to_owned()
}

async fn verify(args: LedgerVerify, output: &mut Output) -> anyhow::Result<Exit> {
    let mut reader = open(&args.data).await?;
    let bar = progress_bar()?;
    let verification = reader
        .verify(|read, total| {
            bar.set_length(total);
            bar.set_position(read);
        })
        .await?;
    bar.finish_and_clear();
    output.line(verdict(&verification, args.format));
    Ok(if verification.flaw.is_none() { Exit::Done } else { Exit::Denied })
}

fn verdict(verification: &Verification, format: Format) -> String {
    let Verification { count, head, flaw } = verification;
    match format {
        Format::Json => serde_json::json!({
            "sound": flaw.is_none(), "count": count, "head": head,
            "flaw": flaw.as_ref().map(|flaw| {
                serde_json::json!({"seq": flaw.seq, "reason": flaw.to_string()})
            }),
        })
        .to_string(),
        Format::Text => match flaw {
            None => format!("the chain holds: {count} records, head {head}"),
            Some(flaw) => format!("the chain is broken: {flaw}; {count} records before it hold"),
        },
    }
}

/// Shown on a terminal only.
fn progress_bar() -> anyhow::Result<ProgressBar> {
    let target =
        if Output::watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("verifying {wide_bar} {pos}/{len} records {eta}")?;
    Ok(ProgressBar::with_draw_target(None, target).with_style(style))
}
