//! A source cut into lines, and each line into the part that is shown.
//!
//! Columns are counted as facts count them: every byte that does not continue a character is one.
//! Must never show a line whole because it is long, nor a byte as it is.

use super::safe;
use std::cell::Cell;

/// Characters of a line that are shown; of a longer one, so many around a place.
const LINE_CHARACTERS_MAX: usize = 240;
/// Characters that are shown before the place, in a line that is too long.
const BEFORE_CHARACTERS: usize = 40;

/// The bytes of a source, by line.
#[derive(Debug)]
pub(in crate::cli) struct SourceText<'source> {
    bytes: &'source [u8],
    starts: Vec<usize>,
    /// The place that was looked for last, so that places in order cost one walk.
    last: Cell<Cursor>,
}

/// A line, and the byte of it that a column begins at.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    line: u32,
    column: usize,
    byte: usize,
}

/// The part of a line that is shown.
#[derive(Debug)]
pub(super) struct ShownLine {
    /// What is shown, safe as it is.
    pub(super) text: String,
    /// Whether a part of the line is left out.
    pub(super) cut: bool,
    first_column: usize,
    /// The byte of the text that each shown column begins at, and where the last one ends.
    offsets: Vec<usize>,
}

impl ShownLine {
    /// Where in the text a column begins; the nearest end for a column that is not shown.
    pub(super) fn offset(&self, column: u32) -> usize {
        let index = (column as usize).saturating_sub(self.first_column);
        let last = self.offsets.last().copied().unwrap_or(0);
        self.offsets.get(index).copied().unwrap_or(last)
    }

    /// Where in the text the last shown column ends.
    pub(super) fn end(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }
}

impl<'source> SourceText<'source> {
    pub(in crate::cli) fn new(bytes: &'source [u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(offset, _)| offset + 1)).collect();
        Self { bytes, starts, last: Cell::default() }
    }

    /// How many lines there are; the empty rest after the last line end is none.
    pub(in crate::cli) fn lines(&self) -> usize {
        let rest = self.starts.last().is_some_and(|start| *start < self.bytes.len());
        self.starts.len() - usize::from(!rest)
    }

    /// The bytes of a line, counted from 1, without its end; empty beyond the last.
    fn line(&self, line: u32) -> &'source [u8] {
        let index = (line as usize).saturating_sub(1);
        let Some(start) = self.starts.get(index).copied() else { return &[] };
        let end = self.starts.get(index + 1).map_or(self.bytes.len(), |next| next - 1);
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    /// Whether a line is too long to be shown whole.
    pub(super) fn is_long(&self, line: u32) -> bool {
        let bytes = self.line(line);
        bytes.len() > LINE_CHARACTERS_MAX && !characters_at_most(bytes, LINE_CHARACTERS_MAX)
    }

    /// A line as it is shown: whole, or so much of it that the column is seen.
    pub(super) fn shown(&self, line: u32, column: u32) -> ShownLine {
        let bytes = self.line(line);
        if !self.is_long(line) {
            return shown(bytes, 0);
        }
        let first = (column as usize).saturating_sub(BEFORE_CHARACTERS);
        let start = self.byte_of(line, bytes, first);
        shown(bytes.get(start..).unwrap_or_default(), first)
    }

    fn byte_of(&self, line: u32, bytes: &[u8], column: usize) -> usize {
        let last = self.last.get();
        let from = if last.line == line && last.column <= column {
            last
        } else {
            Cursor { line, ..Cursor::default() }
        };
        let rest = bytes.get(from.byte..).unwrap_or_default();
        let byte = from.byte + nth_character(rest, column - from.column);
        self.last.set(Cursor { line, column, byte });
        byte
    }
}

/// Whether the line has at most so many characters; looks no further than it has to.
fn characters_at_most(bytes: &[u8], most: usize) -> bool {
    bytes.len() <= most * 4 && nth_character(bytes, most) == bytes.len()
}

/// Where the character of this number begins, from 0; the end where there are fewer.
fn nth_character(bytes: &[u8], number: usize) -> usize {
    if let Some(head) = bytes.get(..number)
        && head.is_ascii()
    {
        return number;
    }
    let mut begins = bytes.iter().enumerate().filter(|(_, byte)| begins_character(**byte));
    begins.nth(number).map_or(bytes.len(), |(offset, _)| offset)
}

const fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The beginning of these bytes, which stand from this column on.
fn shown(bytes: &[u8], first_column: usize) -> ShownLine {
    const CUT: char = '…';
    let mut text = String::new();
    if first_column > 0 {
        text.push(CUT);
    }
    let mut offsets = Vec::new();
    // Enough for so many characters of any length, and bounded for bytes that are none.
    let bounded = bytes.get(..(LINE_CHARACTERS_MAX + 1) * 4).unwrap_or(bytes);
    let mut rest = bounded.utf8_chunks().flat_map(|chunk| {
        let characters = chunk.valid().chars().map(Unit::Character);
        characters.chain(chunk.invalid().iter().copied().map(Unit::Byte))
    });
    let mut ended = bounded.len() == bytes.len();
    for unit in rest.by_ref() {
        if unit.begins() {
            if offsets.len() == LINE_CHARACTERS_MAX {
                ended = false;
                break;
            }
            offsets.push(text.len());
        }
        match unit {
            Unit::Character(character) => safe::push(&mut text, character),
            Unit::Byte(byte) => safe::push_byte(&mut text, byte),
        }
    }
    offsets.push(text.len());
    if !ended {
        text.push(CUT);
    }
    ShownLine { text, cut: first_column > 0 || !ended, first_column, offsets }
}

enum Unit {
    Character(char),
    Byte(u8),
}

impl Unit {
    /// Whether a column begins with it.
    const fn begins(&self) -> bool {
        match self {
            Self::Character(_) => true,
            Self::Byte(byte) => begins_character(*byte),
        }
    }
}

#[cfg(test)]
mod tests;
