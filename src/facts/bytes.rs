//! What is refused or said of a source before any parser sees it.
//!
//! Each check is for a place where the interpreter would read other code than the parser, or
//! where the parser itself would be harmed. Must never let such bytes pass in silence.

use super::draft::Draft;
use super::{AnomalyKind, GapKind, Limits};

/// Columns of leading white space that a line may have; a tab counts eight. Above some five
/// hundred levels of indentation the parser's own scanner aborts the process.
const INDENT_COLUMNS_MAX: usize = 200;
/// Brackets that may be open at once, or closed without having been opened; the parser's recovery
/// from them grows with the square of their number. They are counted in strings and comments too.
const BRACKETS_MAX: u32 = 5_000;
/// Columns that a tab counts.
const TAB_COLUMNS: usize = 8;
/// Continuation lines of a source; the parser's time grows with the square of their number, most
/// of all where it has to recover from errors among them.
const CONTINUATIONS_MAX: u32 = 500;
/// Characters that are told of; the first ones say enough.
const CHARACTERS_MAX: u32 = 16;
/// Bytes of a line above which it is said to be long.
const LINE_BYTES_MAX: usize = 1_000;

/// Checks the bytes and gives the text that may be parsed, if it may.
pub(super) fn check<'source>(
    bytes: &'source [u8],
    limits: &Limits,
    draft: &mut Draft<'source>,
) -> Option<&'source str> {
    if bytes.len() > limits.source_bytes_max as usize {
        draft.truncate();
        draft.gap(GapKind::Limit, "the source is larger than may be read", 0, 0);
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = offset(error.valid_up_to());
            refuse(draft, AnomalyKind::NonUtf8, "the source is not UTF-8", (at, at + 1));
            return None;
        }
    };
    cookie(bytes, draft);
    characters(text, draft);
    (brackets(bytes, draft) && shape(bytes, draft)).then_some(text)
}

fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn refuse(draft: &mut Draft<'_>, kind: AnomalyKind, detail: &str, range: (u32, u32)) {
    draft.anomaly(kind, detail, range.0, range.1);
    draft.gap(GapKind::Bytes, detail, range.0, range.1);
}

/// An encoding cookie in the first two lines makes the interpreter decode other text.
fn cookie(bytes: &[u8], draft: &mut Draft<'_>) {
    let mut start = 0;
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')).take(3) {
        let end = start + line.len();
        if let Some(name) = cookie_name(line)
            && !matches!(name.as_str(), "utf-8" | "utf8" | "utf_8")
        {
            refuse(
                draft,
                AnomalyKind::EncodingCookie,
                "a comment in the first lines asks for an encoding other than UTF-8",
                (offset(start), offset(end)),
            );
        }
        start = end + 1;
    }
}

/// The first name that stands after the word, as the interpreter looks for it.
fn cookie_name(line: &[u8]) -> Option<String> {
    let comment = line.trim_ascii_start().strip_prefix(b"#")?;
    let words = comment.windows(7).enumerate();
    let mut words = words.filter(|(_, window)| matches!(*window, b"coding:" | b"coding="));
    words.find_map(|(at, _)| {
        let name: String = comment
            .get(at + 7..)?
            .trim_ascii_start()
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
        (!name.is_empty()).then_some(name)
    })
}

/// Characters that the interpreter and the parser, or a reader, take differently.
fn characters(text: &str, draft: &mut Draft<'_>) {
    if !text.bytes().any(|byte| matches!(byte, 0 | b'\r') || !byte.is_ascii()) {
        return;
    }
    let mut rest = text.char_indices().peekable();
    let mut told = 0;
    while let Some((at, character)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        let Some((kind, detail)) = suspect(at, character, next) else {
            continue;
        };
        told += 1;
        if told > CHARACTERS_MAX {
            break;
        }
        refuse(draft, kind, detail, (offset(at), offset(at + character.len_utf8())));
    }
}

fn suspect(at: usize, character: char, next: Option<char>) -> Option<(AnomalyKind, &'static str)> {
    match character {
        '\0' => Some((AnomalyKind::Nul, "the source holds a NUL")),
        '\r' if next != Some('\n') => Some((
            AnomalyKind::BareCr,
            "a carriage return stands alone: the interpreter ends the line there",
        )),
        '\u{feff}' if at == 0 => Some((AnomalyKind::Bom, "the source begins with a BOM")),
        '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{061c}' => Some((
            AnomalyKind::BidiControl,
            "a bidirectional control makes the code look other than it is",
        )),
        _ => None,
    }
}

/// Whether the brackets are about as many as those that close them, all the way.
fn brackets(bytes: &[u8], draft: &mut Draft<'_>) -> bool {
    if bytes.len() <= BRACKETS_MAX as usize {
        return true;
    }
    let mut open = 0_i32;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open -= 1,
            _ => continue,
        }
        if open.unsigned_abs() > BRACKETS_MAX {
            draft.truncate();
            let why = "more brackets are open, or closed, than may be read";
            draft.gap(GapKind::Limit, why, offset(at), offset(at + 1));
            return false;
        }
    }
    true
}

/// Whether the parser can be given the text: bounded indentation and bounded continuations.
fn shape(bytes: &[u8], draft: &mut Draft<'_>) -> bool {
    let mut shape = Shape::default();
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        if line.len() > LINE_BYTES_MAX {
            let range = (offset(start), offset(start + line.len()));
            draft.anomaly(AnomalyKind::LongLine, "the line is very long", range.0, range.1);
        }
        if let Err((at, why)) = shape.take(line) {
            let at = offset(start + at);
            draft.truncate();
            draft.gap(GapKind::Limit, why, at, at + 1);
            return false;
        }
        start += line.len() + 1;
    }
    true
}

/// The logical line being scanned, and the continuation lines so far. A backslash before a line
/// end goes on with the line, and its indentation goes on too.
#[derive(Default)]
struct Shape {
    columns: usize,
    content: bool,
    continuations: u32,
}

impl Shape {
    /// Takes a line; where the parser must not be given it, tells where in it and why.
    fn take(&mut self, line: &[u8]) -> Result<(), (usize, &'static str)> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (line, continued) = match line.strip_suffix(b"\\") {
            Some(line) => (line, true),
            None => (line, false),
        };
        if !self.content {
            let indent = line.iter().take_while(|byte| is_blank(**byte)).count();
            let tabs = line.iter().take(indent).filter(|byte| **byte == b'\t').count();
            self.columns += indent + tabs * (TAB_COLUMNS - 1);
            self.content = indent < line.len();
            if self.content && self.columns > INDENT_COLUMNS_MAX {
                return Err((indent, "a line is indented further than may be read"));
            }
        }
        if !continued {
            *self = Self { continuations: self.continuations, ..Self::default() };
            return Ok(());
        }
        self.continuations += 1;
        if self.continuations > CONTINUATIONS_MAX {
            return Err((line.len(), "there are more continuation lines than may be read"));
        }
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c' | b'\r')
}
