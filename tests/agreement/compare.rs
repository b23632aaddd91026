//! One file's facts beside what CPython sees in it.

use regate::facts::{Facts, GapKind, Level, ParseStatus, StringRole};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where an import stands, its module and alias, and each name with its alias.
type Import = (u32, String, Option<String>, Vec<(String, Option<String>)>);

/// What CPython sees in a file.
#[derive(Deserialize)]
pub(crate) struct Marks {
    accepted: bool,
    #[serde(default)]
    imports: Vec<Import>,
    #[serde(default)]
    calls: Vec<(u32, String)>,
    /// From where to where a string goes, its type, and its text where it can be told.
    #[serde(default)]
    strings: Vec<(u32, u32, String, Option<String>)>,
    /// From where to where an f-string goes, the names called in it, and the letters of all of its
    /// constants.
    #[serde(default)]
    formats: Vec<(u32, u32, Vec<String>, Option<String>)>,
}

/// How a file's facts stand to it.
pub(crate) enum Verdict {
    Agreed,
    /// CPython does not accept it, and the facts have a gap.
    Refused,
    /// CPython does not accept it, and no gap says so: it does no harm.
    Lenient,
    /// It was not read whole, and the facts say why.
    Told(String),
    Differs(String),
}

pub(crate) fn compare(marks: &Marks, facts: &Facts) -> Verdict {
    let cut = facts.parse.truncated;
    let unread = facts.gaps.iter().find(|gap| {
        matches!(gap.kind, GapKind::Syntax | GapKind::Bytes) || cut && gap.kind == GapKind::Limit
    });
    if !marks.accepted {
        return match unread {
            Some(_) => Verdict::Refused,
            None => Verdict::Lenient,
        };
    }
    if let Some(gap) = unread {
        return Verdict::Told(format!("line {}: {}", gap.span.line, gap.why));
    }
    if cut || facts.parse.status != ParseStatus::Ok {
        return Verdict::Differs("was not read whole, and no gap says so".to_owned());
    }
    let differences =
        [imports(marks, facts), calls(marks, facts), strings(marks, facts), formats(marks, facts)];
    match differences.into_iter().flatten().next() {
        Some(difference) => Verdict::Differs(difference),
        None => Verdict::Agreed,
    }
}

/// What only one of both has, the first of it.
fn differ<T: Ord + std::fmt::Debug>(what: &str, own: Vec<T>, their: Vec<T>) -> Option<String> {
    if own == their {
        return None;
    }
    let place = own.iter().zip(&their).take_while(|(own, their)| own == their).count();
    Some(format!("{what}: facts {:?}, CPython {:?}", own.get(place), their.get(place)))
}

fn imports(marks: &Marks, facts: &Facts) -> Option<String> {
    let own = facts.imports.iter().map(|import| {
        let word = |text: &std::sync::Arc<str>| text.to_string();
        let names = import.names.iter().map(|(name, alias)| (word(name), alias.as_ref().map(word)));
        let alias = import.alias.as_ref().map(word);
        (import.span.byte.0, word(&import.module), alias, names.collect::<Vec<_>>())
    });
    differ("imports", own.collect(), marks.imports.clone())
}

/// Whether a fact lies in an f-string.
fn inside(marks: &Marks, (start, end): (u32, u32)) -> bool {
    let at = marks.formats.partition_point(|(begin, ..)| *begin <= start);
    let format = at.checked_sub(1).and_then(|at| marks.formats.get(at));
    format.is_some_and(|(_, close, ..)| end <= *close)
}

fn calls(marks: &Marks, facts: &Facts) -> Option<String> {
    let written = facts.calls.iter().filter(|call| call.implicit.is_none());
    let mut own: Vec<_> = written
        .filter(|call| !inside(marks, call.span.byte))
        .map(|call| (call.span.byte.1, call.text.to_string()))
        .collect();
    own.sort();
    differ("calls", own, marks.calls.clone())
}

fn strings(marks: &Marks, facts: &Facts) -> Option<String> {
    // What cannot be decoded is told by nobody.
    let undecoded: BTreeMap<u32, u32> =
        marks.strings.iter().filter(|mark| mark.3.is_none()).map(|mark| (mark.0, mark.1)).collect();
    let unknown = |(start, end): (u32, u32)| {
        undecoded.range(..=start).next_back().is_some_and(|(_, close)| end <= *close)
    };
    let told = facts
        .strings
        .iter()
        .filter(|fact| fact.role != StringRole::Comment)
        .filter(|fact| !inside(marks, fact.span.byte) && !unknown(fact.span.byte));
    let own = told.map(|fact| {
        let text = fact.value.text.as_ref().or(fact.value.prefix.as_ref());
        (fact.span.byte.0, fact.value.kind.to_string(), text.map(ToString::to_string))
    });
    let their = marks.strings.iter().filter(|mark| mark.3.is_some());
    let cut = |text: &String| text.get(..text.floor_char_boundary(2_048)).unwrap().to_owned();
    let their = their.map(|(place, _, kind, text)| (*place, kind.clone(), text.as_ref().map(cut)));
    differ("strings", own.collect(), their.collect())
}

fn formats(marks: &Marks, facts: &Facts) -> Option<String> {
    marks.formats.iter().find_map(|(start, end, names, letters)| {
        let within = |range: (u32, u32)| *start <= range.0 && range.1 <= *end;
        let calls = facts.calls.iter().filter(|call| call.implicit.is_none());
        let mut called: Vec<String> =
            calls.filter(|call| within(call.span.byte)).map(|call| dotted(&call.text)).collect();
        called.sort();
        let literals = facts.strings.iter().filter(|fact| fact.role != StringRole::Comment);
        let strings = literals.filter(|fact| within(fact.span.byte));
        let whole = strings.clone().all(|fact| fact.value.level == Level::Literal);
        let mut own: Vec<char> = strings
            .filter_map(|fact| fact.value.text.clone())
            .flat_map(|text| text.chars().collect::<Vec<_>>())
            .collect();
        own.sort_unstable();
        let own: Vec<String> = vec![own.into_iter().collect()];
        let their = letters.iter().filter(|_| whole).cloned().collect::<Vec<_>>();
        let own = if their.is_empty() { Vec::new() } else { own };
        differ("calls in an f-string", called, names.clone())
            .or_else(|| differ("letters of an f-string", own, their))
            .map(|how| format!("byte {start}: {how}"))
    })
}

fn dotted(written: &str) -> String {
    let name: String = written.chars().filter(|letter| !letter.is_whitespace()).collect();
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
    let starts = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if plain && starts { name } else { "?".to_owned() }
}
