//! The bundle in force, behind an atomic pointer.

use super::Policy;
use arc_swap::ArcSwap;
use std::sync::Arc;

/// Holds the bundle that calls are decided by. A call that has loaded it keeps it to its end.
#[derive(Debug)]
pub struct Slot(ArcSwap<Policy>);

impl Slot {
    /// A slot with its first bundle: there is never none.
    pub fn new(policy: Arc<Policy>) -> Self {
        Self(ArcSwap::new(policy))
    }

    /// The bundle in force.
    pub fn load(&self) -> Arc<Policy> {
        self.0.load_full()
    }

    /// Puts another bundle into force.
    pub fn replace(&self, policy: Arc<Policy>) {
        self.0.store(policy);
    }
}
