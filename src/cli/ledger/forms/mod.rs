//! The forms in which a record is printed: a line for people, JSON, a decision of an OPA log.
//!
//! Must never let text of a stranger end the line that it stands in.

use crate::cli::args::LedgerFormat;
use crate::cli::show::{Page, Paint, plain};
use crate::ledger::reader::Record;
use serde_json::{Value, json};

/// How records are printed.
pub(super) struct Form<'a> {
    pub(super) page: &'a Page,
    pub(super) format: LedgerFormat,
    /// The ledger's own id, by which logs of several gateways are told apart.
    pub(super) ledger: &'a str,
}

impl Form<'_> {
    /// The record on a line; `None` where it has no place in such a print.
    pub(super) fn line(&self, record: &Record) -> Option<String> {
        // A body that is not JSON was changed; `verify` says so, and it is shown as it is.
        let body: Value = serde_json::from_str(&record.body)
            .unwrap_or_else(|_| Value::String(record.body.clone()));
        match self.format {
            LedgerFormat::Json => Some(
                json!({
                    "seq": record.seq, "kind": record.kind, "at": record.at.to_string(),
                    "call": body.get("call"), "hash": record.hash, "body": body,
                })
                .to_string(),
            ),
            LedgerFormat::Text => Some(self.text(record, &body)),
            LedgerFormat::Opa => {
                (record.kind == "decision").then(|| self.opa(record, &body).to_string())
            }
        }
    }

    fn text(&self, record: &Record, body: &Value) -> String {
        let word = |path: &str| word(body, path);
        let (at, kind, call) = (record.at, plain(&record.kind), word("/call"));
        let head = format!("{:>6}  {at}  {kind:<10}  {call:<36}", record.seq);
        let told = match record.kind.as_str() {
            "decision" => {
                let decision = format!("{} ({})", word("/decision"), word("/cause"));
                let advisory = body.get("advisory").and_then(Value::as_bool) == Some(true);
                let aside = if advisory { "  (advice)" } else { "" };
                let painted = self.painted(&decision, &word("/decision"));
                format!("{painted}{}  {}{aside}", owner(body), rules(body))
            }
            "connection" => {
                let decision = format!("{} ({})", word("/decision"), word("/cause"));
                let port = number(body, "/connection/port");
                let target = format!("{}:{port}", word("/connection/host"));
                let painted = self.painted(&decision, &word("/decision"));
                format!("{painted}{}  {target}  {}", owner(body), rules(body))
            }
            "outcome" => {
                let outcome = word("/outcome");
                let labels = texts(body, "/labels");
                format!("{}{}  {labels}", self.painted(&outcome, &outcome), owner(body))
            }
            "answer" => {
                let said = word("/approval/said");
                let by = word("/approval/by");
                format!("{} {by}{}", self.painted(&said, &said), owner(body))
            }
            "usage" => {
                let (tokens, cost) = (number(body, "/tokens"), number(body, "/cost_microusd"));
                format!("{tokens} tokens, {cost} microusd{}", owner(body))
            }
            "file" => {
                let (does, name) = (word("/does"), word("/name"));
                format!("{does} {name}{}", owner(body))
            }
            "seal" => {
                let first = number(body, "/after_seq").saturating_add(1);
                format!("records {first} to {} are sealed", record.seq)
            }
            "continues" => format!("goes on after record {}", number(body, "/after_seq")),
            _ => String::new(),
        };
        format!("{head}  {told}").trim_end().to_owned()
    }

    fn painted(&self, text: &str, word: &str) -> String {
        let paint = match word {
            "permitted" | "ok" | "approved" => Paint::Good,
            "held" | "interrupted" | "expired" => Paint::Doubtful,
            _ => Paint::Bad,
        };
        self.page.paint(text, paint)
    }

    /// A decision as OPA's decision logs have it. What the ledger does not keep is absent: the
    /// facts, the times that the evaluation took, what builtins were told.
    fn opa(&self, record: &Record, body: &Value) -> Value {
        let part = |path: &str| body.pointer(path).cloned().unwrap_or(Value::Null);
        let effect = match body.get("decision").and_then(Value::as_str) {
            Some("permitted") => "permit",
            Some("held") => "hold",
            Some(_) | None => "deny",
        };
        let mut event = json!({
            "labels": {
                "app": "regate", "id": self.ledger, "version": env!("CARGO_PKG_VERSION"),
            },
            "decision_id": part("/call"),
            "bundles": {"regate": {"revision": part("/policy")}},
            "path": "regate/main/verdict",
            "input": {
                "api": "regate/v1",
                "point": "call",
                "subject": part("/subject"),
                "action": {"name": "tools/call"},
                "resource": {
                    "type": "tool", "server": part("/tool/server"), "name": part("/tool/name"),
                    "arguments": part("/arguments"),
                },
                "context": {
                    "session": {"id": part("/session")},
                    "code": {
                        "digest": part("/code"), "complete": part("/coverage_complete"),
                    },
                },
            },
            "result": {
                "effect": effect, "cause": part("/cause"), "findings": part("/findings"),
            },
            "requested_by": part("/subject/id"),
            "timestamp": record.at.to_string(),
            "custom": {
                "door": part("/door"), "advisory": part("/advisory"), "fault": part("/fault"),
                "seq": record.seq, "hash": record.hash,
            },
        });
        let whole = body.get("arguments_kept").and_then(Value::as_str) == Some("whole");
        if let (false, Some(members)) = (whole, event.as_object_mut()) {
            members.insert("masked".to_owned(), json!(["/input/resource/arguments"]));
        }
        event
    }
}

/// `  agent-7@acme  session run-7  run_python`
fn owner(body: &Value) -> String {
    let (subject, tenant) = (word(body, "/subject/id"), word(body, "/subject/tenant"));
    let (session, tool) = (word(body, "/session"), word(body, "/tool/name"));
    format!("  {subject}@{tenant}  session {session}  {tool}")
}

fn word(body: &Value, path: &str) -> String {
    body.pointer(path).and_then(Value::as_str).map(plain).unwrap_or_default()
}

fn number(body: &Value, path: &str) -> i64 {
    body.pointer(path).and_then(Value::as_i64).unwrap_or_default()
}

fn texts(body: &Value, path: &str) -> String {
    let items = body.pointer(path).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(plain).collect::<Vec<_>>().join(" ")
}

/// The rules that had something to say, each once.
fn rules(body: &Value) -> String {
    let findings = body.pointer("/findings").and_then(Value::as_array).into_iter().flatten();
    let mut rules: Vec<String> = findings.map(|finding| word(finding, "/rule")).collect();
    rules.dedup();
    rules.join(" ")
}

#[cfg(test)]
mod tests;
