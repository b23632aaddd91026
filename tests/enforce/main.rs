//! The ten steps, with an effect that the test itself has: what runs, what is recorded, what the
//! caller is told.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test puts the parts together and stops at the first surprise"
)]

mod approvals;
#[path = "../bundle/mod.rs"]
mod bundle;
mod connections;
mod files;
mod house;
mod labels;
#[path = "../overlay/mod.rs"]
mod overlay;
mod results;
mod story;
