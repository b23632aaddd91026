//! Pandas expressions: which are plain, and which reach on.
//!
//! Must never take a text for harmless that it does not understand.

/// Words of the expression language that are no names.
const WORDS: [&str; 8] = ["in", "not", "and", "or", "True", "False", "None", "is"];

/// Whether a pandas expression is plain: columns, constants and operators, and nothing that
/// reaches past them, such as a member, a call, an item or a dunder.
pub(in super::super) fn is_plain_expression(text: &str) -> bool {
    let mut before = Before::Operator;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, tail) = split_token(rest, first);
        rest = tail;
        let Some(next) = plain_token(token, first, before) else {
            return false;
        };
        before = next;
    }
    text.is_ascii()
}

/// A plain expression as Python: each column by a name that means nothing else.
pub(in super::super) fn over_columns(text: &str) -> String {
    let mut whole = String::with_capacity(text.len() * 2);
    let mut rest = text.trim_start_matches([' ', '\t']);
    while let Some(first) = rest.chars().next() {
        let (token, tail) = split_token(rest, first);
        rest = tail;
        match first {
            '`' => whole.push_str("column"),
            '@' => {}
            _ if (first.is_alphabetic() || first == '_') && !WORDS.contains(&token) => {
                whole.push_str("column_");
                whole.push_str(token);
            }
            _ => whole.push_str(token),
        }
    }
    whole
}

/// What stands before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Something that a bracket would call or index.
    Value,
    Operator,
}

/// A word, a number, a quoted text or one character, and what follows it.
fn split_token(text: &str, first: char) -> (&str, &str) {
    let word = |character: char| character.is_alphanumeric() || character == '_';
    let end = match first {
        '\'' | '"' | '`' => {
            text.char_indices().skip(1).find(|(_, next)| *next == first).map(|(at, _)| at + 1)
        }
        _ if first.is_ascii_digit() => text.find(|next| !word(next) && next != '.'),
        _ if word(first) => text.find(|next| !word(next)),
        _ => Some(first.len_utf8()),
    };
    text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""))
}

/// What stands before the next token, or nothing where this one reaches on.
fn plain_token(token: &str, first: char, before: Before) -> Option<Before> {
    match first {
        ' ' | '\t' | '\n' => Some(before),
        '\'' | '"' | '`' => (token.len() > 1 && token.ends_with(first) && !token.contains('\\'))
            .then_some(Before::Value),
        '(' | '[' => (before == Before::Operator).then_some(Before::Operator),
        ')' | ']' => Some(Before::Value),
        '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '~' | '^' | ',' | '@' => {
            Some(Before::Operator)
        }
        _ if first.is_ascii_digit() => Some(Before::Value),
        _ if first.is_alphabetic() || first == '_' => plain_word(token),
        _ => None,
    }
}

fn plain_word(word: &str) -> Option<Before> {
    if word.contains("__") {
        return None;
    }
    Some(if WORDS.contains(&word) { Before::Operator } else { Before::Value })
}
