//! Where a module or a function of note is used as a value, or a name is given another meaning.
//!
//! Every way out of our sight is told, so that an object of unknown origin needs no gap.

use crate::call::Text;
use crate::facts::python::program::{Access, Collection, Kind, Op, Operands, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::told::opaque;
use crate::facts::python::values::{Atom, Set};
use crate::facts::{Dynamic, DynamicKind, GapKind, Reference, ResourceKind, Role};

/// Functions that reach attributes by names that are texts.
const BY_NAME: [&str; 22] = [
    "getattr",
    "setattr",
    "delattr",
    "hasattr",
    "operator.attrgetter",
    "operator.methodcaller",
    "str.format",
    "str.format_map",
    "ast.iter_fields",
    "dataclasses.make_dataclass",
    "functools.update_wrapper",
    "functools.wraps",
    "logging.LogRecord",
    "logging.makeLogRecord",
    "traceback.TracebackException",
    "traceback.TracebackException.from_exception",
    "traceback.extract_tb",
    "traceback.format_exception",
    "traceback.format_stack",
    "traceback.format_tb",
    "traceback.print_stack",
    "traceback.print_tb",
];

/// What the names of functions begin with that evaluate annotations.
const DISPATCHER: &str = "functools.singledispatch";

impl Teller<'_, '_> {
    /// A value that leaves our sight: what it may be is told, and what it may do there.
    pub(in super::super) fn tell_escape(&mut self, value: Val, role: Role, into: Option<Sym>) {
        if role == Role::Argument && self.is_passed_on_to(value) {
            return;
        }
        let names = self.tell_reference(value, role, into);
        let Some(op) = self.values.program.op(value).copied() else {
            return;
        };
        if !self.bases.is_empty() && !self.bases.contains(&value) {
            self.tell_open_class(value, &op);
        }
        for name in names {
            self.tell_open_parameters(name, &op);
        }
        self.tell_dispatcher(value, &op);
        if matches!(role, Role::Matched | Role::Raised) {
            self.tell_handed_switches(value);
        }
    }

    /// What evaluates annotations is handed on: where it is called is not seen.
    fn tell_dispatcher(&mut self, value: Val, op: &Op) {
        let set = self.values.of(value);
        let mut names = set.names().map(|name| self.values.program.symbols.text(name));
        if names.any(|name| name.starts_with(DISPATCHER)) {
            self.gap(GapKind::Code, "what evaluates annotations is handed on", op);
        }
    }

    /// Something that does harm with some arguments is handed on to what may give it those.
    pub(in super::super) fn tell_handed_switches(&mut self, value: Val) {
        let Some(op) = self.values.program.op(value).copied() else { return };
        let set = self.values.of(value);
        if self.has_switches(set) {
            let why = "a function is handed on that does harm with some arguments";
            self.gap(GapKind::Arguments, why, &op);
        }
        for name in set.names().filter(|_| !matches!(op.kind, Kind::Attribute { .. })) {
            let word = self.word(name);
            let word = word.rsplit('.').next().unwrap_or_default();
            self.tell_handed_zone(&op, (Set::one(Atom::Name(name)), word));
            self.tell_handed_properties(&op, (Set::one(Atom::Name(name)), word));
        }
    }

    /// Whether it may be something that needs nothing but with some arguments.
    fn has_switches(&mut self, set: Set) -> bool {
        set.names().collect::<Vec<_>>().into_iter().any(|name| {
            let meaning = self.values.names.meaning(name, &self.values.program.symbols);
            !meaning.notable() && meaning.entry.is_some_and(|entry| !entry.switches.is_empty())
        })
    }

    /// A value that is used as one; gives the names of note that it may be.
    pub(in super::super) fn tell_reference(
        &mut self,
        value: Val,
        role: Role,
        into: Option<Sym>,
    ) -> Vec<Sym> {
        let names = self.notable(self.values.of(value));
        let Some(op) = self.values.program.op(value).copied() else {
            return names;
        };
        if names.is_empty() {
            return names;
        }
        let fact = Reference {
            names: names.iter().map(|name| self.word(*name)).collect(),
            role,
            into: into.map(|into| self.word(into)),
            scope: self.scope_of(&op),
            span: self.span(&op),
        };
        self.draft.reference(fact);
        names
    }

    /// The names of note among possible values, in the order of their text.
    fn notable(&mut self, set: Set) -> Vec<Sym> {
        let mut names: Vec<(Text, Sym)> = Vec::new();
        for name in set.names() {
            let symbols = &self.values.program.symbols;
            let by_name = BY_NAME.contains(&symbols.text(name));
            if by_name || self.values.names.meaning(name, symbols).notable() {
                names.push((symbols.shared(name), name));
            }
        }
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// A function that takes a path or a host will be given one that is not seen here; out of a
    /// module anything may be taken.
    fn tell_open_parameters(&mut self, name: Sym, op: &Op) {
        let symbols = &self.values.program.symbols;
        let by_name = BY_NAME.contains(&symbols.text(name));
        let meaning = self.values.names.meaning(name, symbols);
        if meaning.module {
            let why = "a module is handed on, and what is taken out of it is not known";
            self.gap(GapKind::Namespace, why, op);
        }
        if by_name {
            let why = "a function that takes attributes by name is handed on";
            self.gap(GapKind::Attribute, why, op);
        }
        if let Some(parameter) = meaning.entry.and_then(|entry| entry.parameters.first()) {
            let why = "a function is handed on, and what it will be given is not known";
            self.gap(gap_for(parameter.kind), why, op);
        }
        if let Some(kind) = meaning.entry.and_then(|entry| entry.dynamic) {
            self.tell_open_code(name, kind, op);
        }
    }

    /// A function that runs code is handed on: the code is not seen here.
    fn tell_open_code(&mut self, name: Sym, kind: DynamicKind, op: &Op) {
        let (call, span) = (self.word(name), self.span(op));
        self.draft.dynamic(Dynamic { kind, call, value: opaque(), nested: None, span });
        let why = "a function that runs code is handed on, and the code is not known";
        self.gap(GapKind::Code, why, op);
    }

    pub(in super::super) fn tell_collection(
        &mut self,
        at: Val,
        op: &Op,
        (collection, operands): (Collection, Operands),
    ) {
        self.tell_error_collected((collection, operands), op);
        if self.metaclasses && collection == Collection::Dictionary {
            let operands = self.values.program.operands(operands).to_vec();
            self.tell_names_spread(op, &operands);
        }
        if collection == Collection::Passing && !self.values.is_kept(at) {
            return;
        }
        for operand in self.values.program.operands(operands).to_vec() {
            self.tell_escape(operand.value, Role::Container, None);
        }
    }

    /// An operator hands each side to the other's method, where the other may have one.
    pub(in super::super) fn tell_binary(&mut self, (left, right): (Val, Val)) {
        for (value, other) in [(left, right), (right, left)] {
            if self.may_be_own(other) {
                self.tell_escape(value, Role::Argument, None);
            }
        }
    }

    /// A subscript hands its key to the method of the thing, where that may be the program's own;
    /// where something is stored, the key is kept with it.
    pub(in super::super) fn tell_key(&mut self, (base, key): (Val, Val), access: Access) {
        let role = match access {
            Access::Write => Role::Container,
            Access::Read | Access::Delete if self.may_be_own(base) => Role::Argument,
            Access::Read | Access::Delete => return,
        };
        self.tell_escape(key, role, None);
        if let Kind::Collect(Collection::Passing, keys) = self.values.program.kind(key) {
            for key in self.values.program.operands(keys).to_vec() {
                self.tell_escape(key.value, Role::Argument, None);
            }
        }
    }

    fn may_be_own(&self, value: Val) -> bool {
        let set = self.values.of(value);
        !set.all(|atom| match atom {
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Held(_)
            | Atom::Path(_) => true,
            Atom::Unknown
            | Atom::From(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Instance(_) => false,
        })
    }
}

/// The gap that stands for a resource whose name is not known.
pub(in super::super) fn gap_for(kind: ResourceKind) -> GapKind {
    match kind {
        ResourceKind::File => GapKind::Path,
        ResourceKind::Host => GapKind::Host,
        ResourceKind::Process | ResourceKind::Env => GapKind::Arguments,
        ResourceKind::Table | ResourceKind::Statement => GapKind::Statement,
    }
}
