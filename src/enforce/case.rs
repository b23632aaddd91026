//! One call on its way through the story.

use super::Connecting;
use super::answer::{Answer, Conclusion};
use super::effect::{Effect, Grounds};
use super::{findings, own_rules};
use crate::call::{Approval, Text, Tool, ToolCall};
use crate::limits::Likeness;
use crate::policy::{Cause, Code, Context, Decision, Fault, Finding, Policy, Ruling};
use crate::redact::{Counts, Detectors};
use std::sync::Arc;

/// A call, the one bundle that judges it, what was read of its code, and what it is recognised by
/// when it comes again.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) call: Arc<ToolCall>,
    pub(super) policy: Arc<Policy>,
    pub(super) code: Option<Code>,
    /// What policy was told beside it, once it was asked.
    pub(super) context: Option<Arc<Context>>,
    /// What a person said of it.
    pub(super) approval: Option<Approval>,
    /// The approval that it waits for.
    pub(super) waits_as: Option<Text>,
    /// `None` for a call that is refused for the message around it.
    pub(super) likeness: Option<Likeness>,
}

impl Case {
    pub(super) fn open(call: ToolCall, policy: Arc<Policy>) -> Self {
        let likeness = Some(likeness(&call));
        let call = Arc::new(call);
        Self { call, policy, code: None, context: None, approval: None, waits_as: None, likeness }
    }

    /// A call that is refused with this finding. Only where its arguments are the reason is the
    /// same call refused again.
    pub(super) fn refused(call: ToolCall, policy: Arc<Policy>, finding: &Finding) -> Self {
        let case = Self::open(call, policy);
        let likeness = case.likeness.filter(|_| &*finding.rule == own_rules::ARGUMENTS);
        Self { likeness, ..case }
    }

    /// What it is permitted on, if it is.
    pub(super) fn grounds<'a>(&'a self, connecting: &'a Connecting) -> Grounds<'a> {
        Grounds { policy: &self.policy, code: self.code.as_ref(), connecting }
    }

    /// The session's id within its subject.
    pub(super) fn session(&self) -> Text {
        self.call.session.clone().unwrap_or_else(|| "default".into())
    }

    pub(super) fn coverage_complete(&self) -> Option<bool> {
        self.code.as_ref().map(|code| code.facts().complete())
    }

    /// A denial that no policy was asked for.
    pub(super) fn deny(&self, cause: Cause, finding: Finding) -> Decision {
        Decision {
            call: self.call.id.clone(),
            ruling: Ruling::Denied(cause),
            findings: vec![finding],
            policy: Arc::clone(self.policy.digest()),
        }
    }

    /// The denial of a call whose story broke off.
    pub(super) fn broken_off(&self) -> Decision {
        self.deny(Cause::Indeterminate(Fault::Panic), findings::broken())
    }

    /// An obligation that the effect cannot fulfil turns a permit into a denial.
    pub(super) fn check_obligations<E: Effect>(&self, decision: Decision, effect: &E) -> Decision {
        let Ruling::Permitted(permit) = &decision.ruling else { return decision };
        let obliged = permit.obligations();
        let redacts = Detectors::named(obliged.redact.iter().map(|name| &**name));
        let fulfils =
            redacts.map_err(|_| "redact").and_then(|_| effect.fulfils(obliged, &self.policy));
        match fulfils {
            Ok(()) => decision,
            Err(name) => self.deny(Cause::Obligation, findings::obligation(name)),
        }
    }

    pub(super) fn answer<T>(
        &self,
        conclusion: Conclusion<T>,
        cause: Cause,
        findings: Vec<Finding>,
    ) -> Answer<T> {
        Answer {
            call: self.call.id.clone(),
            conclusion,
            cause,
            findings,
            policy: Arc::clone(self.policy.digest()),
            coverage_complete: self.coverage_complete(),
            retry_after_ms: None,
            redactions: Counts::default(),
            approval: self.waits_as.clone(),
            approval_page: None,
        }
    }
}

/// Each part is hashed by itself, so that no two sets of parts run together.
fn likeness(call: &ToolCall) -> Likeness {
    let Tool { server, name } = &call.tool;
    let mut hasher = blake3::Hasher::new();
    for part in [&**server, &**name, &call.arguments.canonical()] {
        hasher.update(blake3::hash(part.as_bytes()).as_bytes());
    }
    *hasher.finalize().as_bytes()
}
