//! Calls with code, through the facts and the shipped bundle, to a decision.
//!
//! Each folder of `fixtures/decisions` is one call: `AREA.RULE.CASE` holds the call, its code
//! and what is expected. Every rule has a case that it lets through and one that it refuses.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its fixtures fails")]

mod bundle;
mod calls;
mod decided;
mod folders;

use decided::Case;
use regate::policy::{Decision, Obligations, Policy, Ruling, Settings};
use serde::Deserialize;

/// What is expected of a decision: the word for it, its cause, where each rule finds something,
/// the sandbox profile, and the labels.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Expected {
    decision: String,
    cause: String,
    findings: Vec<(String, Option<u32>)>,
    sandbox: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
}

/// The rules that refuse nothing: a permitted call is marked by them, or is not.
const OBLIGING: [&str; 1] = ["labels/files"];

fn policy() -> Policy {
    let settings = Settings { evaluation_ms_max: 5_000, ..Settings::default() };
    Policy::load(&bundle::shipped(), &settings).unwrap()
}

fn decide(policy: &Policy, case: &Case) -> Decision {
    policy.decide(&case.call, case.code.as_ref(), &case.context)
}

fn outcome(decision: &Decision) -> Expected {
    let obliged = match &decision.ruling {
        Ruling::Permitted(permit) => permit.obligations().clone(),
        Ruling::Held(_) | Ruling::Denied(_) => Obligations::default(),
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
        sandbox: obliged.sandbox.map(|name| name.to_string()),
        labels: obliged.labels.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn every_case_is_decided_as_expected() {
    let policy = policy();
    let mut wrong = Vec::new();
    for case in decided::cases(&policy) {
        let decision = decide(&policy, &case);
        let found = outcome(&decision);
        let expected = decided::file(&case.name, "expect.json").unwrap_or_default();
        let expected = serde_json::from_slice::<Expected>(&expected);
        if expected.as_ref().ok() != Some(&found) {
            let messages: Vec<_> = decision.findings.iter().map(|each| &each.message).collect();
            wrong.push(format!("{}: {found:?}, and not {expected:?}: {messages:#?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_lets_one_case_through_and_refuses_another() {
    let policy = policy();
    let cases = decided::cases(&policy);
    for rule in policy.rules() {
        let beginning = rule.id.replace('/', ".");
        let decided = |end: &str| {
            let name = format!("{beginning}.{end}");
            let case = cases.iter().find(|case| case.name == name);
            decide(&policy, case.unwrap_or_else(|| panic!("there is no {name}")))
        };
        let permitted = decided("permit");
        assert!(matches!(permitted.ruling, Ruling::Permitted(_)), "{beginning}");
        if OBLIGING.contains(&&*rule.id) {
            assert_ne!(outcome(&decided("oblige")).labels, outcome(&permitted).labels);
            continue;
        }
        let denied = decided("deny");
        assert!(matches!(denied.ruling, Ruling::Denied(_)), "{beginning}");
        let speaks = denied.findings.iter().any(|finding| finding.rule == rule.id);
        // The one rule that permits denies by its silence.
        assert!(speaks || &*rule.id == "tools/run_python", "{beginning}");
    }
}

#[test]
fn every_case_is_of_a_rule() {
    let policy = policy();
    for case in decided::cases(&policy) {
        let parts: Vec<&str> = case.name.splitn(3, '.').collect();
        let id = parts.iter().take(2).copied().collect::<Vec<_>>().join("/");
        assert!(
            policy.rules().iter().any(|rule| *rule.id == *id) && parts.len() == 3,
            "{} is of no rule",
            case.name
        );
    }
}
