//! The way of a notice: a few attempts with growing pauses, several notices at once.

use super::{Notice, Unsendable, Webhook};
use crate::call::Timestamp;
use crate::telemetry::Metrics;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// By how much each pause is longer than the one before.
const PAUSE_GROWS_BY: u64 = 4;

pub(super) struct Post {
    webhook: Webhook,
    client: Client,
    metrics: Arc<Metrics>,
    clock: fn() -> Timestamp,
}

/// Why an attempt came to nothing.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("it was answered with {0}")]
    Answered(u16),
    // What lies at the bottom of it: not the address.
    #[error("it cannot be reached: {0}")]
    Unreached(String),
    #[error("it cannot be signed")]
    Unsigned,
}

impl Post {
    pub(super) fn new(
        webhook: &Webhook,
        metrics: Arc<Metrics>,
        clock: fn() -> Timestamp,
    ) -> Result<Self, Unsendable> {
        // What is signed for one address is sent to no other.
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(Duration::from_millis(webhook.attempt_ms_max));
        // Certificates that are not needed must not be missed.
        let client =
            if webhook.url.is_encrypted() { client } else { client.tls_certs_only(Vec::new()) };
        let client = client.build().map_err(|error| Unsendable(reason(&error)))?;
        Ok(Self { webhook: webhook.clone(), client, metrics, clock })
    }

    /// Sends what comes until nobody can tell anything more.
    pub(super) async fn run(self, mut waiting: mpsc::Receiver<Notice>) {
        let places = Arc::new(Semaphore::new(self.webhook.at_once_max.max(1)));
        let post = Arc::new(self);
        while let Some(notice) = waiting.recv().await {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let post = Arc::clone(&post);
            tokio::spawn(async move {
                post.deliver(&notice).await;
                drop(place);
            });
        }
    }

    async fn deliver(&self, notice: &Notice) {
        let (id, body) = (notice.id(), notice.body());
        let mut pause_ms = self.webhook.pause_ms;
        for left in (0..self.webhook.attempts_max.max(1)).rev() {
            let Err(failure) = self.attempt(&id, &body).await else {
                self.metrics.notice("delivered");
                return;
            };
            tracing::warn!(notice = id, %failure, left, "a notice of an approval was not taken");
            if left > 0 {
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
                pause_ms = pause_ms.saturating_mul(PAUSE_GROWS_BY);
            }
        }
        self.metrics.notice("failed");
    }

    /// The answer is its status alone: what else there is of it is not read.
    async fn attempt(&self, id: &str, body: &str) -> Result<(), Failure> {
        let now = (self.clock)().since_epoch().as_secs();
        let signature = self.webhook.secret.sign(id, now, body).ok_or(Failure::Unsigned)?;
        let message = self
            .client
            .post(self.webhook.url.0.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", now)
            .header("webhook-signature", signature)
            .body(body.to_owned());
        let answer = message.send().await.map_err(|error| Failure::Unreached(bottom(&error)))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(Failure::Answered(status.as_u16())),
        }
    }
}

/// What lies at the bottom of an error that stands for what happened on the way.
fn bottom(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let mut source: &dyn std::error::Error = match std::error::Error::source(error) {
        Some(source) => source,
        None => return "no attempt was made".to_owned(),
    };
    while let Some(deeper) = source.source() {
        source = deeper;
    }
    source.to_string()
}

/// The error with what lies behind it.
fn reason(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", reason(source)),
        None => error.to_string(),
    }
}
