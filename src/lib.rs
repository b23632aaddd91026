//! Regate: a policy-as-code guardrail gateway between LLM agents and their tools.
//!
//! The modules, in reading order. Who may name whom stands in ARCHITECTURE.md; `tests/tidy.rs`
//! holds it. An exception to a banned call stands here, at the module that needs it.

pub mod call;
pub mod facts;
pub mod policy;
pub mod redact;

pub mod approval;
pub mod ledger;
pub mod limits;
pub mod sandbox;
pub mod telemetry;

#[expect(clippy::disallowed_methods, reason = "stages are timed for their metrics")]
pub mod enforce;

pub mod gateway;

#[expect(clippy::disallowed_methods, reason = "settings and bundles are files")]
pub mod config;

#[expect(clippy::disallowed_methods, reason = "the outermost module reads files and the clock")]
pub mod cli;
