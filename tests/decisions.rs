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
use regate::policy::{
    Cause, Decision, Finding, Obligations, Policy, Release, Review, Ruling, Settings,
};
use regate::redact::Detectors;
use serde::Deserialize;

/// What is expected of a decision: the word for it, its cause, where each rule finds something,
/// the sandbox profile, and the labels; of a result, whether it is handed out, and without what.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Expected {
    decision: String,
    cause: String,
    findings: Vec<(String, Option<u32>)>,
    sandbox: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    redact: Vec<String>,
}

/// The rules that refuse nothing: a permitted call is marked by them, or is not.
const OBLIGING: [&str; 1] = ["labels/files"];

fn policy() -> Policy {
    let settings = Settings { evaluation_ms_max: 5_000, ..Settings::default() };
    Policy::load(&bundle::shipped(), &settings).unwrap()
}

/// The rules that permit, which deny by their silence.
const PERMITTING: [&str; 2] = ["results/secrets", "tools/run_python"];

/// What policy says of the call or, where the case is about that, of what it printed.
fn judged(policy: &Policy, case: &Case) -> Expected {
    match case.yielded() {
        None => outcome(&policy.decide(&case.call, case.code.as_ref(), &case.context)),
        Some(yielded) => {
            handed_out(policy.review(&case.call, case.code.as_ref(), &case.context, &yielded))
        }
    }
}

fn told(findings: &[Finding]) -> Vec<(String, Option<u32>)> {
    let line = |finding: &Finding| finding.span.map(|span| span.line);
    findings.iter().map(|finding| (finding.rule.to_string(), line(finding))).collect()
}

fn handed_out(Review { ruling, findings }: Review) -> Expected {
    let (decision, cause, detectors, labels) = match ruling {
        Release::Released { redact, labels } => ("released", Cause::Rule, redact, labels),
        Release::Withheld(cause) => ("withheld", cause, Detectors::NONE, Vec::new()),
    };
    let secrets = Detectors::named(["secrets"]).unwrap();
    let redact = if detectors == secrets { vec!["secrets".to_owned()] } else { Vec::new() };
    Expected {
        decision: decision.to_owned(),
        cause: cause.as_str().to_owned(),
        findings: told(&findings),
        sandbox: None,
        labels: labels.iter().map(ToString::to_string).collect(),
        redact,
    }
}

fn outcome(decision: &Decision) -> Expected {
    let obliged = match &decision.ruling {
        Ruling::Permitted(permit) => permit.obligations().clone(),
        Ruling::Held(_) | Ruling::Denied(_) => Obligations::default(),
    };
    Expected {
        decision: decision.ruling.as_str().to_owned(),
        cause: decision.ruling.cause().as_str().to_owned(),
        findings: told(&decision.findings),
        sandbox: obliged.sandbox.map(|confinement| confinement.profile.to_string()),
        labels: obliged.labels.iter().map(ToString::to_string).collect(),
        redact: obliged.redact.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn every_case_is_decided_as_expected() {
    let policy = policy();
    let mut wrong = Vec::new();
    for case in decided::cases(&policy) {
        let found = judged(&policy, &case);
        let expected = decided::file(&case.name, "expect.json").unwrap_or_default();
        let expected = serde_json::from_slice::<Expected>(&expected);
        if expected.as_ref().ok() != Some(&found) {
            wrong.push(format!("{}: {found:?}, and not {expected:?}", case.name));
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
            judged(&policy, case.unwrap_or_else(|| panic!("there is no {name}")))
        };
        let permitted = decided("permit");
        let passes = ["permitted", "released"].contains(&&*permitted.decision);
        assert!(passes, "{beginning}");
        if OBLIGING.contains(&&*rule.id) {
            assert_ne!(decided("oblige").labels, permitted.labels);
            continue;
        }
        let denied = decided("deny");
        let refuses = ["denied", "withheld"].contains(&&*denied.decision);
        assert!(refuses, "{beginning}");
        let speaks = denied.findings.iter().any(|(found, _)| **found == *rule.id);
        assert!(speaks || PERMITTING.contains(&&*rule.id), "{beginning}");
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
