//! Bytes on a socket to a gateway that is served for real: the shipped policies, a ledger on
//! disk, a real sandbox.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and reads files and the clock itself"
)]

#[path = "../bundle/mod.rs"]
mod bundle;

mod clients;
mod eras;
mod house;
mod keys;
mod labels;
mod limits;
mod messages;
mod operate;
mod records;
mod sessions;
mod wire;
