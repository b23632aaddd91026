//! Sources that are made of tokens, with blocks and brackets that close: they get past the parser
//! and reach the values and the telling.

#![no_main]

#[path = "../reading.rs"]
mod reading;

use arbitrary::{Arbitrary, Unstructured};
use std::fmt::Write;

/// Tokens that one source is made of.
const TOKENS_MAX: usize = 400;
/// Levels of indentation and of brackets; the cap of the reading itself is above.
const LEVELS_MAX: usize = 24;

const NAMES: [&str; 24] = [
    "a", "b", "f", "g", "os", "sys", "open", "eval", "exec", "getattr", "print", "type", "match",
    "_x", "__class__", "self", "Path", "path", "system", "pd", "format", "super", "é", "ﬁ",
];

const TEXTS: [&str; 14] = [
    "'a'", "\"/etc/passwd\"", "b'\\x00'", "r'\\d'", "'''x\ny'''", "'{0.a[b]}'", "'os.system'",
    "'import os'", "'\\N{BULLET}\\u0041'", "''", "'a' 'b'", "'../x'", "rb'x'", "'a > @b'",
];

const OPERATORS: [&str; 20] = [
    " + ", " / ", " % ", " ** ", " or ", " and ", " if a else ", " < ", " is not ", " in ", ".",
    " | ", " @ ", ", ", " := ", " = ", ": ", " not in ", " += ", " -> ",
];

#[derive(Debug, Arbitrary)]
enum Token {
    Name(u8),
    Text(u8),
    Number(u16),
    Operator(u8),
    Call,
    Subscript,
    Open(u8),
    Close,
    Format,
    Unary(u8),
    Line,
    Dedent(u8),
    Simple(u8),
    Compound(u8),
    Import(u8, u8, u8),
    Comprehension,
    Continuation,
    Comment,
}

/// The text so far, the brackets that are open and the level of indentation.
#[derive(Default)]
struct Text {
    text: String,
    closers: Vec<&'static str>,
    level: usize,
}

fn pick<'word>(words: &[&'word str], index: u8) -> &'word str {
    words[usize::from(index) % words.len()]
}

impl Text {
    fn take(&mut self, token: &Token) {
        match token {
            Token::Name(index) => self.push(pick(&NAMES, *index)),
            Token::Text(index) => self.push(pick(&TEXTS, *index)),
            Token::Number(number) => write!(self.text, "{number}").expect("a string takes text"),
            Token::Operator(index) => self.push(pick(&OPERATORS, *index)),
            Token::Call => self.open("(", ")"),
            Token::Subscript => self.open("[", "]"),
            Token::Open(0..86) => self.open("(", ")"),
            Token::Open(86..172) => self.open("[", "]"),
            Token::Open(_) => self.open("{", "}"),
            Token::Close => self.close(),
            Token::Format => self.open("f\"{", "}\""),
            Token::Unary(index) => {
                self.push(pick(&["-", "not ", "*", "**", "await ", "lambda a: ", "yield "], *index));
            }
            Token::Line => self.line(),
            Token::Dedent(levels) => {
                self.level = self.level.saturating_sub(usize::from(*levels % 4));
                self.line();
            }
            Token::Simple(index) => {
                self.line();
                let words = [
                    "return ", "del ", "raise ", "global ", "nonlocal ", "assert ", "pass",
                    "break", "type a = ", "print ", "exec ", "@",
                ];
                self.push(pick(&words, *index));
            }
            Token::Compound(index) => self.compound(*index),
            Token::Import(form, module, name) => self.import(*form, *module, *name),
            Token::Comprehension => self.push(" for a in "),
            Token::Continuation => self.push(" \\\n"),
            Token::Comment => self.push("  # nosec\n"),
        }
    }

    fn push(&mut self, word: &str) {
        self.text.push_str(word);
    }

    fn open(&mut self, opener: &str, closer: &'static str) {
        if self.closers.len() < LEVELS_MAX {
            self.push(opener);
            self.closers.push(closer);
        }
    }

    fn close(&mut self) {
        if let Some(closer) = self.closers.pop() {
            self.push(closer);
        }
    }

    fn line(&mut self) {
        while !self.closers.is_empty() {
            self.close();
        }
        self.push("\n");
        self.push(&" ".repeat(self.level));
    }

    fn compound(&mut self, index: u8) {
        let heads = [
            "def f(a, *b, c=os, **d):", "class A(B):", "if a:", "elif b:", "else:",
            "for a in b:", "while a:", "try:", "except E as e:", "finally:", "with a as b:",
            "match a:", "case {'k': [a, *b]}:", "case A(b=c) | d if e:", "async def g(self):",
            "async for a in b:", "def f[T](a: 'os' = 1, /) -> b:", "except* E:",
        ];
        self.line();
        self.push(pick(&heads, index));
        if self.level < LEVELS_MAX {
            self.level += 1;
        }
        self.line();
    }

    fn import(&mut self, form: u8, module: u8, name: u8) {
        let (module, name) = (pick(&NAMES, module), pick(&NAMES, name));
        let text = match form % 5 {
            0 => format!("import {module}"),
            1 => format!("import {module}.{name} as {name}"),
            2 => format!("from {module} import {name} as {module}"),
            3 => format!("from . import {name}"),
            _ => format!("from {module} import *"),
        };
        self.line();
        self.push(&text);
        self.line();
    }
}

fn source(bytes: &[u8]) -> arbitrary::Result<String> {
    let mut input = Unstructured::new(bytes);
    let mut text = Text::default();
    for _ in 0..TOKENS_MAX {
        if input.is_empty() {
            break;
        }
        text.take(&Token::arbitrary(&mut input)?);
    }
    text.line();
    Ok(text.text)
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = source(bytes) {
        reading::sound(text.as_bytes());
    }
});
