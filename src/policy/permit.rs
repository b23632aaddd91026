//! The proof that a call was permitted.

use super::decision::Obligations;
use super::profile::Caps;
use crate::call::{CallId, Subject, Text, ToolCall};

/// The unforgeable value that a decision yields and an effect consumes.
///
/// Only `policy` makes one, out of a verdict that permits. It cannot be cloned, and an effect
/// takes it by value, so one permit buys one effect:
///
/// ```
/// # use regate::policy::Permit;
/// fn effect(_: Permit) {}
/// fn spend(permit: Permit) {
///     effect(permit);
/// }
/// ```
///
/// It is not used twice,
///
/// ```compile_fail,E0382
/// # use regate::policy::Permit;
/// fn effect(_: Permit) {}
/// fn spend(permit: Permit) {
///     effect(permit);
///     effect(permit);
/// }
/// ```
///
/// not copied,
///
/// ```compile_fail,E0308
/// # use regate::policy::Permit;
/// fn copy(permit: &Permit) -> Permit {
///     permit.clone()
/// }
/// ```
///
/// and made by nobody else, neither by its parts nor by a constructor, while what it is made of
/// is there for everybody:
///
/// ```
/// # use regate::{call::CallId, policy::Obligations};
/// fn parts() -> (CallId, Obligations) {
///     (CallId::new("call"), Obligations::default())
/// }
/// ```
///
/// ```compile_fail,E0451
/// # use regate::{call::{CallId, Subject}, policy::{Obligations, Permit}};
/// fn forge(subject: Subject) -> Permit {
///     Permit {
///         call: CallId::new("call"),
///         subject,
///         policy: "digest".into(),
///         obligations: Obligations::default(),
///     }
/// }
/// ```
///
/// ```compile_fail,E0624
/// # use regate::{call::ToolCall, policy::{Obligations, Permit}};
/// fn forge(call: &ToolCall) -> Permit {
///     Permit::new(call, "digest".into(), Obligations::default())
/// }
/// ```
///
/// ```compile_fail,E0599
/// # use regate::policy::Permit;
/// fn forge() -> Permit {
///     Permit::default()
/// }
/// ```
#[derive(Debug)]
#[must_use = "a permit that is dropped permits nothing"]
pub struct Permit {
    call: CallId,
    subject: Subject,
    policy: Text,
    obligations: Obligations,
}

impl Permit {
    pub(super) fn new(call: &ToolCall, policy: Text, obligations: Obligations) -> Self {
        Self { call: call.id.clone(), subject: call.subject.clone(), policy, obligations }
    }

    /// The call that was permitted.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// Who asked for it.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The digest of the bundle that permitted it.
    pub fn policy(&self) -> &Text {
        &self.policy
    }

    /// What must be done with the call.
    pub fn obligations(&self) -> &Obligations {
        &self.obligations
    }

    /// What of its profile's limits is to be smaller.
    pub fn caps(&self) -> &Caps {
        static NONE: Caps = Caps::new();
        self.obligations.sandbox.as_ref().map_or(&NONE, |confinement| &confinement.caps)
    }
}
