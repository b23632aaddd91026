//! What the second parser may recurse on fits into the stack of a thread.

use super::{Marks, nesting, version};
use crate::facts::Runtime;
use ruff_python_ast::{Mod, PythonVersion};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

/// A quarter of what the threads of Regate have.
const STACK_BYTES: usize = 512 << 10;

/// Expressions within expressions, each as often as asked.
fn nested(times: usize) -> Vec<String> {
    let around =
        |open: &str, close: &str| format!("x = {}1{}", open.repeat(times), close.repeat(times));
    vec![
        around("(", ")"),
        around("[", "]"),
        around("{1: ", "}"),
        around("f(", ")"),
        around("a[", "]"),
        around("not ", ""),
        around("-", ""),
        around("await ", ""),
        around("lambda: ", ""),
        around("lambda a, b: ", ""),
        around("1 if 2 else ", ""),
        around("(yield ", ")"),
        around("[x for x in ", "]"),
        around("2 ** ", ""),
        around("", " + 1"),
        around("", ".a"),
        around("", "()"),
        around("", "[0]"),
        around("", " and 1"),
        around("", " if 2 else 3"),
        around("f'{", "}'"),
        around("*", ""),
    ]
}

fn within_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    thread.unwrap().join().unwrap();
}

#[test]
fn what_is_allowed_fits_into_a_small_stack() {
    within_a_small_stack(|| {
        let mut read = 0;
        for times in [60, 99, 140, 200, 290] {
            for text in nested(times) {
                if !nesting::is_bounded(&text) {
                    continue;
                }
                let parsed = parse_unchecked(&text, ParseOptions::from(Mode::Module));
                let Mod::Module(module) = parsed.syntax() else { panic!("no module") };
                Marks::of(module, &text, PythonVersion::PY311);
                read += 1;
            }
        }
        assert!(read > 50, "{read} sources were parsed");
    });
}

#[test]
fn what_is_nested_without_end_is_not_parsed() {
    for text in nested(5_000) {
        assert!(!nesting::is_bounded(&text), "{}", text.get(..40).unwrap_or_default());
    }
}

#[test]
fn what_is_long_and_flat_is_parsed() {
    for text in [
        format!("x = [{}]", "(-1, 'a', {1: b.c(2)}), ".repeat(5_000)),
        "x = not -y.a(b)[0]\n".repeat(5_000),
        "x = 1; ".repeat(5_000),
        format!("if x:\n pass\n{}", "elif y.z:\n pass\n".repeat(5_000)),
        format!("x = ({})", "'a' ".repeat(5_000)),
    ] {
        assert!(nesting::is_bounded(&text), "{}", text.get(..40).unwrap_or_default());
    }
}

#[test]
fn a_runtime_that_is_not_known_has_no_version() {
    let asked =
        |name: &str, text: &str| version(&Runtime { name: name.into(), version: text.into() });
    assert_eq!(asked("cpython", "3.11"), Some(PythonVersion::PY311));
    assert_eq!(asked("cpython", "3.12.4"), Some(PythonVersion::PY312));
    for unknown in ["", "3", "3.", "2.7", "3.99", "4.0", "3.11.x", "3.11.1.1", "latest"] {
        assert_eq!(asked("cpython", unknown), None, "{unknown}");
    }
    assert_eq!(asked("pypy", "3.11"), None);
}
