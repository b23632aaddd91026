//! Tells a team's chat or console of questions: when one is opened, answered, or over.
//!
//! A signed POST to one address, for whoever would rather be told than look. What counts is the
//! list of approvals: a notice may be lost, late, or come twice. Must never hold up or fail a call,
//! and must never log the address, more than its host, or the secret.

mod delivery;
mod secret;
#[cfg(test)]
mod tests;

pub use secret::Secret;

use crate::call::{Json, Text, Timestamp};
use crate::telemetry::Metrics;
use delivery::Post;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Where notices go, and how they are bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// The address.
    pub url: Address,
    /// What they are signed with.
    pub secret: Secret,
    /// How long one attempt may take.
    pub attempt_ms_max: u64,
    /// How often a notice is tried.
    pub attempts_max: u32,
    /// The pause after the first attempt; each further one is four times as long.
    pub pause_ms: u64,
    /// Notices that are under way at once, with their pauses.
    pub at_once_max: usize,
    /// Notices that may wait for that; further ones are dropped.
    pub queue_max: usize,
}

/// An address that is never shown: whoever knows it may be able to write there.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(reqwest::Url);

impl std::fmt::Debug for Address {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Address(…)")
    }
}

impl Address {
    /// An `https` address, or an `http` one of this machine. `None` for any other.
    pub fn new(text: &str) -> Option<Self> {
        let url = reqwest::Url::parse(text).ok()?;
        (url.scheme() == "https" || is_plain_and_near(&url)).then_some(Self(url))
    }

    fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }
}

fn is_plain_and_near(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let near = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    url.scheme() == "http" && near
}

/// What a webhook cannot be had for.
#[derive(Debug, thiserror::Error)]
#[error("no notices can be sent: {0}")]
pub struct Unsendable(String);

/// One thing to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The approval.
    pub approval: Text,
    /// What it came to: `pending`, `approved`, `refused` or `expired`.
    pub state: &'static str,
    /// When.
    pub at: Timestamp,
    /// The approval as lists tell it.
    pub data: Json,
}

impl Notice {
    /// The same for each attempt, so that whoever is told twice can know it. Has no full stop.
    fn id(&self) -> String {
        format!("{}-{}", self.approval, self.state)
    }

    fn body(&self) -> String {
        let text = |text: String| Json::String(text.into());
        Json::Object(vec![
            ("type".into(), text(format!("approval.{}", self.state))),
            ("timestamp".into(), text(self.at.to_string())),
            ("data".into(), self.data.clone()),
        ])
        .canonical()
    }
}

/// Takes notices and sends them in its own time.
#[derive(Debug, Clone, Default)]
pub struct Notices {
    sending: Option<Sending>,
}

#[derive(Debug, Clone)]
struct Sending {
    queue: mpsc::Sender<Notice>,
    metrics: Arc<Metrics>,
}

impl Notices {
    /// Tells nobody.
    pub const fn none() -> Self {
        Self { sending: None }
    }

    /// Begins to send, in tasks of the runtime that this is called in.
    ///
    /// # Errors
    /// Where the platform has no certificates to trust.
    pub fn begin(
        webhook: &Webhook,
        metrics: Arc<Metrics>,
        clock: fn() -> Timestamp,
    ) -> Result<Self, Unsendable> {
        let post = Post::new(webhook, Arc::clone(&metrics), clock)?;
        let (queue, waiting) = mpsc::channel(webhook.queue_max.max(1));
        tokio::spawn(post.run(waiting));
        Ok(Self { sending: Some(Sending { queue, metrics }) })
    }

    /// Whether anybody is told.
    pub const fn are_sent(&self) -> bool {
        self.sending.is_some()
    }

    /// Takes one, where there is room for it.
    pub fn tell(&self, notice: Notice) {
        let Some(Sending { queue, metrics }) = &self.sending else { return };
        if queue.try_send(notice).is_err() {
            tracing::warn!("a notice of an approval is dropped: too many wait");
            metrics.notice("dropped");
        }
    }
}
