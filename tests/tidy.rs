//! Holds the shape of the house: the tables in ARCHITECTURE.md, the sizes, the names.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a test reads the project's own files and stops at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

const FILE_LINES_MAX: usize = 400;
const FOLDER_FILES_MAX: usize = 10;
const MODULES_MAX: usize = 12;
const RULE_LINES_MAX: usize = 100;

/// Names that mean nothing and so collect everything.
const JUNK_DRAWERS: [&str; 9] =
    ["util", "utils", "common", "helpers", "support", "misc", "types", "core", "manager"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folders: &[&str], extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in folders {
        for entry in WalkDir::new(root().join(folder)).sort_by_file_name() {
            let path = entry.expect("a folder can be read").into_path();
            if path.extension().is_some_and(|found| found == extension) {
                found.push((relative(&path), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "no .{extension} file below {folders:?}");
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().into_owned()
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The rows of the Markdown table below a heading, cell by cell, without its two head rows.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = text.split(heading).nth(1).unwrap_or_else(|| panic!("no heading {heading}"));
    let rows: Vec<Vec<String>> = section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert!(!rows.is_empty(), "no table below {heading}");
    rows
}

/// The words in back-ticks of a cell.
fn words(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The text without comments: what is said of a module is not a use of it.
fn code(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether `name::` stands in the code as the beginning of a path.
fn names(code: &str, name: &str) -> bool {
    let pieces: Vec<&str> = code.split(&format!("{name}::")).collect();
    let before = pieces.iter().take(pieces.len() - 1);
    before.into_iter().any(|piece| {
        !piece.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':')
    })
}

#[test]
fn modules_name_only_what_the_table_allows() {
    let allowed: BTreeMap<String, BTreeSet<String>> = table("## Who may name whom")
        .into_iter()
        .map(|row| (words(&row[0]).pop_first().unwrap(), words(&row[2])))
        .collect();
    let modules: BTreeSet<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(allowed.keys().cloned().collect::<BTreeSet<_>>(), modules, "modules in the table");
    assert!(modules.len() <= MODULES_MAX, "more than {MODULES_MAX} modules");

    let mut complaints = Vec::new();
    for (path, text) in files(&["src"], "rs") {
        let Some(own) = path.split('/').nth(1).filter(|name| modules.contains(*name)) else {
            continue;
        };
        let code = code(&text);
        if code.contains("crate::{") {
            complaints.push(format!("{path}: import from one module a line, not `crate::{{…}}`"));
        }
        for other in modules.iter().filter(|other| *other != own && !allowed[own].contains(*other))
        {
            if code.contains(&format!("crate::{other}")) {
                complaints.push(format!("{path}: `{own}` must not name `{other}`"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn each_library_is_named_in_its_place() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let dependencies: BTreeSet<String> =
        manifest["dependencies"].as_table().unwrap().keys().cloned().collect();
    let places: BTreeMap<String, BTreeSet<String>> = table("## Libraries and their places")
        .into_iter()
        .flat_map(|row| {
            let places = words(&row[1]);
            words(&row[0]).into_iter().map(move |library| (library, places.clone()))
        })
        .collect();
    assert_eq!(places.keys().cloned().collect::<BTreeSet<_>>(), dependencies, "libraries listed");

    let mut complaints = Vec::new();
    for (path, text) in files(&["src"], "rs") {
        if path.ends_with("/tests.rs") {
            continue;
        }
        let code = code(&text);
        for (library, places) in &places {
            let used = names(&code, &library.replace('-', "_"));
            if used && !places.iter().any(|place| path.starts_with(place.as_str())) {
                complaints.push(format!("{path}: `{library}` has its place in {places:?}"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn files_and_folders_stay_small() {
    let mut complaints = Vec::new();
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (path, text) in files(&["src", "tests", "benches", "fuzz/fuzz_targets"], "rs") {
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            complaints.push(format!("{path}: {lines} lines, at most {FILE_LINES_MAX}"));
        }
        *folders.entry(Path::new(&path).parent().unwrap().to_path_buf()).or_default() += 1;
    }
    for (folder, count) in folders.iter().filter(|(folder, _)| folder.starts_with("src")) {
        if *count > FOLDER_FILES_MAX {
            complaints.push(format!("{folder:?}: {count} files, at most {FOLDER_FILES_MAX}"));
        }
    }
    for (path, text) in files(&["policies"], "rego") {
        let lines = text.lines().count();
        if lines > RULE_LINES_MAX && !path.ends_with("_test.rego") {
            complaints.push(format!("{path}: {lines} lines, at most {RULE_LINES_MAX}"));
        }
    }
    report(&complaints);
}

#[test]
fn every_module_says_what_it_is_for_and_what_it_must_never_do() {
    let mut complaints = Vec::new();
    for (path, text) in files(&["src"], "rs") {
        let name = Path::new(&path).file_stem().unwrap().to_string_lossy().into_owned();
        if !text.starts_with("//!") && name != "tests" {
            complaints.push(format!("{path}: does not begin with what it is for"));
        }
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let top = path.ends_with("/mod.rs") && path.matches('/').count() == 2;
        if top && !head.to_lowercase().contains("never") {
            complaints.push(format!("{path}: does not say what it must never do"));
        }
        if path.split('/').any(|part| JUNK_DRAWERS.contains(&part))
            || JUNK_DRAWERS.contains(&&*name)
        {
            complaints.push(format!("{path}: a name that collects everything"));
        }
    }
    report(&complaints);
}

#[test]
fn every_rule_has_its_test_and_its_two_fixtures() {
    let fixtures: Vec<String> = fs::read_dir(root().join("fixtures/decisions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let mut complaints = Vec::new();
    for (path, text) in files(&["policies/rules"], "rego") {
        if path.ends_with("_test.rego") {
            continue;
        }
        let parts: Vec<&str> = path.split('/').collect();
        let [_, _, area, rule, file] = parts[..] else {
            panic!("{path}: not rules/area/rule/file")
        };
        assert_eq!(file, format!("{rule}.rego"), "{path}: folder, package and file have one name");
        if !text.contains(&format!("package regate.rules.{area}.{rule}")) {
            complaints.push(format!("{path}: its package is not its path"));
        }
        if !root().join(path.replace(".rego", "_test.rego")).exists() {
            complaints.push(format!("{path}: has no test beside it"));
        }
        let own =
            fixtures.iter().filter(|name| name.starts_with(&format!("{area}.{rule}."))).count();
        if own < 2 {
            complaints.push(format!("{path}: lacks a permit and a deny fixture"));
        }
    }
    report(&complaints);
}

/// The keys of a table and of the tables in it, each with what leads to it.
fn keys(path: &str, value: &toml::Value) -> Vec<String> {
    match value.as_table() {
        Some(table) => {
            table.iter().flat_map(|(key, inner)| keys(&format!("{path}.{key}"), inner)).collect()
        }
        None => vec![path.to_owned()],
    }
}

#[test]
fn every_setting_that_bounds_something_is_in_the_limits_table() {
    let listed: BTreeSet<String> = table("## Limits")
        .into_iter()
        .flat_map(|row| words(&row[1]))
        .filter(|setting| setting.contains('.'))
        .collect();
    // The example has every setting; a test of `config` holds that.
    let example: toml::Table =
        fs::read_to_string(root().join("regate.example.toml")).unwrap().parse().unwrap();
    let bounds: BTreeSet<String> = example
        .iter()
        .flat_map(|(module, settings)| keys(module, settings))
        .filter(|setting| setting.contains('.') && setting.ends_with("_max"))
        .collect();
    assert_eq!(listed, bounds);
}

#[test]
fn the_readme_shows_a_rule_as_it_is() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let rule = read("policies/rules/process/spawn/spawn.rego");
    assert!(read("README.md").contains(rule.trim_end()), "README.md shows another process/spawn");
}

#[test]
fn nothing_is_left_for_later() {
    let mut complaints = Vec::new();
    let mut texts = files(&["src", "benches", "fuzz/fuzz_targets"], "rs");
    texts.extend(files(&["policies"], "rego"));
    for (path, text) in texts {
        for (index, line) in text.lines().enumerate() {
            if ["TODO", "FIXME", "XXX", "todo!(", "unimplemented!("]
                .iter()
                .any(|w| line.contains(w))
            {
                complaints.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    report(&complaints);
}
