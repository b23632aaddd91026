//! Time zones that texts name: libraries of tables and plots take the path of a file for one.
//!
//! Must never take a text that is not known for the name of a zone.

use super::given::Called;
use crate::facts::GapKind;
use crate::facts::python::program::{Kind, Op, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, CLASS, Set};

/// Libraries whose zones may be files, and those whose objects are zones.
const TAKING: [&str; 2] = ["pandas", "matplotlib"];
const GIVING: [&str; 4] = ["datetime", "zoneinfo", "pandas", "matplotlib"];

/// The scheme of a zone that is a path.
const SCHEME: &str = "dateutil";

/// Where functions and methods take a zone by position.
const AT: [(&str, usize); 37] = [
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
    ("Timestamp", 8),
    ("WeekdayLocator", 2),
    ("YearLocator", 3),
    ("astimezone", 0),
    ("axis_date", 0),
    ("axisinfo", 0),
    ("bdate_range", 4),
    ("date_range", 4),
    ("fromordinal", 1),
    ("fromtimestamp", 1),
    ("now", 0),
    ("num2date", 1),
    ("plot_date", 3),
    ("replace", 8),
    ("rrulewrapper", 1),
    ("set_tzinfo", 0),
    ("set_units", 0),
    ("today", 0),
    ("tz_convert", 0),
    ("tz_localize", 0),
    ("xaxis_date", 0),
    ("yaxis_date", 0),
    ("zaxis_date", 0),
];

/// Keywords that take a zone. The units of an axis of dates are one.
pub(super) const ZONES: [&str; 6] = ["tz", "tzinfo", "units", "xunits", "yunits", "zunits"];

/// Where functions and methods take a type of data by position, which may hold a zone.
const TYPES: [(&str, usize); 5] = [
    ("astype", 0),
    ("construct_array_type", 0),
    ("construct_from_string", 0),
    ("is_dtype", 0),
    ("pandas_dtype", 0),
];

/// Steps that are followed back to the type of other data.
const TYPE_STEPS_MAX: u32 = 8;

/// Keywords that take a type of data.
const TYPE_KEYWORDS: [&str; 2] = ["dtype", "dtypes"];

impl Teller<'_, '_> {
    /// The zones that a call of a library of tables or plots is given.
    pub(in super::super) fn tell_zones(&mut self, op: &Op, called: &Called<'_>) {
        let Some(method) = self.takes_zones(called.callee) else { return };
        let at = |table: &[(&str, usize)]| {
            table.iter().find(|(name, _)| *name == &*method).map(|(_, at)| *at)
        };
        let (zone, kind) = (at(&AT), at(&TYPES));
        for (place, (operand, set)) in called.given.iter().enumerate() {
            let word = match operand.slot {
                Slot::Keyword(name) => Some(self.word(name)),
                Slot::Position | Slot::Star | Slot::DoubleStar => None,
            };
            let named = |names: &[&str]| word.as_deref().is_some_and(|word| names.contains(&word));
            if operand.slot == Slot::DoubleStar && zone.is_some() {
                self.tell_zone(op, Set::unknown());
            } else if named(&ZONES) || called.takes(place, zone) {
                self.tell_zone(op, *set);
            } else if (named(&TYPE_KEYWORDS) || called.takes(place, kind))
                && !self.is_type_of_other(operand.value, TYPE_STEPS_MAX)
            {
                self.tell_type(op, *set);
            }
        }
    }

    /// A function or method that takes a zone is handed on, and will be given one that is not
    /// seen here. Classes are handed on to be asked for.
    pub(in super::super) fn tell_handed_zone(&mut self, op: &Op, (set, word): (Set, &str)) {
        let class = word.starts_with(|first: char| first.is_ascii_uppercase());
        let tells = !class && AT.iter().any(|(name, _)| *name == word);
        let taking = set.iter().any(|atom| match atom.library() {
            Some(name) => self.takes_texts(name),
            None => false,
        });
        if tells && taking {
            self.gap(GapKind::Path, "a function is handed on that takes time zones", op);
        }
    }

    fn takes_texts(&self, name: Sym) -> bool {
        let text = self.values.program.symbols.text(name);
        TAKING.contains(&text.split('.').next().unwrap_or_default())
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
            let named = || AT.iter().any(|(name, _)| method.as_deref() == Some(*name));
            let Some(library) = atom.library() else {
                return method.clone().filter(|_| named() && atom == Atom::Unknown);
            };
            let text = self.values.program.symbols.text(library);
            if text == CLASS && named() {
                return method.clone();
            }
            let last = || text.rsplit('.').next().unwrap_or_default().into();
            self.takes_texts(library).then(|| method.clone().unwrap_or_else(last))
        })
    }

    /// Whether a value is the type of other data, or is taken out of such types.
    fn is_type_of_other(&self, value: Val, left: u32) -> bool {
        let Some(left) = left.checked_sub(1) else { return false };
        let program = &self.values.program;
        let kind = program.kind(value);
        if let Some((base, name)) = kind.attribute() {
            return matches!(program.symbols.text(name), "dtype" | "dtypes")
                || self.is_type_of_other(base, left);
        }
        if let Kind::Item { base: of, .. } | Kind::Call { callee: of, .. } = kind {
            return self.is_type_of_other(of, left);
        }
        let named = matches!(kind, Kind::Load(_));
        let sources = if named { self.values.sources(value) } else { Vec::new() };
        !sources.is_empty() && sources.into_iter().all(|source| self.is_type_of_other(source, left))
    }

    /// A type of data that is named by a text, or a mapping of such: a text of which not all is
    /// known may hold a zone that is a file.
    fn tell_type(&mut self, op: &Op, set: Set) {
        let mut all = set;
        for atom in set.iter() {
            if let Atom::Held(site) = atom {
                let held = self.values.elements_under(site);
                all.join(&held, &mut self.values.program.symbols);
            }
        }
        let symbols = &self.values.program.symbols;
        let unknown = all.iter().any(|atom| match atom {
            Atom::Partial(_) => true,
            Atom::Plain(kind) => matches!(symbols.text(kind), "str" | "data" | "input"),
            Atom::From(name) => !gives_types(symbols.text(name)),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        });
        if unknown {
            self.gap(GapKind::Path, "a type of data is not known, and may hold a time zone", op);
        }
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

/// Whether what comes out of a thing of this name is a type of data.
fn gives_types(name: &str) -> bool {
    name.starts_with("numpy.") || name.ends_with("Dtype")
}

/// Whether a text names a zone and no file.
fn is_zone(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['/', ':'])
        && !text.starts_with(SCHEME)
        && !text.contains("..")
}
