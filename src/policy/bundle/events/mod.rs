//! The strict reading of `image/python_events.json` of a bundle: what the interpreter's audit
//! events mean.
//!
//! An unknown key, an unknown word or an event that is told twice is an error. Must never excuse
//! what has no reason.

use super::super::catalogue::{Pairs, reasoned};
use crate::call::Text;
use crate::facts::drift::{Kind, Listed, Own, Table};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Positions of arguments that an observer would look at.
const POSITION_MAX: usize = 2;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    reason: String,
    kinds: Pairs<Pairs<Vec<usize>>>,
    environment: Vec<Text>,
    own: Vec<WrittenOwn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOwn {
    reason: String,
    events: Vec<Text>,
    file: Option<Text>,
    through: Option<Text>,
    argument: Option<Text>,
    argument_start: Option<Text>,
    path: Option<Text>,
    #[serde(default)]
    names_only: bool,
}

/// Reads the table.
///
/// # Errors
/// Where the text is no JSON, has an unknown key or word, lacks a reason, or tells an event twice.
pub(super) fn read(text: &str) -> Result<Table, String> {
    let data: Data = serde_json::from_str(text).map_err(|error| error.to_string())?;
    reasoned(&data.reason)?;
    let own = data.own.into_iter().map(own).collect::<Result<_, _>>()?;
    Ok(Table { events: events(&data.kinds)?, environment: data.environment, own })
}

fn events(kinds: &Pairs<Pairs<Vec<usize>>>) -> Result<BTreeMap<Text, Listed>, String> {
    let mut events = BTreeMap::new();
    for (word, listed) in &kinds.0 {
        let kind = kind(word)?;
        for (name, paths) in &listed.0 {
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(format!("`{name}` is no event"));
            }
            if paths.iter().any(|position| *position > POSITION_MAX) {
                return Err(format!("`{name}`: no argument beyond {POSITION_MAX} is looked at"));
            }
            let listed = Listed { kind, paths: paths.clone() };
            if events.insert(name.as_str().into(), listed).is_some() {
                return Err(format!("`{name}` is told twice"));
            }
        }
    }
    Ok(events)
}

fn kind(word: &str) -> Result<Option<Kind>, String> {
    Ok(Some(match word {
        "process" => Kind::Process,
        "network" => Kind::Network,
        "read" => Kind::Read,
        "write" => Kind::Write,
        "dynamic" => Kind::Dynamic,
        "introspection" => Kind::Introspection,
        "module" => Kind::Module,
        "native" => Kind::Native,
        "environment" => Kind::Environment,
        "nothing" => return Ok(None),
        _ => return Err(format!("`{word}` is no kind of event")),
    }))
}

fn own(written: WrittenOwn) -> Result<Own, String> {
    reasoned(&written.reason)?;
    let WrittenOwn { events, file, through, argument, argument_start, path, .. } = &written;
    if [file, through, argument, argument_start, path].iter().all(|limit| limit.is_none()) {
        return Err(format!("what libraries do by themselves has a limit: {events:?}"));
    }
    Ok(Own {
        events: written.events,
        file: written.file,
        through: written.through,
        argument: written.argument,
        argument_start: written.argument_start,
        path: written.path,
        names_only: written.names_only,
    })
}

#[cfg(test)]
mod tests;
