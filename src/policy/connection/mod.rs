//! The policy point `connect`: a connection that a running program asks for, to whether it is
//! opened.
//!
//! Its call was permitted already, and that is not enough. Must never make a permit, and must
//! never let an error open what no rule opens.

use super::decision::{Cause, Fault, Finding, Obligations};
use super::verdict::{Effect, Verdict};
use super::{Code, Context, Policy, denial_cause, document};
use crate::call::{Text, ToolCall};

/// A connection that a program asks for, as policy is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Connection<'a> {
    /// The how many of its run it is, from 1 on.
    pub number: u32,
    /// The host's name, in small letters.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// `tunnel` for TLS, `plain` for one message of HTTP.
    pub way: &'static str,
    /// What the permit of its call obliges to be opened, as `host:port`.
    pub obliged: &'a [Text],
}

/// What becomes of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Whether it is opened, or why not.
    pub ruling: Result<(), Cause>,
    /// What the rules said; sorted by rule, then place.
    pub findings: Vec<Finding>,
}

/// What policy is told of a connection, as JSON on one line; as [`super::request_json`].
pub fn connection_json(
    call: &ToolCall,
    code: Option<&Code>,
    context: &Context,
    connection: &Connection<'_>,
) -> Option<String> {
    let point = document::Point::Connect(connection);
    document::request(call, code, context, point).map(|document| document.to_json())
}

impl Policy {
    /// Decides whether a connection is opened. Cannot fail: whatever goes wrong leaves it shut.
    pub fn open(
        &self,
        call: &ToolCall,
        code: Option<&Code>,
        context: &Context,
        connection: &Connection<'_>,
    ) -> Opening {
        let point = document::Point::Connect(connection);
        match self.verdict(document::request(call, code, context, point)) {
            Err(cause) => Opening { ruling: Err(cause), findings: Vec::new() },
            Ok(Verdict { effect, findings, obligations }) => {
                let ruling = match effect {
                    Effect::Permit if obligations == Obligations::default() => Ok(()),
                    // The program runs: there is nothing that could still be done with its call.
                    Effect::Permit => Err(Cause::Obligation),
                    // Nobody is asked while a program waits.
                    Effect::Hold => Err(Cause::Indeterminate(Fault::Malformed)),
                    Effect::Deny => Err(denial_cause(&findings)),
                };
                Opening { ruling, findings }
            }
        }
    }
}
