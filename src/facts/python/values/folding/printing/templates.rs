//! Templates: texts with places for values, as `format` and `%` read them.
//!
//! Must never read a field that reaches into its value.

/// One piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts::python::values::folding) enum Piece {
    /// What stands there as it is.
    Said(String),
    /// A place for a value: its number or name, and its format. For `%` a name begins with the
    /// bracket that it is written in.
    Field(String, Form),
}

/// How a value is printed at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts::python::values::folding) enum Form {
    /// By what stands after the colon of a field.
    Colon(String),
    /// By the flags, and the width and letter of a `%`.
    Percent(String, String),
}

/// The pieces of a template of `format`.
pub(in crate::facts::python::values::folding) fn fields(template: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut said = String::new();
    let mut unnumbered = 0;
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        said.push_str(rest.get(..at)?);
        let brace = rest.get(at..=at)?;
        rest = rest.get(at + 1..)?;
        if let Some(after) = rest.strip_prefix(brace) {
            said.push_str(brace);
            rest = after;
            continue;
        }
        let (field, after) = rest.split_once('}').filter(|_| brace == "{")?;
        rest = after;
        let (head, format) = field.split_once(':').unwrap_or((field, ""));
        if head.contains(['.', '[', '!', '{']) || format.contains('{') {
            return None;
        }
        let mut head = head.to_owned();
        if head.is_empty() {
            head = unnumbered.to_string();
            unnumbered += 1;
        }
        pieces.push(Piece::Said(std::mem::take(&mut said)));
        pieces.push(Piece::Field(head, Form::Colon(format.to_owned())));
    }
    said.push_str(rest);
    pieces.push(Piece::Said(said));
    Some(pieces)
}

/// The pieces of a template of `%`.
pub(in crate::facts::python::values::folding) fn percents(template: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut said = String::new();
    let mut unnumbered = 0;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        said.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            said.push('%');
            rest = after;
            continue;
        }
        let (name, after) = match after.strip_prefix('(') {
            Some(named) => {
                let (name, after) = named.split_once(')')?;
                (format!("({name}"), after)
            }
            None => (unnumbered.to_string(), after),
        };
        unnumbered += 1;
        let (flags, after) = cut(after, |letter| "-+ 0#".contains(letter));
        let (width, after) = cut(after, |letter| letter.is_ascii_digit() || letter == '.');
        let letter = after.chars().next()?;
        rest = after.get(letter.len_utf8()..)?;
        pieces.push(Piece::Said(std::mem::take(&mut said)));
        pieces
            .push(Piece::Field(name, Form::Percent(flags.to_owned(), format!("{width}{letter}"))));
    }
    said.push_str(rest);
    pieces.push(Piece::Said(said));
    Some(pieces)
}

fn cut(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !belongs(letter)).unwrap_or(text.len()))
}
