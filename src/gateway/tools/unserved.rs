//! The effect of a tool that is not served: none, whatever policy permits.

use crate::enforce::{Done, Effect, Unavailable};
use crate::policy::{Obligations, Permit, Policy};
use crate::sandbox::Run;

/// Nothing that could be done.
#[derive(Debug)]
pub(in crate::gateway) struct Unserved;

impl Effect for Unserved {
    type Output = Run;

    fn fulfils(&self, _obligations: &Obligations, _policy: &Policy) -> Result<(), &'static str> {
        Err("effect")
    }

    async fn run(self, _permit: Permit, _policy: &Policy) -> Result<Done<Run>, Unavailable> {
        Err(Unavailable("no such tool is served".to_owned()))
    }

    fn withhold(run: Run) -> Run {
        run
    }
}
