//! The proof that a call was permitted.

use super::decision::Obligations;
use crate::call::{CallId, Text};

/// The unforgeable value that a decision yields and an effect consumes.
///
/// Only `policy` makes one, out of a verdict that permits. It cannot be cloned, and an effect
/// takes it by value, so one permit buys one effect.
#[derive(Debug)]
#[must_use = "a permit that is dropped permits nothing"]
pub struct Permit {
    call: CallId,
    policy: Text,
    obligations: Obligations,
}

impl Permit {
    pub(super) fn new(call: CallId, policy: Text, obligations: Obligations) -> Self {
        Self { call, policy, obligations }
    }

    /// The call that was permitted.
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// The digest of the bundle that permitted it.
    pub fn policy(&self) -> &Text {
        &self.policy
    }

    /// What must be done with the call.
    pub fn obligations(&self) -> &Obligations {
        &self.obligations
    }
}
