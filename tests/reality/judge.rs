//! Holds what programs did against what was said of them.

use crate::sandbox::{self, Seen};
use crate::{bundle, calls};
use regate::call::{Language, Source, Tool};
use regate::facts::drift::{Event, Foretold, Kind, Table};
use regate::facts::{Facts, Limits, extract};
use regate::policy::{Code, Policy, Ruling, Settings};
use std::collections::BTreeSet;

/// Judges programs by the shipped policy.
pub(crate) struct Judge {
    policy: Policy,
}

/// What came out for one program.
pub(crate) struct Judged {
    pub(crate) name: String,
    pub(crate) code: String,
    /// Whether the facts claim to tell the whole story.
    pub(crate) complete: bool,
    pub(crate) permitted: bool,
    /// Why not, where it is not permitted.
    pub(crate) refusal: String,
    /// Whether it ran to its end.
    pub(crate) ended_well: bool,
    /// The last line that it wrote to stderr.
    pub(crate) complaint: String,
    /// How many events count.
    pub(crate) events: usize,
    /// What kinds of thing it did.
    pub(crate) kinds: BTreeSet<Kind>,
    /// Events that complete facts do not tell.
    pub(crate) unforetold: Vec<String>,
    /// What it did although policy permits it.
    pub(crate) harm: Vec<String>,
}

impl Judge {
    pub(crate) fn new() -> Self {
        let settings = Settings { evaluation_ms_max: 30_000, ..Settings::default() };
        let policy = Policy::load(&bundle::shipped(), &settings).unwrap();
        Self { policy }
    }

    /// Judges programs, each with its name.
    pub(crate) async fn judge(&self, programs: Vec<(String, String)>) -> Vec<Judged> {
        let codes: Vec<String> = programs.iter().map(|(_, code)| code.clone()).collect();
        let seen = sandbox::observe(self.table(), &codes).await;
        programs.into_iter().zip(seen).map(|(program, seen)| self.one(program, seen)).collect()
    }

    fn table(&self) -> &Table {
        self.policy.events().unwrap()
    }

    /// Whether the facts of a program claim to tell the whole story.
    pub(crate) fn understands(&self, code: &str) -> bool {
        self.facts(&Source::new(Language::Python, code.as_bytes())).complete()
    }

    fn facts(&self, source: &Source) -> Facts {
        extract(source, self.policy.catalogue(), &Limits::default())
    }

    fn one(&self, (name, code): (String, String), seen: Seen) -> Judged {
        let source = Source::new(Language::Python, code.as_bytes());
        let facts = self.facts(&source);
        let doing = |event| Some((self.table().doing(event)?, event));
        let done: Vec<(Kind, &Event)> = seen.events.iter().filter_map(doing).collect();
        let unlisted = done.iter().find(|(kind, _)| *kind == Kind::Unlisted);
        assert!(unlisted.is_none(), "the table lacks the event {unlisted:?}");
        let complete = facts.complete();
        let foretold = Foretold::new(&facts);
        let missing = done.iter().filter(|(kind, event)| complete && !foretold.tells(*kind, event));
        let unforetold = missing.map(|(kind, event)| tell(*kind, event)).collect();
        let refusal = self.refusal(source.clone(), facts.clone());
        let harmful = done.iter().filter(|(kind, event)| refusal.is_none() && harms(*kind, event));
        Judged {
            harm: harmful.map(|(kind, event)| tell(*kind, event)).collect(),
            unforetold,
            complete,
            permitted: refusal.is_none(),
            refusal: refusal.unwrap_or_default(),
            ended_well: seen.status == 0,
            events: done.len(),
            kinds: done.iter().map(|(kind, _)| *kind).collect(),
            complaint: seen.complaint,
            name,
            code,
        }
    }

    /// What the shipped policy finds against a program; nothing where it is permitted.
    fn refusal(&self, source: Source, facts: Facts) -> Option<String> {
        let mut call = calls::call(Tool::builtin(Tool::RUN_PYTHON));
        call.source = Some(source);
        let decision = self.policy.decide(&call, Some(&Code::new(facts)), &calls::context());
        match decision.ruling {
            Ruling::Permitted(_) => None,
            Ruling::Held(_) | Ruling::Denied(_) => {
                let found = decision.findings.iter();
                let told: BTreeSet<String> =
                    found.map(|one| format!("{}: {}", one.rule, one.message)).collect();
                Some(told.into_iter().collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// Whether no permitted program may do this.
fn harms(kind: Kind, event: &Event) -> bool {
    match kind {
        Kind::Process
        | Kind::Network
        | Kind::Dynamic
        | Kind::Introspection
        | Kind::Native
        | Kind::Environment
        | Kind::Unlisted => true,
        Kind::Read | Kind::Write => {
            let mut places = event.places.iter().filter(|place| !place.is_empty());
            places.any(|place| !sandbox::in_workspace(place))
        }
        Kind::Module => false,
    }
}

fn tell(kind: Kind, event: &Event) -> String {
    let Event { name, arguments, places, chain, line } = event;
    format!("{kind:?} {name} {arguments:?} {places:?} line {line}, through {chain:?}")
}
