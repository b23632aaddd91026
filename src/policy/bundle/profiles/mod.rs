//! The sandbox profiles of a bundle: `data/sandbox.json`, each value beside its reason.
//!
//! Must never fill in a value that is not written.

use super::super::{Caps, Profile, Runtime};
use crate::call::Text;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A profile as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reason: String,
    runtime: Reasoned<String>,
    image: Reasoned<String>,
    memory_bytes: Reasoned<u64>,
    cpu_milli: Reasoned<u32>,
    pids_max: Reasoned<u32>,
    wall_ms: Reasoned<u64>,
    output_bytes_max: Reasoned<u64>,
    writable_bytes_max: Reasoned<u64>,
    files_max: Reasoned<Option<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reasoned<T> {
    value: T,
    reason: String,
}

/// Reads the profiles by name.
pub(super) fn read(text: &str) -> Result<BTreeMap<Text, Profile>, String> {
    let written: BTreeMap<String, Written> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    written
        .into_iter()
        .map(|(name, profile)| {
            let profile = meant(profile).map_err(|error| format!("`{name}`: {error}"))?;
            Ok((name.into(), profile))
        })
        .collect()
}

fn meant(written: Written) -> Result<Profile, String> {
    if written.reason.trim().is_empty() {
        return Err("a profile has a reason".to_owned());
    }
    let runtime = reasoned("runtime", written.runtime)?;
    let runtime = Runtime::named(&runtime).ok_or_else(|| {
        format!("`runtime` is one of {}", Runtime::ALL.map(Runtime::as_str).join(", "))
    })?;
    let profile = Profile {
        runtime,
        image: reasoned("image", written.image)?.into(),
        memory_bytes: reasoned("memory_bytes", written.memory_bytes)?,
        cpu_milli: reasoned("cpu_milli", written.cpu_milli)?,
        pids_max: reasoned("pids_max", written.pids_max)?,
        wall_ms: reasoned("wall_ms", written.wall_ms)?,
        output_bytes_max: reasoned("output_bytes_max", written.output_bytes_max)?,
        writable_bytes_max: reasoned("writable_bytes_max", written.writable_bytes_max)?,
        files_max: files_max(runtime, written.files_max)?,
    };
    profile.effective(&Caps::new(), &Caps::new()).map_err(|unfit| unfit.to_string())
}

/// Docker takes zero for "no limit", so no value may be zero.
fn reasoned<T: PartialEq + Default>(name: &str, written: Reasoned<T>) -> Result<T, String> {
    if written.value == T::default() || written.reason.trim().is_empty() {
        return Err(format!("`{name}` is neither zero nor empty, and has a reason"));
    }
    Ok(written.value)
}

/// A number exactly where somebody counts: a limit that nobody holds is none.
fn files_max(runtime: Runtime, written: Reasoned<Option<u32>>) -> Result<Option<u32>, String> {
    if written.value == Some(0) || written.reason.trim().is_empty() {
        return Err("`files_max` is not zero and has a reason".to_owned());
    }
    match (written.value, runtime.counts_files()) {
        (Some(_), false) => Err("`files_max` is null: its runtime counts no names".to_owned()),
        (None, true) => Err("`files_max` is a number: its runtime counts names".to_owned()),
        (value, _) => Ok(value),
    }
}

#[cfg(test)]
mod tests;
