//! The `regate` program: words on the command line to a run of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    regate::cli::main()
}
