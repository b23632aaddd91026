//! The words of `regate approvals`.

use crate::cli::args::{Data, Format};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ApprovalsCommand {
    /// Show what waits, the oldest first.
    List {
        /// What is printed.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        #[command(flatten)]
        gateway: Where,
    },
    /// Show one of them, with the arguments and what the rules say.
    Show {
        /// Its id.
        id: String,
        /// What is printed.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        #[command(flatten)]
        gateway: Where,
    },
    /// Let one of them happen, once.
    Approve(Answer),
    /// Refuse one of them.
    Refuse(Answer),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Answer {
    /// Its id.
    pub(in crate::cli) id: String,
    /// A word to go with it; whoever is refused is shown it.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(in crate::cli) note: String,
    #[command(flatten)]
    pub(in crate::cli) gateway: Where,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The gateway is asked with the key in the environment variable REGATE_KEY; \
    without it, with the operator's key, which the gateway leaves in its folder of state."
)]
pub(in crate::cli) struct Where {
    /// Where the gateway listens.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8181")]
    pub(in crate::cli) url: String,
    #[command(flatten)]
    pub(in crate::cli) data: Data,
}
