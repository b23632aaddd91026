//! The real program as an operator runs it: started, called, broken on purpose, stopped.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test starts the program and stops at the first surprise"
)]

#[path = "../abuses/mod.rs"]
mod abuses;
#[path = "../bundle/mod.rs"]
mod bundle;
#[path = "../certificates/mod.rs"]
mod certificates;
#[path = "../disk/mod.rs"]
mod disk;
#[path = "../network/mod.rs"]
mod network;
#[path = "../overlay/mod.rs"]
mod overlay;
#[path = "../processes/mod.rs"]
mod processes;

mod amok;
mod announcing;
mod approved;
mod approving;
mod bounding;
mod dockerd;
mod egress;
mod engine;
mod failing_closed;
mod files;
mod hostile;
mod hosts;
mod killing;
mod leaving;
mod limits;
mod linking;
mod load;
mod outages;
mod profiles;
mod quiet;
mod quotas;
mod remembering;
mod results;
mod series;
mod served;
mod settings;
mod showing;
mod stopping;
mod straying;
mod unsent;
mod witness;
