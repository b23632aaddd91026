//! What is said of approvals: who answers, for how long, and where people are told.
//!
//! Must never show a webhook's address or secret, not even where they are wrong.

use super::Error;
use super::raw::{RawApprovals, RawWebhook};
use super::settings::value;
use crate::approval::{Address, Page, Secret, Settings, Webhook};
use crate::call::Text;
use std::path::Path;

const ADDRESS: &str = "an https address, or an http one of this machine";

/// How people are asked; a relative path starts at `folder`, the settings file's own.
pub(super) fn approvals(raw: RawApprovals, folder: &Path) -> Result<Settings, Error> {
    let default = Settings::default();
    let page = |text: String| {
        Page::new(&text)
            .ok_or_else(|| value("approvals.page", &format!("{ADDRESS}, with `{{id}}`")))
    };
    Ok(Settings {
        wait_ms_max: raw.wait_ms_max.unwrap_or(default.wait_ms_max),
        pending_ms_max: raw.pending_ms_max.unwrap_or(default.pending_ms_max),
        grant_ms_max: raw.grant_ms_max.unwrap_or(default.grant_ms_max),
        pending_per_subject_max: raw
            .pending_per_subject_max
            .unwrap_or(default.pending_per_subject_max),
        role: raw.role.map_or(default.role, Text::from),
        page: raw.page.map(page).transpose()?,
        webhook: webhook(&raw.webhook, folder)?,
    })
}

/// Without an address nobody is told.
fn webhook(raw: &RawWebhook, folder: &Path) -> Result<Option<Webhook>, Error> {
    let Some(url) = &raw.url else { return Ok(None) };
    Ok(Some(Webhook {
        url: Address::new(url).ok_or_else(|| value("approvals.webhook.url", ADDRESS))?,
        secret: secret(raw, folder)?,
        attempt_ms_max: raw.attempt_ms_max.unwrap_or(5_000),
        attempts_max: raw.attempts_max.unwrap_or(5),
        pause_ms: raw.pause_ms.unwrap_or(1_000),
        at_once_max: raw.at_once_max.unwrap_or(16),
        queue_max: raw.queue_max.unwrap_or(256),
    }))
}

fn secret(raw: &RawWebhook, folder: &Path) -> Result<Secret, Error> {
    const WRONG: &str = "must hold `whsec_` and the base64 of 24 to 64 bytes";
    let (key, text) = match (&raw.secret_file, &raw.secret_variable) {
        (Some(file), None) => ("approvals.webhook.secret_file", super::read(&folder.join(file))?),
        (None, Some(name)) => {
            let key = "approvals.webhook.secret_variable";
            (key, std::env::var(name).map_err(|_| value(key, "there is no such variable"))?)
        }
        (None, None) | (Some(_), Some(_)) => {
            let reason = "needs its secret, by one of `secret_file` and `secret_variable`";
            return Err(value("approvals.webhook", reason));
        }
    };
    Secret::new(&text).ok_or_else(|| value(key, WRONG))
}
