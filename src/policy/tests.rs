//! What must hold of every bundle and every call, whatever they hold.

#![expect(
    clippy::disallowed_methods,
    reason = "a test reads the shipped bundle, and fails where it cannot"
)]

use super::engine::Document;
use super::{
    BundleFile, Code, Context, Policy, Ruling, Settings, Slot, bundle, document, request_json,
    verdict,
};
use crate::call::{
    Authentication, CallId, Door, Json, Language, Session, Source, Step, Subject, Timestamp, Tool,
    ToolCall,
};
use crate::facts::{Limits, extract};
use proptest::prelude::*;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use walkdir::WalkDir;

static SHIPPED: LazyLock<Policy> = LazyLock::new(|| load(&files("policies")));

/// The shipped bundle with a rule that denies one tool, and with one that denies all.
static STRICTER: LazyLock<[Policy; 2]> = LazyLock::new(|| {
    ["fixtures/bundles/denying", "fixtures/bundles/refusing"].map(|added| {
        let mut all = files("policies");
        all.extend(files(added));
        load(&all)
    })
});

fn load(files: &[BundleFile]) -> Policy {
    let settings = Settings { evaluation_ms_max: 30_000, ..Settings::default() };
    Policy::load(files, &settings).unwrap()
}

fn files(folder: &str) -> Vec<BundleFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = WalkDir::new(&root).into_iter().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| BundleFile {
            path: entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
            text: std::fs::read_to_string(entry.path()).unwrap(),
        })
        .collect()
}

fn call(tool: &str) -> ToolCall {
    ToolCall {
        id: CallId::new("call"),
        door: Door::Cli,
        subject: Subject {
            id: "agent".into(),
            tenant: "acme".into(),
            roles: Vec::new(),
            authentication: Authentication::Local,
        },
        session: None,
        tool: Tool::builtin(tool),
        arguments: Json::Object(Vec::new()),
        source: None,
        received: Timestamp::from_unix_ms(0),
    }
}

fn context() -> Context {
    let now = Timestamp::from_unix_ms(0);
    Context::new(now, Session::beginning("run", now))
}

fn code(text: &str) -> Code {
    let source = Source::new(Language::Python, text.as_bytes());
    Code::new(extract(&source, SHIPPED.catalogue(), &Limits::default()))
}

/// Lines of which programs are made up: some are harmless, some are not.
const LINES: &[&str] = &[
    "import math",
    "import os",
    "import json as subprocess",
    "from urllib import request",
    "print(1)",
    "print(math.sqrt(2))",
    "os.system('id')",
    "eval('1')",
    "open('data.csv').read()",
    "open('/etc/passwd').read()",
    "x = ().__class__",
    "f = getattr(json, name)",
    "map(os.system, ['id'])",
    "json.loads = print",
    "x = 'a\u{202e}b'",
    "if",
];

fn program() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(LINES), 0..6)
        .prop_map(|lines| lines.join("\n"))
}

fn permitted(policy: &Policy, tool: &str, code: &Code) -> bool {
    let ruling = policy.decide(&call(tool), Some(code), &context()).ruling;
    matches!(ruling, Ruling::Permitted(_))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rule_that_denies_never_turns_a_denial_into_a_permit(
        program in program(),
        tool in proptest::sample::select(&[Tool::RUN_PYTHON, "trigger"][..]),
    ) {
        let code = code(&program);
        let before = permitted(&SHIPPED, tool, &code);
        for stricter in STRICTER.iter() {
            prop_assert!(before || !permitted(stricter, tool, &code));
        }
    }

    #[test]
    fn a_decision_is_the_same_every_time(program in program()) {
        let code = code(&program);
        let decide = || SHIPPED.decide(&call(Tool::RUN_PYTHON), Some(&code), &context());
        let (first, second) = (decide(), decide());
        prop_assert_eq!(first.findings, second.findings);
        prop_assert_eq!(first.ruling.cause(), second.ruling.cause());
    }
}

#[test]
fn the_programs_of_these_tests_are_of_both_kinds() {
    assert!(permitted(&SHIPPED, Tool::RUN_PYTHON, &code("print(1)")));
    assert!(!permitted(&SHIPPED, Tool::RUN_PYTHON, &code("eval('1')")));
    let [one_tool, all] = &*STRICTER;
    assert!(permitted(one_tool, Tool::RUN_PYTHON, &code("print(1)")));
    assert!(!permitted(all, Tool::RUN_PYTHON, &code("print(1)")));
}

/// The request documents that come of one by leaving out one field of an object, wherever in
/// the envelope or in the first two levels of the facts it stands. What lies deeper is built
/// by types of our own, which have no way to leave a field out.
fn with_a_field_less(document: &Document) -> Vec<(String, Document)> {
    let mut found = Vec::new();
    leave_out(document, "", &mut |path, less| found.push((path, less)));
    found
}

const DEPTH_MAX: usize = 4;

fn leave_out(document: &Document, path: &str, each: &mut dyn FnMut(String, Document)) {
    let Some(members) = document.members() else {
        return;
    };
    if path.matches('/').count() >= DEPTH_MAX {
        return;
    }
    for (name, member) in &members {
        let rest = |changed: Option<Document>| -> Document {
            members
                .iter()
                .filter(|(other, _)| other != name)
                .map(|(other, member)| (&**other, member.clone()))
                .chain(changed.map(|changed| (&**name, changed)))
                .collect()
        };
        let path = format!("{path}/{name}");
        each(path.clone(), rest(None));
        leave_out(member, &path, &mut |path, less| each(path, rest(Some(less))));
    }
}

fn permits(document: Document) -> bool {
    let bounds = verdict::Bounds {
        rules: &SHIPPED.loaded.rule_ids,
        findings_max: SHIPPED.settings.findings_max,
    };
    let answer = SHIPPED.loaded.engine.evaluate(bundle::VERDICT, document);
    let read = answer.ok().and_then(|answer| verdict::read(&answer, &bounds).ok());
    read.is_some_and(|verdict| verdict.effect == verdict::Effect::Permit)
}

#[test]
fn a_field_that_is_missing_never_turns_a_denial_into_a_permit() {
    for program in [
        "import os",
        "x = __import__('random')._os",
        "open('/etc/passwd')",
        "x = ().__class__",
        "import json\njson.loads = 1",
        "eval('1')",
        "import json\ngetattr(json, input())()",
        "x = 'a\u{202e}b'",
        "import sqlite3\nsqlite3.connect(':memory:').execute(\"attach 'x' as y\")",
    ] {
        let document = document::request(&call(Tool::RUN_PYTHON), Some(&code(program)), &context());
        let document = document.unwrap();
        assert!(!permits(document.clone()), "{program} is permitted");
        for (path, less) in with_a_field_less(&document) {
            assert!(!permits(less), "{program} is permitted without {path}");
        }
    }
}

#[test]
fn policy_is_shown_the_last_steps_of_a_session() {
    let mut context = context();
    let steps = 1..=u64::try_from(Session::HISTORY_MAX).unwrap() + 10;
    context.session.history = steps
        .map(|step| Step {
            labels: Vec::new(),
            step,
            tool: "run_python".into(),
            decision: "denied".into(),
            outcome: None,
        })
        .collect();
    let told = request_json(&call("echo"), None, &context).unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let history = told.pointer("/context/session/history").unwrap();
    let history = history.as_array().unwrap();
    assert_eq!(history.len(), Session::HISTORY_MAX);
    assert_eq!(history.first().unwrap().pointer("/step"), Some(&11.into()));
}

#[test]
fn a_call_that_is_permitted_needs_its_fields() {
    let document = document::request(&call(Tool::RUN_PYTHON), Some(&code("print(1)")), &context());
    let document = document.unwrap();
    assert!(permits(document.clone()));
    let needed =
        with_a_field_less(&document).into_iter().filter(|(_, less)| !permits(less.clone())).count();
    assert!(needed >= 15, "only {needed} fields are needed");
}

#[test]
fn of_more_findings_than_are_kept_the_worst_are() {
    let finding = |(rule, severity): (&str, &str)| {
        Document::object([
            ("rule", rule.into()),
            ("message", "".into()),
            ("severity", severity.into()),
            ("remedy", "".into()),
        ])
    };
    let told = [("coverage/complete", "medium"), ("fs/workspace", "high"), ("needs/listed", "low")];
    let document = Document::object([
        ("effect", "deny".into()),
        ("findings", Document::list(told, finding)),
        ("obligations", Document::object([])),
    ]);
    let kept = |findings_max: usize| -> Vec<String> {
        let bounds = verdict::Bounds { rules: &SHIPPED.loaded.rule_ids, findings_max };
        let findings = verdict::read(&document, &bounds).unwrap().findings;
        findings.iter().map(|finding| finding.rule.to_string()).collect()
    };
    assert_eq!(kept(1), ["fs/workspace"]);
    assert_eq!(kept(2), ["coverage/complete", "fs/workspace"]);
    assert_eq!(kept(3), told.map(|(rule, _)| rule));
}

#[test]
fn a_message_without_end_is_cut() {
    let finding = |length: usize| {
        Document::object([
            ("rule", "process/spawn".into()),
            ("message", "ü".repeat(length).as_str().into()),
            ("severity", "low".into()),
            ("remedy", "".into()),
        ])
    };
    let verdict = |length: usize| {
        let document = Document::object([
            ("effect", "deny".into()),
            ("findings", Document::list([length], finding)),
            ("obligations", Document::object([])),
        ]);
        let bounds = verdict::Bounds { rules: &SHIPPED.loaded.rule_ids, findings_max: 1 };
        let verdict = verdict::read(&document, &bounds).unwrap();
        verdict.findings.first().unwrap().message.clone()
    };
    assert_eq!(verdict(1_000).chars().count(), 1_000);
    let cut = verdict(1_000_000);
    assert_eq!(cut.chars().count(), 1_001);
    assert!(cut.ends_with('…'));
}

#[test]
fn a_slot_hands_out_the_bundle_in_force() {
    let first = Arc::new(load(&files("policies")));
    let slot = Slot::new(Arc::clone(&first));
    let held = slot.load();
    let mut stricter = files("policies");
    stricter.extend(files("fixtures/bundles/refusing"));
    slot.replace(Arc::new(load(&stricter)));
    assert_eq!(held.digest(), first.digest());
    assert_ne!(slot.load().digest(), first.digest());
}
