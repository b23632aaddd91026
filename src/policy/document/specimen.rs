//! A request document with one of everything in it: what the load-time lint holds paths
//! against, and what a new bundle is asked first.

use super::connection::connection;
use super::request::{Told, request_telling};
use super::result::result;
use super::{Point, request};
use crate::call::{
    Approval, Authentication, CallId, Door, Json, Label, Language, Session, Step, Subject, Text,
    Timestamp, Tool, ToolCall, Usage,
};
use crate::facts::drift::{Drift, Kind};
use crate::facts::{
    Anomaly, AnomalyKind, Argument, Binding, BindingKind, Call, Capability, Dynamic, DynamicKind,
    Facts, Gap, GapKind, Hook, Implicit, Import, ImportForm, Level, Making, Module, ModuleRoute,
    Parse, ParseStatus, Place, Reference, Reflection, ReflectionKind, Resolution, Resource,
    ResourceKind, Role, Runtime, Scope, ScopeKind, Shape, Slot, Span, StringFact, StringRole,
    Taint, Value, When,
};
use crate::policy::engine::Document;
use crate::policy::{Code, Connection, Context, Yielded, YieldedFile, YieldedText};
use crate::redact::Counts;
use std::sync::LazyLock;

const SPAN: Span = Span { line: 1, column: 0, end_line: 1, end_column: 1, byte: (0, 1) };

const CONNECTION: Connection<'static> =
    Connection { number: 1, host: "specimen", port: 443, way: "tunnel", obliged: &[] };

static DRIFT: LazyLock<[Drift; 1]> = LazyLock::new(|| {
    let (capability, event) = (Kind::Read.capability(), name());
    [Drift { capability, event, arguments: vec![name()], line: 1 }]
});

/// The specimen of a call. Every key that a request document can have is in it, so that its
/// result and a connection are told as well.
pub(in crate::policy) fn specimen() -> Document {
    let told = Told {
        point: "call",
        result: result(&yielded(), usize::MAX),
        connection: connection(&CONNECTION),
    };
    // The specimen's arguments hold no number.
    request_telling(&call(), Some(&code()), &context(), told).unwrap_or(Document::NULL)
}

/// The specimen of a connection.
pub(in crate::policy) fn specimen_of_connection() -> Document {
    let point = Point::Connect(&CONNECTION);
    request(&call(), Some(&code()), &context(), point).unwrap_or(Document::NULL)
}

/// The specimen of a result.
pub(in crate::policy) fn specimen_of_result() -> Document {
    let yielded = yielded();
    let point = Point::Result(&yielded, usize::MAX);
    request(&call(), Some(&code()), &context(), point).unwrap_or(Document::NULL)
}

fn code() -> Code {
    let nested = Facts { dynamic: Vec::new(), ..facts_with(None) };
    Code::new(facts_with(Some(Box::new(nested))))
}

fn name() -> Text {
    "specimen".into()
}

fn call() -> ToolCall {
    ToolCall {
        id: CallId::new(name()),
        door: Door::Cli,
        subject: Subject {
            id: name(),
            tenant: name(),
            roles: vec![name()],
            authentication: Authentication::Local,
        },
        session: None,
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: Json::Object(Vec::new()),
        source: None,
        received: Timestamp::from_unix_ms(0),
    }
}

fn yielded() -> Yielded<'static> {
    Yielded {
        outcome: "ok",
        exit_code: Some(0),
        truncated: false,
        texts: vec![YieldedText { name: "specimen", text: "specimen" }],
        files: vec![YieldedFile {
            name: "specimen",
            bytes: 1,
            media_type: "text/plain",
            digest: "specimen",
            detected: Counts::default(),
        }],
        detected: Counts::default(),
        drift: DRIFT.as_slice(),
    }
}

fn context() -> Context {
    let now = Timestamp::from_unix_ms(0);
    Context {
        now,
        session: Session {
            id: name(),
            step: 2,
            started: now,
            usage: Usage { tokens: 1, cost_microusd: 1 },
            labels: vec![Label {
                name: name(),
                session: name(),
                step: 1,
                call: CallId::new(name()),
            }],
            history: vec![Step {
                step: 1,
                tool: name(),
                decision: name(),
                outcome: Some(name()),
                labels: vec![name()],
            }],
        },
        approval: Some(Approval {
            id: name(),
            by: name(),
            roles: vec![name()],
            at: now,
            note: name(),
        }),
    }
}

fn value() -> Value {
    Value {
        level: Level::Literal,
        kind: "str".into(),
        text: Some(name()),
        prefix: Some(name()),
        suffix: Some(name()),
        candidates: vec![name()],
        ops: vec![Making::Concat],
        taint: vec![Taint::Unknown],
    }
}

pub(super) fn facts_with(nested: Option<Box<Facts>>) -> Facts {
    Facts {
        language: Language::Python,
        runtime: Runtime { name: name(), version: name() },
        digest: "0".repeat(64).into(),
        parse: parse(),
        gaps: vec![gap()],
        capabilities: vec![Capability {
            name: name(),
            resolution: Resolution::Exact,
            because: name(),
            span: SPAN,
        }],
        imports: vec![import()],
        modules: vec![module()],
        calls: vec![called()],
        references: vec![reference()],
        dynamic: vec![Dynamic {
            kind: DynamicKind::Eval,
            call: name(),
            value: value(),
            nested,
            span: SPAN,
        }],
        reflection: vec![Reflection {
            kind: ReflectionKind::Dunder,
            name: name(),
            on: Some(name()),
            next: Some(name()),
            span: SPAN,
        }],
        resources: vec![resource()],
        bindings: vec![Binding {
            kind: BindingKind::Monkeypatch,
            name: name(),
            to: vec![name()],
            span: SPAN,
        }],
        hooks: vec![Hook {
            name: name(),
            owner: Some(name()),
            targets: vec![name()],
            resolution: Resolution::Exact,
            span: SPAN,
        }],
        strings: vec![StringFact {
            role: StringRole::Code,
            shape: Some(Shape::Url),
            value: value(),
            span: SPAN,
        }],
        scopes: vec![scope()],
    }
}

fn gap() -> Gap {
    Gap {
        kind: GapKind::Callee,
        why: name(),
        on: Some(name()),
        candidates: vec![name()],
        span: SPAN,
    }
}

fn reference() -> Reference {
    Reference {
        names: vec!["specimen.part".into()],
        role: Role::Argument,
        into: Some(name()),
        scope: name(),
        span: SPAN,
    }
}

fn parse() -> Parse {
    Parse {
        status: ParseStatus::Recovered,
        errors: vec![SPAN],
        anomalies: vec![Anomaly { kind: AnomalyKind::Bom, detail: name(), span: SPAN }],
        bytes: 1,
        nodes: 1,
        depth: 1,
        truncated: false,
    }
}

fn import() -> Import {
    Import {
        form: ImportForm::From,
        module: "specimen.part".into(),
        alias: Some(name()),
        names: vec![(name(), Some(name()))],
        written: name(),
        scope: name(),
        span: SPAN,
    }
}

fn module() -> Module {
    Module {
        module: "specimen.part".into(),
        route: ModuleRoute::Import,
        path: name(),
        resolution: Resolution::Exact,
        span: SPAN,
    }
}

fn called() -> Call {
    let argument = |slot| Argument { slot, value: value() };
    Call {
        names: vec![name()],
        resolution: Resolution::Exact,
        closed: true,
        receiver: Some(name()),
        text: name(),
        capabilities: vec![name()],
        arguments: vec![argument(Slot::Position(0)), argument(Slot::Keyword(name()))],
        star_arguments: false,
        star_keywords: false,
        implicit: Some(Implicit::Operator),
        when: When::Always,
        scope: name(),
        span: SPAN,
    }
}

fn resource() -> Resource {
    Resource {
        kind: ResourceKind::File,
        op: "read".into(),
        value: value(),
        norm: Some("specimen.csv".into()),
        place: Place::Workspace,
        call: name(),
        span: SPAN,
    }
}

fn scope() -> Scope {
    Scope {
        id: name(),
        kind: ScopeKind::Module,
        name: name(),
        parent: Some(name()),
        parameters: vec![name()],
        called: true,
    }
}
