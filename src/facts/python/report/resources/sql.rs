//! SQL as text: whether it reaches past its database, and which tables it names.
//!
//! Must never take a text for harmless that it does not understand.

/// Whether an SQL text may reach past the database that it is run on.
pub(in super::super) fn reaches_files(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    ["ATTACH", "VACUUM", "LOAD_EXTENSION", "READFILE", "WRITEFILE", "FTS3_TOKENIZER", "PRAGMA"]
        .iter()
        .any(|word| upper.contains(word))
}

/// The words that a table's name follows, and what is done with the table there.
const BEFORE_TABLES: [(&str, &str); 5] = [
    ("FROM", "read"),
    ("JOIN", "read"),
    ("INTO", "write"),
    ("UPDATE", "write"),
    ("TABLE", "write"),
];

/// The tables that an SQL text names, and whether each is read or written. A word that only looks
/// like one is told too.
pub(super) fn tables(text: &str) -> Vec<(&str, &'static str)> {
    let mut found: Vec<(&str, &'static str)> = Vec::new();
    let mut access = None;
    for word in text.split(|letter: char| letter.is_whitespace() || "(),;".contains(letter)) {
        if word.is_empty() || is_between(word) {
            continue;
        }
        let table = word.trim_matches(['"', '`', '[', ']', '\'']);
        if let Some(access) =
            access.take().filter(|_| !table.is_empty() && !table.eq_ignore_ascii_case("SELECT"))
            && !found.contains(&(table, access))
            && found.len() < TABLES_MAX
        {
            found.push((table, access));
        }
        access = BEFORE_TABLES
            .iter()
            .find(|(before, _)| word.eq_ignore_ascii_case(before))
            .map(|(_, access)| *access);
    }
    found
}

/// Tables of one statement that are told.
const TABLES_MAX: usize = 32;

/// Words that may stand between the word before a table and the table.
fn is_between(word: &str) -> bool {
    ["IF", "NOT", "EXISTS"].iter().any(|between| word.eq_ignore_ascii_case(between))
}
