//! The effect of a tool that is not served: none, whatever policy permits.

use crate::call::Json;
use crate::enforce::{Done, Effect, Grounds, Keeper, Lost, Nothing, Shown};
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

    async fn run(self, _permit: Permit, _grounds: Grounds<'_>) -> Result<Done<Run>, Lost> {
        Err(Lost::Unavailable("no such tool is served".to_owned()))
    }

    fn show(_run: &mut Run) -> Shown<'_> {
        Shown { exit_code: None, truncated: false, texts: Vec::new(), files: Vec::new() }
    }

    fn bar(run: &mut Run, places: &[usize]) {
        run.files.bar(places);
    }

    fn keeper(&self) -> impl Keeper<Run> {
        Nothing
    }

    fn summary(_run: &Run) -> Json {
        Json::Object(Vec::new())
    }

    fn withhold(run: Run) -> Run {
        run
    }
}
