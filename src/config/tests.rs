use super::{Error, bundle, load};
use crate::policy::Limit;
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
fn what_is_no_toml_is_told_by_its_place_and_not_by_its_text() {
    let error = load(Some(&path("fixtures/config/key_cut_off.toml"))).unwrap_err().to_string();
    assert!(error.contains("line 3"), "{error}");
    assert!(!error.contains("hunter2"), "a key's text is told: {error}");
    assert!(load(Some(&path("fixtures/config/key_cut_off.twin.toml"))).is_ok());
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
    assert_eq!(bundle(None).unwrap(), bundle(Some(&path("policies"))).unwrap());
}

#[test]
fn a_link_in_a_bundle_is_refused_and_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let rule = path("policies/main.rego");
    std::fs::copy(&rule, folder.path().join("main.rego")).unwrap();
    assert_eq!(bundle(Some(folder.path())).unwrap().len(), 1);
    std::os::unix::fs::symlink(&rule, folder.path().join("linked.rego")).unwrap();
    let error = bundle(Some(folder.path())).unwrap_err().to_string();
    assert!(error.contains("linked.rego"), "{error}");
}

#[test]
fn a_value_that_cannot_be_meant_is_an_error_with_its_key() {
    for (file, expected) in [
        ("two_keys_alike", "keys[1].hash"),
        ("too_deep", "gateway.json_depth_max"),
        ("no_connections", "gateway.connections_max"),
        ("host_with_port", "gateway.hosts"),
        ("origin_without_scheme", "gateway.origins"),
        ("ceiling_too_low", "sandbox.ceilings.memory_bytes_max"),
        ("image_without_name", "sandbox.images"),
    ] {
        let error = load(Some(&path(&format!("fixtures/config/{file}.toml")))).unwrap_err();
        assert!(matches!(&error, Error::Value { key, .. } if key == expected), "{file}: {error}");
        let twin = load(Some(&path(&format!("fixtures/config/{file}.twin.toml"))));
        assert!(twin.is_ok(), "{file}: {twin:?}");
    }
}

#[test]
fn a_limit_that_cannot_be_meant_is_an_error_with_its_place() {
    for file in ["no_calls_a_second", "cap_by_another_word", "weight_of_nothing"] {
        let error = load(Some(&path(&format!("fixtures/config/{file}.toml")))).unwrap_err();
        assert!(matches!(&error, Error::Malformed { reason, .. } if reason.starts_with("line 3")));
        let twin = load(Some(&path(&format!("fixtures/config/{file}.twin.toml"))));
        assert!(twin.is_ok(), "{file}: {twin:?}");
    }
}

#[test]
fn images_and_ceilings_are_read() {
    let images = |file: &str| load(Some(&path(file))).unwrap().sandbox.images;
    let named = images("fixtures/config/image_without_name.twin.toml");
    assert_eq!(&*named["python"], "registry.example.com/python:3");
    assert_eq!(&*named["small"], "small:1");
    let usual = images("fixtures/config/ceiling_too_low.twin.toml");
    assert_eq!(&*usual["python"], crate::sandbox::IMAGE_DEFAULT);
    let capped = load(Some(&path("fixtures/config/ceiling_too_low.twin.toml"))).unwrap();
    assert_eq!(capped.sandbox.ceilings, [(Limit::MemoryBytes, 64 << 20)].into());
}

#[test]
fn limits_are_read_and_quotas_stay_where_they_are_put() {
    let settings = load(Some(&path("fixtures/config/limits.toml"))).unwrap();
    assert_eq!(settings.limits.session.steps_max, Some(7));
    assert_eq!(settings.limits.session.ms_max, None);
    assert_eq!(settings.limits.subject.burst_max.get(), 3);
    assert_eq!(settings.quotas.subject.calls_per_day_max, Some(50));
    assert_eq!(settings.quotas.tenant.tokens_per_day_max, Some(0));
    assert_eq!(settings.sandbox.weights["acme"].get(), 2);
    let shared = path("fixtures/config/shared/quotas.db");
    assert_eq!(settings.quotas.file, shared);
    assert_eq!(settings.with_data("elsewhere".into()).quotas.file, shared);
    let usual = load(None).unwrap().with_data("elsewhere".into());
    assert_eq!(usual.quotas.file, PathBuf::from("elsewhere/quotas.db"));
}
