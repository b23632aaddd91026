//! Methods of texts.
//!
//! Must never treat characters beyond ASCII: their case and width are the interpreter's.

use super::codecs::encoded;
use super::{Constant, Given};
use crate::facts::python::values::folding::printing::{WIDTH_MAX, padded};
use crate::facts::python::values::folding::texts::TEXT_BYTES_MAX;

/// The methods of texts, bytes and dictionaries that are known, sorted.
const KNOWN: [&str; 32] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "decode",
    "encode",
    "endswith",
    "find",
    "get",
    "hex",
    "index",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];

/// Whether what a method gives may be known whole.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.binary_search(&name).is_ok()
}

/// What a method of a text gives.
pub(super) fn method(text: &str, name: &str, given: &Given) -> Option<Constant> {
    match name {
        "encode" if given.is_within(2, &["encoding", "errors"]) => {
            let encoding = given.at(0, "encoding").map_or(Some("utf-8"), Constant::text)?;
            return encoded(text, encoding).map(Constant::Bytes);
        }
        "split" | "rsplit" if given.is_within(2, &["sep", "maxsplit"]) => {
            return split(text, name, (given.at(0, "sep"), given.at(1, "maxsplit")));
        }
        _ if !given.keywords.is_empty() => return None,
        _ => {}
    }
    let positions = given.positions.as_slice();
    match (name, positions) {
        ("join", [parts]) => joined(text, parts).map(Constant::Text),
        ("translate", [Constant::Pairs(table)]) => translated(text, table).map(Constant::Text),
        ("replace", [from, to, count]) => {
            let (from, to) = (from.text()?, to.text()?);
            let count = if count.whole()? < 0 { usize::MAX } else { count.count()? };
            (text.is_ascii() && grows_little(text, to))
                .then(|| Constant::Text(text.replacen(from, to, count)))
        }
        ("partition" | "rpartition", [mark]) => parted(text, name, mark.text()?),
        ("startswith" | "endswith" | "find" | "index" | "count" | "splitlines", _) => {
            counted(text, name, positions)
        }
        _ => changed(text, name, positions).map(Constant::Text),
    }
}

fn grows_little(text: &str, to: &str) -> bool {
    to.len().saturating_mul(text.len().saturating_add(1)) <= TEXT_BYTES_MAX
}

fn blank(character: char) -> bool {
    character.is_ascii_whitespace() || matches!(character, '\x0b' | '\x1c'..='\x1f')
}

/// What a method makes of a text that is text again.
fn changed(text: &str, method: &str, given: &[Constant]) -> Option<String> {
    let ascii = given.iter().all(|given| given.text().is_none_or(str::is_ascii));
    if !text.is_ascii() || !ascii {
        return None;
    }
    let cut = |set: &Constant| {
        let set = set.text()?.to_owned();
        Some(move |letter: char| set.contains(letter))
    };
    match (method, given) {
        ("upper", []) => Some(text.to_ascii_uppercase()),
        ("lower" | "casefold", []) => Some(text.to_ascii_lowercase()),
        ("swapcase", []) => Some(text.chars().map(swapped).collect()),
        ("title", []) => Some(titled(text, |last| last.is_ascii_alphabetic())),
        ("capitalize", []) => Some(titled(text, |_| true)),
        ("strip", []) => Some(text.trim_matches(blank).to_owned()),
        ("lstrip", []) => Some(text.trim_start_matches(blank).to_owned()),
        ("rstrip", []) => Some(text.trim_end_matches(blank).to_owned()),
        ("strip", [set]) => Some(text.trim_matches(cut(set)?).to_owned()),
        ("lstrip", [set]) => Some(text.trim_start_matches(cut(set)?).to_owned()),
        ("rstrip", [set]) => Some(text.trim_end_matches(cut(set)?).to_owned()),
        ("replace", [from, to]) => {
            let (from, to) = (from.text()?, to.text()?);
            grows_little(text, to).then(|| text.replace(from, to))
        }
        ("removeprefix", [start]) => {
            Some(text.strip_prefix(start.text()?).unwrap_or(text).to_owned())
        }
        ("removesuffix", [end]) => Some(text.strip_suffix(end.text()?).unwrap_or(text).to_owned()),
        ("zfill" | "ljust" | "rjust" | "center", [width, fill @ ..]) => {
            widened(text, method, (width.count()?, fill))
        }
        _ => None,
    }
}

fn swapped(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

/// Letters in lower case where `goes_on` says so of the character before, and in upper case.
fn titled(text: &str, goes_on: impl Fn(char) -> bool) -> String {
    let mut before = None;
    let cased = |letter: char| {
        let low = before.replace(letter).is_some_and(&goes_on);
        if low { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    text.chars().map(cased).collect()
}

fn widened(text: &str, method: &str, (width, fill): (usize, &[Constant])) -> Option<String> {
    if width > WIDTH_MAX {
        return None;
    }
    let fill = match fill {
        [] => ' ',
        [fill] => fill.text().filter(|fill| fill.len() == 1)?.chars().next()?,
        _ => return None,
    };
    match method {
        "zfill" => {
            let (sign, digits) = text.split_at(usize::from(text.starts_with(['+', '-'])));
            Some(format!("{sign}{}", padded(digits, width.saturating_sub(sign.len()), ('>', '0'))))
        }
        "ljust" => Some(padded(text, width, ('<', fill))),
        "rjust" => Some(padded(text, width, ('>', fill))),
        // The odd blank goes to the left where the width is odd.
        _ => {
            let missing = width.saturating_sub(text.len());
            let left = missing / 2 + (missing & width & 1);
            let start = padded(text, text.len() + left, ('>', fill));
            Some(padded(&start, width, ('<', fill)))
        }
    }
}

fn joined(text: &str, parts: &Constant) -> Option<String> {
    let parts = parts.elements()?;
    let parts: Vec<&str> = parts.iter().map(Constant::text).collect::<Option<_>>()?;
    Some(parts.join(text))
}

fn translated(text: &str, table: &[(Constant, Constant)]) -> Option<String> {
    let mut whole = String::new();
    for letter in text.chars() {
        let key = Constant::Whole(u32::from(letter).into());
        match table.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| value) {
            Some(Constant::Text(text)) => whole.push_str(text),
            Some(Constant::Whole(number)) => {
                whole.push(char::from_u32(u32::try_from(*number).ok()?)?)
            }
            // None leaves the character out.
            Some(Constant::Other(_)) => {}
            Some(_) => return None,
            None => whole.push(letter),
        }
    }
    Some(whole)
}

fn sequence<'text>(parts: impl IntoIterator<Item = &'text str>) -> Constant {
    Constant::Sequence(parts.into_iter().map(|part| Constant::Text(part.to_owned())).collect())
}

fn split(
    text: &str,
    name: &str,
    (mark, most): (Option<&Constant>, Option<&Constant>),
) -> Option<Constant> {
    let most = match most {
        None => None,
        Some(most) if most.whole()? < 0 => None,
        Some(most) => Some(most.count()?.checked_add(1)?),
    };
    let Some(mark) = mark.filter(|mark| !matches!(mark, Constant::Other(_))) else {
        let words = text.is_ascii() && most.is_none();
        let parts = text.split(blank).filter(|part| !part.is_empty());
        return words.then(|| sequence(parts));
    };
    let mark = mark.text().filter(|mark| !mark.is_empty())?;
    Some(match (name, most) {
        ("rsplit", Some(most)) => {
            let parts: Vec<&str> = text.rsplitn(most, mark).collect();
            sequence(parts.into_iter().rev())
        }
        ("rsplit", None) => {
            let parts: Vec<&str> = text.rsplit(mark).collect();
            sequence(parts.into_iter().rev())
        }
        (_, Some(most)) => sequence(text.splitn(most, mark)),
        (_, None) => sequence(text.split(mark)),
    })
}

fn parted(text: &str, name: &str, mark: &str) -> Option<Constant> {
    if mark.is_empty() {
        return None;
    }
    let (found, missing) = if name == "partition" {
        (text.split_once(mark), [text, "", ""])
    } else {
        (text.rsplit_once(mark), ["", "", text])
    };
    Some(sequence(found.map_or(missing, |(before, after)| [before, mark, after])))
}

/// Methods that look for something, and the lines of a text.
fn counted(text: &str, name: &str, given: &[Constant]) -> Option<Constant> {
    if !text.is_ascii() {
        return None;
    }
    match (name, given) {
        ("splitlines", []) => {
            let odd = |letter| matches!(letter, '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e');
            (!text.contains(odd)).then(|| sequence(text.lines()))
        }
        ("find" | "index", [part]) => match text.find(part.text()?) {
            Some(at) => i128::try_from(at).ok().map(Constant::Whole),
            None => (name == "find").then_some(Constant::Whole(-1)),
        },
        ("count", [part]) => {
            let part = part.text().filter(|part| !part.is_empty())?;
            i128::try_from(text.matches(part).count()).ok().map(Constant::Whole)
        }
        _ => None,
    }
}
