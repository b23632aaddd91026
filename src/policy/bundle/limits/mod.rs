//! The limits of a bundle: `data/limits.json`, each value beside its reason.
//!
//! Must never fill in a value that is not written, nor overlook one that is.

use super::super::LimitInfo;
use super::super::catalogue::Pairs;
use crate::call::{Allowance, Allowances, DayCaps, SessionCaps};
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroU32;

/// The limits as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reason: String,
    #[serde(default)]
    subject: Group,
    #[serde(default)]
    tenant: Group,
    #[serde(default)]
    session: Group,
}

type Group = Pairs<Reasoned>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reasoned {
    value: Value,
    reason: String,
}

/// What is read: the limits themselves, and what there is to say of each.
#[derive(Debug, Default)]
pub(in crate::policy) struct Limits {
    pub(in crate::policy) allowances: Allowances,
    pub(in crate::policy) told: Vec<LimitInfo>,
}

/// Reads the limits.
pub(super) fn read(text: &str) -> Result<Limits, String> {
    let Written { reason, subject, tenant, session } =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    if reason.trim().is_empty() {
        return Err("the limits have a reason".to_owned());
    }
    let mut told = Vec::new();
    let mut group = |whose, written| {
        let written = infos(whose, written).map_err(|error| format!("`{whose}`: {error}"))?;
        told.extend_from_slice(&written);
        Ok::<_, String>(Values { whose, left: written, asked: Vec::new() })
    };
    let (subject, tenant, session) =
        (group("subject", subject)?, group("tenant", tenant)?, group("session", session)?);
    let allowances = Allowances {
        subject: subject.all(allowance)?,
        tenant: tenant.all(allowance)?,
        session: session.all(self::session)?,
    };
    Ok(Limits { allowances, told })
}

/// A group as it is written, each value with its reason and each name once.
fn infos(whose: &'static str, written: Group) -> Result<Vec<LimitInfo>, String> {
    let mut infos: Vec<LimitInfo> = Vec::new();
    for (name, Reasoned { value, reason }) in written.0 {
        let number = whole(&value).ok_or_else(|| {
            format!("the value of `{name}` is {value}, and not a whole number from 1 on")
        })?;
        if reason.trim().is_empty() {
            return Err(format!("`{name}` has a reason"));
        }
        if infos.iter().any(|known| *known.name == name) {
            return Err(format!("`{name}` is told twice"));
        }
        infos.push(LimitInfo { whose, name: name.into(), value: number, reason: reason.into() });
    }
    Ok(infos)
}

/// Nothing may be used where a value is zero: that is for a rule to say.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().filter(|number| *number > 0)
}

/// The values of a group that nobody asked for yet, and what was asked for.
struct Values {
    whose: &'static str,
    left: Vec<LimitInfo>,
    asked: Vec<&'static str>,
}

impl Values {
    /// What they mean together, where none is left over.
    fn all<T>(mut self, meant: fn(&mut Self) -> Result<T, String>) -> Result<T, String> {
        let meant = meant(&mut self).and_then(|meant| self.none_left().map(|()| meant));
        meant.map_err(|error| format!("`{}`: {error}", self.whose))
    }

    fn take(&mut self, name: &'static str) -> Option<u64> {
        self.asked.push(name);
        let place = self.left.iter().position(|info| &*info.name == name)?;
        Some(self.left.swap_remove(place).value)
    }

    fn take_rate(&mut self, name: &'static str) -> Result<Option<NonZeroU32>, String> {
        let Some(number) = self.take(name) else { return Ok(None) };
        let rate = u32::try_from(number).ok().and_then(NonZeroU32::new);
        rate.map(Some).ok_or_else(|| format!("`{name}` is at most {}", u32::MAX))
    }

    fn none_left(&self) -> Result<(), String> {
        match self.left.first() {
            Some(LimitInfo { name, .. }) => {
                Err(format!("`{name}` is no limit; there are {}", self.asked.join(", ")))
            }
            None => Ok(()),
        }
    }
}

fn allowance(values: &mut Values) -> Result<Allowance, String> {
    let calls_per_second_max = values.take_rate("calls_per_second_max")?;
    Ok(Allowance {
        calls_at_once_max: values.take("calls_at_once_max"),
        calls_per_second_max,
        // Whoever says how much a second may have does not mean that it may have more at once.
        burst_max: values.take_rate("burst_max")?.or(calls_per_second_max),
        day: DayCaps {
            calls_per_day_max: values.take("calls_per_day_max"),
            tokens_per_day_max: values.take("tokens_per_day_max"),
            cost_microusd_per_day_max: values.take("cost_microusd_per_day_max"),
            sandbox_cpu_ms_per_day_max: values.take("sandbox_cpu_ms_per_day_max"),
        },
    })
}

fn session(values: &mut Values) -> Result<SessionCaps, String> {
    Ok(SessionCaps {
        steps_max: values.take("steps_max"),
        ms_max: values.take("ms_max"),
        tokens_max: values.take("tokens_max"),
        cost_microusd_max: values.take("cost_microusd_max"),
    })
}

#[cfg(test)]
mod tests;
