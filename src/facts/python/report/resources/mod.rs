//! Files, hosts, processes and variables that calls name.

mod memory;
mod pictures;
mod places;
mod sql;

use super::Teller;
use super::calls::Callee;
use super::names::gap_for;
use super::told::{in_part, opaque};
use crate::call::Text;
use crate::facts::python::program::{Collection, Kind, Op, Operand, Slot, Sym, Val};
use crate::facts::python::values::{Atom, is_wild, shown};
use crate::facts::{
    Entry, Level, Makes, Parameter, Place, Resolution, Resource, ResourceKind, Slots, Value,
};
use places::{connected_by, placed, placed_by};
use sql::tables;

impl Teller<'_, '_> {
    /// The resources that a callee's parameters name.
    pub(super) fn tell_parameters(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        call: (Option<Val>, &[Operand]),
    ) {
        let Some(entry) = callee.entry else { return };
        for parameter in &entry.parameters {
            let ops = match &entry.mode {
                Some(slots) => self.ops_of_mode(slots, call.1),
                None => vec![Text::clone(&parameter.op)],
            };
            for name in ops {
                let parameter = Parameter { op: name, ..parameter.clone() };
                self.tell_parameter(op, callee, &parameter, call);
            }
        }
    }

    fn tell_parameter(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        parameter: &Parameter,
        (receiver, operands): (Option<Val>, &[Operand]),
    ) {
        let slots = Slots { position: parameter.position, keyword: parameter.keyword.clone() };
        let named = callee.named.is_some();
        let passed = match (parameter.position, &parameter.keyword) {
            // The object itself is the resource; called on the class, it is the first argument.
            (None, None) if named => {
                operands.first().map_or(Passed::Not, |first| Passed::As(first.value))
            }
            (None, None) => receiver.map_or(Passed::Unseen, Passed::As),
            _ => self.passed(&slots, operands),
        };
        match passed {
            Passed::Not => {}
            Passed::Unseen => self.tell_unknown(op, callee, parameter, None),
            Passed::As(value) => self.tell_resource(op, callee, parameter, value),
        }
    }

    /// What names a resource, where it is known what is given.
    pub(super) fn tell_given(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        parameter: &Parameter,
        value: Option<Val>,
    ) {
        match value {
            Some(value) => self.tell_resource(op, callee, parameter, value),
            None => self.tell_unknown(op, callee, parameter, None),
        }
    }

    /// Whether a call passes any of the parameters that name files.
    pub(super) fn names_file(&self, entry: &Entry, operands: &[Operand]) -> bool {
        entry.parameters.iter().any(|parameter| {
            let slots = Slots { position: parameter.position, keyword: parameter.keyword.clone() };
            let receiver = slots == Slots::default();
            receiver || !matches!(self.passed(&slots, operands), Passed::Not)
        })
    }

    pub(super) fn passed(&self, slots: &Slots, operands: &[Operand]) -> Passed {
        let keyword = operands.iter().find(|operand| match (operand.slot, &slots.keyword) {
            (Slot::Keyword(name), Some(keyword)) => *self.word(name) == **keyword,
            _ => false,
        });
        if let Some(operand) = keyword {
            return Passed::As(operand.value);
        }
        let mut position = 0;
        for operand in operands {
            match operand.slot {
                Slot::Position if Some(position) == slots.position => {
                    return Passed::As(operand.value);
                }
                Slot::Position => position += 1,
                Slot::Star if let Some(wanted) = slots.position => {
                    let length = self.values.star_length(operand.value);
                    let length = length.and_then(|length| u32::try_from(length).ok());
                    match length.and_then(|length| position.checked_add(length)) {
                        Some(behind) if behind <= wanted => position = behind,
                        Some(_) | None => return Passed::Unseen,
                    }
                }
                Slot::DoubleStar
                    if slots
                        .keyword
                        .as_ref()
                        .is_some_and(|keyword| !self.values.lacks(operand.value, keyword)) =>
                {
                    return Passed::Unseen;
                }
                Slot::Star | Slot::DoubleStar | Slot::Keyword(_) => {}
            }
        }
        Passed::Not
    }

    /// The operations that a file is opened for.
    pub(super) fn ops_of_mode(&self, slots: &Slots, operands: &[Operand]) -> Vec<Text> {
        let both = || vec![Text::from("read"), Text::from("write")];
        match self.passed(slots, operands) {
            Passed::Not => vec!["read".into()],
            Passed::Unseen => both(),
            Passed::As(value) => match self.values.of(value).single() {
                Some(Atom::Text(mode)) => match self.values.program.symbols.text(mode) {
                    mode if mode.contains('+') => both(),
                    mode if mode.contains(['w', 'a', 'x']) => vec!["write".into()],
                    _ => vec!["read".into()],
                },
                _ => both(),
            },
        }
    }

    fn tell_resource(&mut self, op: &Op, callee: &Callee<'_>, parameter: &Parameter, value: Val) {
        if let Some(parts) = self.parts_of(parameter.kind, value) {
            for part in parts {
                self.tell_one_resource(op, callee, parameter, part);
            }
        } else {
            self.tell_one_resource(op, callee, parameter, value);
        }
    }

    /// What a display names: each of its files, the program of a command, the host of an address.
    fn parts_of(&self, kind: ResourceKind, value: Val) -> Option<Vec<Val>> {
        let Kind::Collect(Collection::List | Collection::Tuple, operands) =
            self.values.program.kind(value)
        else {
            return None;
        };
        let operands = self.values.program.operands(operands);
        let plain = operands.iter().all(|operand| operand.slot == Slot::Position);
        let named = match kind {
            ResourceKind::File => operands.len(),
            ResourceKind::Process | ResourceKind::Host => 1,
            ResourceKind::Env | ResourceKind::Table | ResourceKind::Statement => 0,
        };
        let parts: Vec<Val> = operands.iter().take(named).map(|operand| operand.value).collect();
        (plain && !parts.is_empty()).then_some(parts)
    }

    fn tell_one_resource(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        parameter: &Parameter,
        value: Val,
    ) {
        let set = self.values.of(value);
        if set.is_empty() || set.overflowed {
            self.tell_unknown(op, callee, parameter, Some(value));
        }
        for atom in set.iter() {
            match (parameter.kind, self.text_in(atom)) {
                (_, Held::Nothing) => {}
                (_, Held::Handle) => {
                    self.tell_place(op, callee, parameter, ((value, atom), Place::Memory, None));
                }
                (ResourceKind::Process, Held::Unknown) => {
                    self.tell_place(op, callee, parameter, ((value, atom), Place::Host, None));
                }
                (_, Held::Unknown) => self.tell_unknown(op, callee, parameter, Some(value)),
                (kind, Held::Text(text)) => {
                    let text = self.word(text);
                    let Some((place, norm)) = placed_by(&callee.name, kind, &text) else {
                        self.tell_unknown(op, callee, parameter, Some(value));
                        continue;
                    };
                    self.tell_place(op, callee, parameter, ((value, atom), place, Some(norm)));
                    if let Some(host) = connected_by(&callee.name, kind, &text) {
                        self.tell_host(op, callee, (value, atom), host);
                    }
                    if kind == ResourceKind::Statement {
                        self.tell_tables(op, callee, &text);
                    }
                }
            }
        }
    }

    /// The text that a value gives where a resource is named.
    fn text_in(&mut self, atom: Atom) -> Held {
        match atom {
            Atom::Text(text) | Atom::Partial(text) | Atom::Bytes(text) | Atom::Path(text) => {
                Held::Text(text)
            }
            Atom::Literal(text) if self.values.program.symbols.text(text) == "None" => {
                Held::Nothing
            }
            // A mapping names no file; where one may be passed, it holds settings.
            Atom::Held(site) if self.values.is_dictionary(site) => Held::Nothing,
            Atom::From(name) => {
                let meaning = self.values.names.meaning(name, &self.values.program.symbols);
                match meaning.entry.and_then(|entry| entry.makes) {
                    Some(Makes::Handle) => Held::Handle,
                    Some(Makes::Path) | None => Held::Unknown,
                }
            }
            Atom::Unknown
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Name(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => Held::Unknown,
        }
    }

    /// The tables that a statement names.
    fn tell_tables(&mut self, op: &Op, callee: &Callee<'_>, statement: &str) {
        for (table, access) in tables(statement) {
            let span = self.span(op);
            let name = crate::facts::draft::quote(&shown(table));
            let value = if is_wild(table) {
                in_part("unknown", table)
            } else {
                Value { text: Some(Text::clone(&name)), level: Level::Folded, ..opaque() }
            };
            self.draft.resource(Resource {
                kind: ResourceKind::Table,
                op: access.into(),
                value,
                norm: Some(name),
                place: Place::Memory,
                call: Text::clone(&callee.name),
                span,
            });
        }
    }

    fn tell_place(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        parameter: &Parameter,
        (named, place, norm): ((Val, Atom), Place, Option<Text>),
    ) {
        let value = self.trace(named.0, self.value_of(named.1, Level::Folded));
        let span = self.span(op);
        self.draft.resource(Resource {
            kind: parameter.kind,
            op: Text::clone(&parameter.op),
            value,
            norm,
            place,
            call: Text::clone(&callee.name),
            span,
        });
    }

    /// The host of a URL that stands where a file is expected.
    fn tell_host(&mut self, op: &Op, callee: &Callee<'_>, named: (Val, Atom), host: Text) {
        let value = self.trace(named.0, self.value_of(named.1, Level::Folded));
        let span = self.span(op);
        self.draft.capability(&"net.connect".into(), Resolution::Exact, &callee.name, span);
        self.draft.resource(Resource {
            kind: ResourceKind::Host,
            op: "connect".into(),
            value,
            norm: Some(host),
            place: Place::Remote,
            call: Text::clone(&callee.name),
            span,
        });
    }

    fn tell_unknown(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        parameter: &Parameter,
        value: Option<Val>,
    ) {
        let value = value.map_or_else(opaque, |value| self.traced(value));
        let span = self.span(op);
        self.draft.resource(Resource {
            kind: parameter.kind,
            op: Text::clone(&parameter.op),
            value,
            norm: None,
            place: Place::Unknown,
            call: Text::clone(&callee.name),
            span,
        });
        self.gap(gap_for(parameter.kind), unnamed(parameter.kind), op);
    }

    pub(super) fn tell_env(&mut self, key: Option<Val>, owner: Sym, op: &Op) {
        let value = key.map_or_else(opaque, |key| self.traced(key));
        let (call, span) = (self.word(owner), self.span(op));
        self.draft.resource(Resource {
            kind: ResourceKind::Env,
            op: "read".into(),
            norm: value.text.clone(),
            value,
            place: Place::Host,
            call,
            span,
        });
    }

    /// A path object that was made by joining: told where it leaves the workspace or is not known.
    pub(super) fn tell_path_made(&mut self, at: Val, op: &Op) {
        let set = self.values.of(at);
        let parameter = Parameter {
            position: None,
            keyword: None,
            kind: ResourceKind::File,
            op: "name".into(),
        };
        let callee = Callee { name: "pathlib.Path".into(), entry: None, named: None };
        for atom in set.iter() {
            if let Atom::Path(text) = atom {
                let text = self.values.program.symbols.text(text);
                match placed(ResourceKind::File, text) {
                    Some((Place::Workspace, _)) => {}
                    Some((place, norm)) => {
                        self.tell_place(op, &callee, &parameter, ((at, atom), place, Some(norm)));
                    }
                    None => self.tell_unknown(op, &callee, &parameter, None),
                }
            } else if let Atom::From(name) = atom
                && self.values.program.symbols.text(name) == "pathlib.Path"
            {
                self.tell_unknown(op, &callee, &parameter, None);
            }
        }
    }
}

/// How a parameter was passed.
pub(super) enum Passed {
    Not,
    /// Behind a star.
    Unseen,
    As(Val),
}

/// What a value holds where a resource is named.
enum Held {
    /// None: no resource is named.
    Nothing,
    /// An open file, which was judged where it was opened.
    Handle,
    Unknown,
    Text(Sym),
}

/// What is not known of a resource that a value names.
const fn unnamed(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::File => "which file this names is not known before it runs",
        ResourceKind::Host => "which host this names is not known before it runs",
        ResourceKind::Process => "which command this names is not known before it runs",
        ResourceKind::Env => "which variable this names is not known before it runs",
        ResourceKind::Table => "which table this names is not known before it runs",
        ResourceKind::Statement => "which statement this is, is not known before it runs",
    }
}
