//! Texts that are known in part: wild characters stand for what is not.
//!
//! What a wild character stands for never holds a slash, a `..` or a name's first or last dot, so
//! that where a path leads can be told all the same. Must never take a wild character out of a
//! program's own text for one of these.

/// A whole number, a date or a time as it is printed: one or more digits, signs, blanks, commas,
/// underscores, colons, and single dots between them.
pub(super) const DIGITS: char = '\u{FDD0}';

/// A plain word or number: one or more letters, signs, blanks, what digits stand for, and single
/// dots between them.
pub(super) const WORD: char = '\u{FDD1}';

/// Any number of the marks and brackets that stand for values in SQL.
pub(super) const MARKS: char = '\u{FDD2}';

/// Words with a slash between each two.
pub(super) const BELOW: char = '\u{FDD3}';

/// What a star or its like stands for in the name of a file that was found.
pub(super) const FOUND: char = '\u{FDD4}';

/// The stem of a name that was found; it may be dots alone.
pub(super) const STEM: char = '\u{FDD5}';

/// One or more letters, digits, dashes, underscores and blanks; no dots.
pub(super) const PLAIN: char = '\u{FDD6}';

const WILD: [char; 7] = [DIGITS, WORD, MARKS, BELOW, FOUND, STEM, PLAIN];

/// Whether a text holds wild characters.
pub(in crate::facts::python) fn is_wild(text: &str) -> bool {
    // All of them begin with the same byte, which hardly any text holds.
    text.as_bytes().contains(&0xEF) && text.contains(WILD)
}

/// Whether a path of this pattern leads where the pattern says.
pub(in crate::facts::python) fn leads(pattern: &str) -> bool {
    let any = [WORD, BELOW, FOUND, STEM, PLAIN];
    let scheme = pattern.split_once(':').is_some_and(|(start, _)| start.contains(any));
    let host = pattern.contains([FOUND, STEM]) && pattern.contains("//");
    let dots =
        |name: &str| name.contains(STEM) && name.chars().all(|one| one == STEM || one == '.');
    !pattern.contains(MARKS) && !scheme && !host && !pattern.split('/').any(dots)
}

/// Whether a text begins with a name that was found, or a path with a folder that was.
pub(in crate::facts::python) fn begins_found(pattern: &str) -> bool {
    let folder = pattern.split_once('/').is_some_and(|(folder, _)| folder.starts_with('*'));
    folder || pattern.starts_with([FOUND, STEM])
}

/// Whether every part of the path stands for one name.
pub(super) fn has_levels(pattern: &str) -> bool {
    !pattern.contains([BELOW, MARKS])
}

/// Whether the last dot of a name is where the pattern has it, or nothing is lost by taking off
/// what may follow one.
pub(super) fn splits(name: &str) -> bool {
    match name.rsplit_once('.') {
        Some((_, end)) => !is_wild(end),
        None => !is_wild(name) || name.ends_with(WILD),
    }
}

/// The text of a path of which files were found.
pub(super) fn of_path(path: &str) -> String {
    super::paths::normalise(path).replace(['*', '?', '['], "\u{FDD4}")
}

/// The name of a file that was found, or its stem, where it is one that a star stands for.
pub(super) fn part_of_found(path: &str, which: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let one = name.contains('*') && !name.contains("**") && !is_wild(name);
    match which {
        "name" if one => Some(of_path(name)),
        "stem" if one => Some(STEM.to_string()),
        _ => None,
    }
}

/// The suffix of a file that was found by its ending: that ending, or nothing where the ending is
/// all that the name is.
pub(super) fn suffixes_of_found(path: &str) -> Option<Vec<String>> {
    let name = path.rsplit('/').next()?;
    let (start, end) = name.rsplit_once('.')?;
    let known = !end.is_empty() && !end.contains(['*', '?', '[', ']']) && !is_wild(name);
    let bare = start.chars().all(|letter| letter == '*');
    let none = Some(String::new()).filter(|_| bare);
    (known && name.contains('*') && !name.contains("**"))
        .then(|| none.into_iter().chain([format!(".{end}")]).collect())
}

/// Whether a text holds no dot but in a number.
pub(super) fn is_dotless(text: &str) -> bool {
    !text.contains(['.', WORD, MARKS, BELOW, FOUND, STEM])
}

/// Whether a text holds a number, as no name has by which anything is run.
pub(super) fn is_numbered(text: &str) -> bool {
    text.contains(DIGITS)
}

/// The path that such a text is the text of.
pub(super) fn as_path(pattern: &str) -> String {
    pattern.replace(FOUND, "*")
}

/// The pattern for a reader, with a star for what is not known.
pub(in crate::facts::python) fn shown(pattern: &str) -> String {
    pattern.replace(WILD, "*")
}

/// What comes before the first and after the last wild character.
pub(in crate::facts::python) fn ends(pattern: &str) -> (&str, &str) {
    let start = pattern.find(WILD).and_then(|at| pattern.get(..at));
    let end = pattern.rsplit(WILD).next();
    (start.unwrap_or(pattern), end.unwrap_or_default())
}

/// The SQL that says most of what any text of this pattern may say, where that can be told.
pub(in crate::facts::python) fn as_statement(pattern: &str) -> Option<String> {
    let told = !pattern.contains([WORD, BELOW, FOUND, STEM, PLAIN]);
    told.then(|| pattern.replace(MARKS, "").replace(DIGITS, "3"))
}

/// The pattern with neighbouring wild characters taken together.
pub(super) fn simplified(pattern: &str) -> String {
    let mut whole = String::with_capacity(pattern.len());
    for letter in pattern.chars() {
        // Two stars find more than one does.
        if letter == FOUND || !(WILD.contains(&letter) && whole.ends_with(letter)) {
            whole.push(letter);
        }
    }
    whole
}

/// Whether a text is made of the marks that stand for values in SQL.
pub(super) fn is_marks(text: &str) -> bool {
    text.chars().all(|letter| letter == MARKS || "?,() \n".contains(letter))
}

/// Whether a text is made of letters, digits, dashes, underscores and blanks, and not empty.
pub(super) fn is_plain(text: &str) -> bool {
    let plain =
        |letter: char| letter.is_ascii_alphanumeric() || "-_ ".contains(letter) || letter == PLAIN;
    !text.is_empty() && text.chars().all(plain)
}

/// What a method makes of such a text, which may be nothing.
pub(super) fn changed_plain(pattern: &str, method: &str, given: &[String]) -> Option<Vec<String>> {
    let some = || PLAIN.to_string();
    let taking = ["strip", "lstrip", "rstrip", "removeprefix", "removesuffix"];
    match (method, given) {
        _ if !is_plain(pattern) => None,
        (method, _) if taking.contains(&method) => Some(vec![String::new(), some()]),
        ("title" | "capitalize" | "swapcase", []) => Some(vec![some()]),
        ("replace", [_, to]) if is_plain(to) => Some(vec![some()]),
        ("replace", [_, to]) if to.is_empty() => Some(vec![String::new(), some()]),
        _ => None,
    }
}

pub(super) fn is_word(text: &str) -> bool {
    let plain = |letter: char| {
        letter.is_alphanumeric()
            || "_-+,.%= ()".contains(letter)
            || [WORD, DIGITS, PLAIN].contains(&letter)
    };
    !text.is_empty()
        && text.chars().all(plain)
        && !text.contains("..")
        && !text.starts_with('.')
        && !text.ends_with('.')
}

fn is_below(text: &str) -> bool {
    text.split('/').all(|name| is_word(name) || name == "\u{FDD3}")
}

/// The ending of a file's name with its dot, where it has one.
fn ending(text: &str) -> &str {
    let dot = text.rfind('.').filter(|at| {
        let plain = |letter: char| letter.is_ascii_alphanumeric();
        *at > 0 && text.get(at + 1..).is_some_and(|end| !end.is_empty() && end.chars().all(plain))
    });
    dot.and_then(|at| text.get(at..)).unwrap_or_default()
}

/// A pattern that stands for each of these texts.
pub(in crate::facts::python::values) fn around(texts: &[&str]) -> Option<String> {
    let shared = texts.first().map_or("", |first| ending(first));
    let shared = if texts.iter().all(|text| ending(text) == shared) { shared } else { "" };
    [WORD, BELOW]
        .into_iter()
        .map(|wild| format!("{wild}{shared}"))
        .find(|pattern| texts.iter().all(|text| covers(pattern, text)))
}

/// Whether a pattern of one wild character and an ending stands for a text too.
pub(in crate::facts::python::values) fn covers(pattern: &str, text: &str) -> bool {
    let mut letters = pattern.chars();
    let wild = letters.next();
    let Some(start) = text.strip_suffix(letters.as_str()) else {
        return false;
    };
    match wild {
        Some(WORD) => is_word(start),
        Some(BELOW) => is_below(start),
        _ => false,
    }
}

/// What a method makes of a pattern, whatever stands at its wild characters.
pub(super) fn changed(pattern: &str, method: &str, given: &[String]) -> Option<String> {
    let simple = pattern.chars().all(|letter| letter.is_ascii() || WILD.contains(&letter));
    let pads = |fill: Option<&String>| fill.is_none_or(|fill| " 0-_".contains(fill.as_str()));
    match (method, given) {
        ("upper", []) if simple => Some(pattern.to_ascii_uppercase()),
        ("lower" | "casefold", []) if simple => Some(pattern.to_ascii_lowercase()),
        ("zfill", [_]) if pattern.starts_with(DIGITS) => Some(pattern.to_owned()),
        ("rjust", [_, fill @ ..]) if pattern.starts_with(DIGITS) && pads(fill.first()) => {
            Some(pattern.to_owned())
        }
        ("ljust", [_, fill @ ..]) if pattern.ends_with(DIGITS) && pads(fill.first()) => {
            Some(pattern.to_owned())
        }
        ("replace", [from, to]) => replaced(pattern, from, to),
        _ => None,
    }
}

/// One mark replaced by another, or left out where digits are left.
fn replaced(pattern: &str, from: &str, to: &str) -> Option<String> {
    let mark = |text: &str| matches!(text, "-" | "_" | ":" | " " | "," | "." | "+");
    let told = !pattern.contains([MARKS, BELOW]);
    let kept =
        to == "-" || to == "_" || (to.is_empty() && !pattern.contains([WORD, FOUND, STEM, PLAIN]));
    (told && mark(from) && kept).then(|| pattern.replace(from, to))
}
