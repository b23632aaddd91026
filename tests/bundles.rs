//! Bundles that must not load, and bundles that load and then fail: what is wrong is told with
//! its place, and no failure is a permit.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot read its fixtures fails"
)]

mod bundle;
mod calls;
mod folders;
mod overlay;

use overlay::over_the_smallest;
use regate::call::{Json, Number, Tool};
use regate::policy::{
    BundleFile, Caps, Cause, Confinement, Fault, Limit, Policy, Release, Ruling, Settings, Yielded,
};
use regate::redact::Counts;

/// The tool for which the failing bundles fail.
const TRIGGER: &str = "trigger";

/// A bundle that loads; evaluations take as long as a busy machine needs.
fn loaded(case: &str) -> Policy {
    let settings = Settings { evaluation_ms_max: 2_000, ..Settings::default() };
    Policy::load(&over_the_smallest(case), &settings).unwrap()
}

fn decided(policy: &Policy, tool: &str) -> Ruling {
    let call = calls::call(Tool::builtin(tool));
    policy.decide(&call, None, &calls::context()).ruling
}

/// The cause of the denial by which a case fails; it permits every other call.
fn cause(case: &str) -> Cause {
    let policy = loaded(case);
    assert!(matches!(decided(&policy, "echo"), Ruling::Permitted(_)));
    match decided(&policy, TRIGGER) {
        Ruling::Denied(cause) => cause,
        other @ (Ruling::Permitted(_) | Ruling::Held(_)) => panic!("{case}: {other:?}"),
    }
}

#[test]
fn the_smallest_bundle_loads_and_permits() {
    let policy = loaded("minimal");
    assert!(matches!(decided(&policy, TRIGGER), Ruling::Permitted(_)));
}

#[test]
fn no_bundle_that_breaks_the_lint_loads() {
    let cases = folders::folders("fixtures/bundles/lint");
    assert!(cases.len() >= 35, "only {} cases were found", cases.len());
    for case in cases {
        let files = bundle::read(&format!("fixtures/bundles/lint/{case}"));
        let expected = files.iter().find(|file| file.path == "expect.txt").unwrap();
        let error = Policy::load(&over_the_smallest(&format!("lint/{case}")), &Settings::default());
        let error = error.map(drop).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(
            lines.len() == 1 || case == "syntax" || case.starts_with("recursion"),
            "{case}: more than one problem: {error}"
        );
        assert!(error.contains(expected.text.trim_end()), "{case}: {error}");
    }
}

#[test]
fn a_bundle_without_its_data_does_not_load() {
    for lacking in ["data/sandbox.json", "data/capabilities.json", "image/python.json", "main.rego"]
    {
        let mut files = over_the_smallest("minimal");
        files.retain(|file| file.path != lacking);
        assert!(Policy::load(&files, &Settings::default()).is_err());
    }
    assert!(Policy::load(&[], &Settings::default()).is_err());
}

#[test]
fn a_file_that_is_there_twice_does_not_load() {
    let mut files = over_the_smallest("minimal");
    let twice = files.first().cloned().unwrap();
    files.push(twice);
    assert!(Policy::load(&files, &Settings::default()).is_err());
}

#[test]
fn the_digest_tells_bundles_apart_and_not_the_order_of_their_files() {
    let mut files = over_the_smallest("minimal");
    let digest = |files: &[BundleFile]| {
        let policy = Policy::load(files, &Settings::default()).unwrap();
        policy.digest().clone()
    };
    let first = digest(&files);
    files.reverse();
    assert_eq!(digest(&files), first);
    files.first_mut().unwrap().text.push('\n');
    assert_ne!(digest(&files), first);
}

#[test]
fn an_error_of_a_rule_denies() {
    assert_eq!(cause("failing/rule_error"), Cause::Indeterminate(Fault::Error));
}

#[test]
fn an_error_of_a_builtin_denies() {
    assert_eq!(cause("failing/builtin_error"), Cause::Indeterminate(Fault::Error));
}

#[test]
fn a_conflict_denies() {
    assert_eq!(cause("failing/conflict"), Cause::Indeterminate(Fault::Error));
}

#[test]
fn two_profiles_at_once_deny() {
    for case in ["contradiction", "contradiction_tightened"] {
        let cause = cause(&format!("failing/{case}"));
        assert_eq!(cause, Cause::Indeterminate(Fault::Malformed), "{case}");
    }
}

#[test]
fn several_rules_make_a_profile_as_small_as_the_smallest_of_them() {
    let policy = loaded("tightening");
    let cases = [
        ("other", vec![]),
        ("echo", vec![(Limit::WallMs, 5_000)]),
        (TRIGGER, vec![(Limit::MemoryBytes, 128 << 20), (Limit::WallMs, 3_000)]),
    ];
    for (tool, caps) in cases {
        match decided(&policy, tool) {
            Ruling::Permitted(permit) => {
                let expected =
                    Confinement { profile: "strict".into(), caps: Caps::from_iter(caps) };
                assert_eq!(permit.obligations().sandbox.as_deref(), Some(&expected), "{tool}");
            }
            other @ (Ruling::Held(_) | Ruling::Denied(_)) => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_endless_rule_denies() {
    assert_eq!(cause("failing/endless"), Cause::Indeterminate(Fault::Timeout));
}

#[test]
fn an_undefined_verdict_denies() {
    assert_eq!(cause("failing/undefined"), Cause::Indeterminate(Fault::Undefined));
}

#[test]
fn a_verdict_of_another_form_denies() {
    for case in [
        "effect_missing",
        "effect_number",
        "effect_true",
        "effect_true_text",
        "unknown_key",
        "unknown_obligation",
        "verdict_is_true",
        "findings_missing",
        "findings_not_a_list",
        "unknown_rule",
        "unknown_severity",
        "span_not_whole",
        "name_too_long",
        "sandbox_unknown_key",
        "sandbox_no_profile",
        "sandbox_not_whole",
        "sandbox_number_as_text",
        "tightening_no_number",
        "tightening_no_object",
    ] {
        assert_eq!(
            cause(&format!("failing/{case}")),
            Cause::Indeterminate(Fault::Malformed),
            "{case}"
        );
    }
}

#[test]
fn a_profile_that_the_bundle_does_not_have_denies() {
    assert_eq!(cause("failing/unknown_profile"), Cause::Obligation);
}

#[test]
fn a_profile_that_would_be_wider_or_too_small_or_is_not_held_denies() {
    for case in ["sandbox_wider", "sandbox_too_little", "sandbox_not_held"] {
        assert_eq!(cause(&format!("failing/{case}")), Cause::Obligation, "{case}");
    }
}

#[test]
fn a_hold_waits_for_the_roles_that_the_rule_names() {
    let policy = loaded("holding");
    assert!(matches!(decided(&policy, "echo"), Ruling::Permitted(_)));
    match decided(&policy, TRIGGER) {
        Ruling::Held(hold) => assert_eq!(hold.approvers, ["security".into()]),
        other @ (Ruling::Permitted(_) | Ruling::Denied(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_denial_says_which_rule_denies() {
    assert_eq!(cause("denying"), Cause::Rule);
    let call = calls::call(Tool::builtin(TRIGGER));
    let decision = loaded("denying").decide(&call, None, &calls::context());
    let rules: Vec<&str> = decision.findings.iter().map(|finding| &*finding.rule).collect();
    assert_eq!(rules, ["case/shown"]);
}

#[test]
fn a_denial_with_too_many_findings_keeps_the_first() {
    let settings = Settings { findings_max: 7, ..Settings::default() };
    let policy = Policy::load(&over_the_smallest("crowded"), &settings).unwrap();
    let call = calls::call(Tool::builtin(TRIGGER));
    let decision = policy.decide(&call, None, &calls::context());
    assert_eq!(decision.ruling.cause(), Cause::Rule);
    let lines: Vec<u32> =
        decision.findings.iter().map(|finding| finding.span.unwrap().line).collect();
    assert_eq!(lines, [0, 1, 2, 3, 4, 5, 6]);
}

/// Arguments that hold this number.
fn numbered(number: &str) -> Json {
    Json::Object(vec![("number".into(), Json::Number(Number::new(number)))])
}

#[test]
fn a_number_that_no_policy_can_read_denies() {
    let mut call = calls::call(Tool::builtin("echo"));
    let policy = loaded("minimal");
    for number in ["1e400", "1e999999999", "-1E99999999999999999999"] {
        call.arguments = numbered(number);
        let ruling = policy.decide(&call, None, &calls::context()).ruling;
        assert_eq!(ruling.cause(), Cause::Arguments, "{number}");
    }
    for number in ["0", "-1.5", "1e30", "123456789012345678901234567890"] {
        call.arguments = numbered(number);
        let ruling = policy.decide(&call, None, &calls::context()).ruling;
        assert!(matches!(ruling, Ruling::Permitted(_)), "{number}");
    }
}

#[test]
fn a_bundle_without_rules_over_results_loads_and_hands_out_none() {
    let results = |file: &BundleFile| file.path.starts_with("rules/results/");
    let mut files = over_the_smallest("minimal");
    files.retain(|file| !results(file));
    let policy = Policy::load(&files, &Settings::default()).unwrap();
    let call = calls::call(Tool::builtin("echo"));
    assert!(matches!(decided(&policy, "echo"), Ruling::Permitted(_)));
    let yielded = Yielded {
        outcome: "ok",
        exit_code: None,
        truncated: false,
        texts: Vec::new(),
        files: Vec::new(),
        detected: Counts::default(),
        drift: &[],
    };
    let review = policy.review(&call, None, &calls::context(), &yielded);
    assert_eq!(review.ruling, Release::Withheld(Cause::NoMatch));
}
