//! What is printed with an exception: lines of the files that a traceback names, whatever stands in
//! its place.
//!
//! Must never take an object of the program's own making for a traceback.

use crate::facts::python::program::{Collection, DefId, Kind, Op, Operand, Operands, Slot, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::report::resources::Passed;
use crate::facts::python::values::{Atom, CAUGHT, Set};
use crate::facts::{GapKind, Slots};

/// The parameters of functions that take a traceback, a frame, or an exception that they do not
/// look at before they print what it holds.
const TAKING: [(&str, u32, &str); 12] = [
    ("logging.LogRecord", 6, "exc_info"),
    ("traceback.TracebackException", 1, "exc_value"),
    ("traceback.TracebackException", 2, "exc_traceback"),
    ("traceback.extract_tb", 0, "tb"),
    ("traceback.format_exception", 1, "value"),
    ("traceback.format_exception", 2, "tb"),
    ("traceback.format_stack", 0, "f"),
    ("traceback.format_tb", 0, "tb"),
    ("traceback.print_exception", 1, "value"),
    ("traceback.print_exception", 2, "tb"),
    ("traceback.print_stack", 0, "f"),
    ("traceback.print_tb", 0, "tb"),
];

/// Functions whose first argument is an exception.
const PRINTING: [&str; 4] = [
    "traceback.TracebackException.from_exception",
    "traceback.format_exception",
    "traceback.format_exception_only",
    "traceback.print_exception",
];

/// The one of them that takes anything for an exception.
const TRUSTING: &str = "traceback.TracebackException.from_exception";

/// Methods of loggers, handlers and formatters that take a record.
const OF_RECORDS: [&str; 5] = ["callHandlers", "emit", "filter", "format", "handle"];

/// What a record or a logger is given of an exception.
const GIVEN: &str = "exc_info";

/// How the names of exceptions end that are builtins.
const EXCEPTIONS: [&str; 7] =
    ["Error", "Exception", "ExceptionGroup", "Exit", "Interrupt", "Iteration", "Warning"];

const WHY: &str = "what is printed as a traceback is not known, and names files";

impl Teller<'_, '_> {
    /// Functions and methods that print exceptions.
    pub(in super::super) fn tell_errors_printed(
        &mut self,
        op: &Op,
        (callee, callees): (Val, &[Callee<'_>]),
        operands: &[Operand],
    ) {
        let logs = self.values.names.reaches("logging");
        if !logs && !self.values.names.reaches("traceback") {
            return;
        }
        let known = callees.iter().all(|callee| {
            let name = &*callee.name;
            self.takes_known(name, operands) && self.prints_an_exception(name, operands)
        });
        if !known {
            self.gap(GapKind::Path, WHY, op);
        }
        if logs {
            self.tell_record_given(op, callee, operands);
            let called = |name: &str| callees.iter().any(|callee| &*callee.name == name);
            if called("logging.makeLogRecord") {
                self.tell_record_made(op, operands);
            }
            if called("logging.setLogRecordFactory") {
                self.tell_record_class(op);
            }
            let values: Vec<Val> = operands.iter().map(|operand| operand.value).collect();
            self.tell_error_behind(&values, op);
        }
    }

    /// Whether what a function takes for a traceback is one, or none.
    fn takes_known(&self, function: &str, operands: &[Operand]) -> bool {
        let mut taken = TAKING.iter().filter(|(name, ..)| *name == function);
        taken.all(|(_, position, keyword)| {
            let slots = Slots { position: Some(*position), keyword: Some((*keyword).into()) };
            match self.passed(&slots, operands) {
                Passed::Not => true,
                Passed::Unseen => false,
                Passed::As(value) => self.is_error_or_none(self.values.of(value)),
            }
        })
    }

    /// Whether what is printed as an exception is one.
    fn prints_an_exception(&self, function: &str, operands: &[Operand]) -> bool {
        if !PRINTING.contains(&function) {
            return true;
        }
        let first = operands.first().map(|operand| self.values.of(operand.value));
        let set = first.unwrap_or_default();
        let trusting = function == TRUSTING || self.answers_for_members();
        !trusting || self.is_error_or_none(set)
    }

    /// What a logger or a record is told of an exception: none, that there is one, or one.
    pub(in super::super) fn tell_error_given(&mut self, name: &str, set: Set, op: &Op) {
        if name == GIVEN && self.errors_named && !self.is_error_or_none(set) {
            self.gap(GapKind::Path, WHY, op);
        }
    }

    /// Whether the program names what loggers take for an exception.
    pub(in super::super) fn names_errors(&self) -> bool {
        self.values.names.reaches("logging") && self.values.program.symbols.find(GIVEN).is_some()
    }

    /// A mapping that is written with such a key, or a list of keys and values.
    pub(in super::super) fn tell_error_collected(
        &mut self,
        (collection, operands): (Collection, Operands),
        op: &Op,
    ) {
        if !self.errors_named {
            return;
        }
        let operands = self.values.program.operands(operands).iter();
        let written = operands.filter(|operand| operand.slot != Slot::DoubleStar);
        let written: Vec<Val> = written.map(|operand| operand.value).collect();
        if collection == Collection::Dictionary {
            for pair in written.chunks(2) {
                self.tell_error_behind(pair, op);
            }
        } else {
            self.tell_error_behind(&written, op);
        }
    }

    /// What stands behind the name of what loggers take for an exception.
    pub(in super::super) fn tell_error_behind(&mut self, values: &[Val], op: &Op) {
        if !self.errors_named {
            return;
        }
        let given = |value: &Val| {
            let mut texts =
                self.values.of(*value).iter().filter_map(Atom::text).collect::<Vec<_>>();
            texts.retain(|text| self.values.program.symbols.text(*text) == GIVEN);
            !texts.is_empty()
        };
        let place = values.iter().position(given);
        let behind = place.and_then(|place| values.get(place + 1..)).unwrap_or_default();
        for value in behind.iter().copied() {
            self.tell_error_kept(self.values.of(value), op);
        }
    }

    /// A keyword of a call.
    pub(in super::super) fn tell_error_passed(&mut self, operand: Operand) {
        if let (Slot::Keyword(name), Some(op)) =
            (operand.slot, self.values.program.op(operand.value).copied())
        {
            let name = self.word(name);
            self.tell_error_given(&name, self.values.of(operand.value), &op);
        }
    }

    /// A keyword that stands in a mapping.
    pub(in super::super) fn tell_error_handed_on(&mut self, operand: Operand, set: Set) {
        if let (Slot::Keyword(name), Some(op)) =
            (operand.slot, self.values.program.op(operand.value).copied())
            && self.values.program.symbols.text(name) == GIVEN
        {
            self.tell_error_kept(set, &op);
        }
    }

    /// What a mapping holds for an exception: of what is not known something else may be made.
    fn tell_error_kept(&mut self, set: Set, op: &Op) {
        for atom in set.iter().filter(|atom| !matches!(atom, Atom::Unknown | Atom::From(_))) {
            self.tell_error_given(GIVEN, Set::one(atom), op);
        }
    }

    /// Whether it is surely an exception that was raised, or one of a class of the program's own
    /// that answers for nothing, or plain data.
    fn is_error_or_none(&self, set: Set) -> bool {
        set.all(|atom| match atom {
            Atom::Instance(class) => !self.answers_for_members() && self.is_exception(class),
            Atom::From(name) => self.values.program.symbols.text(name) == CAUGHT,
            Atom::Unknown
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
            Atom::Text(_)
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_) => true,
        })
    }

    fn is_exception(&self, class: DefId) -> bool {
        self.library_bases(class).iter().filter_map(|base| base.name()).any(|name| {
            let name = self.values.program.symbols.text(name);
            !name.contains('.') && EXCEPTIONS.iter().any(|end| name.ends_with(end))
        })
    }

    /// Something is printed as a record that may hold what no logger puts there.
    fn tell_record_given(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        self.tell_keywords_of_logger(op, callee, operands);
        let Some((base, name)) = self.values.program.kind(callee).attribute() else { return };
        let word = self.word(name);
        let Some(first) = operands.first() else { return };
        let set = self.values.of(first.value);
        let unknown = if &*word == "formatException" {
            let handed_on = self.is_super(base) || self.is_named(first.value, GIVEN);
            !(self.is_error_or_none(set) || (handed_on && set.single() == Some(Atom::Unknown)))
        } else {
            let logs =
                self.is_of_logging(base) || (self.is_super(base) && self.answers_for_members());
            OF_RECORDS.contains(&&*word) && logs && !self.may_be_record(set)
        };
        if unknown {
            self.gap(GapKind::Path, WHY, op);
        }
    }

    /// Keywords of a logger that are not seen where they are passed, nor where they are handed on.
    fn tell_keywords_of_logger(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let base = self.values.program.kind(callee).attribute().map(|(base, _)| base);
        if !(self.is_of_logging(callee) || base.is_some_and(|base| self.is_of_logging(base))) {
            return;
        }
        let unseen =
            operands.iter().filter(|operand| operand.slot == Slot::DoubleStar).any(|operand| {
                let mut sources = self.values.sources(operand.value).into_iter();
                let parameter =
                    |source| matches!(self.values.program.kind(source), Kind::Parameter(_));
                self.values.of(operand.value).has(Atom::Unknown)
                    && !self.values.lacks(operand.value, GIVEN)
                    && !sources.any(parameter)
            });
        if unseen {
            self.gap(GapKind::Path, WHY, op);
        }
    }

    /// Whether it is an attribute of this name.
    fn is_named(&self, value: Val, name: &str) -> bool {
        let attribute = self.values.program.kind(value).attribute();
        attribute.is_some_and(|(_, found)| self.values.program.symbols.text(found) == name)
    }

    fn is_of_logging(&self, value: Val) -> bool {
        self.values
            .of(value)
            .iter()
            .filter_map(Atom::library)
            .any(|name| self.values.program.symbols.text(name).starts_with("logging."))
    }

    fn may_be_record(&self, set: Set) -> bool {
        set.all(|atom| {
            if let Atom::From(name) = atom {
                let name = self.values.program.symbols.text(name);
                return name.starts_with("logging.") || name == "super";
            }
            atom == Atom::Unknown || atom.is_plain()
        })
    }

    /// Records are made by the program itself, where one of its classes answers for any attribute.
    pub(super) fn tell_record_class(&mut self, op: &Op) {
        if self.answers_for_members() {
            self.gap(GapKind::Path, WHY, op);
        }
    }

    /// A record is made of a mapping.
    fn tell_record_made(&mut self, op: &Op, operands: &[Operand]) {
        let first = operands.first().map(|operand| self.values.of(operand.value));
        let mut known = !first.unwrap_or_default().is_empty();
        for atom in first.unwrap_or_default().iter() {
            let Atom::Held(site) = atom else {
                known = false;
                continue;
            };
            for key in self.values.keys_of(site) {
                let text = key.text().map(|text| self.word(text));
                let held = self.values.held_under(site, key);
                known &= match text.as_deref() {
                    Some(GIVEN) => self.is_error_or_none(held),
                    Some(_) => true,
                    None => false,
                };
            }
        }
        if !known {
            self.gap(GapKind::Path, WHY, op);
        }
    }
}
