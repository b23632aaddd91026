//! What the interpreter's audit events mean: `fixtures/reality/events.json`.

use serde::Deserialize;
use std::collections::BTreeMap;

const TABLE: &str = include_str!("../../fixtures/reality/events.json");
/// Where the image's Python and its packages lie.
const INSTALLED: [&str; 2] = ["/usr/lib/python3", "/usr/local/lib/python3"];
/// Opened to write, opened to read and write, made where it is not there.
const WRITING_FLAGS: u64 = 0o1 | 0o2 | 0o100;

/// What kind of thing an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Process,
    Network,
    Read,
    Write,
    Dynamic,
    Introspection,
    Module,
    Native,
    Environment,
    Nothing,
}

/// One thing that a program was seen to do.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Event {
    pub(crate) event: String,
    pub(crate) arguments: Vec<String>,
    /// Where the files lie that are named, links followed.
    pub(crate) places: Vec<String>,
    /// The files of the libraries between the event and the program, innermost first.
    pub(crate) chain: Vec<String>,
    /// The line of the program.
    pub(crate) line: u32,
}

/// The table.
#[derive(Debug, Deserialize)]
pub(crate) struct Table {
    /// Each event, with the positions of the arguments that are paths.
    kinds: BTreeMap<Kind, BTreeMap<String, Vec<usize>>>,
    /// The libraries that the environment is read through on the program's behalf.
    environment: Vec<String>,
    /// What libraries do by themselves.
    own: Vec<Own>,
}

/// Events that are a library's own doing.
#[derive(Debug, Deserialize)]
struct Own {
    events: Vec<String>,
    /// The end of the path of the library file that does it.
    file: Option<String>,
    /// The end of the path of a library file that has it done.
    through: Option<String>,
    /// The first argument, or how it begins.
    argument: Option<String>,
    argument_start: Option<String>,
    /// The beginning of the place.
    path: Option<String>,
}

impl Own {
    fn covers(&self, event: &Event) -> bool {
        let done_by = event.chain.first();
        let file = |end: &String| done_by.is_some_and(|file| file.ends_with(end));
        let through = |end: &String| event.chain.iter().any(|file| file.ends_with(end));
        self.events.contains(&event.event)
            && self.file.as_ref().is_none_or(file)
            && self.through.as_ref().is_none_or(through)
            && self.argument.as_ref().is_none_or(|all| event.arguments.first() == Some(all))
            && self.argument_start.as_ref().is_none_or(|start| {
                event
                    .arguments
                    .first()
                    .is_some_and(|argument| argument.to_ascii_lowercase().starts_with(start))
            })
            && self.path.as_ref().is_none_or(|start| {
                event.places.first().is_some_and(|place| place.starts_with(start))
            })
    }
}

impl Table {
    pub(crate) fn read() -> Self {
        serde_json::from_str(TABLE).unwrap()
    }

    /// For each event that names files, the positions of the arguments that do.
    pub(crate) fn paths(&self) -> BTreeMap<&str, &[usize]> {
        let events = self.kinds.values().flatten();
        let naming = events.filter(|(_, positions)| !positions.is_empty());
        naming.map(|(event, positions)| (event.as_str(), positions.as_slice())).collect()
    }

    /// The events that no import of an installed module has reason to cause.
    pub(crate) fn never_of_an_import(&self) -> Vec<&str> {
        let kinds = [Kind::Process, Kind::Network];
        kinds.iter().flat_map(|kind| self.kinds[kind].keys()).map(String::as_str).collect()
    }

    /// What the program did with an event; `Nothing` where it is no doing of the program's.
    /// Fails on an event that is not in the table.
    pub(crate) fn doing(&self, event: &Event) -> Kind {
        let listed = self.kinds.iter().find(|(_, events)| events.contains_key(&event.event));
        let Some((kind, _)) = listed else { panic!("the table lacks the event {event:?}") };
        if self.own.iter().any(|own| own.covers(event)) || !self.counts(*kind, event) {
            return Kind::Nothing;
        }
        if event.event == "open" && writes(event) { Kind::Write } else { *kind }
    }

    /// Whether an event of a kind is the program's, not that of the libraries it came through.
    fn counts(&self, kind: Kind, event: &Event) -> bool {
        let direct = event.chain.is_empty();
        match kind {
            Kind::Introspection | Kind::Module => direct,
            Kind::Environment => {
                let on_behalf =
                    |file: &String| self.environment.iter().any(|end| file.ends_with(end));
                event.chain.iter().all(on_behalf)
            }
            Kind::Read | Kind::Write => {
                let installed = |place: &String| INSTALLED.iter().any(|at| place.starts_with(at));
                let open_already = event.places.iter().all(String::is_empty);
                event.places.is_empty()
                    || !open_already && (direct || !event.places.iter().all(installed))
            }
            Kind::Process | Kind::Network | Kind::Dynamic | Kind::Native => true,
            Kind::Nothing => false,
        }
    }
}

fn writes(event: &Event) -> bool {
    let flags = event.arguments.get(2).and_then(|flags| flags.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & WRITING_FLAGS != 0)
}
