//! The policy point `result`: what an effect yielded, to whether the caller may have it.
//!
//! The effect was had already. Must never make a permit, and must never let an error hand out
//! what no rule lets go.

use super::decision::{Cause, Fault, Finding, Obligations};
use super::verdict::{Effect, Verdict};
use super::{Code, Context, Policy, denial_cause, document};
use crate::call::{Text, ToolCall};
use crate::facts::drift::Drift;
use crate::redact::{Counts, Detectors};

/// What an effect yielded, as policy is told of it.
#[derive(Debug, Clone)]
pub struct Yielded<'a> {
    /// How it ended: `ok`, `failed`, `timed_out` or `out_of_memory`.
    pub outcome: &'static str,
    /// The exit code, where there is one.
    pub exit_code: Option<i64>,
    /// Whether some of it was cut.
    pub truncated: bool,
    /// The texts of it. Policy sees the beginning of each.
    pub texts: Vec<YieldedText<'a>>,
    /// The files that it made or changed.
    pub files: Vec<YieldedFile<'a>>,
    /// What the detectors found in all of the texts and files.
    pub detected: Counts,
    /// What it was seen to do that its code, wholly understood, did not foretell.
    pub drift: &'a [Drift],
}

/// One text of what an effect yielded.
#[derive(Debug, Clone, Copy)]
pub struct YieldedText<'a> {
    /// What it is, such as `stdout`.
    pub name: &'static str,
    /// All of it.
    pub text: &'a str,
}

/// One file of what an effect yielded. Policy sees nothing of its bytes.
#[derive(Debug, Clone, Copy)]
pub struct YieldedFile<'a> {
    /// Its name.
    pub name: &'a str,
    /// How long it is.
    pub bytes: u64,
    /// What it is.
    pub media_type: &'a str,
    /// blake3 of its bytes, in hex.
    pub digest: &'a str,
    /// What the detectors found in its name and its bytes.
    pub detected: Counts,
}

/// What becomes of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Whether it is handed out.
    pub ruling: Release,
    /// Why; sorted by rule, then place.
    pub findings: Vec<Finding>,
}

/// Whether a result is handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// It is, once this is done with it.
    Released {
        /// What is taken out of its texts.
        redact: Detectors,
        /// What its call puts on its subject.
        labels: Vec<Text>,
    },
    /// It is not.
    Withheld(Cause),
}

/// What policy is told of a result, as JSON on one line; as [`super::request_json`].
pub fn result_json(
    call: &ToolCall,
    code: Option<&Code>,
    context: &Context,
    (yielded, bytes_max): (&Yielded<'_>, usize),
) -> Option<String> {
    let point = document::Point::Result(yielded, bytes_max);
    document::request(call, code, context, point).map(|document| document.to_json())
}

impl Policy {
    /// Decides what becomes of a result. Cannot fail: whatever goes wrong withholds it.
    pub fn review(
        &self,
        call: &ToolCall,
        code: Option<&Code>,
        context: &Context,
        yielded: &Yielded<'_>,
    ) -> Review {
        let point = document::Point::Result(yielded, self.settings.result_bytes_max);
        match self.verdict(document::request(call, code, context, point)) {
            Err(cause) => Review { ruling: Release::Withheld(cause), findings: Vec::new() },
            Ok(Verdict { effect, findings, obligations }) => {
                let ruling = match effect {
                    Effect::Permit => released(obligations),
                    // Nobody is asked about what was done already.
                    Effect::Hold => Release::Withheld(Cause::Indeterminate(Fault::Malformed)),
                    Effect::Deny => Release::Withheld(denial_cause(&findings)),
                };
                Review { ruling, findings }
            }
        }
    }
}

/// A release, where all that it obliges can still be done.
fn released(obligations: Obligations) -> Release {
    let Obligations { sandbox, connect, labels, redact, approvers: _ } = obligations;
    let too_late = sandbox.is_some() || !connect.is_empty();
    match Detectors::named(redact.iter().map(|name| &**name)) {
        Ok(redact) if !too_late => Release::Released { redact, labels },
        Ok(_) | Err(_) => Release::Withheld(Cause::Obligation),
    }
}
