//! The doors: wire messages in, calls out; answers in, replies out.
//!
//! Must never judge: what it cannot parse it refuses, what it can parse it hands to `enforce`.

mod body;
mod files;
mod json;
mod keys;
mod mcp;
mod operate;
mod problem;
mod propose;
mod rebinding;
mod records;
mod reply;
mod rest;
mod router;
mod server;
mod tools;
mod trace;

pub use keys::{Key, NoEntropy};
pub use reply::{FileReply, FindingReply, Reply, RunReply, SpanReply};

use crate::call::Text;
use crate::enforce::Guard;
use crate::sandbox::workspace::Workspaces;
use crate::sandbox::{Sandbox, Standing};
use crate::telemetry::Metrics;
use propose::Desk;
use router::Doors;
use server::Closing;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What the doors accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of a body.
    pub body_bytes_max: usize,
    /// How long reading a body may take.
    pub body_ms_max: u64,
    /// How long a connection may take to send the head of its next message.
    pub header_ms_max: u64,
    /// How long a client may take nothing of a reply before its connection is cut off.
    pub write_ms_max: u64,
    /// Nesting of a JSON body.
    pub json_depth_max: usize,
    /// Connections at once; more wait to be accepted.
    pub connections_max: usize,
    /// MCP sessions of one subject at once; the one unused for longest makes room.
    pub mcp_sessions_max: usize,
    /// How long an MCP session may be idle before it ends.
    pub mcp_idle_ms_max: u64,
    /// How long calls in flight may take to finish when the gateway stops.
    pub shutdown_ms_max: u64,
    /// The role whose bearers may read their own tenant's records.
    pub reader_role: Text,
    /// The role whose bearers may read all records.
    pub reader_all_role: Text,
    /// Values of `Host` that are served beside the loopback names; without a port.
    pub hosts: Vec<Text>,
    /// Values of `Origin` that are served beside none and loopback pages; scheme, host and port.
    pub origins: Vec<Text>,
    /// The keys; without one, whoever reaches the loopback address is the local subject.
    pub keys: Vec<Key>,
    /// blake3 of the operator's key, which answers what waits for people and calls no tool.
    pub operator: Option<[u8; 32]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            body_bytes_max: 2 << 20,
            body_ms_max: 10_000,
            header_ms_max: 30_000,
            write_ms_max: 30_000,
            json_depth_max: 64,
            connections_max: 1024,
            mcp_sessions_max: 256,
            mcp_idle_ms_max: 1_800_000,
            shutdown_ms_max: 30_000,
            reader_role: "auditor".into(),
            reader_all_role: "global-auditor".into(),
            hosts: Vec::new(),
            origins: Vec::new(),
            keys: Vec::new(),
            operator: None,
        }
    }
}

/// What the doors open on.
#[derive(Debug, Clone)]
pub struct Gateway {
    /// Decides.
    pub guard: Arc<Guard>,
    /// Runs.
    pub sandbox: Arc<Sandbox>,
    /// Keeps files.
    pub workspaces: Arc<Workspaces>,
    /// Counts.
    pub metrics: Arc<Metrics>,
}

impl Gateway {
    /// Has containers kept ready for the profile of a permit that names none, unless it is
    /// refused, and the bundle's profiles looked at. That of a bundle that is no longer asked for
    /// is given up by and by.
    pub async fn prepare(&self) {
        let policy = self.guard.policy();
        let usual = policy.profile(tools::PROFILE_DEFAULT);
        let refused = |profile| matches!(self.sandbox.standing(profile), Standing::Refused(_));
        if let Some(profile) = usual.filter(|profile| !refused(profile)) {
            self.sandbox.prepare(profile);
        }
        self.sandbox.look_at(policy.profiles()).await;
    }
}

/// Serves every door on the listener until `shutdown` ends, then lets calls in flight finish.
///
/// # Errors
/// Where the listener has no address, and so is none.
pub async fn serve(
    gateway: Gateway,
    settings: &Settings,
    listener: tokio::net::TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    tracing::info!(address = %listener.local_addr()?, "the doors are open");
    let closing = Closing {
        in_flight: TaskTracker::new(),
        guard: Arc::clone(&gateway.guard),
        streams: CancellationToken::new(),
    };
    let desk = Desk::new(gateway.clone());
    let doors = Doors {
        mcp: mcp::Mcp::new((gateway.clone(), desk.clone()), settings, closing.streams.clone()),
        gateway,
        desk,
        settings: Arc::new(settings.clone()),
        readiness: Arc::default(),
        in_flight: closing.in_flight.clone(),
    };
    server::run(listener, router::router(doors), settings, shutdown, closing).await;
    Ok(())
}
