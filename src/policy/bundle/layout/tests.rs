//! Places of a bundle.

use super::{Place, package, place};

#[test]
fn a_path_says_what_a_file_is() {
    let rule = Place::Rule("process/spawn".into());
    for (path, expected) in [
        ("main.rego", Place::Shared),
        ("main_test.rego", Place::Test),
        ("lib/code.rego", Place::Shared),
        ("lib/code_test.rego", Place::Test),
        ("rules/process/spawn/spawn.rego", rule),
        ("rules/process/spawn/spawn_test.rego", Place::Test),
        ("data/imports.json", Place::Data("imports".to_owned())),
        ("image/python.json", Place::Image),
        ("image/python_events.json", Place::Image),
        ("README.md", Place::Prose),
    ] {
        assert_eq!(place(path), Ok(expected), "{path}");
    }
}

#[test]
fn there_is_no_other_place() {
    for path in [
        "",
        "other.rego",
        "main.json",
        "data/regate.json",
        "data/deep/imports.json",
        "data/Imports.json",
        "image/cobol.json",
        "image/python_other.json",
        "image/deep/python.json",
        "rules/spawn.rego",
        "rules/process/spawn.rego",
        "rules/process/spawn/other.rego",
        "rules/process/spawn/other_test.rego",
        "rules/Process/spawn/spawn.rego",
        "rules/process/../spawn/spawn.rego",
        "/main.rego",
    ] {
        assert!(place(path).is_err(), "{path}");
    }
}

#[test]
fn a_folder_is_a_package() {
    assert_eq!(package("main.rego"), "regate.main");
    assert_eq!(package("lib/code.rego"), "regate.lib.code");
    assert_eq!(package("rules/process/spawn/spawn.rego"), "regate.rules.process.spawn");
    assert_eq!(package("rules/process/spawn/spawn_test.rego"), "regate.rules.process.spawn_test");
}
