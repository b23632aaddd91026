//! Regate's own tools: which there are, what arguments they take, what they do.
//!
//! Must never run anything: a tool is an effect, and only the guard has effects.

mod connections;
mod run_python;
mod unserved;

pub(super) use run_python::{PROFILE_DEFAULT, RunPython, describe};
pub(super) use unserved::Unserved;

use crate::call::{Json, Source, Tool};
use crate::policy::Finding;

/// What a call would do.
#[derive(Debug)]
pub(super) enum Plan {
    /// Run this program.
    RunPython(Source),
    /// Nothing: no such tool is served. Policy is asked all the same, so that an unknown tool is
    /// denied for policy's own reason.
    Unserved,
}

/// Reads the arguments as the tool takes them.
///
/// # Errors
/// What is wrong with them.
pub(super) fn plan(tool: &str, arguments: &Json) -> Result<Plan, Finding> {
    match tool {
        Tool::RUN_PYTHON => run_python::source(arguments).map(Plan::RunPython),
        _ => Ok(Plan::Unserved),
    }
}
