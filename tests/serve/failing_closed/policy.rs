//! A broken policy refuses, whatever it is broken in.

use super::{HARMLESS, assert_denied};
use crate::served::{Served, With};

/// Evaluations have all the time that a busy machine takes.
const UNHURRIED: &str = "[policy]\nevaluation_ms_max = 60000\n";
const FAULTS: [&str; 5] = ["error", "timeout", "panic", "undefined", "malformed"];

/// Each bundle of `fixtures/bundles/failing` that fails for the tool `trigger`, and the fault.
const BROKEN: [(&str, &str); 12] = [
    ("rule_error", "error"),
    ("builtin_error", "error"),
    ("conflict", "error"),
    ("contradiction", "malformed"),
    ("undefined", "undefined"),
    ("effect_true_text", "malformed"),
    ("effect_number", "malformed"),
    ("effect_missing", "malformed"),
    ("verdict_is_true", "malformed"),
    ("findings_not_a_list", "malformed"),
    ("unknown_key", "malformed"),
    ("unknown_obligation", "malformed"),
];

fn start(case: &str, settings: &str) -> Served {
    let case = format!("failing/{case}");
    Served::start(&With { case: Some(&case), settings, ..With::default() })
}

/// Both doors deny for this fault and count it, and no other.
async fn assert_fault(served: &mut Served, tool: &str, code: &str, fault: &str) {
    let replies = served.both(tool, code).await;
    let recorded = assert_denied(served, &replies, "indeterminate").await;
    for record in recorded {
        assert_eq!(record["body"]["fault"], fault, "{record}");
    }
    for each in FAULTS {
        let counted =
            served.metric("regate_indeterminate_total", &[&format!("fault=\"{each}\"")]).await;
        assert_eq!(counted, if each == fault { 2.0 } else { 0.0 }, "{each}");
    }
}

/// What is sound is still judged, and runs.
async fn assert_goes_on(served: &Served) {
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
    }
}

#[tokio::test]
async fn what_policy_does_not_answer_properly_is_indeterminate() {
    for (case, fault) in BROKEN {
        println!("{case}");
        let mut served = start(case, UNHURRIED);
        assert_fault(&mut served, "trigger", HARMLESS, fault).await;
        assert_goes_on(&served).await;
    }
}

#[tokio::test]
async fn an_endless_rule_is_stopped() {
    let mut served = start("endless", "");
    assert_fault(&mut served, "trigger", HARMLESS, "timeout").await;
}

/// The rule takes the caller's text for a pattern, and a large one is more than the library of
/// the evaluator's `glob.match` expects.
#[tokio::test]
async fn a_panic_in_the_evaluator_is_a_denial_and_nothing_more() {
    let mut served = start("panic", UNHURRIED);
    let large = "?".repeat(400_000);
    assert_fault(&mut served, "run_python", &large, "panic").await;
    assert_goes_on(&served).await;
    let log = served.log();
    assert!(log.contains("a panic"), "{log}");
    assert!(!log.contains("???"), "the log has what the caller sent");
}
