//! The commands as a person or a script uses them: exit status, text, JSON.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts the program and stops at the first surprise"
)]

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn regate(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_regate")).args(words).current_dir(root("")).output().unwrap()
}

fn with_input(words: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_regate"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn check_says_the_rule_the_place_and_what_to_do_instead() {
    let checked = regate(&["check", "demo/programs/hidden.py"]);
    assert_eq!(checked.status.code(), Some(1));
    let shown = text(&checked.stdout);
    assert!(shown.starts_with("demo/programs/hidden.py: denied (rule)\n"), "{shown}");
    assert!(shown.contains("[process/spawn]"), "{shown}");
    assert!(shown.contains("demo/programs/hidden.py:5:1:"), "{shown}");
    assert!(shown.contains("    instead: "), "{shown}");
}

#[test]
fn check_permits_the_harmless_twin() {
    let checked = regate(&["check", "demo/programs/word.py"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    assert_eq!(text(&checked.stdout), "demo/programs/word.py: permitted\n");
}

#[test]
fn check_reads_standard_input_and_answers_json() {
    let checked = with_input(&["check", "-", "--format", "json"], b"import os\nos.system('id')\n");
    assert_eq!(checked.status.code(), Some(1));
    let reply = json(&checked);
    assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"rule".into()));
    let rules: Vec<&str> =
        reply["findings"].as_array().unwrap().iter().filter_map(|f| f["rule"].as_str()).collect();
    assert!(rules.contains(&"process/spawn"), "{rules:?}");
}

#[test]
fn check_denies_a_tool_that_is_not_served() {
    let checked = regate(&["check", "demo/programs/word.py", "--tool", "delete_everything"]);
    assert_eq!(checked.status.code(), Some(1));
}

#[test]
fn check_of_bytes_that_are_no_text_is_a_denial_not_an_error() {
    assert_eq!(with_input(&["check", "-"], b"x = 1\n\xff\xfe\n").status.code(), Some(1));
    assert_eq!(with_input(&["check", "-"], b"x = 1\n").status.code(), Some(0));
}

#[test]
fn anything_else_is_exit_status_two() {
    for words in [
        &["check", "no/such/file.py"][..],
        &["check"],
        &["facts", "demo/programs/word.py", "--policies", "no/such/folder"],
        &["config", "check", "fixtures/config/unknown_key.toml"],
        &["ledger", "show", "--data", "no/such/folder"],
        &["nonsense"],
        &["key", "new", "--subject", "", "--tenant", "acme"],
    ] {
        let ended = regate(words);
        assert_eq!(ended.status.code(), Some(2), "{words:?}");
        assert!(!ended.stderr.is_empty(), "{words:?} says nothing");
    }
}

#[test]
fn facts_are_one_json_document() {
    let shown = regate(&["facts", "demo/programs/hidden.py"]);
    assert_eq!(shown.status.code(), Some(0));
    let facts = json(&shown);
    assert_eq!(facts["schema"], "regate.facts/1");
    assert_eq!(facts["calls"][0]["names"][0], "os.system");
}

#[test]
fn the_shipped_bundle_is_sound_and_passes_its_tests() {
    let checked = regate(&["policy", "check", "--format", "json"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert_eq!(json(&checked)["digest"].as_str().unwrap().len(), 64);
    let tested = regate(&["policy", "test"]);
    assert_eq!(tested.status.code(), Some(0), "{}", text(&tested.stdout));
}

/// The key goes to the person, its hash to the file.
#[test]
fn a_new_key_is_shown_once_apart_from_the_lines_that_the_settings_take() {
    let made = regate(&["key", "new", "--subject", "agent-7", "--tenant", "acme", "--role", "a"]);
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("regate.toml");
    std::fs::write(&file, &made.stdout).unwrap();
    let checked = regate(&["config", "check", file.to_str().unwrap(), "--format", "json"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert_eq!(json(&checked)["keys"], 1);
    assert!(text(&made.stderr).contains("rgt_") && !text(&made.stdout).contains("rgt_"));
    let other = regate(&["key", "new", "--subject", "agent-7", "--tenant", "acme"]);
    assert_ne!(made.stdout, other.stdout);
}

/// What a reader of a pipe no longer wants is no error; what a full disk did not take is one.
#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    let to = |sink: Stdio| {
        let words = ["policy", "docs"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_regate"));
        command.args(words).stdout(sink).stderr(Stdio::null()).status().unwrap().code()
    };
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(to(writer.into()), Some(0));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(to(full.into()), Some(2));
}

#[test]
fn a_folder_whose_name_is_no_text_is_used_and_shown() {
    let parent = tempfile::TempDir::new().unwrap();
    let folder = parent.path().join(OsStr::from_bytes(b"no-text-\xff"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(root("fixtures/config/key.toml"), folder.join("regate.toml")).unwrap();
    let program = folder.join("program.py");
    std::fs::copy(root("demo/programs/word.py"), &program).unwrap();
    let run = |words: &[&str], file: &Path| {
        Command::new(env!("CARGO_BIN_EXE_regate")).args(words).arg(file).output().unwrap()
    };
    let settings = folder.join("regate.toml");
    let checked = run(&["config", "check", "--format", "json"], &settings);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert!(json(&checked)["data"].as_str().unwrap().contains("no-text-"));
    assert_eq!(run(&["check"], &program).status.code(), Some(0));
}

/// Settings that the gateway would not start with are not called sound.
#[test]
fn config_check_refuses_what_serve_refuses() {
    for (file, said) in [
        ("open_to_all", "regate key new"),
        ("docker_by_tcp", "not a Docker endpoint"),
        ("log_filter", "the log filter"),
    ] {
        let file = format!("fixtures/config/{file}.toml");
        for words in [&["config", "check", &file][..], &["serve", "--config", &file]] {
            let ended = regate(words);
            assert_eq!(ended.status.code(), Some(2), "{words:?}");
            assert!(text(&ended.stderr).contains(said), "{}", text(&ended.stderr));
        }
        let twin = file.replace(".toml", ".twin.toml");
        assert_eq!(regate(&["config", "check", &twin]).status.code(), Some(0), "{twin}");
    }
}

#[test]
fn completions_are_printed_for_the_common_shells() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(text(&regate(&["completions", shell]).stdout).contains("regate"), "{shell}");
    }
}

#[test]
fn a_bundle_without_a_list_of_modules_is_not_described() {
    let described = regate(&["catalogue", "generate", "--policies", "fixtures/bundles/minimal"]);
    assert_eq!(described.status.code(), Some(2));
    assert!(text(&described.stderr).contains("the bundle lacks data/imports.json"));
    assert!(!root("fixtures/bundles/minimal/image").exists());
}
