//! The real OPA as a referee: the same bundle and the same calls, and the same answers.
//!
//! `make test` puts OPA, as a Python package, into `target/opa`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test reads its fixtures and starts a program, and fails where it cannot"
)]

mod bundle;
mod calls;
mod decided;
mod folders;

use decided::Case;
use regate::policy::{
    Finding, Policy, Release, Ruling, Settings, connection_json, request_json, result_json, testing,
};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// What OPA answers to a task; `tests/opa/referee.py` says what a task is.
fn asked(task: &Value) -> Value {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut child = Command::new("python3")
        .arg(format!("{root}/tests/opa/referee.py"))
        .env("PYTHONPATH", format!("{root}/target/opa"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(task.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "OPA is not there, or failed: `make test` sets it up in target/opa"
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The shipped bundle as a task without questions.
fn task() -> Value {
    let files = bundle::shipped();
    let named = |beginning: &str, ending: &str| -> Vec<Value> {
        files
            .iter()
            .filter_map(|file| {
                let name = file.path.strip_prefix(beginning)?;
                name.strip_suffix(ending)?;
                let name = name.strip_suffix(".json").unwrap_or(name);
                Some(json!([name, file.text]))
            })
            .collect()
    };
    json!({
        "policies": named("", ".rego"),
        "data": named("data/", ".json"),
        "rule": "regate.main.verdict",
        "inputs": [],
        "tests": [],
    })
}

#[test]
fn opa_passes_every_test_of_the_shipped_bundle() {
    let tests: Vec<String> = testing::run(&bundle::shipped())
        .unwrap()
        .into_iter()
        .map(|run| {
            let path = run.path.strip_suffix(".rego").unwrap();
            let mut parts: Vec<&str> = path.split('/').collect();
            if parts.len() == 4 {
                parts.remove(2);
            }
            format!("regate.{}.{}", parts.join("."), run.name)
        })
        .collect();
    assert!(tests.len() >= 50);
    let mut task = task();
    task["tests"] = json!(tests);
    let answers = asked(&task);
    for (test, answer) in tests.iter().zip(answers["tests"].as_array().unwrap()) {
        assert_eq!(answer, &json!(true), "{test}");
    }
}

/// A finding in a form that both sides have.
fn findings(verdict: &Value) -> Vec<(String, String, Option<u64>)> {
    let mut found: Vec<_> = verdict["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            (text("rule"), text("message"), finding["span"]["line"].as_u64())
        })
        .collect();
    found.sort();
    found
}

/// What policy is asked in a case.
fn asked_of(case: &Case, result_bytes_max: usize) -> String {
    let (call, code, context) = (&case.call, case.code.as_ref(), &case.context);
    if let Some(wanted) = case.wanted() {
        return connection_json(call, code, context, &wanted).unwrap();
    }
    match case.yielded() {
        None => request_json(call, code, context),
        Some(yielded) => result_json(call, code, context, (&yielded, result_bytes_max)),
    }
    .unwrap()
}

/// What it answers, and finds.
fn answered(policy: &Policy, case: &Case) -> (&'static str, Vec<Finding>) {
    let (call, code, context) = (&case.call, case.code.as_ref(), &case.context);
    if let Some(yielded) = case.yielded() {
        let review = policy.review(call, code, context, &yielded);
        let effect = match review.ruling {
            Release::Released { .. } => "permit",
            Release::Withheld(_) => "deny",
        };
        return (effect, review.findings);
    }
    if let Some(wanted) = case.wanted() {
        let opening = policy.open(call, code, context, &wanted);
        return (if opening.ruling.is_ok() { "permit" } else { "deny" }, opening.findings);
    }
    let decision = policy.decide(call, code, context);
    let effect = match decision.ruling {
        Ruling::Permitted(_) => "permit",
        Ruling::Held(_) => "hold",
        Ruling::Denied(_) => "deny",
    };
    (effect, decision.findings)
}

#[test]
fn opa_gives_every_case_the_same_verdict() {
    let settings = Settings { evaluation_ms_max: 30_000, ..Settings::default() };
    let policy = Policy::load(&bundle::shipped(), &settings).unwrap();
    let cases = decided::cases(&policy);
    let inputs: Vec<String> =
        cases.iter().map(|case| asked_of(case, settings.result_bytes_max)).collect();
    let mut task = task();
    task["inputs"] = json!(inputs);
    let answers = asked(&task);
    let answers = answers["answers"].as_array().unwrap();
    assert_eq!(answers.len(), cases.len());
    for (case, verdict) in cases.iter().zip(answers) {
        let (effect, found) = answered(&policy, case);
        assert_eq!(verdict["effect"], json!(effect), "{}", case.name);
        let mut ours: Vec<_> = found
            .iter()
            .map(|finding| {
                let line = finding.span.map(|span| u64::from(span.line));
                (finding.rule.to_string(), finding.message.to_string(), line)
            })
            .collect();
        ours.sort();
        assert_eq!(findings(verdict), ours, "{}", case.name);
    }
}
