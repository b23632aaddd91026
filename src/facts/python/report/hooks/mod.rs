//! Hooks: what the interpreter or a library calls by itself, out of sight of the code.
//!
//! Must never leave a body uncounted: what a hook runs is read where it stands.

mod bases;
mod errors;
mod implicit;
mod members;
mod namespaces;
mod patterns;

pub(super) use implicit::{OwnHook, own_hooks};

use super::Teller;
use super::calls::Callee;
use crate::call::Text;
use crate::facts::python::program::{Def, DefId, DefKind, Kind, Op, Operand, Slot, Sym, Val};
use crate::facts::python::values::{Atom, Part, Set, part};
use crate::facts::{GapKind, Hook, ReflectionKind, Resolution};

impl Teller<'_, '_> {
    /// Methods that the interpreter calls by itself.
    pub(super) fn tell_definitions(&mut self) {
        for number in 0..self.values.program.ops.len() {
            let at = Val(crate::facts::python::program::number(number));
            let Kind::Define(id) = self.values.program.kind(at) else {
                continue;
            };
            if let Some(def) = self.values.program.def(id).copied() {
                self.tell_definition(&def);
            }
        }
    }

    fn tell_definition(&mut self, def: &Def) {
        let name = self.word(def.name);
        let method = def.kind == DefKind::Function && self.values.program.is_class(def.within);
        let span = self.draft.span(def.range.0, def.range.1);
        if method && part(&name).is_hook() {
            let owner = self.owner(def);
            let targets = vec![self.own_name(def.name)];
            let resolution = Resolution::Exact;
            self.draft.hook(Hook { name, owner, targets, resolution, span });
        } else if def.kind == DefKind::Class
            && let Some(metaclass) = self.metaclass(def)
        {
            let (targets, resolution) = self.targets(self.values.of(metaclass));
            let (owner, name) = (Some(name), "metaclass".into());
            self.draft.hook(Hook { name, owner, targets, resolution, span });
        }
    }

    /// The class that a method stands in.
    fn owner(&self, def: &Def) -> Option<Text> {
        let owner = self.values.program.scope(def.within).map(|scope| scope.name);
        owner.map(|owner| self.word(owner))
    }

    fn metaclass(&self, def: &Def) -> Option<Val> {
        let operands = self.values.program.operands(def.bases).iter();
        let named = |slot| matches!(slot, Slot::Keyword(name) if &*self.word(name) == "metaclass");
        let mut given = operands.filter(|operand| named(operand.slot));
        given.next().map(|operand| operand.value)
    }

    /// A value that an attribute is given: under some names it says more than it holds.
    pub(super) fn tell_written(&mut self, op: &Op, into: Option<Sym>, value: Val) {
        let Some(into) = into.map(|into| self.word(into)) else { return };
        if &*into == "__match_args__" {
            self.tell_match_arguments(op, value);
        }
        self.tell_error_given(&into, self.values.of(value), op);
    }

    /// A name that the body of a class is given: a hook where it is one by its name.
    pub(super) fn tell_member_of_class(&mut self, op: &Op, name: Sym, value: Val) {
        let word = self.word(name);
        self.tell_written(op, Some(name), value);
        self.tell_overridden(op, &word, value);
        let part = part(&word);
        if matches!(part, Part::Pointer | Part::Nature) {
            self.tell_reflection(ReflectionKind::Dunder, Text::clone(&word), op);
        }
        self.tell_rebuilt(op, &word);
        if &*word == "makeRecord" && self.values.names.reaches("logging") {
            self.tell_record_class(op);
        }
        let defined = matches!(self.values.program.kind(value), Kind::Define(_) | Kind::Either(_));
        if defined || !part.is_hook() {
            return;
        }
        let scope = self.values.program.block(op.block).map(|block| block.scope);
        let owner = scope.and_then(|scope| self.values.program.def(DefId(scope.0)));
        let owner = owner.map(|owner| self.word(owner.name));
        self.tell_hook(op, word, owner, value);
    }

    pub(super) fn tell_hook(&mut self, op: &Op, name: Text, owner: Option<Text>, value: Val) {
        let (targets, resolution) = self.targets(self.values.of(value));
        let span = self.span(op);
        self.draft.hook(Hook { name, owner, targets, resolution, span });
    }

    /// What calling a value runs, sorted, and how surely.
    fn targets(&self, set: Set) -> (Vec<Text>, Resolution) {
        let mut targets: Vec<Text> = set.iter().filter_map(|atom| self.target(atom)).collect();
        targets.sort();
        let resolution = match (set.single(), targets.is_empty()) {
            (_, true) => Resolution::Unknown,
            (Some(_), false) => Resolution::Exact,
            (None, false) => Resolution::Possible,
        };
        (targets, resolution)
    }

    /// The name of what a value is, where that is something to be called.
    pub(super) fn target(&self, atom: Atom) -> Option<Text> {
        match atom {
            Atom::Own(def) | Atom::Bound(def) | Atom::Instance(def) => {
                self.values.program.def(def).map(|def| self.own_name(def.name))
            }
            Atom::Name(name) | Atom::From(name) => Some(self.word(name)),
            Atom::Several(_) => Some("<own>".into()),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Held(_)
            | Atom::Path(_) => None,
        }
    }

    /// The program's own functions that a call hands to a library, and factories of defaults.
    pub(super) fn tell_handed(&mut self, op: &Op, callees: &[Callee<'_>], operands: &[Operand]) {
        let Some(library) = callees.iter().find(|callee| !callee.name.starts_with("<own>")) else {
            return;
        };
        let name = Text::clone(&library.name);
        for operand in operands {
            let factory = matches!(operand.slot, Slot::Keyword(name)
                if self.values.program.symbols.text(name) == "default_factory");
            if factory {
                self.tell_hook(op, "default_factory".into(), None, operand.value);
            } else if self.is_own_function(operand.value) {
                self.tell_hook(op, Text::clone(&name), None, operand.value);
            }
        }
    }

    fn is_own_function(&self, value: Val) -> bool {
        self.values
            .of(value)
            .iter()
            .filter_map(Atom::own)
            .any(|def| self.values.program.def(def).is_some_and(|def| def.kind != DefKind::Class))
    }

    /// `type(name, bases, members)` makes a class of what stands in a dictionary.
    pub(super) fn tell_class_of_text(&mut self, op: &Op, operands: &[Operand]) {
        let [name, _, members] = operands else { return };
        let owner = self.values.of(name.value).single().and_then(Atom::text);
        let owner = owner.map(|owner| self.word(owner));
        let Kind::Collect(_, pairs) = self.values.program.kind(members.value) else {
            self.tell_hook(op, "type".into(), owner, members.value);
            return;
        };
        for pair in self.values.program.operands(pairs).to_vec().chunks(2) {
            let [key, value] = pair else { return };
            let keys = self.values.of(key.value);
            if keys.is_empty() || !keys.all(|key| key.text().is_some()) {
                self.gap(GapKind::OwnAttribute, "which names a class is given is not known", op);
            }
            for key in self.values.of(key.value).iter().filter_map(Atom::text) {
                let word = self.word(key);
                self.tell_written(op, Some(key), value.value);
                match part(&word) {
                    Part::Pointer | Part::Nature => {
                        self.tell_reflection(ReflectionKind::Dunder, word, op);
                    }
                    Part::Hook | Part::Maker | Part::Entry => {
                        self.tell_hook(op, word, owner.clone(), value.value);
                    }
                    Part::Ordinary | Part::Data => {}
                }
            }
        }
    }
}
