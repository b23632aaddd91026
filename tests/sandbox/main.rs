//! The sandbox against the real Docker engine and the real image: `sandbox/setup` makes both.
//!
//! Each program is a file in `fixtures/sandbox/`; most have a harmless twin, which shows that
//! what stopped the program does not stop everybody. Nothing here is skipped where Docker is
//! missing: then it fails.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test ends where what it needs is missing"
)]

#[path = "../abuses/mod.rs"]
mod abuses;
#[path = "../bundle/mod.rs"]
mod bundle;
#[path = "../network/mod.rs"]
mod network;
#[path = "../processes/mod.rs"]
mod processes;

mod agent;
mod bench;
mod catalogue;
mod egress;
mod ends;
mod escapes;
mod events;
mod files;
mod handling;
mod hosts;
mod life;
mod limits;
mod parameters;
mod pool;
mod runtimes;
mod stalls;
mod walls;
