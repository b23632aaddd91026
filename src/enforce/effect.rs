//! What a permit is spent on, as the story sees it.

use super::Connecting;
use crate::call::{Json, ToolCall};
use crate::facts::drift::Drift;
use crate::policy::{Code, Obligations, Permit, Policy};
use crate::redact::Ending;
use std::future::Future;

/// Something that a permitted call does to the world: a sandbox run, an upstream call.
pub trait Effect: Send + Sync + 'static {
    /// What it yields for the caller.
    type Output: Send + 'static;

    /// Whether it can do what these obligations ask; those that come after it, redactions and
    /// labels, are the story's. `policy` is the bundle that asks it, which
    /// need not be the one in force any more.
    ///
    /// # Errors
    /// The name of the obligation that it cannot fulfil, which makes the decision a denial.
    fn fulfils(&self, obligations: &Obligations, policy: &Policy) -> Result<(), &'static str>;

    /// Has the effect, on the grounds on which it was permitted. Takes the permit by value: one
    /// permit, one effect.
    fn run(
        self,
        permit: Permit,
        grounds: Grounds<'_>,
    ) -> impl Future<Output = Result<Done<Self::Output>, Lost>> + Send;

    /// What the caller would see of an output, to be read and to be replaced in place.
    fn show(output: &mut Self::Output) -> Shown<'_>;

    /// Takes files out of an output that nobody may see, by their places in what [`Self::show`]
    /// shows: from then on it is as though they had been left out.
    fn bar(output: &mut Self::Output, places: &[usize]);

    /// What keeps its outputs; taken before the effect is had.
    fn keeper(&self) -> impl Keeper<Self::Output>;

    /// What the ledger keeps of an output as the caller sees it: an object.
    fn summary(output: &Self::Output) -> Json;

    /// What is left of an output of which the caller may see nothing but that the effect failed.
    fn withhold(output: Self::Output) -> Self::Output;
}

/// What a permit was given on.
#[derive(Debug, Clone, Copy)]
pub struct Grounds<'a> {
    /// The bundle that gave it.
    pub policy: &'a Policy,
    /// What was read of the call's code, where it holds any.
    pub code: Option<&'a Code>,
    /// Where an effect asks for each connection that it would open.
    pub connecting: &'a Connecting,
}

/// What the caller would see of an output.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The exit code, where there is one.
    pub exit_code: Option<i64>,
    /// Whether some of it was cut.
    pub truncated: bool,
    /// Every text of it.
    pub texts: Vec<ShownText<'a>>,
    /// Every file of it.
    pub files: Vec<ShownFile<'a>>,
}

/// One file that the caller would get.
#[derive(Debug, Clone, Copy)]
pub struct ShownFile<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub media_type: &'static str,
    /// blake3 of its bytes, in hex.
    pub digest: &'a str,
    /// Its bytes.
    pub content: &'a [u8],
}

/// One text that the caller would see.
#[derive(Debug)]
pub struct ShownText<'a> {
    /// What it is, such as `stdout`.
    pub name: &'static str,
    /// The text.
    pub text: &'a mut String,
    /// Whether it may have been cut.
    pub ending: Ending,
}

/// An effect that was had.
#[derive(Debug)]
pub struct Done<T> {
    /// How it ended.
    pub outcome: Outcome,
    /// The CPU time that it used at most, where it used the sandbox's.
    pub cpu_ms: u64,
    /// What it was seen to do that was not foretold.
    pub drift: Vec<Drift>,
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
    /// It was begun, and what became of it is not known.
    Interrupted,
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
            Self::Interrupted => "interrupted",
        }
    }
}

/// An effect that yields nothing. Its reason goes to the log, never to the caller.
#[derive(Debug)]
pub enum Lost {
    /// It could not be had at all.
    Unavailable(String),
    /// It was begun, and what became of it is not known.
    Interrupted(String),
}

/// Keeps of an output what outlasts its call.
pub trait Keeper<T>: Send + Sync + 'static {
    /// Whether there is anything of it that it would keep.
    fn keeps(&self, output: &T) -> bool;

    /// Keeps it. The output is about to be handed out, and its outcome is recorded already:
    /// nobody sees what is kept before that.
    ///
    /// # Errors
    /// Where it cannot be kept; nothing of it is then.
    fn keep(&self, call: &ToolCall, output: &T) -> impl Future<Output = Result<(), Unkept>> + Send;
}

/// Keeps nothing, of outputs of which nothing outlasts the call.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

impl<T: Sync> Keeper<T> for Nothing {
    fn keeps(&self, _output: &T) -> bool {
        false
    }

    async fn keep(&self, _call: &ToolCall, _output: &T) -> Result<(), Unkept> {
        Ok(())
    }
}

/// Why files were not kept; the reason goes to the log, never to the caller.
#[derive(Debug)]
pub enum Unkept {
    /// There is no room, by this setting.
    Full(&'static str),
    /// They could not be stored.
    Failed(String),
}
