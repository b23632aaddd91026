//! Which names are those of sealed files.

use super::{Sealed, bytes_on_disk, list, path_of};
use std::path::Path;

#[test]
fn a_name_says_which_records() {
    let live = Path::new("data/ledger.db");
    let path = path_of(live, 1, 512);
    assert_eq!(path, Path::new("data/ledger-000000000001-000000000512.db"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files with the names of others are made")]
fn only_finished_files_are_listed_and_all_take_room() {
    let directory = tempfile::tempdir().unwrap();
    let live = directory.path().join("ledger.db");
    let second = path_of(&live, 10_000, 10_001);
    let first = path_of(&live, 1, 9_999);
    for path in [&second, &first] {
        std::fs::write(path, "1234").unwrap();
    }
    let others = ["ledger.db", "ledger.db-wal", "ledger-000000000001-000000000002.db.part"];
    for name in others {
        std::fs::write(directory.path().join(name), "12").unwrap();
    }
    for name in ["ledger-5-4.db", "ledger-0-4.db", "ledger-a-b.db", "other-1-2.db"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let expected = [
        Sealed { path: first, first: 1, last: 9_999 },
        Sealed { path: second, first: 10_000, last: 10_001 },
    ];
    assert_eq!(list(&live).unwrap(), expected);
    assert_eq!(bytes_on_disk(&live).unwrap(), 14);
}
