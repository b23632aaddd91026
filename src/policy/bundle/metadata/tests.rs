//! The METADATA of a rule.

use super::read;

const WHOLE: &str = include_str!("../../../../policies/rules/process/spawn/spawn.rego");

#[test]
fn a_whole_comment_is_read() {
    let rule = read(&"process/spawn".into(), "spawn.rego", WHOLE).unwrap();
    assert_eq!(&*rule.title, "No process is started");
    assert!(rule.description.starts_with("Denies code that needs"));
    assert!(rule.description.ends_with("every process that is named."));
    assert!(rule.why.contains("leaves the interpreter"));
    assert!(rule.known_gaps.contains("outside the catalogue"));
    assert_eq!(rule.references.len(), 2);
}

#[test]
fn a_comment_without_one_of_its_parts_is_refused() {
    for part in ["title", "description", "related_resources", "why", "known_gaps"] {
        let other = format!("other_{part}");
        let less = WHOLE.replace(&format!("{part}:"), &format!("{other}:"));
        let error = read(&"process/spawn".into(), "spawn.rego", &less).unwrap_err();
        assert!(error.starts_with("spawn.rego:1: METADATA lacks"), "{error}");
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    let error = read(&"a/b".into(), "b.rego", "# METADATA\n# No key here\n").unwrap_err();
    assert!(error.starts_with("b.rego:2:"), "{error}");
}

#[test]
fn a_rule_without_the_comment_is_refused() {
    assert!(read(&"a/b".into(), "b.rego", "package regate.rules.a.b\n").is_err());
}
