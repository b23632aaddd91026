//! From byte offsets to lines and columns.
//!
//! Must never cost more than a bounded scan per question, however long a line is.

use super::Span;

/// How many bytes lie between two remembered character counts.
const STRIDE: usize = 256;

/// Where the lines of a source begin, and how many characters stand before each stride of bytes.
#[derive(Debug)]
pub(super) struct LineIndex<'source> {
    bytes: &'source [u8],
    starts: Vec<usize>,
    /// Nothing where every byte is a character.
    characters: Vec<usize>,
}

impl<'source> LineIndex<'source> {
    pub(super) fn new(bytes: &'source [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            bytes
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n')
                .map(|(offset, _)| offset + 1),
        );
        let characters = if bytes.is_ascii() { Vec::new() } else { strides(bytes) };
        Self { bytes, starts, characters }
    }

    /// The span of a byte range; a range beyond the source is cut to it.
    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        let (line, column) = self.position(start as usize);
        let (end_line, end_column) = self.position(end as usize);
        Span { line, column, end_line, end_column, byte: (start, end) }
    }

    fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.bytes.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.characters_before(offset) - self.characters_before(start);
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    fn characters_before(&self, offset: usize) -> usize {
        if self.characters.is_empty() {
            return offset;
        }
        let stride = offset / STRIDE;
        let counted = self.characters.get(stride).copied().unwrap_or(0);
        let rest = self.bytes.get(stride * STRIDE..offset).unwrap_or_default();
        counted + characters_in(rest)
    }
}

/// How many characters stand before each stride.
fn strides(bytes: &[u8]) -> Vec<usize> {
    let mut count = 0;
    let mut characters = vec![0];
    for chunk in bytes.chunks(STRIDE) {
        count += characters_in(chunk);
        characters.push(count);
    }
    characters
}

/// Counts every byte that is not a continuation byte, which for UTF-8 is every character.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| *byte & 0xC0 != 0x80).count()
}
