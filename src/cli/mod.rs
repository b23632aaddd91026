//! The command line: each command's words to a call into the library, its answer to text or JSON.
//!
//! Must never decide anything itself: what it prints is what the library answered.

mod approvals;
mod args;
mod catalogue;
mod code;
mod config;
mod key;
mod ledger;
mod local;
mod output;
mod policy;
mod serve;
mod show;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use output::Output;
use std::process::ExitCode;

/// What a command came to, as an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Done, or permitted.
    Done,
    /// Denied, or a test or chain that fails.
    Denied,
    /// Held.
    Held,
    /// Some of what was asked for could not be read, as was told.
    Unread,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Denied => Self::from(1),
            Exit::Held => Self::from(3),
            Exit::Unread => Self::from(2),
        }
    }
}

/// Reads the command line, runs the command, answers its exit status: 0 done or permitted, 1
/// denied or failed, 3 held, 2 anything else.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::standard();
    let ended = run(cli.command, &mut output);
    match ended.and_then(|exit| output.finish().map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(error) => {
            Output::error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        Command::Serve(args) => serve::serve(args, output),
        Command::Check(args) => code::check(&args, output),
        Command::Facts(args) => code::facts(&args, output),
        Command::Policy(command) => policy::run(command, output),
        Command::Catalogue(command) => catalogue::run(command, output),
        Command::Approvals(command) => approvals::run(command, output),
        Command::Ledger(command) => ledger::run(command, output),
        Command::Config(command) => config::run(command, output),
        Command::Key(command) => key::run(command, output),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "regate", output);
            Ok(Exit::Done)
        }
    }
}
