//! Calls with code, through the facts and the shipped bundle, to a decision.
//!
//! Each folder of `fixtures/decisions` is one call: `AREA.RULE.CASE` holds the call, its code
//! and what is expected. Every rule has a case that it lets through and one that it refuses.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures, and fails where it cannot"
)]

mod bundle;
mod calls;

use regate::call::{Json, Language, Source, Tool};
use regate::facts::{Limits, extract};
use regate::policy::{Code, Decision, Policy, Ruling, Settings};
use serde::Deserialize;
use std::path::PathBuf;

const CASES: &str = "fixtures/decisions";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    server: String,
    tool: String,
    arguments: serde_json::Map<String, serde_json::Value>,
}

/// What is expected of a decision: the word for it, its cause, where each rule finds something,
/// and the sandbox profile.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Expected {
    decision: String,
    cause: String,
    findings: Vec<(String, Option<u32>)>,
    sandbox: Option<String>,
}

fn file(case: &str, name: &str) -> Option<Vec<u8>> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), CASES, case, name].iter().collect();
    std::fs::read(path).ok()
}

fn policy() -> Policy {
    let settings = Settings { evaluation_ms_max: 5_000, ..Settings::default() };
    Policy::load(&bundle::shipped(), &settings).unwrap()
}

fn decide(policy: &Policy, case: &str) -> Decision {
    let told: Call = serde_json::from_slice(&file(case, "call.json").unwrap()).unwrap();
    assert!(told.arguments.is_empty(), "{case}: arguments are not read");
    let mut call = calls::call(Tool { server: told.server.into(), name: told.tool.into() });
    let Some(code) = file(case, "code.py") else {
        return policy.decide(&call, None, &calls::context());
    };
    let text = std::str::from_utf8(&code).unwrap();
    assert!(text.starts_with("# "), "{case}: what does it show?");
    call.arguments = Json::Object(vec![("code".into(), Json::String(text.into()))]);
    let source = Source::new(Language::Python, code);
    let facts = extract(&source, policy.catalogue(), &Limits::default());
    call.source = Some(source);
    policy.decide(&call, Some(&Code::new(facts)), &calls::context())
}

fn outcome(decision: &Decision) -> Expected {
    let sandbox = match &decision.ruling {
        Ruling::Permitted(permit) => permit.obligations().sandbox.clone(),
        Ruling::Held(_) | Ruling::Denied(_) => None,
    };
    Expected {
        decision: decision.ruling.as_str().to_owned(),
        cause: decision.ruling.cause().as_str().to_owned(),
        findings: decision
            .findings
            .iter()
            .map(|finding| {
                let line = finding.span.map(|span| span.line);
                (finding.rule.to_string(), line)
            })
            .collect(),
        sandbox: sandbox.map(|name| name.to_string()),
    }
}

#[test]
fn every_case_is_decided_as_expected() {
    let policy = policy();
    let mut wrong = Vec::new();
    for case in bundle::folders(CASES) {
        let decision = decide(&policy, &case);
        let found = outcome(&decision);
        let expected = file(&case, "expect.json").unwrap_or_default();
        let expected = serde_json::from_slice::<Expected>(&expected);
        if expected.as_ref().ok() != Some(&found) {
            let messages: Vec<_> = decision.findings.iter().map(|each| &each.message).collect();
            wrong.push(format!("{case}: {found:?}, and not {expected:?}: {messages:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_lets_one_case_through_and_refuses_another() {
    let policy = policy();
    let cases = bundle::folders(CASES);
    for rule in policy.rules() {
        let beginning = rule.id.replace('/', ".");
        let permitted = decide(&policy, &format!("{beginning}.permit"));
        assert!(matches!(permitted.ruling, Ruling::Permitted(_)), "{beginning}");
        let denied = decide(&policy, &format!("{beginning}.deny"));
        assert!(matches!(denied.ruling, Ruling::Denied(_)), "{beginning}");
        let speaks = denied.findings.iter().any(|finding| finding.rule == rule.id);
        // The one rule that permits denies by its silence.
        assert!(speaks || &*rule.id == "tools/run_python", "{beginning}");
    }
    let unknown: Vec<_> = cases
        .iter()
        .filter(|case| {
            let id = case.splitn(3, '.').take(2).collect::<Vec<_>>().join("/");
            policy.rules().iter().all(|rule| *rule.id != *id)
        })
        .collect();
    assert!(unknown.is_empty(), "cases of no rule: {unknown:?}");
}
