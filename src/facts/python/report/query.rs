//! Texts that a library reads as a language of its own: pandas expressions and SQL.
//!
//! Must never take a text for harmless that it does not understand.

/// Whether a pandas expression is plain: columns, constants and operators, and nothing that
/// reaches past them.
pub(super) fn is_plain_expression(text: &str) -> bool {
    let mut rest = text.chars().peekable();
    let mut last = ' ';
    let mut quote = None;
    while let Some(character) = rest.next() {
        if let Some(open) = quote {
            if character == open {
                quote = None;
            }
            continue;
        }
        let reaches = match character {
            '\'' | '"' | '`' => {
                quote = Some(character);
                false
            }
            // A member, unless it is the point of a number.
            '.' => !last.is_ascii_digit() || rest.peek().is_some_and(|next| next.is_alphabetic()),
            // A call.
            '(' => last.is_alphanumeric() || matches!(last, '_' | ')' | ']'),
            '[' | '{' | '\\' | ';' | ':' => last.is_alphanumeric() || character != '[',
            '_' => last == '_',
            _ => false,
        };
        if reaches {
            return false;
        }
        if !character.is_whitespace() {
            last = character;
        }
    }
    quote.is_none() && text.is_ascii()
}

/// Whether an SQL text may reach past the database that it is run on.
pub(super) fn reaches_files(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    ["ATTACH", "VACUUM", "LOAD_EXTENSION", "READFILE", "WRITEFILE", "FTS3_TOKENIZER", "PRAGMA"]
        .iter()
        .any(|word| upper.contains(word))
}
