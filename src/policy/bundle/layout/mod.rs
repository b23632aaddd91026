//! Where the files of a bundle lie, and what their places make of them.
//!
//! The path is the registry: folder, package, rule id and metric label are one name.

use crate::call::{Language, Text};

/// The most bytes of the name of an area or a rule: it is a metric label.
const NAME_BYTES_MAX: usize = 40;

/// What a file is, by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The file that makes the verdict, or shared words of the bundle.
    Shared,
    /// A rule, with its id.
    Rule(Text),
    /// Tests of the file beside it.
    Test,
    /// A JSON document, with its name below `data`.
    Data(String),
    /// What the sandbox image holds, for the reading of code: rules do not see it.
    Image,
    /// Prose for people.
    Prose,
}

/// Reads a path, or says why there is no such place in a bundle.
pub(super) fn place(path: &str) -> Result<Place, String> {
    let parts: Vec<&str> = path.split('/').collect();
    let known = match *parts.as_slice() {
        ["data", file] => file.strip_suffix(".json").and_then(data),
        ["image", file] => file.strip_suffix(".json").and_then(image),
        ["main.rego"] => Some(Place::Shared),
        ["main_test.rego"] => Some(Place::Test),
        ["lib", file] => file.strip_suffix(".rego").and_then(shared),
        ["rules", area, rule, file] => {
            file.strip_suffix(".rego").and_then(|stem| of_rule(area, rule, stem))
        }
        _ => None,
    };
    let prose = path.ends_with(".md").then_some(Place::Prose);
    known.or(prose).ok_or_else(|| {
        format!(
            "{path}: a bundle holds main.rego, lib/NAME.rego, rules/AREA/RULE/RULE.rego, their \
             tests (NAME_test.rego), data/NAME.json, image/LANGUAGE.json and image/LANGUAGE_events.json; names are lower case"
        )
    })
}

/// The package that a file's path wants, without `data`.
pub(super) fn package(path: &str) -> String {
    let path = path.strip_suffix(".rego").unwrap_or(path);
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.len() == 4 {
        // The folder of a rule and its file have one name, which is said once.
        parts.remove(2);
    }
    format!("regate.{}", parts.join("."))
}

fn data(stem: &str) -> Option<Place> {
    // Packages of the bundle lie below `data.regate`.
    (is_name(stem) && stem != "regate").then(|| Place::Data(stem.to_owned()))
}

fn image(stem: &str) -> Option<Place> {
    let language = stem.strip_suffix("_events").unwrap_or(stem);
    (language == Language::Python.as_str()).then_some(Place::Image)
}

fn shared(stem: &str) -> Option<Place> {
    match stem.strip_suffix("_test") {
        Some(tested) => is_name(tested).then_some(Place::Test),
        None => is_name(stem).then_some(Place::Shared),
    }
}

fn of_rule(area: &str, rule: &str, stem: &str) -> Option<Place> {
    if !is_name(area) || !is_name(rule) {
        return None;
    }
    match stem.strip_suffix("_test") {
        Some(tested) => (tested == rule).then_some(Place::Test),
        None => (stem == rule).then(|| Place::Rule(format!("{area}/{rule}").into())),
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '_')
}

#[cfg(test)]
mod tests;
