//! Format strings: which attributes and keys their fields reach.

use crate::facts::python::program::{
    Collection, DefId, DefKind, Kind, Op, Operand, ScopeId, Slot, Sym, Val,
};
use crate::facts::python::report::Teller;
use crate::facts::python::report::attributes::inner;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::{Atom, COLLECTION, Set};
use crate::facts::{GapKind, ReflectionKind};

/// What is done with the `format` of a text.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Operation<'call> {
    /// It is called with these.
    Applied(&'call [Operand], Fields),
    /// It is handed on.
    HandedOn,
}

/// Where the arguments of fields stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Fields {
    /// Among the arguments of the call.
    Passed,
    /// In the mapping that is the only argument.
    Mapped,
    /// Nobody knows.
    Unseen,
}

const UNKNOWN: &str = "a format string is applied that is not known";

impl Teller<'_, '_> {
    pub(in super::super) fn tell_format(&mut self, op: &Op, base: Val, operation: Operation<'_>) {
        let set = self.values.of(base);
        let data = match operation {
            Operation::Applied(operands, _) => {
                operands.iter().all(|operand| self.is_data(operand.value))
            }
            Operation::HandedOn => false,
        };
        for atom in set.iter() {
            match atom {
                Atom::Text(template) => self.tell_template(op, &self.word(template), operation),
                Atom::From(origin) if self.is_formatter(origin) => match operation {
                    Operation::Applied([template, rest @ ..], Fields::Passed) => {
                        let rest = Operation::Applied(rest, Fields::Passed);
                        self.tell_format(op, template.value, rest);
                    }
                    Operation::Applied(..) | Operation::HandedOn => {
                        self.gap(GapKind::Format, UNKNOWN, op);
                    }
                },
                Atom::Unknown | Atom::Plain(_) | Atom::Partial(_) | Atom::From(_) if !data => {
                    if !self.formats_records(op, base) {
                        self.gap(GapKind::Format, UNKNOWN, op);
                    }
                }
                Atom::Own(def) | Atom::Instance(def) if !data && self.may_be_text(def) => {
                    self.gap(GapKind::Format, UNKNOWN, op);
                }
                Atom::Unknown
                | Atom::Plain(_)
                | Atom::Partial(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_)
                | Atom::Own(_)
                | Atom::Bound(_)
                | Atom::Several(_)
                | Atom::Held(_)
                | Atom::Instance(_) => {}
            }
        }
    }

    fn is_formatter(&self, origin: Sym) -> bool {
        self.values.program.symbols.text(origin) == "string.Formatter"
    }

    /// `str.format(template, …)`.
    pub(super) fn tell_unbound_format(&mut self, op: &Op, operands: &[Operand]) {
        match operands {
            [template, rest @ ..] if template.slot == Slot::Position => {
                self.tell_format(op, template.value, Operation::Applied(rest, Fields::Unseen));
            }
            _ => self.gap(GapKind::Format, UNKNOWN, op),
        }
    }

    /// A method of a formatter that takes its template, or one field of it, first.
    pub(super) fn tell_formatter(&mut self, op: &Op, base: Val, operands: &[Operand]) {
        let formatter = self.values.of(base).iter().any(|atom| match atom {
            Atom::From(origin) => self.is_formatter(origin),
            Atom::Unknown | Atom::Own(_) | Atom::Instance(_) => true,
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Path(_) => false,
        });
        if !formatter {
            return;
        }
        let template = operands.first().map(|operand| self.values.of(operand.value));
        match template.unwrap_or_default().single() {
            Some(Atom::Text(text)) => {
                let word = self.word(text);
                let template = if word.contains('{') { word } else { format!("{{{word}}}").into() };
                self.tell_template(op, &template, Operation::HandedOn);
            }
            _ => self.gap(GapKind::Format, UNKNOWN, op),
        }
    }

    /// A log formatter whose template has fields of the kind that reach on.
    pub(super) fn tell_log_template(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let named = |operand: &&Operand, names: &[&str]| {
            matches!(operand.slot, Slot::Keyword(name)
                if names.contains(&self.values.program.symbols.text(name)))
        };
        let always = &*callee.name == "logging.StrFormatStyle";
        let style = operands
            .iter()
            .find(|operand| named(operand, &["style"]))
            .or_else(|| operands.get(2).filter(|operand| operand.slot == Slot::Position))
            .map(|operand| self.values.of(operand.value));
        let plain = style.is_none_or(|style| {
            style.all(|atom| {
                let text = atom.text().map(|text| self.values.program.symbols.text(text));
                matches!(text, Some("%" | "$"))
            })
        });
        if plain && !always {
            return;
        }
        let template =
            operands.iter().find(|operand| named(operand, &["fmt", "format"])).or(operands.first());
        if let Some(template) = template {
            self.tell_format(op, template.value, Operation::HandedOn);
        }
    }

    /// Whether it is `super()` in a class whose every base is a log formatter or handler: their
    /// `format` takes a record.
    fn formats_records(&self, op: &Op, base: Val) -> bool {
        if !self.is_super(base) {
            return false;
        }
        let program = &self.values.program;
        let log = |name: Sym| program.symbols.text(name).starts_with("logging.");
        let class = self.class_around(op).and_then(|class| program.def(class));
        let bases = class.map(|class| program.operands(class.bases)).unwrap_or_default();
        !bases.is_empty()
            && bases.iter().all(|base| {
                let set = self.values.of(base.value);
                !set.is_empty() && set.all(|atom| atom.name().is_some_and(log))
            })
    }

    /// Whether objects of a class of the program's own may be texts, whose `format` it is.
    fn may_be_text(&self, def: DefId) -> bool {
        let program = &self.values.program;
        let Some(class) = program.def(def).filter(|def| def.kind == DefKind::Class) else {
            return false;
        };
        let format = program.symbols.find("format");
        let own = format.and_then(|name| program.own_cell(ScopeId(def.0), name)).is_some();
        !own && class.bases.start != class.bases.end
    }

    /// Whether a value is data through and through, which a collection need not be.
    fn is_data(&self, value: Val) -> bool {
        let collection = |kind| self.values.program.symbols.text(kind) == COLLECTION;
        self.values.of(value).all(|atom| match atom {
            Atom::Plain(kind) => !collection(kind),
            Atom::Text(_) | Atom::Partial(_) | Atom::Bytes(_) | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => false,
        })
    }

    fn tell_template(&mut self, op: &Op, template: &str, operation: Operation<'_>) {
        if !takes_members(template) {
            return;
        }
        for field in reaching_fields(template) {
            self.tell_reflection(ReflectionKind::Format, crate::facts::draft::quote(field), op);
        }
        if let Operation::Applied(operands, fields) = operation {
            self.tell_fields(op, template, (operands, fields));
        }
    }

    /// What the fields of a template take out of the things that they are given.
    fn tell_fields(&mut self, op: &Op, template: &str, given: (&[Operand], Fields)) {
        let mut unnumbered = 0;
        for field in fields(template) {
            let path = field.split([':', '!']).next().unwrap_or_default();
            let (head, members) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
            let argument = self.argument_of(head, unnumbered, given);
            unnumbered += usize::from(head.is_empty());
            if let Some(argument) = argument {
                self.tell_path(op, members, argument);
            }
        }
    }

    fn argument_of(
        &self,
        head: &str,
        unnumbered: usize,
        (operands, fields): (&[Operand], Fields),
    ) -> Option<Val> {
        let symbols = &self.values.program.symbols;
        let position = if head.is_empty() { Some(unnumbered) } else { head.parse().ok() };
        match (fields, position) {
            (Fields::Passed, Some(position)) => {
                let operand = operands.get(position);
                operand.filter(|operand| operand.slot == Slot::Position).map(|found| found.value)
            }
            (Fields::Passed, None) => operands.iter().find_map(|operand| match operand.slot {
                Slot::Keyword(name) if symbols.text(name) == head => Some(operand.value),
                Slot::Keyword(_) | Slot::Position | Slot::Star | Slot::DoubleStar => None,
            }),
            (Fields::Mapped, _) => {
                let mapping = self.values.program.kind(operands.first()?.value);
                let Kind::Collect(Collection::Dictionary, pairs) = mapping else {
                    return None;
                };
                self.values.program.operands(pairs).chunks(2).find_map(|pair| {
                    let [key, value] = pair else { return None };
                    let key = self.values.of(key.value).single().and_then(Atom::text)?;
                    (symbols.text(key) == head).then_some(value.value)
                })
            }
            (Fields::Unseen, _) => None,
        }
    }

    /// `.name` and `[key]`, one after the other.
    fn tell_path(&mut self, op: &Op, members: &str, argument: Val) {
        let mut set = self.values.of(argument);
        for member in members.split(['.', '[', ']']).filter(|member| !member.is_empty()) {
            let name = self.values.program.symbols.intern(member);
            let mut next = Set::default();
            for atom in set.iter() {
                if let Atom::Name(owner) = atom {
                    self.tell_hop(owner, name, op);
                    let found = self.values.attribute(atom, name);
                    next.join(&found, &mut self.values.program.symbols);
                }
            }
            self.tell_use_of(next, op);
            set = next;
        }
        let environment = set.names().find(|name| {
            matches!(self.values.program.symbols.text(*name), "os.environ" | "os.environb")
        });
        if let Some(environment) = environment {
            self.tell_env(None, environment, op);
        }
    }

    /// A template that is handed to a library, which may apply it to any object.
    pub(in super::super) fn tell_given_template(&mut self, value: Val) {
        let Some(op) = self.values.program.op(value).copied() else { return };
        for text in self.values.of(value).iter().filter_map(Atom::text) {
            let template = self.word(text);
            for field in reaching_fields(&template) {
                if !field.contains("__") {
                    continue;
                }
                let name = crate::facts::draft::quote(field);
                self.tell_reflection(ReflectionKind::Format, name, &op);
            }
        }
    }
}

/// The part of a replacement field after the name of its argument, where it reaches on: a dotted
/// or bracketed path with a private or dunder part.
fn reaching_fields(template: &str) -> Vec<&str> {
    fields(template)
        .into_iter()
        .filter(|field| {
            let path = field.split([':', '!']).next().unwrap_or_default();
            path.split(['.', '[', ']'])
                .skip(1)
                .any(|part| part.starts_with('_') || part == "mro" || inner(part).is_some())
        })
        .collect()
}

/// Whether any field takes an attribute or an item of its argument.
fn takes_members(template: &str) -> bool {
    fields(template).iter().any(|field| {
        let path = field.split([':', '!']).next().unwrap_or_default();
        path.contains(['.', '['])
    })
}

/// The texts between braces, nested ones included.
fn fields(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = template.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        match character {
            '{' if open.is_empty() && rest.peek().is_some_and(|(_, next)| *next == '{') => {
                rest.next();
            }
            '{' => open.push(at + 1),
            '}' => {
                if let Some(start) = open.pop() {
                    found.extend(template.get(start..at));
                }
            }
            _ => {}
        }
    }
    found
}
