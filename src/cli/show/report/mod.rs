//! One thing to say, rendered as compilers do: title, place, lines with marks, notes.

use super::safe::plain;
use super::source::{ShownLine, SourceText};
use crate::policy::FindingSpan;
use crate::telemetry::Colour;
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Message, Origin, Renderer, Snippet,
};
use std::ops::Range;

/// Lines that one report spans at the most; of a longer mark only the first line is shown.
pub(super) const LINES_MAX: u32 = 20;
/// Columns where no terminal says otherwise.
const WIDTH_DEFAULT: u16 = 100;
/// A terminal narrower or wider than this is taken for one of this width.
const WIDTH_MIN: u16 = 40;
const WIDTH_MAX: u16 = 140;
/// Characters of a title or a note, and of a label, which may quote the source at length.
const TEXT_CHARACTERS_MAX: usize = 600;
const LABEL_CHARACTERS_MAX: usize = 120;
/// Characters of a line too long to be shown whole that are marked.
const MARK_CHARACTERS_MAX: u32 = 60;

/// How all that is shown is set.
#[derive(Debug)]
pub(in crate::cli) struct Page {
    renderer: Renderer,
    colour: Colour,
    width: usize,
}

/// What a mark or a note is, by which it is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Sort {
    /// What denies the call.
    Error,
    /// What holds it, or could not be proved.
    Warning,
    /// What is only told.
    Note,
    /// What to do instead.
    Help,
}

/// A marked place in the source.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Mark {
    pub(in crate::cli) span: FindingSpan,
    /// Whether the report is about this place, or it only helps to understand.
    pub(in crate::cli) primary: bool,
    pub(in crate::cli) label: String,
}

/// One thing to say.
#[derive(Debug)]
pub(in crate::cli) struct Entry {
    pub(in crate::cli) sort: Sort,
    /// The rule's id, and what is said; `None` for marks without a title.
    pub(in crate::cli) title: Option<(String, String)>,
    /// In any order, at most [`LINES_MAX`] lines apart; empty where it is about no place.
    pub(in crate::cli) marks: Vec<Mark>,
    /// What is said below, each with the word before it.
    pub(in crate::cli) notes: Vec<Note>,
}

/// What a note is, the word before it and its text.
pub(in crate::cli) type Note = (Sort, String, String);

impl Page {
    /// A page of so many columns, or of the usual number where no terminal says how many.
    pub(in crate::cli) fn new(colour: Colour, columns: Option<u16>) -> Self {
        let width = columns.unwrap_or(WIDTH_DEFAULT).clamp(WIDTH_MIN, WIDTH_MAX);
        let width = usize::from(width);
        let renderer = match colour {
            Colour::Coloured => Renderer::styled(),
            Colour::Plain => Renderer::plain(),
        };
        Self { renderer: renderer.term_width(width), colour, width }
    }

    /// Columns that a line may have.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// The text in a colour for what it is, where colours are wanted.
    pub(in crate::cli) fn paint(&self, text: &str, paint: Paint) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Coloured => format!("\x1b[{}m{text}\x1b[0m", paint.code()),
        }
    }

    /// The entry as lines, without a last line end.
    pub(in crate::cli) fn render(
        &self,
        name: &str,
        source: &SourceText<'_>,
        entry: &Entry,
    ) -> String {
        let level = level(entry.sort);
        let mut shown = Vec::new();
        if let Some((rule, message)) = &entry.title {
            let title = level.clone().primary_title(bounded(message, TEXT_CHARACTERS_MAX));
            let title =
                if rule.is_empty() { title } else { title.id(bounded(rule, LABEL_CHARACTERS_MAX)) };
            shown.push(self.renderer.render(&[Group::with_title(title)]));
        }
        let excerpt = Excerpt::of(source, &entry.marks);
        let digits = excerpt.as_ref().map_or(0, Excerpt::digits);
        shown.push(format!("{:digits$}{}", "", self.origin(name, entry)));
        let notes = self.notes(entry, digits);
        let mut body = Group::with_level(level);
        if let Some(excerpt) = &excerpt {
            body = body.element(excerpt.snippet());
        }
        let body = body.elements(notes);
        if !body.is_empty() {
            shown.push(self.renderer.render(&[body]));
        }
        shown.join("\n")
    }

    /// The place, rendered apart: the library would count its columns in what is shown of the
    /// line, not in the line.
    fn origin(&self, name: &str, entry: &Entry) -> String {
        let mut origin = Origin::path(plain(name));
        let first = entry.marks.iter().map(|mark| (mark.primary, mark.span));
        let first = first.min_by_key(|(primary, span)| {
            (entry.title.is_some() && !primary, span.line, span.column)
        });
        if let Some((_, span)) = first {
            origin = origin.line(span.line as usize).char_column(span.column as usize + 1);
        }
        self.renderer.render(&[Group::with_level(level(entry.sort)).element(origin)])
    }

    fn notes(&self, entry: &Entry, digits: usize) -> Vec<Message<'static>> {
        let told = |(sort, word, text): &Note| {
            // The gutter, `= `, the word and `: ` stand before every line.
            let width = self.width.saturating_sub(digits + word.chars().count() + 5);
            level(*sort)
                .with_name(plain(word))
                .message(wrapped(&bounded(text, TEXT_CHARACTERS_MAX), width))
        };
        entry.notes.iter().map(told).collect()
    }
}

/// What a word outside a report is coloured as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Paint {
    Bad,
    Doubtful,
    Good,
    Strong,
}

impl Paint {
    const fn code(self) -> &'static str {
        match self {
            Self::Bad => "1;31",
            Self::Doubtful => "1;33",
            Self::Good => "1;32",
            Self::Strong => "1",
        }
    }
}

fn level(sort: Sort) -> Level<'static> {
    match sort {
        Sort::Error => Level::ERROR,
        Sort::Warning => Level::WARNING,
        Sort::Note => Level::NOTE,
        Sort::Help => Level::HELP,
    }
}

/// Safe to show, and not longer than anyone reads.
pub(super) fn bounded(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => plain(text.get(..end).unwrap_or_default()) + "…",
        None => plain(text),
    }
}

/// The text with line ends between its words, so that no line is longer where words allow.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut taken = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if taken > 0 && taken + 1 + length > width {
            lines.push('\n');
            taken = 0;
        } else if taken > 0 {
            lines.push(' ');
            taken += 1;
        }
        lines.push_str(word);
        taken += length;
    }
    lines
}

/// The shown lines around some marks, as one text with ranges of bytes.
struct Excerpt {
    first: u32,
    text: String,
    marks: Vec<(Range<usize>, AnnotationKind, String)>,
}

impl Excerpt {
    fn of(source: &SourceText<'_>, marks: &[Mark]) -> Option<Self> {
        let first = marks.iter().map(|mark| mark.span.line).min()?;
        let ends =
            marks.iter().map(|mark| last_line(mark.span).min(first.saturating_add(2 * LINES_MAX)));
        let last = ends.max().unwrap_or(first);
        let mut text = String::new();
        let mut lines = Vec::new();
        for line in first..=last {
            let on_line = marks.iter().filter(|mark| mark.span.line == line);
            let column = on_line.map(|mark| mark.span.column).min().unwrap_or(0);
            let shown = source.shown(line, column);
            lines.push((text.len(), shown));
            let (_, shown) = lines.last()?;
            text.push_str(&shown.text);
            text.push('\n');
        }
        if lines.last().is_some_and(|(_, shown)| shown.text.is_empty()) {
            // The library knows no empty line at the end of a text.
            text.push(' ');
        }
        let ranged = |mark: &Mark| {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            Some((
                range(&lines, first, mark.span)?,
                kind,
                bounded(&mark.label, LABEL_CHARACTERS_MAX),
            ))
        };
        let marks = marks.iter().filter_map(ranged).collect();
        Some(Self { first, text, marks })
    }

    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let marks = self.marks.iter().map(|(range, kind, label)| {
            kind.span(range.clone()).label((!label.is_empty()).then_some(label.as_str()))
        });
        Snippet::source(&self.text).line_start(self.first as usize).annotations(marks)
    }

    /// Of the number of the last marked line, which the gutter is as wide as.
    fn digits(&self) -> usize {
        let end = self.marks.iter().map(|(range, _, _)| range.end).max().unwrap_or(0);
        let before = self.text.get(..end).unwrap_or_default().matches('\n').count();
        (self.first as usize + before).to_string().len()
    }
}

/// The last line of a mark that is shown.
fn last_line(span: FindingSpan) -> u32 {
    let lines = span.end_line.saturating_sub(span.line);
    if lines < LINES_MAX { span.line.saturating_add(lines) } else { span.line }
}

fn range(lines: &[(usize, ShownLine)], first: u32, span: FindingSpan) -> Option<Range<usize>> {
    let at = |line: u32| lines.get(line.checked_sub(first)? as usize);
    let (start_of_line, opening) = at(span.line)?;
    let start = start_of_line + opening.offset(span.column);
    let last = last_line(span);
    let end = match at(last) {
        _ if opening.cut => {
            let marked = span.column.saturating_add(MARK_CHARACTERS_MAX);
            let own = if span.line == span.end_line { span.end_column } else { marked };
            start_of_line + opening.offset(own.min(marked))
        }
        Some((start_of_line, closing)) if last == span.end_line && !closing.cut => {
            start_of_line + closing.offset(span.end_column)
        }
        Some(_) | None => start_of_line + opening.end(),
    };
    Some(start..end.max(start))
}

#[cfg(test)]
mod tests;
