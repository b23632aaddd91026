use super::reaches_files;

#[test]
fn what_belongs_to_the_database_alone_reaches_no_files() {
    for statement in [
        "SELECT * FROM book",
        "PRAGMA foreign_keys = ON",
        "pragma table_info('book')",
        "PRAGMA journal_mode=WAL; CREATE TABLE book(title); VACUUM;",
        "PRAGMA user_version = -3",
    ] {
        assert!(!reaches_files(statement), "{statement}");
    }
}

#[test]
fn what_may_reach_past_the_database_is_said_to() {
    for statement in [
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'other.db'",
        "PRAGMA temp_store_directory = '/etc'",
        "PRAGMA foreign_keys=ON; PRAGMA temp_store_directory='/etc'",
        "PRAGMA /*;*/ temp_store_directory='/etc'",
        "PRAGMA foreign_keys; ATTACH '/etc' AS other",
        "PRAGMA main.foreign_keys",
        "PRAGMA writable_schema=ON",
        "SELECT load_extension('other')",
    ] {
        assert!(reaches_files(statement), "{statement}");
    }
}
