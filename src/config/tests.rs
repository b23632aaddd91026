use super::{Error, load, read_bundle, shipped_bundle};
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn the_example_says_the_defaults() {
    let example = load(Some(&path("regate.example.toml"))).unwrap();
    let defaults = load(None).unwrap();
    let data = defaults.data.clone();
    assert_eq!(format!("{:?}", example.with_data(data)), format!("{defaults:?}"));
}

#[test]
fn an_unknown_key_is_an_error_with_its_place() {
    let error = load(Some(&path("fixtures/config/unknown_key.toml"))).unwrap_err().to_string();
    assert!(error.contains("unknown_key.toml"), "{error}");
    assert!(error.contains("line 5"), "{error}");
    assert!(error.contains("memory_max"), "{error}");
}

#[test]
fn a_key_needs_a_hash_and_its_roles_are_sorted() {
    let error = load(Some(&path("fixtures/config/key_without_hash.toml"))).unwrap_err();
    assert!(matches!(&error, Error::Value { key, .. } if key == "keys[0].hash"), "{error}");
    assert!(!error.to_string().contains("hunter2"), "a key's text is told");

    let settings = load(Some(&path("fixtures/config/key.toml"))).unwrap();
    let roles: Vec<&str> = settings.gateway.keys[0].roles.iter().map(|role| &**role).collect();
    assert_eq!(roles, ["analyst", "reader"]);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    assert!(matches!(
        load(Some(&path("fixtures/config/none.toml"))),
        Err(Error::Unreadable { .. })
    ));
}

#[test]
fn the_shipped_bundle_is_the_folder() {
    assert_eq!(shipped_bundle(), read_bundle(&path("policies")).unwrap());
}
