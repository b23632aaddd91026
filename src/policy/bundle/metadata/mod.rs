//! The METADATA of a rule: the YAML comment before its package, of which a small part is read.
//!
//! Read are mappings, lists of mappings and plain one-line or folded scalars, which is all that
//! the annotations of a rule need. Must never take what it cannot read for absent.

use super::super::RuleInfo;
use crate::call::Text;

/// What the comment begins with.
const MARK: &str = "# METADATA";

/// One scalar: where it stands, and what it says.
struct Entry {
    path: Vec<String>,
    text: String,
}

/// Reads the metadata of a rule file, or says what it lacks.
pub(super) fn read(id: &Text, path: &str, text: &str) -> Result<RuleInfo, String> {
    let entries = entries(path, text)?;
    let one = |names: &[&str]| {
        entries
            .iter()
            .find(|entry| entry.path == names)
            .map(|entry| Text::from(entry.text.as_str()))
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("{path}:1: METADATA lacks `{}`", names.join(".")))
    };
    let references: Vec<Text> = entries
        .iter()
        .filter(|entry| entry.path == ["related_resources", "ref"])
        .map(|entry| entry.text.as_str().into())
        .collect();
    if references.is_empty() {
        return Err(format!("{path}:1: METADATA lacks `related_resources`"));
    }
    Ok(RuleInfo {
        id: id.clone(),
        title: one(&["title"])?,
        description: one(&["description"])?,
        why: one(&["custom", "why"])?,
        known_gaps: one(&["custom", "known_gaps"])?,
        references,
    })
}

fn entries(path: &str, text: &str) -> Result<Vec<Entry>, String> {
    let mut lines = text.lines().zip(1_usize..);
    if !lines.any(|(line, _)| line.trim_end() == MARK) {
        return Err(format!("{path}:1: a rule begins with `{MARK}`"));
    }
    let mut entries = Vec::new();
    // The names around the line, each with the column that it stands at.
    let mut around: Vec<(usize, String)> = Vec::new();
    for (line, number) in lines.take_while(|(line, _)| line.starts_with('#')) {
        let line = line.trim_start_matches('#');
        let content = line.trim_start().trim_start_matches("- ").trim();
        let column = line.len() - line.trim_start().trim_start_matches("- ").len();
        if content.is_empty() {
            continue;
        }
        match key(content) {
            Some((name, text)) => {
                around.retain(|(outer, _)| *outer < column);
                around.push((column, name.to_owned()));
                entries.push(Entry {
                    path: around.iter().map(|(_, name)| name.clone()).collect(),
                    text: scalar(text),
                });
            }
            None => continue_last(&mut entries, content)
                .ok_or_else(|| format!("{path}:{number}: METADATA: this is not understood"))?,
        }
    }
    Ok(entries)
}

/// `name: text` or `name:`
fn key(content: &str) -> Option<(&str, &str)> {
    let (name, text) = content.split_once(':')?;
    let is_name =
        !name.is_empty() && name.chars().all(|each| each.is_ascii_lowercase() || each == '_');
    let is_separate = text.is_empty() || text.starts_with(' ');
    (is_name && is_separate).then(|| (name, text.trim()))
}

/// A folded scalar is announced by `>` or `>-`, and its text follows.
fn scalar(text: &str) -> String {
    match text {
        ">" | ">-" => String::new(),
        text => text.trim_matches('"').to_owned(),
    }
}

fn continue_last(entries: &mut [Entry], content: &str) -> Option<()> {
    let last = entries.last_mut()?;
    if !last.text.is_empty() {
        last.text.push(' ');
    }
    last.text.push_str(content);
    Some(())
}

#[cfg(test)]
mod tests;
