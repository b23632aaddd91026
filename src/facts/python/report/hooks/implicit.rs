//! Calls that no code writes: operators, `with`, iteration and the like on the program's own
//! classes.
//!
//! Only where the program defines such a hook: those of libraries do what the catalogue says of
//! the libraries.

use crate::call::Text;
use crate::facts::python::program::{
    CellId, Def, DefId, DefKind, Kind, Op, Operands, Program, Slot, Val,
};
use crate::facts::python::report::Teller;
use crate::facts::python::report::told::scope_id;
use crate::facts::python::values::Atom;
use crate::facts::{Call, Implicit, Resolution, When};

/// Classes that are looked through for the hooks of one object.
const ANCESTORS_MAX: usize = 16;

/// A hook of one of the program's own classes.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct OwnHook {
    construct: Implicit,
    class: DefId,
    cell: CellId,
}

/// The hooks that the bodies of classes bind.
pub(in super::super) fn own_hooks(program: &Program) -> Vec<OwnHook> {
    let cells = program.cells.iter().zip(0..);
    cells
        .filter(|(cell, _)| program.is_class(cell.scope))
        .filter_map(|(cell, number)| {
            let construct = construct(program.symbols.text(cell.name))?;
            Some(OwnHook { construct, class: DefId(cell.scope.0), cell: CellId(number) })
        })
        .collect()
}

/// The construct that calls a hook.
fn construct(name: &str) -> Option<Implicit> {
    let inner = name.strip_prefix("__")?.strip_suffix("__")?;
    Some(match inner {
        "enter" | "exit" | "aenter" | "aexit" => Implicit::With,
        "iter" | "next" | "aiter" | "anext" => Implicit::Iteration,
        "format" | "str" | "repr" => Implicit::Format,
        "getitem" | "setitem" | "delitem" | "missing" | "class_getitem" => Implicit::Subscript,
        "getattr" | "getattribute" | "setattr" | "delattr" | "get" | "set" | "delete" => {
            Implicit::Attribute
        }
        "init_subclass" | "set_name" | "prepare" | "mro_entries" => Implicit::ClassCreation,
        "del" => Implicit::Finaliser,
        "await" => Implicit::Await,
        _ if is_operator(inner) || inner.strip_prefix(['r', 'i']).is_some_and(is_operator) => {
            Implicit::Operator
        }
        _ => return None,
    })
}

/// Operators, without the letter of the reflected and the augmented ones.
const OPERATORS: [&str; 24] = [
    "add", "and", "contains", "divmod", "eq", "floordiv", "ge", "gt", "invert", "le", "lshift",
    "lt", "matmul", "mod", "mul", "ne", "neg", "or", "pos", "pow", "rshift", "sub", "truediv",
    "xor",
];

fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name)
}

impl Teller<'_, '_> {
    /// Tells the hooks that a construct calls on these operands.
    pub(in super::super) fn tell_implicit(
        &mut self,
        op: &Op,
        construct: Implicit,
        operands: &[Val],
    ) {
        if !self.own_hooks.iter().any(|hook| hook.construct == construct) {
            return;
        }
        let mut owners = Vec::new();
        let mut unknown = false;
        for operand in operands {
            for atom in self.values.of(*operand).iter() {
                match atom {
                    Atom::Instance(def) => self.ancestors(def, &mut owners),
                    Atom::Own(def) => self.class_and_its_class(def, &mut owners),
                    Atom::Unknown => unknown = true,
                    Atom::Text(_)
                    | Atom::Bytes(_)
                    | Atom::Literal(_)
                    | Atom::Plain(_)
                    | Atom::Partial(_)
                    | Atom::Name(_)
                    | Atom::From(_)
                    | Atom::Bound(_)
                    | Atom::Several(_)
                    | Atom::Held(_)
                    | Atom::Path(_) => {}
                }
            }
        }
        // What an object of a known class does is said by its class alone; of an unknown object
        // attributes are read everywhere, and to say so each time says nothing.
        let any = unknown && owners.is_empty() && construct != Implicit::Attribute;
        self.tell_hooks_called(op, construct, &|class| any || owners.contains(&class));
    }

    fn tell_hooks_called(&mut self, op: &Op, construct: Implicit, applies: &dyn Fn(DefId) -> bool) {
        let mut hooks = self.own_hooks.clone();
        hooks.retain(|hook| hook.construct == construct && applies(hook.class));
        let (mut names, mut capabilities) = (Vec::new(), Vec::new());
        for hook in &hooks {
            self.add_targets(hook.cell, (&mut names, &mut capabilities));
        }
        if hooks.is_empty() {
            return;
        }
        for list in [&mut names, &mut capabilities] {
            list.sort();
            list.dedup();
        }
        // An attribute that is found needs no hook.
        let exact = names.len() == 1 && construct != Implicit::Attribute;
        let block = self.values.program.block(op.block);
        let fact = Call {
            resolution: if exact { Resolution::Exact } else { Resolution::Possible },
            closed: exact,
            names,
            receiver: None,
            text: self.written(op),
            capabilities,
            arguments: Vec::new(),
            star_arguments: false,
            star_keywords: false,
            implicit: Some(construct),
            when: block.map_or(When::Always, |block| block.when),
            scope: scope_id(block.map_or(0, |block| block.scope.0)),
            span: self.span(op),
        };
        self.draft.call(fact);
    }

    /// What a hook is bound to, and what that needs.
    fn add_targets(&mut self, cell: CellId, (names, needs): (&mut Vec<Text>, &mut Vec<Text>)) {
        let set = self.values.cell(cell);
        for atom in set.iter() {
            names.extend(self.target(atom));
            if let Atom::Name(name) = atom {
                let meaning = self.values.names.meaning(name, &self.values.program.symbols);
                needs
                    .extend(meaning.entry.into_iter().flat_map(|entry| entry.capabilities.clone()));
            }
        }
    }

    /// A class and its bases of the program's own.
    pub(super) fn ancestors(&self, class: DefId, found: &mut Vec<DefId>) {
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            if found.contains(&class) || found.len() >= ANCESTORS_MAX {
                continue;
            }
            found.push(class);
            let bases = self.values.program.def(class).map(|def| def.bases);
            let bases = bases.map(|bases| self.values.program.operands(bases)).unwrap_or_default();
            open.extend(
                bases
                    .iter()
                    .flat_map(|base| self.values.of(base.value).iter().collect::<Vec<_>>())
                    .filter_map(Atom::own),
            );
        }
    }

    /// What a class and its bases of the program's own derive from that is not of its own.
    pub(super) fn library_bases(&self, class: DefId) -> Vec<Atom> {
        let mut ancestors = Vec::new();
        self.ancestors(class, &mut ancestors);
        let full = ancestors.len() >= ANCESTORS_MAX;
        let defs = ancestors.into_iter().filter_map(|class| self.values.program.def(class));
        let bases = defs.flat_map(|def| self.values.program.operands(def.bases));
        let positional = bases.filter(|base| !matches!(base.slot, Slot::Keyword(_)));
        let bases =
            positional.flat_map(|base| self.values.of(base.value).iter().collect::<Vec<_>>());
        let cut = full.then_some(Atom::Unknown);
        bases.filter(|base| base.own().is_none()).chain(cut).collect()
    }

    /// A class used as an object: its own hooks and those of its metaclass.
    fn class_and_its_class(&self, class: DefId, found: &mut Vec<DefId>) {
        let Some(def) = self.values.program.def(class).filter(|def| def.kind == DefKind::Class)
        else {
            return;
        };
        let def: Def = *def;
        self.ancestors(class, found);
        if let Some(metaclass) = self.metaclass(&def) {
            for atom in self.values.of(metaclass).iter() {
                if let Atom::Own(metaclass) = atom {
                    self.ancestors(metaclass, found);
                }
            }
        }
    }

    /// Making a class calls hooks of its bases and of its class.
    pub(in super::super) fn tell_made_class(&mut self, op: &Op, id: DefId) {
        let Some(def) = self.values.program.def(id).copied() else { return };
        if def.kind != DefKind::Class || self.own_hooks.is_empty() {
            return;
        }
        let bases = self.values.program.operands(def.bases).to_vec();
        let bases: Vec<Val> = bases.iter().map(|base| base.value).collect();
        self.tell_implicit(op, Implicit::ClassCreation, &bases);
    }

    /// An object of a class with a finaliser is made: some time it runs.
    pub(in super::super) fn tell_made_object(&mut self, op: &Op, callee: Val) {
        if self.values.of(callee).iter().any(|atom| atom.own().is_some()) {
            self.tell_implicit(op, Implicit::Finaliser, &[callee]);
        }
    }

    /// What a formatted string prints.
    pub(in super::super) fn tell_formatted(&mut self, op: &Op, parts: Operands) {
        if self.own_hooks.is_empty() {
            return;
        }
        let parts = self.values.program.operands(parts).to_vec();
        let values: Vec<Val> = parts
            .iter()
            .map(|part| {
                let kind = self.values.program.kind(part.value);
                if let Kind::Formatted { value, .. } = kind { value } else { part.value }
            })
            .filter(|value| !matches!(self.values.program.kind(*value), Kind::Constant(_)))
            .collect();
        self.tell_implicit(op, Implicit::Format, &values);
    }
}
