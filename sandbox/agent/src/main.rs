//! PID 1 of every container: starts the interpreter before there is a program, gives it the one
//! program, passes on what it writes, and ends with the whole tree.
//!
//! `regate-agent WAIT_MS [MODULE…]` has the interpreter import these modules before it says it is
//! ready, and waits for a program for so many milliseconds.
//! Must never run a second program, nor outlive the gateway's end of the stream.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the program that starts the interpreter, keeps its time and asks the kernel"
)]

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
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    // What can be dumped can be traced, and its streams opened, by any process of the same user.
    if nix::sys::prctl::set_dumpable(false).is_err() {
        return ExitCode::FAILURE;
    }
    let mut arguments = std::env::args().skip(1);
    let Some(Ok(wait_ms)) = arguments.next().map(|text| text.parse()) else {
        return ExitCode::FAILURE;
    };
    let modules: Vec<String> = arguments.collect();
    match Run::begin(Duration::from_millis(wait_ms), &modules).and_then(Run::lead) {
        Ok(()) => ExitCode::SUCCESS,
        // The gateway sees the stream end without an `End`, and asks the engine what happened.
        Err(_) => ExitCode::FAILURE,
    }
}
