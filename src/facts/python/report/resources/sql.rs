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
