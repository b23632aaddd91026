//! (call, facts, context) to a decision.
//!
//! Pure: it is handed texts and answers values. Owns the only way to a [`Permit`]. Must never
//! read a file or a clock, and must never let an error become a permit.

mod bundle;
mod catalogue;
mod connection;
mod decision;
mod document;
mod engine;
mod handling;
mod permit;
mod profile;
mod review;
mod slot;
pub mod testing;
mod verdict;

pub use connection::{Connection, Opening, connection_json};
pub use decision::{
    Cause, Confinement, Decision, Fault, Finding, FindingSpan, Hold, Obligations, Ruling, Severity,
};
pub use permit::Permit;
pub use profile::{Caps, Limit, Profile, Runtime, Unfit};
pub use review::{Release, Review, Yielded, YieldedFile, YieldedText, result_json};
pub use slot::Slot;

use crate::call::{Allowances, Approval, Session, Text, Timestamp, ToolCall};
use crate::facts::drift::Table;
use crate::facts::{Catalogue, Facts};
use bundle::Loaded;
use engine::Document;
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict::{Bounds, Effect, Verdict};

/// The bounds of one evaluation and of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long one evaluation may take. A usual one takes well under a millisecond; the rest is
    /// room for a busy machine.
    pub evaluation_ms_max: u64,
    /// How many findings a verdict may have.
    pub findings_max: usize,
    /// How many bytes policy sees of each text of a result.
    pub result_bytes_max: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { evaluation_ms_max: 500, findings_max: 200, result_bytes_max: 64 << 10 }
    }
}

/// One file of a bundle: its path below the bundle's root, with `/`, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// Such as `rules/process/spawn/spawn.rego`.
    pub path: String,
    /// The file's text.
    pub text: String,
}

/// Why a bundle does not load; says the file and the place where it knows them.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BundleError(pub String);

/// Facts prepared for policy: built once for each source, then shared.
#[derive(Debug, Clone)]
pub struct Code {
    facts: Arc<Facts>,
    document: engine::Document,
    needs: engine::Document,
}

impl Code {
    /// Prepares facts.
    pub fn new(facts: Facts) -> Self {
        Self {
            document: document::code(&facts),
            needs: document::needs(&facts),
            facts: Arc::new(facts),
        }
    }
    /// The facts.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
    /// The facts as the JSON of `fixtures/schema/facts.schema.json`, on one line.
    pub fn to_json(&self) -> String {
        self.document.to_json()
    }
}

/// What policy is told beside the call and its code.
#[derive(Debug, Clone)]
pub struct Context {
    /// The moment of the decision.
    pub now: Timestamp,
    /// The agent's run that the call belongs to.
    pub session: Session,
    /// What a person said of this very call, where one was asked and approved of it.
    pub approval: Option<Approval>,
}

impl Context {
    /// The context of a call of which nobody was asked.
    pub const fn new(now: Timestamp, session: Session) -> Self {
        Self { now, session, approval: None }
    }
}

/// What policy is told of a call, as JSON on one line: to be looked at, or to ask another
/// evaluator. `None` where the arguments hold a number that no policy can read.
pub fn request_json(call: &ToolCall, code: Option<&Code>, context: &Context) -> Option<String> {
    document::request(call, code, context, document::Point::Call).map(|document| document.to_json())
}

/// What a rule says of itself, in its METADATA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleInfo {
    /// Its path below `policies/rules`, such as `process/spawn`: its findings and their metric
    /// bear it.
    pub id: Text,
    /// What it refuses or permits, in a few words.
    pub title: Text,
    /// What it sees, in a sentence or two.
    pub description: Text,
    /// Why that matters.
    pub why: Text,
    /// What it does not see.
    pub known_gaps: Text,
    /// Where to read on: CWE, ATT&CK.
    pub references: Vec<Text>,
}

/// A limit that a bundle sets, in `data/limits.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitInfo {
    /// Whom it counts: `subject`, `tenant` or `session`.
    pub whose: &'static str,
    /// Its name, which ends in its unit.
    pub name: Text,
    /// How much there may be.
    pub value: u64,
    /// Why no more.
    pub reason: Text,
}

/// A loaded bundle: linted, compiled, evaluated once. Immutable and shared.
#[derive(Debug)]
pub struct Policy {
    loaded: Loaded,
    settings: Settings,
}

impl Policy {
    /// Loads a bundle, or says why it does not load.
    ///
    /// # Errors
    /// Where a file does not parse, breaks a rule of the load-time lint, or lacks what a bundle
    /// must have.
    pub fn load(files: &[BundleFile], settings: &Settings) -> Result<Self, BundleError> {
        Ok(Self { loaded: bundle::load(files, settings)?, settings: settings.clone() })
    }

    /// blake3 over the bundle's files, in hex.
    pub fn digest(&self) -> &Text {
        &self.loaded.digest
    }

    /// The bundle's catalogue.
    pub fn catalogue(&self) -> &Catalogue {
        &self.loaded.catalogue
    }

    /// The sandbox profile of this name.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.loaded.profiles.get(name)
    }

    /// The bundle's sandbox profiles, by name.
    pub fn profiles(&self) -> &BTreeMap<Text, Profile> {
        &self.loaded.profiles
    }

    /// What the interpreter's audit events mean; `None` where the bundle does not say.
    pub fn events(&self) -> Option<&Table> {
        self.loaded.events.as_ref()
    }

    /// What is to be observed of programs, as [`Table::watch`] writes it; empty where the bundle
    /// does not say what events mean.
    pub fn watch(&self) -> &str {
        &self.loaded.watch
    }

    /// The bundle's rules, sorted by id.
    pub fn rules(&self) -> &[RuleInfo] {
        &self.loaded.rules
    }

    /// How much may be used, as far as the bundle bounds it.
    pub fn allowances(&self) -> &Allowances {
        &self.loaded.limits.allowances
    }

    /// The bundle's limits, as they are written.
    pub fn limits(&self) -> &[LimitInfo] {
        &self.loaded.limits.told
    }

    /// Decides. Cannot fail: whatever goes wrong is a denial with its cause.
    pub fn decide(&self, call: &ToolCall, code: Option<&Code>, context: &Context) -> Decision {
        let input = document::request(call, code, context, document::Point::Call);
        let (ruling, findings) = match self.verdict(input) {
            Err(cause) => (Ruling::Denied(cause), Vec::new()),
            Ok(Verdict { effect, findings, obligations }) => {
                let ruling = match effect {
                    Effect::Permit => self.permitted(call, obligations),
                    Effect::Hold => Ruling::Held(Hold { approvers: obligations.approvers }),
                    Effect::Deny => Ruling::Denied(denial_cause(&findings)),
                };
                (ruling, findings)
            }
        };
        Decision { call: call.id.clone(), ruling, findings, policy: self.digest().clone() }
    }

    fn verdict(&self, input: Option<Document>) -> Result<Verdict, Cause> {
        let input = input.ok_or(Cause::Arguments)?;
        let answer =
            self.loaded.engine.evaluate(bundle::VERDICT, input).map_err(Cause::Indeterminate)?;
        let bounds =
            Bounds { rules: &self.loaded.rule_ids, findings_max: self.settings.findings_max };
        verdict::read(&answer, &bounds).map_err(|_| Cause::Indeterminate(Fault::Malformed))
    }

    /// A permit, where the bundle has the profile that it obliges, and what it is to be tightened
    /// to is less and can be held. Whether the rest can be fulfilled is for the effect to say.
    fn permitted(&self, call: &ToolCall, obligations: Obligations) -> Ruling {
        let confined = |Confinement { profile, caps }: &Confinement| {
            self.profile(profile).is_some_and(|has| has.effective(caps, &Caps::new()).is_ok())
        };
        if obligations.sandbox.as_deref().is_none_or(confined) {
            Ruling::Permitted(Permit::new(call, self.digest().clone(), obligations))
        } else {
            Ruling::Denied(Cause::Obligation)
        }
    }
}

/// The rule whose findings say that the code was not wholly understood.
const COVERAGE_RULE: &str = "coverage/complete";

fn denial_cause(findings: &[Finding]) -> Cause {
    if findings.is_empty() {
        Cause::NoMatch
    } else if findings.iter().all(|finding| &*finding.rule == COVERAGE_RULE) {
        Cause::Coverage
    } else {
        Cause::Rule
    }
}

#[cfg(test)]
mod tests;
