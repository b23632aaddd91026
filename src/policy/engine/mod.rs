//! The policy engine, behind types of our own: the only place that names regorus.
//!
//! Must never let a value of the engine, or the text of one of its errors, reach a caller.

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums are the engine's, and most of their variants are of no interest here"
)]
mod document;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums are the engine's, and most of their variants are of no interest here"
)]
mod lint;

pub(super) use document::Document;

use super::Fault;
use super::testing::TestOutcome;
use regorus::LimitError;
use regorus::utils::limits::ExecutionTimerConfig;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How many steps of an evaluation pass between two looks at the clock.
const STEPS_PER_LOOK: NonZeroU32 = match NonZeroU32::new(64) {
    Some(steps) => steps,
    None => NonZeroU32::MIN,
};

/// Below which name of `data` the packages of every bundle lie.
const PACKAGES: &str = "regate";

/// Policies and data, ready to be asked.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    prepared: regorus::Engine,
}

impl Engine {
    /// An engine without policies, none of whose evaluations takes longer than this.
    pub(super) fn new(evaluation_ms_max: u64) -> Self {
        let mut prepared = regorus::Engine::new();
        prepared.set_strict_builtin_errors(true);
        prepared.set_execution_timer_config(ExecutionTimerConfig {
            limit: Duration::from_millis(evaluation_ms_max),
            check_interval: STEPS_PER_LOOK,
        });
        Self { prepared }
    }

    /// Adds one file of Rego, or says where it does not parse.
    pub(super) fn add_policy(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.prepared
            .add_policy(path.to_owned(), text.to_owned())
            .map(drop)
            .map_err(|error| format!("{path}: {error}"))
    }

    /// Adds a JSON text as `data.<name>`.
    pub(super) fn add_data(&mut self, name: &str, json: &str) -> Result<(), String> {
        let value = regorus::Value::from_json_str(json).map_err(|error| error.to_string())?;
        self.prepared
            .add_data(Document::object([(name, Document(value))]).0)
            .map_err(|error| error.to_string())
    }

    /// Holds the policies added so far against the load-time lint. `packages` are the packages
    /// that their places want, in the order in which they were added.
    pub(super) fn lint(&mut self, packages: &[String], specimen: &Document) -> Result<(), String> {
        let packages_open = Document::object([(PACKAGES, Document::object([]))]);
        let data = Document(self.prepared.get_data()).with(packages_open);
        let modules = self.prepared.get_modules();
        let placed = modules.iter().map(|module| &**module);
        let packages = packages.iter().map(String::as_str);
        lint::check(placed.zip(packages), specimen, &data)
    }

    /// Evaluates once, so that what is prepared lazily is prepared, and says what went wrong in
    /// words for the bundle's author.
    pub(super) fn prepare(&mut self, rule: &str, input: Document) -> Result<Document, String> {
        self.prepared.set_input(input.0);
        let value = self.prepared.eval_rule(rule.to_owned()).map_err(|error| error.to_string())?;
        Ok(Document(value))
    }

    /// The names of a file's rules that begin so, with their lines, each once.
    pub(super) fn rules_of(&mut self, path: &str, beginning: &str) -> Vec<(String, u32)> {
        lint::rules_of(self.prepared.get_modules().iter().map(|module| &**module), path)
            .into_iter()
            .filter(|(name, _)| name.starts_with(beginning))
            .collect()
    }

    /// Evaluates a rule as a test.
    pub(super) fn test(&mut self, rule: &str) -> TestOutcome {
        match contained(|| self.prepared.eval_rule(rule.to_owned())) {
            Ok(Ok(regorus::Value::Bool(true))) => TestOutcome::Passed,
            Ok(Ok(_)) => TestOutcome::Failed,
            Ok(Err(error)) => TestOutcome::Errored(error.to_string()),
            Err(_) => TestOutcome::Errored("the evaluator panicked".to_owned()),
        }
    }

    /// The value of a rule for this input. Undefined is a fault as much as an error is.
    pub(super) fn evaluate(&self, rule: &str, input: Document) -> Result<Document, Fault> {
        let mut engine = self.prepared.clone();
        engine.set_input(input.0);
        let value = contained(|| engine.eval_rule(rule.to_owned()))?.map_err(|error| {
            // It quotes policy text: for the bundle's author, and never for a caller.
            tracing::debug!(%error, "an evaluation failed");
            match error.downcast_ref::<LimitError>() {
                Some(LimitError::TimeLimitExceeded { .. }) => Fault::Timeout,
                Some(_) | None => Fault::Error,
            }
        })?;
        if value == regorus::Value::Undefined {
            return Err(Fault::Undefined);
        }
        Ok(Document(value))
    }
}

/// Runs the evaluator so that a panic in it ends one evaluation and nothing else. What it was
/// working on is thrown away.
fn contained<T>(evaluation: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(evaluation)).map_err(|_| Fault::Panic)
}

#[cfg(test)]
mod tests;
