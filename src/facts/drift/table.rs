//! What the interpreter's audit events mean, and which of them are a library's own doing.
//!
//! Must never excuse an event by a name alone that the program chose.

use super::event::{Event, Kind};
use crate::call::Text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Where the image's Python and its packages lie.
const INSTALLED: [&str; 2] = ["/usr/lib/python3", "/usr/local/lib/python3"];
/// Opened to write, opened to read and write, made where it is not there.
const WRITING_FLAGS: u64 = 0o1 | 0o2 | 0o100;

/// An argument that is shorter was not cut by the observer.
const ARGUMENT_BYTES_WHOLE: usize = 200;

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The events, by name.
    pub events: BTreeMap<Text, Listed>,
    /// The libraries, by the ends of their paths, that the environment is read through on the
    /// program's behalf.
    pub environment: Vec<Text>,
    /// What libraries do by themselves.
    pub own: Vec<Own>,
}

/// What an event is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// `None` where it is nobody's doing.
    pub kind: Option<Kind>,
    /// The positions of the arguments that are paths.
    pub paths: Vec<usize>,
}

/// Events that are a library's own doing. What is `None` may be anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// Their names.
    pub events: Vec<Text>,
    /// The end of the path of the library file that does it.
    pub file: Option<Text>,
    /// The end of the path of a library file that has it done.
    pub through: Option<Text>,
    /// The first argument.
    pub argument: Option<Text>,
    /// How the first argument begins, in small letters.
    pub argument_start: Option<Text>,
    /// The beginning of the place.
    pub path: Option<Text>,
    /// Whether the first argument is made of names, dots, commas, bars, quotes and brackets that
    /// call nothing.
    pub names_only: bool,
}

impl Own {
    fn covers(&self, event: &Event) -> bool {
        let is = |wanted: &Option<Text>, told: Option<&Text>, fits: fn(&str, &str) -> bool| {
            wanted.as_ref().is_none_or(|wanted| told.is_some_and(|told| fits(told, wanted)))
        };
        let argument = event.arguments.first();
        let through = |end: &Text| event.chain.iter().any(|file| file.ends_with(&**end));
        self.events.contains(&event.name)
            && is(&self.file, event.chain.first(), |told, end| told.ends_with(end))
            && self.through.as_ref().is_none_or(through)
            && is(&self.argument, argument, |told, wanted| told == wanted)
            && is(&self.argument_start, argument, starts_with_ignoring_case)
            && (!self.names_only || argument.is_some_and(|text| is_names_only(text)))
            && is(&self.path, event.places.first(), |told, start| told.starts_with(start))
    }
}

fn is_names_only(text: &str) -> bool {
    text.len() < ARGUMENT_BYTES_WHOLE
        && text.chars().all(|one| one.is_alphanumeric() || "_.,|[] '\"".contains(one))
}

fn starts_with_ignoring_case(told: &str, start: &str) -> bool {
    told.get(..start.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(start))
}

impl Table {
    /// What the program did with an event; `None` where it is no doing of the program's.
    pub fn doing(&self, event: &Event) -> Option<Kind> {
        let Some(listed) = self.events.get(&event.name) else { return Some(Kind::Unlisted) };
        let kind = listed.kind?;
        if self.own.iter().any(|own| own.covers(event)) || !self.counts(kind, event) {
            return None;
        }
        Some(if &*event.name == "open" && writes(event) { Kind::Write } else { kind })
    }

    /// What the observer in the sandbox is told: a line for each event, with its name, a letter
    /// for when it is not to be told of, and the positions of its paths.
    pub fn watch(&self) -> String {
        let mut lines = String::new();
        for (name, Listed { kind, paths }) in &self.events {
            // Writing to a text does not fail.
            let _ = write!(lines, "{name} {}", told_when(*kind));
            for path in paths {
                let _ = write!(lines, " {path}");
            }
            lines.push('\n');
        }
        lines
    }

    /// Whether an event of a kind is the program's, not that of the libraries it came through.
    fn counts(&self, kind: Kind, event: &Event) -> bool {
        let direct = event.chain.is_empty();
        match kind {
            Kind::Introspection | Kind::Module => direct,
            Kind::Environment => {
                let on_behalf =
                    |file: &Text| self.environment.iter().any(|end| file.ends_with(&**end));
                event.chain.iter().all(on_behalf)
            }
            Kind::Read | Kind::Write => {
                let installed = |place: &Text| INSTALLED.iter().any(|at| place.starts_with(at));
                let open_already = event.places.iter().all(|place| place.is_empty());
                event.places.is_empty()
                    || !open_already && (direct || !event.places.iter().all(installed))
            }
            Kind::Process | Kind::Network | Kind::Dynamic | Kind::Native | Kind::Unlisted => true,
        }
    }
}

/// `n`: never. `d`: only where the program itself does it, no library. `a`: even where the import
/// of a library does it, which has no reason to. `p`: where it is not an import's doing.
fn told_when(kind: Option<Kind>) -> char {
    match kind {
        None => 'n',
        Some(Kind::Introspection | Kind::Module) => 'd',
        Some(Kind::Process | Kind::Network) => 'a',
        Some(
            Kind::Read
            | Kind::Write
            | Kind::Dynamic
            | Kind::Native
            | Kind::Environment
            | Kind::Unlisted,
        ) => 'p',
    }
}

fn writes(event: &Event) -> bool {
    let flags = event.arguments.get(2).and_then(|flags| flags.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & WRITING_FLAGS != 0)
}
