//! The documents that policy reads, built from the nouns of a call.
//!
//! Must never leave out a key: a rule that reads a missing one silently does not fire.

mod connection;
mod facts;
mod needs;
mod request;
mod result;
mod specimen;

pub(super) use facts::code;
pub(super) use needs::needs;
pub(super) use request::{Point, request};
pub(super) use specimen::{specimen, specimen_of_connection, specimen_of_result};

#[cfg(test)]
mod tests;
