//! Python that was changed token by token: what is read whole is what CPython reads.
//!
//! The changes come from a fixed seed, so that every run reads the same sources.

use crate::compare::{Verdict, compare};
use crate::interpreter::Interpreter;
use crate::{LIMITS, ROOT, catalogue};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use regate::call::{Language, Source};
use regate::facts::extract;
use serde::Deserialize;
use std::path::Path;

/// Changed sources that are read; `MUTATIONS` asks for another number.
const SOURCES: usize = 4_000;

/// What is put between tokens.
const INSERTED: [&str; 48] = [
    "(", ")", "[", "]", "{", "}", "'", "\"", "'''", "\"\"\"", "\\", "\\\n", "\n", "\r\n", "\t",
    "\u{c}", "\u{b}", "\u{a0}", "\u{2028}", "\u{fb01}", "#", ";", ":", ":=", ",", "*", "**", "@",
    ".", "...", "->", "=", "f'{", "}'", "rf\"", "b'", "type ", "match ", "case ", "lambda: ",
    "await ", "yield ", "async ", "not ", "if ", " else ", "print ", "exec ",
];

#[derive(Deserialize)]
struct Entry {
    code: String,
}

#[derive(Debug, Clone)]
enum Edit {
    Swap(Index, Index),
    Delete(Index),
    Repeat(Index, Index),
    Insert(Index, &'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        (index(), index()).prop_map(|(one, other)| Edit::Swap(one, other)),
        index().prop_map(Edit::Delete),
        (index(), index()).prop_map(|(from, to)| Edit::Repeat(from, to)),
        (index(), prop::sample::select(&INSERTED[..]))
            .prop_map(|(at, text)| Edit::Insert(at, text)),
    ]
}

/// Words, runs of blanks, and every other character by itself.
fn tokens(source: &str) -> Vec<String> {
    let class = |letter: char| match letter {
        letter if letter.is_alphanumeric() || letter == '_' => 1,
        ' ' => 2,
        _ => 0,
    };
    let letters: Vec<char> = source.chars().collect();
    letters
        .chunk_by(|one, other| class(*one) != 0 && class(*one) == class(*other))
        .map(|token| token.iter().collect())
        .collect()
}

fn apply(tokens: &mut Vec<String>, edit: Edit) {
    if tokens.is_empty() {
        return;
    }
    let length = tokens.len();
    match edit {
        Edit::Swap(one, other) => tokens.swap(one.index(length), other.index(length)),
        Edit::Delete(at) => {
            tokens.remove(at.index(length));
        }
        Edit::Repeat(from, to) => {
            let token = from.get(tokens.as_slice()).clone();
            tokens.insert(to.index(length), token);
        }
        Edit::Insert(at, text) => tokens.insert(at.index(length), text.to_owned()),
    }
}

fn snippets() -> Vec<String> {
    let corpus = Path::new(ROOT).join("fixtures/corpus/python.jsonl");
    let corpus = std::fs::read_to_string(corpus).unwrap();
    let code = |line| serde_json::from_str::<Entry>(line).unwrap().code;
    let fixtures = crate::files(&Path::new(ROOT).join("fixtures/code/python"));
    let fixtures = fixtures.into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    corpus.lines().map(code).chain(fixtures).collect()
}

fn mutated() -> impl Strategy<Value = String> {
    let edits = prop::collection::vec(edit(), 1..4);
    (prop::sample::select(snippets()), edits).prop_map(|(source, edits)| {
        let mut tokens = tokens(&source);
        for edit in edits {
            apply(&mut tokens, edit);
        }
        tokens.concat()
    })
}

#[test]
fn changed_python_is_read_as_the_interpreter_reads_it_or_there_is_a_gap() {
    let number = std::env::var("MUTATIONS").map_or(SOURCES, |number| number.parse().unwrap());
    let mut interpreter = Interpreter::start();
    let catalogue = catalogue(&interpreter.version);
    let (mut runner, sources) = (TestRunner::deterministic(), mutated());
    let (mut agreed, mut told, mut refused, mut lenient) = (0, 0, 0, 0);
    let mut differ = Vec::new();
    for _ in 0..number {
        let source = sources.new_tree(&mut runner).unwrap().current();
        let facts = extract(&Source::new(Language::Python, source.as_bytes()), &catalogue, &LIMITS);
        match compare(&interpreter.read_text(&source), &facts) {
            Verdict::Agreed => agreed += 1,
            Verdict::Told(_) => told += 1,
            Verdict::Refused => refused += 1,
            Verdict::Lenient => lenient += 1,
            Verdict::Differs(how) => differ.push(format!("{how}\n{source}\n")),
        }
    }
    interpreter.stop();
    println!("{agreed} agree, {told} say that they were not read whole");
    println!("CPython refuses {refused} with a gap, {lenient} without one");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(lenient * 1_000 < number, "{lenient} of {number} are read whole and do not compile");
    assert!(agreed * 10 > number, "{agreed} of {number} were compared");
}
