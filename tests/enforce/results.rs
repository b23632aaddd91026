//! The policy point `result`: what was yielded is handed out as policy says, or not at all.

use crate::house::{End, House, Output, call, clock, pairs, told, trigger};
use regate::call::{Tool, ToolCall};
use regate::enforce::{Answer, Conclusion};
use regate::policy::{Cause, Fault};
use serde_json::{Value, json};

/// A token that looks real, and the text that holds it.
fn secret() -> (String, String) {
    let file: Value =
        serde_json::from_str(include_str!("../../fixtures/redact/shapes.json")).unwrap();
    let rows = file.get("rows").and_then(Value::as_array).unwrap();
    let is_token = |row: &&Value| row.get("detector").unwrap() == "github_token";
    let row = rows.iter().find(is_token).unwrap();
    let pieces = row.get("secret").and_then(Value::as_array).unwrap();
    let secret: String = pieces.iter().map(|piece| piece.as_str().unwrap()).collect();
    (secret.clone(), format!("the token: {secret}\n"))
}

fn says(stdout: &str, stderr: &str) -> End {
    End::Says([stdout.to_owned(), stderr.to_owned()])
}

fn said(answer: &Answer<Output>) -> Option<[&str; 2]> {
    match &answer.conclusion {
        Conclusion::Permitted(Some(Output::Said([stdout, stderr]))) => Some([stdout, stderr]),
        Conclusion::Permitted(_) | Conclusion::Withheld | Conclusion::Held | Conclusion::Denied => {
            None
        }
    }
}

fn rules<T>(answer: &Answer<T>) -> Vec<&str> {
    answer.findings.iter().map(|finding| &*finding.rule).collect()
}

#[tokio::test]
async fn the_shipped_bundle_hands_results_out_without_their_secrets() {
    let house = House::open(None).await;
    let (secret, text) = secret();
    let effect = house.effect(says("fine\n", &text));
    let answer = house.guard.guard(call("print(1)"), effect).await;
    let redacted = "the token: [redacted: github_token]\n";
    assert_eq!(said(&answer), Some(["fine\n", redacted]), "{:?}", answer.findings);
    let counts: Vec<_> = answer.redactions.found().map(|(each, n)| (each.as_str(), n)).collect();
    assert_eq!(counts, [("github_token", 1)]);
    let summary = house.last_summary().await;
    assert_eq!(summary["redactions"], json!({"github_token": 1}));
    assert_eq!(summary["withheld"], Value::Null);
    assert!(!summary.to_string().contains(&secret), "{summary}");
    let shown = house.metrics.render(std::time::Duration::ZERO);
    assert!(shown.contains("regate_redactions_total{detector=\"github_token\"} 1"), "{shown}");
}

#[tokio::test]
async fn a_result_without_secrets_is_handed_out_as_it_is() {
    let house = House::open(None).await;
    let effect = house.effect(says("9fceb02d0ae598e95dc970b74767f19372d61af8", ""));
    let answer = house.guard.guard(call("print(1)"), effect).await;
    assert_eq!(said(&answer), Some(["9fceb02d0ae598e95dc970b74767f19372d61af8", ""]));
    assert_eq!(answer.redactions.found().count(), 0);
    assert_eq!(house.last_summary().await["redactions"], json!({}));
}

#[tokio::test]
async fn a_rule_may_withhold_a_result_of_a_call_that_ran() {
    let house = House::open(Some("results/denying")).await;
    let (secret, text) = secret();
    let effect = house.effect(says(&text, &format!("for internal use: {secret}")));
    let answer = house.guard.guard(trigger(), effect).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule));
    assert!(matches!(answer.conclusion, Conclusion::Withheld));
    assert_eq!(rules(&answer), ["results/case", "regate/withheld"]);
    let quoted = "something internal is in stderr: for internal use: [redacted: github_token]";
    assert_eq!(&*answer.findings[0].message, quoted);
    assert_eq!(house.runs(), 1);
    assert_eq!(house.records().await, pairs(&[("decision", "permitted"), ("outcome", "ok")]));
    let summary = house.last_summary().await;
    let because = json!({
        "cause": "rule", "fault": null, "rules": ["results/case", "regate/withheld"],
    });
    assert_eq!(summary["withheld"], because);
    assert!(!summary.to_string().contains(&secret), "{summary}");

    let effect = house.effect(says("for everybody", ""));
    let answer = house.guard.guard(trigger(), effect).await;
    assert_eq!(said(&answer), Some(["for everybody", ""]));
}

#[tokio::test]
async fn whatever_is_no_proper_release_withholds() {
    let malformed = Cause::Indeterminate(Fault::Malformed);
    let cases = [
        ("holding", malformed),
        ("unknown_key", malformed),
        ("erring", Cause::Indeterminate(Fault::Error)),
        ("undefined", Cause::Indeterminate(Fault::Undefined)),
        ("endless", Cause::Indeterminate(Fault::Timeout)),
        ("too_late", Cause::Obligation),
        ("unknown_detector", Cause::Obligation),
    ];
    for (name, cause) in cases {
        let house = House::open(Some(&format!("results/{name}"))).await;
        let answer = house.guard.guard(trigger(), house.effect(says("internal", ""))).await;
        assert_eq!(told(&answer), ("permitted", cause), "{name}");
        assert!(matches!(answer.conclusion, Conclusion::Withheld), "{name}");
        assert_eq!(rules(&answer).last(), Some(&"regate/withheld"), "{name}");
        assert_eq!(house.last_summary().await["withheld"]["cause"], cause.as_str(), "{name}");
        assert!(!answer.retryable());
    }
    let house = House::open(Some("results/permitting")).await;
    let answer = house.guard.guard(trigger(), house.effect(says("1", ""))).await;
    assert_eq!(said(&answer), Some(["1", ""]));
}

#[tokio::test]
async fn a_result_of_which_no_rule_says_anything_is_withheld() {
    let house = House::open(Some("results/silent")).await;
    let answer = house.guard.guard(trigger(), house.effect(says("1", ""))).await;
    assert_eq!(told(&answer), ("permitted", Cause::NoMatch));
    assert!(matches!(answer.conclusion, Conclusion::Withheld));
    let echo = ToolCall { tool: Tool::builtin("echo"), ..call("print(1)") };
    let answer = house.guard.guard(echo, house.effect(says("1", ""))).await;
    assert_eq!(said(&answer), Some(["1", ""]));
}

#[tokio::test]
async fn what_was_found_in_a_result_may_label_its_subject() {
    let house = House::open(Some("results/labelling")).await;
    let (_, text) = secret();
    let labels = async || {
        let session = house.ledger.session(&trigger().subject, &"default".into(), clock()).await;
        session.unwrap().labels.len()
    };
    let unmarked = house.guard.guard(trigger(), house.effect(says("fine", ""))).await;
    assert_eq!((said(&unmarked), labels().await), (Some(["fine", ""]), 0));
    let marked = house.guard.guard(trigger(), house.effect(says(&text, ""))).await;
    assert_eq!(said(&marked), Some(["the token: [redacted: github_token]\n", ""]));
    assert_eq!(labels().await, 1);
}

#[tokio::test]
async fn a_call_whose_result_is_withheld_has_run_and_puts_its_labels_on() {
    let house = House::open(Some("results/labelled")).await;
    let answer = house.guard.guard(trigger(), house.effect(says("internal", ""))).await;
    assert!(matches!(answer.conclusion, Conclusion::Withheld));
    let session = house.ledger.session(&trigger().subject, &"default".into(), clock()).await;
    assert_eq!(session.unwrap().labels.len(), 1);
}

#[tokio::test]
async fn what_was_not_foretold_withholds_the_result_and_marks_the_session() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Strays)).await;
    assert!(matches!(answer.conclusion, Conclusion::Withheld));
    assert_eq!(rules(&answer), ["results/drift", "regate/withheld"]);
    let summary = house.last_summary().await;
    let drift = json!([{"capability": "process.spawn", "event": "os.system", "line": 3}]);
    assert_eq!(summary["drift"], drift);
    let session = house.ledger.session(&call("").subject, &"default".into(), clock()).await;
    let labels: Vec<_> = session.unwrap().labels.iter().map(|label| label.name.clone()).collect();
    assert_eq!(labels, ["drift".into()]);
    let shown = house.metrics.render(std::time::Duration::ZERO);
    assert!(shown.contains("regate_drift_total{capability=\"process.spawn\"} 1"), "{shown}");
    let twin = house.guard.guard(call("print(1)"), house.effect(End::Well)).await;
    assert_eq!(told(&twin), ("permitted", Cause::Rule));
    assert_eq!(house.last_summary().await["drift"], json!([]));
}
