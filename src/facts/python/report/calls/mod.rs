//! Calls: what may be called, with what, and what that needs from the world.

mod methods;

use super::Teller;
use super::resources::Passed;
use super::told::scope_id;
use crate::call::Text;
use crate::facts::python::program::{Kind, Op, Operand, Operands, Slot, Sym, Val};
use crate::facts::python::values::{Atom, CLASS, CLASS_HOOKS};
use crate::facts::{
    Argument, Call, DynamicKind, Entry, GapKind, Implicit, Resolution, ResourceKind, Role,
    Slot as FactSlot, Slots, When,
};

/// The call that a store may be written as.
const SETTER: &str = "object.__setattr__";

/// Builtins that only look at a class, or hand on the classes that they are given as such.
const LOOKING: [&str; 16] = [
    "hash",
    "id",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "next",
    "print",
    "repr",
    "set",
    "sorted",
    "str",
    "tuple",
    "type",
];

/// One thing that a call may call.
#[derive(Debug, Clone)]
pub(super) struct Callee<'catalogue> {
    pub(super) name: Text,
    pub(super) entry: Option<&'catalogue Entry>,
    /// Whether it is a name of the interpreter's or a library's, and not a guess by method name.
    pub(super) named: Option<Sym>,
}

impl Callee<'_> {
    /// How it makes code, where it does: what a loader loads, whichever it is, is a module.
    pub(super) fn dynamic(&self) -> Option<DynamicKind> {
        let loads = [".load_module", ".exec_module"].iter().any(|end| self.name.ends_with(end));
        let loader = (loads && !self.name.starts_with("<own>")).then_some(DynamicKind::Import);
        self.entry.and_then(|entry| entry.dynamic).or(loader)
    }
}

impl<'tell> Teller<'tell, '_> {
    /// Everything that one possible callee means.
    pub(super) fn tell_callee(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let receiver = None;
        self.tell_dispatch(op, callee, operands);
        if callee.named.is_some() {
            self.tell_parameters(op, callee, (receiver, operands));
            self.tell_by_name(op, callee, operands);
            self.tell_memory(op, callee, operands);
            self.tell_picture(op, callee, operands);
            self.tell_unbound_method(op, callee);
        }
        if let Some(kind) = callee.dynamic() {
            self.tell_dynamic(op, callee, kind, operands);
        }
        let resolution =
            if callee.named.is_some() { Resolution::Exact } else { Resolution::Possible };
        let span = self.span(op);
        for capability in self.needs(callee, operands) {
            self.draft.capability(&capability, resolution, &callee.name, span);
        }
    }

    pub(super) fn tell_call(
        &mut self,
        at: Val,
        op: &Op,
        (callee, arguments, implicit): (Val, Operands, Option<Implicit>),
    ) {
        let operands = self.values.program.operands(arguments).to_vec();
        let (callees, closed) = self.callees(callee, &operands);
        for callee in &callees {
            self.tell_callee(op, callee, &operands);
        }
        self.tell_method(op, callee, &operands);
        self.tell_handed(op, &callees, &operands);
        self.tell_members_asked((at, op), &callees, &operands);
        self.tell_members_given(op, (callee, &callees), &operands);
        self.tell_names_merged(op, callee, &operands);
        self.tell_errors_printed(op, (callee, &callees), &operands);
        self.tell_made_object(op, callee);
        self.tell_made_bases(op, callee, &operands);
        if self.is_class_of_unknown(callee) {
            self.gap(GapKind::Callee, "the class of an object that is not known is called", op);
        }
        self.tell_arguments(&callees, &operands);
        self.tell_texts_given(op, callee, &operands);
        if implicit == Some(Implicit::Decorator) {
            self.tell_reference(callee, Role::Decorator, None);
        }
        self.tell_path_made(at, op);
        self.tell_dynamic_result(at, op, (&callees, &operands));
        let fact = self.call_fact(op, callee, &operands, &callees);
        self.draft.call(Call { closed, implicit, ..fact });
    }

    /// A store that is written as a call is told as that call too.
    pub(super) fn tell_setter(&mut self, at: Val, op: &Op) {
        let Some((callee, arguments)) = self.values.program.setters.get(&at).copied() else {
            return;
        };
        let operands = self.values.program.operands(arguments).to_vec();
        let fact = self.call_fact(op, callee, &operands, &[]);
        let names = vec![SETTER.into()];
        self.draft.call(Call { names, resolution: Resolution::Exact, ..fact });
    }

    /// Whether it is what `type` gave of an object that may be an open file or a connection.
    fn is_class_of_unknown(&self, callee: Val) -> bool {
        let asked = self.values.program.kind(callee).attribute().is_none();
        asked
            && self.values.of(callee).iter().any(|atom| {
                let unknown = matches!(atom, Atom::Unknown | Atom::From(_));
                self.is_class(atom) || (self.classes_kept && unknown)
            })
    }

    fn is_class(&self, atom: Atom) -> bool {
        matches!(atom, Atom::From(name) if self.values.program.symbols.text(name) == CLASS)
    }

    /// Whether the class of an unknown object goes where it is not followed: into a container, out
    /// of a function, to a function of the program's own.
    pub(super) fn keeps_classes(&self) -> bool {
        let program = &self.values.program;
        if self.values.gives_classes_unseen() {
            return true;
        }
        if program.symbols.find(CLASS).is_none() {
            return false;
        }
        program.ops.iter().any(|op| {
            if let Kind::Escape { value, role, .. } = op.kind {
                return role != Role::Argument && self.may_be_class(value);
            }
            let (Kind::Collect(_, operands) | Kind::Call { arguments: operands, .. }) = op.kind
            else {
                return false;
            };
            program.operands(operands).iter().any(|operand| self.may_be_class(operand.value))
                && !self.only_looks(op.kind)
        })
    }

    fn may_be_class(&self, value: Val) -> bool {
        self.values.of(value).iter().any(|atom| self.is_class(atom))
    }

    /// Whether a step calls what keeps nothing of its arguments, or gives them back one by one.
    fn only_looks(&self, kind: Kind) -> bool {
        let Kind::Call { callee, .. } = kind else {
            return false;
        };
        self.values.of(callee).all(|atom| {
            let name = atom.name().map(|name| self.values.program.symbols.text(name));
            name.is_some_and(|name| LOOKING.contains(&name))
        })
    }

    fn call_fact(
        &mut self,
        op: &Op,
        callee: Val,
        operands: &[Operand],
        callees: &[Callee<'tell>],
    ) -> Call {
        let mut names: Vec<Text> = callees.iter().map(|callee| Text::clone(&callee.name)).collect();
        names.sort();
        names.dedup();
        let mut capabilities: Vec<Text> = Vec::new();
        for callee in callees {
            capabilities.extend(self.needs(callee, operands));
        }
        capabilities.sort();
        capabilities.dedup();
        let text = self.values.program.op(callee).copied();
        let block = self.values.program.block(op.block);
        let exact = names.len() == 1 && !names.iter().any(|name| name.starts_with("<object>"));
        Call {
            names,
            resolution: if exact { Resolution::Exact } else { Resolution::Possible },
            closed: true,
            receiver: self.receiver(callee),
            text: text.map_or_else(Text::default, |op| self.written(&op)),
            capabilities,
            arguments: self.arguments(operands),
            star_arguments: operands.iter().any(|operand| operand.slot == Slot::Star),
            star_keywords: operands.iter().any(|operand| operand.slot == Slot::DoubleStar),
            implicit: None,
            when: block.map_or(When::Always, |block| block.when),
            scope: scope_id(block.map_or(0, |block| block.scope.0)),
            span: self.span(op),
        }
    }

    /// What a call needs: for a function with a mode, what the mode asks for.
    pub(super) fn needs(&self, callee: &Callee<'tell>, operands: &[Operand]) -> Vec<Text> {
        let Some(entry) = callee.entry else {
            return Vec::new();
        };
        let mut needs = self.needs_of_files(entry, operands);
        for switch in &entry.switches {
            if self.is_on(&switch.slots, operands) {
                needs.extend(switch.capabilities.iter().cloned());
            }
        }
        needs
    }

    /// Whether a parameter is passed that may be other than `False` and `None`.
    fn is_on(&self, slots: &Slots, operands: &[Operand]) -> bool {
        match self.passed(slots, operands) {
            Passed::Not => false,
            Passed::Unseen => true,
            Passed::As(value) => !self.values.of(value).all(|atom| self.is_off(atom)),
        }
    }

    /// Whether it is `False` or `None`.
    pub(super) fn is_off(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Literal(text)
            if matches!(self.values.program.symbols.text(text), "False" | "None"))
    }

    fn needs_of_files(&self, entry: &Entry, operands: &[Operand]) -> Vec<Text> {
        let files = entry.parameters.iter().any(|parameter| parameter.kind == ResourceKind::File);
        if files && !self.names_file(entry, operands) {
            return Vec::new();
        }
        let all = || entry.capabilities.clone();
        entry.mode.as_ref().map_or_else(all, |slots| {
            let ops = self.ops_of_mode(slots, operands);
            ops.iter().map(|op| format!("fs.{op}").into()).collect()
        })
    }

    /// What the object is or came from that a method is called on, where one thing is known.
    fn receiver(&self, callee: Val) -> Option<Text> {
        let (base, _) = self.values.program.kind(callee).attribute()?;
        let atom = self.values.of(base).single()?;
        self.target(atom).or_else(|| self.type_of_text(base).map(Text::from))
    }

    fn arguments(&self, operands: &[Operand]) -> Vec<Argument> {
        let mut arguments = Vec::new();
        let mut position = 0;
        for operand in operands {
            let slot = match operand.slot {
                Slot::Position => {
                    position += 1;
                    FactSlot::Position(position - 1)
                }
                Slot::Keyword(name) => FactSlot::Keyword(self.word(name)),
                Slot::Star | Slot::DoubleStar => continue,
            };
            let value = self.value(operand.value);
            arguments.push(Argument { slot, value });
        }
        arguments
    }

    /// Everything that may be called, and whether that is all.
    pub(super) fn callees(
        &mut self,
        callee: Val,
        operands: &[Operand],
    ) -> (Vec<Callee<'tell>>, bool) {
        let set = self.values.of(callee);
        let mut callees = Vec::new();
        let mut closed = !set.is_empty() && !set.overflowed;
        for atom in set.iter() {
            match atom {
                Atom::Name(name) => {
                    let meaning = self.values.names.meaning(name, &self.values.program.symbols);
                    callees.push(Callee {
                        name: self.word(name),
                        entry: meaning.entry,
                        named: Some(name),
                    });
                }
                Atom::Own(def) | Atom::Bound(def) | Atom::Instance(def) => {
                    let name = self.values.program.def(def).map(|def| self.own_name(def.name));
                    let name = name.unwrap_or_else(|| "<own>".into());
                    callees.push(Callee { name, entry: None, named: None });
                }
                Atom::Several(list) => {
                    let names = self.values.names_of_several(list).into_iter();
                    callees.extend(names.map(|name| Callee {
                        name: self.own_name(name),
                        entry: None,
                        named: None,
                    }));
                }
                Atom::Unknown
                | Atom::Text(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Partial(_)
                | Atom::From(_)
                | Atom::Held(_)
                | Atom::Path(_) => closed = false,
            }
        }
        if !closed {
            self.guess(callee, operands, &mut callees);
        }
        (callees, closed)
    }

    /// Whether a class of the program's own may answer what its instances and subclasses are.
    fn asks_classes(&self) -> bool {
        let symbols = &self.values.program.symbols;
        CLASS_HOOKS.iter().any(|name| symbols.find(name).is_some())
    }

    /// Arguments are handed on, except to the few builtins that only look at them.
    fn tell_arguments(&mut self, callees: &[Callee<'tell>], operands: &[Operand]) {
        let asked = self.asks_classes();
        let looks = callees.iter().all(|callee| match &*callee.name {
            "isinstance" | "issubclass" => !asked,
            name => matches!(name, "getattr" | "hasattr"),
        });
        for (position, operand) in operands.iter().enumerate() {
            let looked_at = looks && position < 2 && operand.slot == Slot::Position;
            if !looked_at {
                let into = match operand.slot {
                    Slot::Keyword(name) => Some(name),
                    Slot::Position | Slot::Star | Slot::DoubleStar => None,
                };
                self.tell_escape(operand.value, Role::Argument, into);
                self.tell_error_passed(*operand);
                self.tell_handed_switches(operand.value);
                self.tell_given_template(operand.value);
            }
        }
        for (operand, set) in self.values.spread(operands) {
            self.tell_property(operand, set);
            self.tell_error_handed_on(operand, set);
        }
    }
}
