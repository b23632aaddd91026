//! The commands as a person or a script uses them: exit status, text, JSON.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts the program and stops at the first surprise"
)]

mod bundle;

use regate::policy::BundleFile;
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

/// What the folders below `fixtures/show` look like, for a person.
#[test]
fn findings_and_facts_are_shown_under_the_lines_of_the_source() {
    for folder in ["signs", "widths", "places"] {
        let path = format!("fixtures/show/{folder}");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(root(&path));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let _bound = settings.bind_to_scope();
        let checked = regate(&["check", &path]);
        assert_eq!(checked.status.code(), Some(1));
        let read = regate(&["facts", "--format", "text", &path]);
        assert_eq!(read.status.code(), Some(0));
        for (name, shown) in [("check", text(&checked.stdout)), ("facts", text(&read.stdout))] {
            let obeyed = |it: char| it.is_control() && it != '\n';
            assert!(!shown.contains(obeyed), "{folder}: {shown:?}");
            insta::assert_snapshot!(name, shown);
        }
    }
}

#[test]
fn the_readme_shows_what_check_shows() {
    let checked = regate(&["check", "demo/programs/hidden.py"]);
    let readme = std::fs::read_to_string(root("README.md")).unwrap();
    assert!(readme.contains(text(&checked.stdout)), "{}", text(&checked.stdout));
}

#[test]
fn check_permits_the_harmless_twin() {
    let checked = regate(&["check", "demo/programs/word.py"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    assert_eq!(text(&checked.stdout), "demo/programs/word.py: permitted\n");
}

/// The decision of the worst file, whatever the order, and the others all the same.
#[test]
fn the_exit_status_is_that_of_the_worst_file() {
    let (good, bad, none) = ("demo/programs/word.py", "demo/programs/hidden.py", "no/such.py");
    for (files, status, summary) in [
        (vec![good, good], 0, ""),
        (vec![good, bad], 1, "2 files: 1 permitted, 1 denied; coverage complete in 2\n"),
        (vec![none, bad, good], 2, "1 permitted, 1 denied, 1 not read; coverage complete in 2\n"),
        (vec!["demo", "-"], 1, "5 files: 3 permitted, 2 denied; coverage complete in 5\n"),
        (vec!["fixtures/config"], 2, "no .py file"),
    ] {
        let checked = regate(&[&["check"], &*files].concat());
        assert_eq!(checked.status.code(), Some(status), "{files:?}");
        let said = [text(&checked.stdout), text(&checked.stderr)].concat();
        assert!(said.contains(summary), "{files:?}: {said}");
    }
}

/// The shipped bundle and a rule of a team's own, which holds.
#[test]
fn a_held_call_has_a_status_and_a_look_of_its_own() {
    let folder = tempfile::TempDir::new().unwrap();
    let rule = BundleFile {
        path: "rules/people/ask/ask.rego".to_owned(),
        text: std::fs::read_to_string(root("fixtures/show/holding/ask.rego")).unwrap(),
    };
    for file in bundle::shipped().into_iter().chain([rule]) {
        let path = folder.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    let program = ["check", "demo/programs/word.py", "--policies", folder.path().to_str().unwrap()];
    let held = regate(&program);
    assert_eq!(held.status.code(), Some(3), "{}", text(&held.stderr));
    let shown = text(&held.stdout);
    assert!(shown.starts_with("warning[people/ask]: a person has to look at this\n"), "{shown}");
    assert!(shown.ends_with("demo/programs/word.py: held, 1 finding: 1 medium\n"), "{shown}");
    let both = regate(&[&program[..], &["demo/programs/hidden.py"]].concat());
    assert_eq!(both.status.code(), Some(1));
    assert!(text(&both.stdout).ends_with("2 files: 1 held, 1 denied; coverage complete in 2\n"));
}

#[test]
fn json_is_one_line_a_file_and_says_what_could_not_be_read() {
    let files = ["demo/programs/word.py", "no/such.py", "demo/programs/hidden.py"];
    for command in ["check", "facts"] {
        let ended = regate(&[&[command, "--format", "json"], &files[..]].concat());
        assert_eq!(ended.status.code(), Some(2));
        let told: Vec<Value> =
            text(&ended.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let named: Vec<&str> = told.iter().map(|file| file["file"].as_str().unwrap()).collect();
        assert_eq!(named, files, "{command}");
        assert!(told[1]["error"].is_string() && told[0]["error"].is_null(), "{command}");
    }
}

#[test]
fn a_line_a_finding_for_editors_and_for_workflows() {
    let shown = |format: &str| {
        let checked = regate(&["check", "--format", format, "demo/programs"]);
        assert_eq!(checked.status.code(), Some(1));
        text(&checked.stdout).to_owned()
    };
    let concise = shown("concise");
    assert_eq!(concise.lines().count(), 4, "{concise}");
    let line = "demo/programs/hidden.py:5:1: critical [process/spawn] `os.system` starts a process";
    assert!(concise.contains(line), "{concise}");
    let github = shown("github");
    assert_eq!(github.lines().count(), 4, "{github}");
    let place = "::error file=demo/programs/hidden.py,line=5,endLine=5,col=1,endColumn=10,";
    assert!(github.contains(place), "{github}");
}

#[test]
fn findings_of_a_file_are_bounded_and_what_is_left_out_is_counted() {
    let shown = |words: &[&str]| {
        let checked = regate(&[&["check", "fixtures/show/places/many.py"], words].concat());
        text(&checked.stdout).to_owned()
    };
    assert!(shown(&[]).contains("… and 7 more; --max-findings 0 shows all"));
    let few = shown(&["--max-findings", "1"]);
    assert!(few.contains("… and 26 more") && !few.contains("process/spawn"), "{few}");
    let all = shown(&["--max-findings", "0"]);
    assert!(!all.contains("more;") && all.contains("os.system(\"23\")"), "{all}");
}

/// A megabyte on one line, with findings far within it: each is shown, and little else.
#[test]
fn a_line_of_a_megabyte_is_shown_around_its_findings() {
    let filler = "a".repeat(1 << 18);
    let program = format!("import os; x = '{filler}'; os.system('id'); y = '{filler}'\n");
    let checked = with_input(&["check", "-"], program.as_bytes());
    let shown = text(&checked.stdout);
    assert!(shown.contains("<stdin>:1:262164\n"), "{shown}");
    assert!(shown.contains("; os.system('id'); y"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 110), "{shown}");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let coloured = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regate"));
        command.args(["check", "demo/programs/hidden.py"]).args(words).current_dir(root(""));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let ended = command.envs(variables.iter().copied()).output().unwrap();
        text(&ended.stdout).contains('\x1b')
    };
    let force = ("CLICOLOR_FORCE", "1");
    assert!(!coloured(&[], &[]));
    assert!(coloured(&[], &[force]));
    assert!(!coloured(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[], &[force, ("NO_COLOR", "1")]));
    assert!(coloured(&[], &[force, ("NO_COLOR", "")]));
    assert!(coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["--color", "never"], &[force]));
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
        ("docker_by_tcp", "without TLS"),
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
