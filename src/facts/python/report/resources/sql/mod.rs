//! SQL as text: whether it reaches past its database, and which tables it names.
//!
//! Must never take a text for harmless that it does not understand.

#[cfg(test)]
mod tests;

/// Words of statements that reach past the database, or may.
const REACHING: [&str; 7] =
    ["ATTACH", "VACUUM", "LOAD_EXTENSION", "READFILE", "WRITEFILE", "FTS3_TOKENIZER", "PRAGMA"];

/// What is asked and set of a database alone.
const PRAGMAS: [&str; 29] = [
    "application_id",
    "auto_vacuum",
    "busy_timeout",
    "cache_size",
    "collation_list",
    "compile_options",
    "encoding",
    "foreign_key_check",
    "foreign_key_list",
    "foreign_keys",
    "freelist_count",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "journal_mode",
    "optimize",
    "page_count",
    "page_size",
    "quick_check",
    "recursive_triggers",
    "synchronous",
    "table_info",
    "table_list",
    "table_xinfo",
    "temp_store",
    "user_version",
    "wal_autocheckpoint",
    "wal_checkpoint",
];

/// Whether an SQL text may reach past the database that it is run on.
pub(in super::super) fn reaches_files(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let reaches = |part: &str| REACHING.iter().any(|word| part.contains(word));
    // A part of a text in the statement has to be harmless for itself too.
    reaches(&upper) && upper.split(';').any(|part| reaches(part) && !is_of_database(part))
}

/// Whether a statement, in capitals, is one of those words and asks or sets nothing but what
/// belongs to the database.
fn is_of_database(statement: &str) -> bool {
    let statement = statement.trim();
    let asked = statement.strip_prefix("PRAGMA").filter(|asked| asked.starts_with([' ', '\n']));
    let Some(asked) = asked.map(str::trim) else { return statement == "VACUUM" };
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (name, given) =
        asked.split_at(asked.find(|letter| !is_word(letter)).unwrap_or(asked.len()));
    let given = given.trim();
    let value = given.strip_prefix('=').or_else(|| given.strip_prefix('(')?.strip_suffix(')'));
    let value = value.unwrap_or(given).trim();
    PRAGMAS.iter().any(|pragma| name.eq_ignore_ascii_case(pragma))
        && value.chars().all(|letter| is_word(letter) || "-'\"".contains(letter))
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
