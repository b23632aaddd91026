use super::*;
use crate::call::{Language, Source};
use crate::config;
use crate::facts::{self, Facts, Limits};
use crate::policy::{Policy, Settings, Severity};
use crate::telemetry::Colour;

const DENIED: Ruling = Ruling::Denied(Cause::Rule);

fn read(bytes: &[u8]) -> Facts {
    let shipped = config::bundle(None).unwrap();
    let policy = Policy::load(&shipped, &Settings::default()).unwrap();
    let source = Source::new(Language::Python, bytes.to_vec());
    facts::extract(&source, policy.catalogue(), &Limits::default())
}

fn finding(rule: &str, line: u32, column: u32, severity: Severity) -> Finding {
    Finding {
        rule: rule.into(),
        span: Some(FindingSpan { line, column, end_line: line, end_column: column + 4 }),
        message: "a message".into(),
        severity,
        remedy: "a remedy".into(),
    }
}

fn told(bytes: &[u8], findings_told: &[Finding], ruling: &Ruling) -> Vec<String> {
    let facts = read(bytes);
    let judgement = Judgement {
        name: "a.py",
        evidence: Evidence { facts: &facts, bytes },
        ruling,
        findings: findings_told,
    };
    findings(&Page::new(Colour::Plain, None), &judgement, 0)
}

#[test]
fn one_place_is_shown_once_with_the_worst_first_and_a_remedy_is_told_once() {
    let of_one_place = [
        finding("a/mild", 1, 0, Severity::Medium),
        finding("b/grave", 1, 0, Severity::Critical),
        finding("a/mild", 30, 0, Severity::Medium),
    ];
    let bytes = "here\n".repeat(30);
    let told = told(bytes.as_bytes(), &of_one_place, &DENIED);
    let [first, second] = &told[..] else { panic!("{told:#?}") };
    assert!(first.starts_with("error[b/grave]: a message\n --> a.py:1:1\n"), "{first}");
    assert!(first.contains("= help: a remedy\n  = error[a/mild]: a message"), "{first}");
    assert!(second.ends_with("= help: as for 1:1"), "{second}");
}

#[test]
fn the_same_near_each_other_is_one_report() {
    let alike: Vec<_> = [1, 3, 8].map(|line| finding("a/b", line, 0, Severity::High)).into();
    let bytes = "here\n".repeat(30);
    let told = told(bytes.as_bytes(), &alike, &DENIED);
    let [only] = &told[..] else { panic!("{told:#?}") };
    assert_eq!(only.matches("^^^^ high").count(), 3, "{only}");
}

#[test]
fn a_refusal_of_which_no_rule_said_anything_is_told_too() {
    let told = told(b"x", &[], &Ruling::Denied(Cause::NoMatch));
    assert_eq!(told, ["error: no rule permits this call\n--> a.py"]);
}

/// As many findings as a verdict may have, over a source as large as may be read, be it one line
/// or many: each is told in a few lines.
#[test]
fn many_findings_in_a_megabyte_are_told_in_bounded_space() {
    let one_line = "here ".repeat(200_000);
    let many_lines = "here\n".repeat(200_000);
    for (text, lines) in [(one_line, 0), (many_lines, 1)] {
        let at = |number: u32| match lines {
            0 => finding("a/b", 1, number * 5_000, Severity::High),
            _ => finding("a/b", 1 + number * 1_000, 0, Severity::High),
        };
        let many: Vec<_> = (0..200).map(at).collect();
        let told = told(text.as_bytes(), &many, &DENIED);
        assert_eq!(told.len(), 200);
        assert!(told.iter().all(|report| report.contains("here") && report.len() < 1_000));
    }
}
