//! The shipped bundle loads, and its own tests pass.

mod bundle;

use regate::policy::testing::{self, TestOutcome};
use regate::policy::{Policy, Settings};

#[test]
fn the_shipped_bundle_loads() {
    let policy = Policy::load(&bundle::shipped(), &Settings::default());
    assert!(policy.is_ok(), "{}", policy.unwrap_err());
}

#[test]
fn every_test_of_the_shipped_bundle_passes() {
    let runs = testing::run(&bundle::shipped()).unwrap();
    let failed: Vec<_> = runs.iter().filter(|run| run.outcome != TestOutcome::Passed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(runs.len() >= 50, "only {} tests were found", runs.len());
}

#[test]
fn every_rule_has_tests() {
    let policy = Policy::load(&bundle::shipped(), &Settings::default()).unwrap();
    let runs = testing::run(&bundle::shipped()).unwrap();
    for rule in policy.rules() {
        let (_, name) = rule.id.split_once('/').unwrap();
        let path = format!("rules/{}/{name}_test.rego", rule.id);
        let count = runs.iter().filter(|run| *run.path == *path).count();
        assert!(count >= 2, "{path} has {count} tests");
    }
}
