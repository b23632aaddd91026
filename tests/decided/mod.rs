//! The cases of `fixtures/decisions`: each folder is one call, `AREA.RULE.CASE`, with its code.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

use crate::{calls, folders};
use regate::call::{CallId, Json, Label, Language, Source, Text, Tool, ToolCall};
use regate::facts::drift::{Drift, Kind};
use regate::facts::{Limits, extract};
use regate::policy::{Code, Connection, Context, Policy, Yielded, YieldedText};
use regate::redact::{Counts, Ending, find};
use serde::Deserialize;
use std::path::PathBuf;

const CASES: &str = "fixtures/decisions";

/// One call, with its code made into facts.
#[derive(Debug)]
pub(crate) struct Case {
    /// The name of its folder.
    pub(crate) name: String,
    /// The call.
    pub(crate) call: ToolCall,
    /// Its code, where it has some.
    pub(crate) code: Option<Code>,
    /// What came before it.
    pub(crate) context: Context,
    /// What it printed, where the case is about that.
    pub(crate) printed: Option<String>,
    /// What it was seen to do that was not foretold.
    drift: Vec<Drift>,
    /// A connection that it asks for, where the case is about that.
    connection: Option<Wanted>,
}

/// A connection as a case writes it, and what the call was permitted with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    host: String,
    port: u16,
    obliged: Vec<Text>,
}

/// The call of a case as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    server: String,
    tool: String,
    /// The labels that the subject bears, each with the step that put it on.
    #[serde(default)]
    labels: Vec<(String, u64)>,
    /// What it printed, in pieces, where the case is about that.
    printed: Option<Vec<String>>,
    /// What it was seen to do that was not foretold: what that takes, the event, the line.
    #[serde(default)]
    drift: Vec<(String, String, u32)>,
    /// A connection that it asks for, where the case is about that.
    connection: Option<Wanted>,
}

impl Written {
    fn context(&self) -> Context {
        let mut context = calls::context();
        let label = |(name, step): &(String, u64)| Label {
            name: name.as_str().into(),
            session: "run".into(),
            step: *step,
            call: CallId::new(format!("call-{step}")),
        };
        context.session.labels = self.labels.iter().map(label).collect();
        context
    }
}

impl Case {
    /// What policy is told of what it printed.
    pub(crate) fn yielded(&self) -> Option<Yielded<'_>> {
        let text = self.printed.as_deref()?;
        Some(Yielded {
            outcome: "ok",
            exit_code: Some(0),
            truncated: false,
            texts: vec![YieldedText { name: "stdout", text }],
            files: Vec::new(),
            detected: find(text, Ending::Whole).iter().collect::<Counts>(),
            drift: &self.drift,
        })
    }
}

impl Case {
    /// What policy is told of a connection that it asks for.
    pub(crate) fn wanted(&self) -> Option<Connection<'_>> {
        let Wanted { host, port, obliged } = self.connection.as_ref()?;
        Some(Connection { number: 1, host, port: *port, way: "tunnel", obliged })
    }
}

/// A file of a case.
pub(crate) fn file(case: &str, name: &str) -> Option<Vec<u8>> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), CASES, case, name].iter().collect();
    std::fs::read(path).ok()
}

/// Every case, sorted by name.
pub(crate) fn cases(policy: &Policy) -> Vec<Case> {
    folders::folders(CASES).into_iter().map(|name| case(policy, name)).collect()
}

fn case(policy: &Policy, name: String) -> Case {
    let written: Written = serde_json::from_slice(&file(&name, "call.json").unwrap()).unwrap();
    let context = written.context();
    let mut call = calls::call(Tool {
        server: written.server.as_str().into(),
        name: written.tool.as_str().into(),
    });
    let code = file(&name, "code.py").map(|bytes| {
        let text = std::str::from_utf8(&bytes).unwrap();
        assert!(text.starts_with("# "), "{name}: what does it show?");
        call.arguments = Json::Object(vec![("code".into(), Json::String(text.into()))]);
        let source = Source::new(Language::Python, bytes);
        let facts = extract(&source, policy.catalogue(), &Limits::default());
        call.source = Some(source);
        Code::new(facts)
    });
    let strayed = |(capability, event, line): &(String, String, u32)| Drift {
        capability: kind(capability).capability(),
        event: event.as_str().into(),
        arguments: Vec::new(),
        line: *line,
    };
    let drift = written.drift.iter().map(strayed).collect();
    let printed = written.printed.map(|pieces| pieces.concat());
    Case { name, call, code, context, printed, drift, connection: written.connection }
}

/// The kind of event that takes this.
fn kind(capability: &str) -> Kind {
    [Kind::Process, Kind::Network, Kind::Read, Kind::Write, Kind::Dynamic, Kind::Unlisted]
        .into_iter()
        .find(|kind| kind.capability() == capability)
        .unwrap()
}
