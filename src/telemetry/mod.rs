//! Metrics and logs.
//!
//! Every metric's name stands in one file, `names.rs`. Must never know a type of the domain, read
//! a clock to decide anything, or make a call fail.

mod logs;
mod metrics;
mod names;
mod registering;

pub use logs::{Colour, Format, Logs, Settings, call_span, init};
pub use metrics::{InFlight, Metrics, OnHost, Sandbox, State};
pub use names::{ALL, Description};

/// Telemetry could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A metric could not be registered.
    #[error("metric: {0}")]
    Metric(#[from] prometheus::Error),
    /// The log filter does not parse.
    #[error("the log filter `{filter}` does not parse: {reason}")]
    Filter {
        /// The filter as it was configured.
        filter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The thread that writes logs could not be begun.
    #[error("the logs have no thread: {0}")]
    Thread(std::io::Error),
    /// Logs were set up before.
    #[error("the logs are set up already")]
    Installed,
}
