//! From steps and their possible values to facts.
//!
//! What is dangerous is told where it is used, or where it leaves our sight; what is not known in
//! a place that matters is a gap. Must never judge.

mod attributes;
mod calls;
mod code;
mod hooks;
mod names;
mod origins;
mod resources;
mod text;
mod told;

use super::program::{Access, DefId, Kind, Op, Operator, Program, Sym, Val};
use super::values::{Atom, Set, Values};
use crate::call::Text;
use crate::facts::draft::Draft;
use crate::facts::{Catalogue, GapKind, Implicit, Limits, Resolution, Span, StringRole};
use hooks::OwnHook;
use std::collections::HashSet;

/// What telling a program needs.
pub(super) struct Teller<'tell, 'source> {
    pub(super) values: Values<'tell>,
    pub(super) draft: &'tell mut Draft<'source>,
    pub(super) text: &'source str,
    pub(super) depth: Depth<'tell>,
    /// Attributes `__class__` whose only use is to name the class.
    class_names: HashSet<Val>,
    /// Displays that a type test only looks at.
    looked_at: HashSet<Val>,
    /// Private names that the program itself gives to something.
    own_names: HashSet<Text>,
    /// The hooks of the program's own classes.
    own_hooks: Vec<OwnHook>,
    /// The bases of the program's own classes.
    bases: HashSet<Val>,
    /// Whether the class of an unknown object is kept where it is not followed.
    classes_kept: bool,
    /// The program's own functions of which a call is seen.
    called: HashSet<DefId>,
    /// The texts that were told, as those that name something are.
    told_texts: HashSet<Sym>,
    /// Whether the program names what loggers take for an exception.
    errors_named: bool,
    /// Whether the program has classes of classes of its own.
    metaclasses: bool,
    /// Pictures that are read and are no PNG.
    pictures: Vec<(Op, Text)>,
}

/// How code inside constant text is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth<'tell> {
    pub(super) catalogue: &'tell Catalogue,
    pub(super) limits: &'tell Limits,
    /// How many more levels of code in text are read.
    pub(super) left: u32,
}

/// Tells the facts of a program.
pub(super) fn tell<'source>(
    program: &mut Program,
    text: &'source str,
    depth: Depth<'_>,
    draft: &mut Draft<'source>,
) {
    let values = Values::new(program, depth.catalogue);
    let mut teller = Teller {
        values,
        draft,
        text,
        depth,
        class_names: HashSet::new(),
        looked_at: HashSet::new(),
        own_names: HashSet::new(),
        own_hooks: Vec::new(),
        bases: HashSet::new(),
        classes_kept: false,
        called: HashSet::new(),
        told_texts: HashSet::new(),
        errors_named: false,
        metaclasses: false,
        pictures: Vec::new(),
    };
    teller.prepare();
    teller.tell_scopes();
    teller.tell_imports();
    teller.tell_definitions();
    for number in 0..teller.values.program.ops.len() {
        let at = Val(super::program::number(number));
        if let Some(op) = teller.values.program.op(at).copied() {
            teller.tell_op(at, &op);
        }
    }
    teller.tell_annotations();
    teller.tell_patterns();
    teller.tell_made_pictures();
    if !teller.values.settled() {
        teller.draft.gap(
            GapKind::Limit,
            "names pass values on in more steps than are followed",
            0,
            0,
        );
    }
}

impl Teller<'_, '_> {
    fn prepare(&mut self) {
        let program = &self.values.program;
        for op in &program.ops {
            if let Kind::Call { callee, arguments, .. } = op.kind {
                let callees = self.values.of(callee);
                self.called.extend(callees.iter().filter_map(Atom::own));
                if let Some(Atom::Name(name)) = callees.single()
                    && matches!(program.symbols.text(name), "isinstance" | "issubclass")
                {
                    let classes = program.operands(arguments).get(1);
                    let classes = classes.map(|operand| operand.value);
                    self.looked_at.extend(classes.filter(|value| self.values.keepers(*value) == 1));
                }
            }
            self.class_names.extend(self.values.compared_alone(op.kind));
            let Kind::Attribute { base, name, access } = op.kind else {
                continue;
            };
            let word = program.symbols.text(name);
            if access == Access::Write {
                self.own_names.insert(program.symbols.shared(name));
            } else if matches!(word, "__name__" | "__qualname__" | "__doc__") {
                self.class_names.insert(base);
            }
        }
        let in_classes = program.cells.iter().filter(|cell| program.is_class(cell.scope));
        for cell in in_classes {
            self.own_names.insert(program.symbols.shared(cell.name));
        }
        self.own_hooks = hooks::own_hooks(program);
        self.classes_kept = self.keeps_classes();
        self.prepare_bases();
        self.errors_named = self.names_errors();
        self.metaclasses = self.makes_metaclasses();
    }

    fn tell_op(&mut self, at: Val, op: &Op) {
        self.tell_overflow(at, op);
        self.tell_made_texts(at, op);
        match op.kind {
            Kind::Constant(atom) => self.tell_string(atom, op, StringRole::Code),
            Kind::Docstring(atom) => self.tell_string(atom, op, StringRole::Docstring),
            Kind::Load(name) => {
                self.tell_use(at, op);
                self.tell_name(at, name, op);
            }
            Kind::Attribute { base, name, access } => {
                self.tell_attribute(at, op, (base, name, access));
                self.tell_implicit(op, Implicit::Attribute, &[base]);
            }
            Kind::Member { module, name } => self.tell_member(at, op, (module, name)),
            Kind::Item { base, key, access } => {
                self.tell_item(at, op, (base, key, access));
                self.tell_implicit(op, Implicit::Subscript, &[base]);
            }
            Kind::Call { callee, arguments, implicit } => {
                self.tell_call(at, op, (callee, arguments, implicit));
            }
            Kind::Binary { operator, left, right } => {
                self.tell_operation(at, op, operator, (left, right));
            }
            Kind::Collect(collection, operands) if !self.looked_at.contains(&at) => {
                self.tell_collection(at, op, (collection, operands));
            }
            Kind::Bind { cell, value } => self.tell_bind(op, cell, value),
            Kind::Escape { value, role, into } => {
                self.tell_escape(value, role, into);
                self.tell_written(op, into, value);
            }
            Kind::Matched(name) => self.tell_matched(name, op),
            Kind::Either(operands) => self.tell_either(operands),
            Kind::Format(parts) => self.tell_formatted(op, parts),
            Kind::Element(value) => self.tell_implicit(op, Implicit::Iteration, &[value]),
            Kind::Entered(value) => self.tell_implicit(op, Implicit::With, &[value]),
            Kind::Awaited(value) => self.tell_implicit(op, Implicit::Await, &[value]),
            Kind::Define(def) => {
                self.tell_class_keywords(op, def);
                self.tell_made_class(op, def);
            }
            Kind::Store { target, value } => {
                self.tell_stored(op, target, value);
                self.tell_setter(at, op);
            }
            Kind::Dead
            | Kind::Opaque
            | Kind::Formatted { .. }
            | Kind::Collect(..)
            | Kind::Gather(..)
            | Kind::Lost(_)
            | Kind::Owner(_)
            | Kind::Caught
            | Kind::Part { .. }
            | Kind::Import(_)
            | Kind::Receiver(_)
            | Kind::Parameter(_)
            | Kind::Unbind => {}
        }
    }

    fn tell_overflow(&mut self, at: Val, op: &Op) {
        if self.values.of(at).overflowed {
            self.gap(GapKind::Limit, "this may be more things than are told apart", op);
        }
    }

    fn tell_operation(&mut self, at: Val, op: &Op, operator: Operator, sides: (Val, Val)) {
        // What is compared is told where it is handed over.
        if matches!(operator, Operator::Compare | Operator::Same) {
            return;
        }
        self.tell_binary(sides);
        self.tell_merged(op, operator, sides);
        self.tell_names_joined(op, (operator, sides.0, sides.1));
        self.tell_implicit(op, Implicit::Operator, &[sides.0, sides.1]);
        if operator == Operator::Divide {
            self.tell_path_made(at, op);
        }
    }

    fn span(&self, op: &Op) -> Span {
        self.draft.span(op.start, op.end)
    }

    fn gap(&mut self, kind: GapKind, why: &str, op: &Op) {
        let on = self.written(op);
        self.draft.gap_on(kind, why, Some(on), (op.start, op.end));
    }

    /// The source of a step, cut to a bounded length.
    fn written(&self, op: &Op) -> Text {
        let text = self.text.get(op.start as usize..op.end as usize);
        crate::facts::draft::quote(text.unwrap_or_default())
    }

    fn word(&self, sym: super::program::Sym) -> Text {
        self.values.program.symbols.shared(sym)
    }

    /// The id of the scope that a step stands in.
    fn scope_of(&self, op: &Op) -> Text {
        let program = &self.values.program;
        let scope = program.block(op.block).map_or(0, |block| block.scope.0);
        told::scope_id(scope)
    }

    /// Notes what the names that a step may give need from the world.
    fn tell_use(&mut self, at: Val, op: &Op) {
        let set = self.values.of(at);
        self.tell_use_of(set, op);
    }

    /// The same of possible values that no step gives.
    fn tell_use_of(&mut self, set: Set, op: &Op) {
        let resolution = match set.single() {
            Some(_) => Resolution::Exact,
            None => Resolution::Possible,
        };
        let names: Vec<_> = set.names().collect();
        for name in names {
            let meaning = self.values.names.meaning(name, &self.values.program.symbols);
            // A module by itself does nothing: what is taken out of it is told.
            let Some(entry) = meaning.entry.filter(|_| !meaning.module) else {
                continue;
            };
            let (because, span) = (self.word(name), self.span(op));
            // What a function does with the file that it is given is told where it is called.
            let told_later = |name: &str| !entry.parameters.is_empty() && name.starts_with("fs.");
            for capability in entry.capabilities.iter().filter(|name| !told_later(name)) {
                self.draft.capability(capability, resolution, &because, span);
            }
        }
    }
}
