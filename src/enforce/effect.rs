//! What a permit is spent on, as the story sees it.

use crate::call::Json;
use crate::policy::{Obligations, Permit, Policy};
use std::future::Future;

/// Something that a permitted call does to the world: a sandbox run, an upstream call.
pub trait Effect: Send + Sync + 'static {
    /// What it yields for the caller.
    type Output: Send + 'static;

    /// Whether it can do what these obligations ask. `policy` is the bundle that asks it, which
    /// need not be the one in force any more.
    ///
    /// # Errors
    /// The name of the obligation that it cannot fulfil, which makes the decision a denial.
    fn fulfils(&self, obligations: &Obligations, policy: &Policy) -> Result<(), &'static str>;

    /// Has the effect, under the bundle that permitted it. Takes the permit by value: one
    /// permit, one effect.
    fn run(
        self,
        permit: Permit,
        policy: &Policy,
    ) -> impl Future<Output = Result<Done<Self::Output>, Unavailable>> + Send;

    /// What is left of an output of which the caller may see nothing but that the effect failed.
    fn withhold(output: Self::Output) -> Self::Output;
}

/// An effect that was had.
#[derive(Debug)]
pub struct Done<T> {
    /// How it ended.
    pub outcome: Outcome,
    /// The CPU time that it used at most, where it used the sandbox's.
    pub cpu_ms: u64,
    /// What the ledger keeps of it: an object.
    pub summary: Json,
    /// What the caller gets.
    pub output: T,
}

/// How an effect ended. A closed set: it stands in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it was asked to.
    Ok,
    /// It ended in an error of its own, such as an exit code other than 0.
    Failed,
    /// It was ended for its time.
    TimedOut,
    /// It was ended for its memory.
    OutOfMemory,
    /// It could not be had at all.
    Unavailable,
}

impl Outcome {
    /// The word in the ledger and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::OutOfMemory => "out_of_memory",
            Self::Unavailable => "unavailable",
        }
    }
}

/// An effect that could not be had; the reason goes to the log, never to the caller.
#[derive(Debug)]
pub struct Unavailable(pub String);
