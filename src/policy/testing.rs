//! Runs the tests of a bundle: every rule `test_…` of its `*_test.rego` files.
//!
//! A test passes where its rule is `true`, and in no other way. Must never be on the path of a
//! decision.

use super::{BundleError, BundleFile, bundle};
use crate::call::Text;

/// One test and how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRun {
    /// The file that it stands in.
    pub path: Text,
    /// Its line, from 1.
    pub line: u32,
    /// The rule's name, such as `test_denies_os_system`.
    pub name: Text,
    /// How it went.
    pub outcome: TestOutcome,
}

/// How a test went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOutcome {
    /// Its rule is true.
    Passed,
    /// Its rule is undefined, or is not true.
    Failed,
    /// It could not be evaluated, in the engine's words.
    Errored(String),
}

/// Runs every test of a bundle, in the order of its files.
///
/// # Errors
/// Where the bundle itself, or a test file, does not load.
pub fn run(files: &[BundleFile]) -> Result<Vec<TestRun>, BundleError> {
    let (mut engine, tests) = bundle::tests(files)?;
    let mut runs = Vec::new();
    for (path, package) in tests {
        for (name, line) in engine.rules_of(&path, "test_") {
            runs.push(TestRun {
                path: path.as_str().into(),
                line,
                outcome: engine.test(&format!("data.{package}.{name}")),
                name: name.into(),
            });
        }
    }
    Ok(runs)
}
