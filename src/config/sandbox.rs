//! What the settings say of the sandbox.
//!
//! Must never take a name for a module that no interpreter could import.

use super::Error;
use super::limits::cap;
use super::raw::{RawCeilings, RawPreload, RawSandbox};
use super::settings::value;
use crate::call::Text;
use crate::policy::{Caps, Limit, Runtime};
use crate::sandbox::{Preload, Settings};
use std::collections::BTreeMap;

/// The settings of the sandbox.
pub(super) fn sandbox(raw: RawSandbox) -> Result<Settings, Error> {
    let default = Settings::default();
    let settings = Settings {
        docker: raw.docker.map_or(default.docker, Text::from),
        images: images(default.images, raw.images)?,
        ceilings: ceilings(&raw.ceilings)?,
        instance: default.instance,
        engine_ms_max: raw.engine_ms_max.unwrap_or(default.engine_ms_max),
        runs_at_once_max: raw.runs_at_once_max.unwrap_or(default.runs_at_once_max),
        wait_ms_max: raw.wait_ms_max.unwrap_or(default.wait_ms_max),
        weights: raw.weights.into_iter().map(|(name, weight)| (name.into(), weight)).collect(),
        containers_max: raw.containers_max.unwrap_or(default.containers_max),
        creations_at_once_max: raw.creations_at_once_max.unwrap_or(default.creations_at_once_max),
        stock_max: raw.stock_max.unwrap_or(default.stock_max),
        stock_ms_max: raw.stock_ms_max.unwrap_or(default.stock_ms_max),
        preload: match raw.preload {
            Some(preload) => preload.into_iter().map(list).collect::<Result<_, _>>()?,
            None => default.preload,
        },
    };
    check(&settings)?;
    Ok(settings)
}

fn check(settings: &Settings) -> Result<(), Error> {
    if settings.runs_at_once_max == 0 {
        return Err(value("sandbox.runs_at_once_max", "at least one program runs at once"));
    }
    if settings.creations_at_once_max == 0 {
        return Err(value(
            "sandbox.creations_at_once_max",
            "at least one container is made at once",
        ));
    }
    if settings.containers_max < settings.runs_at_once_max {
        return Err(value(
            "sandbox.containers_max",
            "there are as many containers as runs at least",
        ));
    }
    Ok(())
}

/// The images that there are by default, with others in their place or beside them.
fn images(
    mut images: BTreeMap<Text, Text>,
    raw: BTreeMap<String, String>,
) -> Result<BTreeMap<Text, Text>, Error> {
    if raw.iter().any(|(name, image)| name.is_empty() || image.trim().is_empty()) {
        return Err(value(
            "sandbox.images",
            "each image has a name and is named as the engine does",
        ));
    }
    images.extend(raw.into_iter().map(|(name, image)| (name.into(), image.into())));
    Ok(images)
}

fn ceilings(raw: &RawCeilings) -> Result<Caps, Error> {
    let ceilings = [
        ("memory_bytes_max", Limit::MemoryBytes, raw.memory_bytes_max),
        ("cpu_milli_max", Limit::CpuMilli, raw.cpu_milli_max),
        ("pids_max", Limit::PidsMax, raw.pids_max),
        ("wall_ms_max", Limit::WallMs, raw.wall_ms_max),
        ("output_bytes_max", Limit::OutputBytesMax, raw.output_bytes_max),
        ("writable_bytes_max", Limit::WritableBytesMax, raw.writable_bytes_max),
        ("files_max", Limit::FilesMax, raw.files_max),
    ];
    let mut caps = Caps::new();
    for (key, limit, ceiling) in ceilings {
        let Some(ceiling) = cap(ceiling) else { continue };
        if ceiling < Runtime::Runc.least(limit) {
            let key = format!("sandbox.ceilings.{key}");
            return Err(value(&key, "so little that no program could start"));
        }
        caps.insert(limit, ceiling);
    }
    Ok(caps)
}

fn list(raw: RawPreload) -> Result<Preload, Error> {
    if raw.modules.is_empty() || !raw.modules.iter().all(|name| is_module(name)) {
        return Err(value(
            "sandbox.preload",
            "each list has at least one module, named like matplotlib.pyplot",
        ));
    }
    let modules = raw.modules.into_iter().map(Text::from).collect();
    Ok(Preload { modules, stock_max: raw.stock_max })
}

/// Whether this is a full name of a module, in ASCII.
fn is_module(name: &str) -> bool {
    name.split('.').all(|part| {
        let starts = part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        starts && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}
