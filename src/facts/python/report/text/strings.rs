//! String constants, and what they look like.

use crate::facts::python::program::{Kind, Op, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::Atom;
use crate::facts::{Level, Shape, StringFact, StringRole};

/// How secrets begin that name their kind.
const SECRETS: [&str; 12] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xoxb-",
    "xoxp-",
    "AIza",
    "eyJhbGciOi",
];

/// Bytes of the shortest secret.
const SECRET_BYTES_MIN: usize = 16;

/// The words that statements of SQL begin with, and one that follows in each.
const STATEMENTS: [(&str, &str); 9] = [
    ("SELECT", "FROM"),
    ("WITH", "SELECT"),
    ("INSERT", "INTO"),
    ("UPDATE", "SET"),
    ("DELETE", "FROM"),
    ("CREATE", "TABLE"),
    ("DROP", "TABLE"),
    ("ALTER", "TABLE"),
    ("ATTACH", "AS"),
];

/// Calls that no prose and no data has.
const CODE: [&str; 4] = ["__import__(", "exec(", "eval(", "compile("];

impl Teller<'_, '_> {
    pub(in super::super) fn tell_string(&mut self, atom: Atom, op: &Op, role: StringRole) {
        let (Atom::Text(text) | Atom::Bytes(text)) = atom else {
            return;
        };
        let value = self.value_of(atom, Level::Literal);
        let shape = match role {
            StringRole::Code => shape(self.values.program.symbols.text(text)),
            StringRole::Docstring | StringRole::Comment => None,
        };
        let span = self.span(op);
        self.draft.string(StringFact { role, shape, value, span });
        if let (Atom::Text(text), StringRole::Code) = (atom, role) {
            self.told_texts.insert(text);
            self.tell_text_of_note(text, op);
        }
    }

    /// A text that is the name of a setting or of a member, whatever it is used for.
    fn tell_text_of_note(&mut self, text: Sym, op: &Op) {
        let text = self.word(text);
        self.tell_setting(&text, op);
        self.tell_unwritten_member(&text, op);
    }

    /// Texts that a step makes name as much as texts that are written.
    pub(in super::super) fn tell_made_texts(&mut self, at: Val, op: &Op) {
        if matches!(op.kind, Kind::Constant(_) | Kind::Docstring(_)) {
            return;
        }
        for text in self.values.of(at).iter().filter_map(Atom::text) {
            if self.told_texts.insert(text) {
                self.tell_text_of_note(text, op);
            }
        }
    }
}

/// What a text looks like, by its beginning.
fn shape(text: &str) -> Option<Shape> {
    if text.len() < 3 {
        return (text == "/" || text == "~").then_some(Shape::Path);
    }
    let spaced = text.bytes().any(|byte| byte.is_ascii_whitespace());
    if !spaced && is_url(text) {
        return Some(Shape::Url);
    }
    if is_secret(text) {
        return Some(Shape::SecretLike);
    }
    if spaced && is_statement(text) {
        return Some(Shape::Sql);
    }
    if is_code(text) {
        return Some(Shape::Code);
    }
    (!spaced && is_path(text)).then_some(Shape::Path)
}

fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && !rest.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

fn is_secret(text: &str) -> bool {
    let begins = SECRETS.iter().any(|start| text.starts_with(start));
    let token = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (begins && token && text.len() >= SECRET_BYTES_MIN)
        || (text.starts_with("-----BEGIN ") && text.contains("PRIVATE KEY"))
}

fn is_statement(text: &str) -> bool {
    STATEMENTS.iter().any(|(first, then)| {
        let mut words = text.split_whitespace();
        words.next().is_some_and(|word| word.eq_ignore_ascii_case(first))
            && words.any(|word| word.eq_ignore_ascii_case(then))
    })
}

/// Whether a text is Python, by its first line or by what it calls.
fn is_code(text: &str) -> bool {
    let mut words = text.lines().next().unwrap_or_default().split_whitespace();
    let (first, second, third) = (words.next(), words.next(), words.next());
    let name = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._,;".contains(&byte))
    };
    let begins = match first {
        Some("import") => second.is_some_and(name),
        Some("from") => third == Some("import"),
        Some("def" | "class") => text.lines().next().is_some_and(|line| line.contains(':')),
        _ => false,
    };
    begins || CODE.iter().any(|call| text.contains(call))
}

fn is_path(text: &str) -> bool {
    let rooted = ["/", "~/", "./", "../"].iter().any(|start| text.starts_with(start));
    let extension = text.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (2..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_lowercase())
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./*".contains(&byte))
    });
    rooted || extension
}
