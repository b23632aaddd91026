//! PID 1 of every container: starts the interpreter before there is a program, gives it the one
//! program, passes on what it writes, and ends with the whole tree.
//!
//! `regate-agent [MODULE…]` has the interpreter import these modules before it says it is ready.
//! Must never run a second program, nor outlive the gateway's end of the stream.

#![expect(
    clippy::disallowed_methods,
    reason = "it is the program that starts the interpreter, keeps its time and asks the kernel"
)]

mod capped;
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

fn main() -> ExitCode {
    // What can be dumped can be traced, and its streams opened, by any process of the same user.
    if nix::sys::prctl::set_dumpable(false).is_err() {
        return ExitCode::FAILURE;
    }
    let modules: Vec<String> = std::env::args().skip(1).collect();
    match Run::begin(&modules).and_then(Run::lead) {
        Ok(()) => ExitCode::SUCCESS,
        // The gateway sees the stream end without an `End`, and asks the engine what happened.
        Err(_) => ExitCode::FAILURE,
    }
}
