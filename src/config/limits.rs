//! What the limits mean: rates, sessions and quotas out of one table of the file.

use super::raw::{RawAllowance, RawCap, RawLimits};
use crate::call::{DayCaps, SessionCaps};
use crate::limits::quotas;
use crate::limits::{Rate, Settings};
use std::path::Path;

/// The bounds of admission and the quotas; a relative path starts at `folder`, the settings
/// file's own, and without one quotas are counted in the data directory.
pub(super) fn limits(raw: &RawLimits, folder: &Path, data: &Path) -> (Settings, quotas::Settings) {
    let default = Settings::default();
    let settings = Settings {
        calls_at_once_max: raw.calls_at_once_max.unwrap_or(default.calls_at_once_max),
        calls_at_once_per_subject_max: raw
            .calls_at_once_per_subject_max
            .unwrap_or(default.calls_at_once_per_subject_max),
        calls_at_once_per_tenant_max: raw
            .calls_at_once_per_tenant_max
            .unwrap_or(default.calls_at_once_per_tenant_max),
        subject: rate(&raw.subject, default.subject),
        tenant: rate(&raw.tenant, default.tenant),
        session: SessionCaps {
            steps_max: cap(raw.session_steps_max),
            ms_max: cap(raw.session_ms_max),
            tokens_max: cap(raw.session_tokens_max),
            cost_microusd_max: cap(raw.session_cost_microusd_max),
        },
        refusals_alike_max: raw.refusals_alike_max.unwrap_or(default.refusals_alike_max),
        refusals_alike_ms_max: raw.refusals_alike_ms_max.unwrap_or(default.refusals_alike_ms_max),
    };
    let default = quotas::Settings::in_directory(data);
    let quotas = quotas::Settings {
        file: raw.quotas.as_ref().map_or(default.file, |path| folder.join(path)),
        count_ms_max: raw.count_ms_max.unwrap_or(default.count_ms_max),
        subject: caps(&raw.subject),
        tenant: caps(&raw.tenant),
    };
    (settings, quotas)
}

fn rate(raw: &RawAllowance, default: Rate) -> Rate {
    Rate {
        calls_per_second_max: raw.calls_per_second_max.unwrap_or(default.calls_per_second_max),
        burst_max: raw.burst_max.unwrap_or(default.burst_max),
    }
}

fn caps(raw: &RawAllowance) -> DayCaps {
    DayCaps {
        calls_per_day_max: cap(raw.calls_per_day_max),
        tokens_per_day_max: cap(raw.tokens_per_day_max),
        cost_microusd_per_day_max: cap(raw.cost_microusd_per_day_max),
        sandbox_cpu_ms_per_day_max: cap(raw.sandbox_cpu_ms_per_day_max),
    }
}

pub(super) fn cap(raw: Option<RawCap>) -> Option<u64> {
    match raw {
        Some(RawCap::At(number)) => Some(number),
        Some(RawCap::Word(_)) | None => None,
    }
}
