//! The strict reading of `data/handling.json` of a bundle: what functions do with what they are
//! given.
//!
//! An unknown key, an unknown word or a name that is told twice is an error. Must never fill in
//! what the data leaves out: a function that is not listed may do anything.

use super::catalogue::{Pairs, digest, put, reasoned};
use crate::call::Text;
use crate::facts::{Catalogue, Handled, Handling};
use serde::Deserialize;

/// Reads what functions do with what they are given into a catalogue, whose digest says it too.
///
/// # Errors
/// Where the text is no JSON, has an unknown key or word, lacks a reason, or tells a name twice.
pub(super) fn read_into(catalogue: &mut Catalogue, text: &str) -> Result<(), String> {
    catalogue.handled = read(text)?;
    catalogue.digest = digest([&catalogue.digest, text]);
    Ok(())
}

fn read(text: &str) -> Result<Handled, String> {
    let data: Data = serde_json::from_str(text).map_err(|error| error.to_string())?;
    reasoned(&data.reason)?;
    let mut handled = Handled::default();
    for (_, group) in &data.groups.0 {
        add(group, &mut handled)?;
    }
    Ok(handled)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    reason: String,
    groups: Pairs<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    reason: String,
    handling: String,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
}

fn add(group: &Group, handled: &mut Handled) -> Result<(), String> {
    reasoned(&group.reason)?;
    let handling = handling(&group.handling)?;
    for name in &group.functions {
        put(&mut handled.functions, name, handling)?;
    }
    for name in &group.modules {
        put(&mut handled.modules, name, handling)?;
    }
    for name in &group.methods {
        add_method(name, handling, handled)?;
    }
    Ok(())
}

fn add_method(name: &str, handling: Handling, handled: &mut Handled) -> Result<(), String> {
    let (Some((root, _)), Some((_, method))) = (name.split_once('.'), name.rsplit_once('.')) else {
        return Err(format!("of which class `{name}` is a method is not said"));
    };
    let methods = handled.methods.entry(method.into()).or_default();
    let root: Text = root.into();
    match methods.iter().find(|(of, _)| *of == root) {
        None => methods.push((root, handling)),
        Some((_, told)) if *told == handling => {}
        Some(_) => return Err(format!("`{method}` of `{root}` is told in two ways")),
    }
    Ok(())
}

fn handling(word: &str) -> Result<Handling, String> {
    Handling::WORDS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, handling)| *handling)
        .ok_or_else(|| format!("`{word}` is no way of handling what is given"))
}
