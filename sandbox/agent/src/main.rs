//! PID 1 of every container: starts the interpreter before there is a program, gives it the one
//! program, passes on what it writes, and ends with the whole tree.
//!
//! `regate-agent WAIT_MS [--apart] [MODULE…]` has the interpreter import these modules before it
//! says it is ready, and waits for a program for so many milliseconds. `--apart` keeps the
//! program's processes in a namespace of their own, from where the agent cannot be named.
//! Must never run a second program, nor outlive the gateway's end of the stream.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the program that starts the interpreter, keeps its time and asks the kernel"
)]

mod apart;
mod capped;
mod deadline;
mod files;
mod interpreter;
mod memory;
mod outbox;
mod proxy;
mod run;
mod tree;
mod waiting;

use run::Run;
use std::io::{Error, ErrorKind, Result};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    // The gateway sees the stream end without an `End`, and asks the engine what happened.
    if lead().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn lead() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let first = arguments.next().ok_or(ErrorKind::InvalidInput)?;
    if first == apart::ADOPT {
        return apart::adopt();
    }
    let wait_ms = first.parse().map_err(Error::other)?;
    if arguments.next_if_eq(apart::APART).is_some() {
        apart::set_apart()?;
    }
    // What can be dumped can be traced, and its streams opened, by any process of the same user.
    // What cannot may not say who is in a namespace: that was before.
    nix::sys::prctl::set_dumpable(false)?;
    let modules: Vec<String> = arguments.collect();
    Run::begin(Duration::from_millis(wait_ms), &modules)?.lead()
}
