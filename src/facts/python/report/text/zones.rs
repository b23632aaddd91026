//! Time zones that texts name: libraries of tables and plots take the path of a file for one.
//!
//! Must never take a text that is not known for the name of a zone.

use crate::facts::GapKind;
use crate::facts::python::program::{Op, Operand, Slot, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, Set};

/// Libraries whose zones may be files, and those whose objects are zones.
const TAKING: [&str; 2] = ["pandas", "matplotlib"];
const GIVING: [&str; 4] = ["datetime", "zoneinfo", "pandas", "matplotlib"];

/// The scheme of a zone that is a path.
const SCHEME: &str = "dateutil";

/// Where functions and methods take a zone by position.
const AT: [(&str, usize); 27] = [
    ("AutoDateFormatter", 1),
    ("AutoDateLocator", 0),
    ("ConciseDateFormatter", 1),
    ("DateFormatter", 1),
    ("DateLocator", 0),
    ("DatetimeIndex", 2),
    ("DatetimeTZDtype", 1),
    ("DayLocator", 2),
    ("HourLocator", 2),
    ("MicrosecondLocator", 1),
    ("MinuteLocator", 2),
    ("MonthLocator", 3),
    ("RRuleLocator", 1),
    ("SecondLocator", 2),
    ("WeekdayLocator", 2),
    ("YearLocator", 3),
    ("astimezone", 0),
    ("axis_date", 0),
    ("bdate_range", 4),
    ("date_range", 4),
    ("fromtimestamp", 1),
    ("now", 0),
    ("num2date", 1),
    ("tz_convert", 0),
    ("tz_localize", 0),
    ("xaxis_date", 0),
    ("yaxis_date", 0),
];

impl Teller<'_, '_> {
    /// The zones that a call of a library of tables or plots is given.
    pub(in super::super) fn tell_zones(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let Some(method) = self.takes_zones(callee) else { return };
        let at = AT.iter().find(|(name, _)| *name == &*method).map(|(_, at)| *at);
        for (place, operand) in operands.iter().enumerate() {
            let mut set = self.values.of(operand.value);
            let zone = match operand.slot {
                Slot::Keyword(name) => &*self.word(name) == "tz",
                Slot::Position => at == Some(place),
                Slot::Star => at.is_some(),
                Slot::DoubleStar => {
                    set = self.zones_in(set);
                    true
                }
            };
            if zone {
                self.tell_zone(op, set);
            }
        }
    }

    /// The name of what is called, where it may take a zone.
    fn takes_zones(&self, callee: Val) -> Option<crate::call::Text> {
        let names = &self.values.names;
        if !TAKING.iter().any(|root| names.reaches(root)) {
            return None;
        }
        let (set, method) = match self.values.program.kind(callee).attribute() {
            Some((base, name)) => (self.values.of(base), Some(self.word(name))),
            None => (self.values.of(callee), None),
        };
        set.iter().find_map(|atom| {
            let Some(library) = atom.library() else {
                let named = AT.iter().any(|(name, _)| method.as_deref() == Some(*name));
                return method.clone().filter(|_| named && atom == Atom::Unknown);
            };
            let text = self.values.program.symbols.text(library);
            let taking = TAKING.contains(&text.split('.').next().unwrap_or_default());
            let last = || text.rsplit('.').next().unwrap_or_default().into();
            taking.then(|| method.clone().unwrap_or_else(last))
        })
    }

    /// What mappings of keywords hold for a zone.
    fn zones_in(&mut self, mappings: Set) -> Set {
        let key = self.values.program.symbols.intern("tz");
        let mut zones = Set::default();
        for atom in mappings.iter() {
            let mut named = |site| self.values.keys_of(site).contains(&Atom::Text(key));
            if let Atom::Held(site) = atom
                && named(site)
            {
                let held = self.values.held_under(site, Atom::Text(key));
                zones.join(&held, &mut self.values.program.symbols);
            }
        }
        zones
    }

    pub(super) fn tell_zone(&mut self, op: &Op, set: Set) {
        let symbols = &self.values.program.symbols;
        let safe = set.iter().all(|atom| match atom {
            Atom::Text(text) => is_zone(symbols.text(text)),
            Atom::Plain(kind) => !matches!(symbols.text(kind), "str" | "data" | "input"),
            Atom::From(name) => {
                let root = symbols.text(name).split('.').next().unwrap_or_default();
                GIVING.contains(&root)
            }
            Atom::Unknown | Atom::Partial(_) | Atom::Path(_) => false,
            Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Name(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => true,
        });
        if !safe {
            self.gap(GapKind::Path, "a time zone is no known name, and may be a file", op);
        }
    }

    /// A text that names a zone by the path of a file, whatever takes it.
    pub(super) fn tell_zone_of_file(&mut self, text: &str, op: &Op) {
        let path = text.split(SCHEME).skip(1).any(|rest| rest.starts_with('/'));
        if path && self.values.names.reaches("pandas") {
            self.gap(GapKind::Path, "a text names a time zone by the path of a file", op);
        }
    }
}

/// Whether a text names a zone and no file.
fn is_zone(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['/', ':'])
        && !text.starts_with(SCHEME)
        && !text.contains("..")
}
