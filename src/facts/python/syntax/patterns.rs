//! Binding: targets of assignments, loops and patterns become bindings of names.

use super::kinds::{Field, Syntax};
use super::walk::{Frame, Item, Walk, child, value};
use crate::facts::python::program::{
    Access, Collection, Kind, Operand, Operands, ScopeId, Slot, Sym, Val, number,
};
use crate::facts::{GapKind, Role, ScopeKind};

impl Walk<'_, '_> {
    /// Binds a target to a value. What was read as a use of the target is taken back.
    pub(super) fn bind(&mut self, target: Val, source: Val) {
        let mut open = vec![(target, source)];
        while let Some((target, source)) = open.pop() {
            let Some(op) = self.program.op(target).copied() else {
                continue;
            };
            let range = (op.start, op.end);
            if let Kind::Load(name) = op.kind {
                self.set_kind(target, Kind::Dead);
                self.bind_name(name, source, range);
            } else if let Kind::Collect(_, operands) = op.kind {
                self.set_kind(target, Kind::Dead);
                // Targets are bound from left to right.
                open.extend(self.unpack(operands, source, range).into_iter().rev());
            } else if let Some(role) = self.rewrite(target, Access::Write) {
                if self.may_read(target, &self.bound_after(target)) {
                    self.read_too_early(range);
                }
                let into = op.kind.attribute().map(|(_, name)| name);
                self.escape(source, role, into);
                self.push(Kind::Store { target, value: source }, range);
            }
        }
    }

    /// Turns the reading of an attribute or item into another access; tells what is written.
    pub(super) fn rewrite(&mut self, target: Val, access: Access) -> Option<Role> {
        let kind = self.program.kind(target);
        if let Kind::Attribute { base, name, .. } = kind {
            self.set_kind(target, Kind::Attribute { base, name, access });
            return Some(Role::AttributeWrite);
        }
        if let Kind::Item { base, key, .. } = kind {
            self.set_kind(target, Kind::Item { base, key, access });
            return Some(Role::Container);
        }
        None
    }

    /// Each target of several, with what it is bound to.
    fn unpack(&mut self, targets: Operands, source: Val, range: (u32, u32)) -> Vec<(Val, Val)> {
        let targets = self.program.operands(targets).to_vec();
        if self.reads_what_it_binds(&targets) {
            self.read_too_early(range);
        }
        let sources = self.parts(source, targets.len());
        let plain = targets.iter().all(|target| target.slot == Slot::Position);
        let chained = self.frames.last().is_some_and(|frame| frame.syntax == Syntax::Assignment);
        if let (Kind::Collect(_, operands), Some(_), true, false) =
            (self.program.kind(source), &sources, plain, chained)
        {
            self.set_kind(source, Kind::Collect(Collection::Passing, operands));
        }
        let mut pairs = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            let part = sources.as_ref().and_then(|parts| parts.get(index)).copied();
            let part = part.filter(|_| target.slot == Slot::Position);
            let taken = if plain {
                Kind::Part { value: source, index: number(index) }
            } else {
                Kind::Element(source)
            };
            let mut part = part.unwrap_or_else(|| self.push(taken, range));
            if target.slot == Slot::Star {
                part = self.rest(part, range);
            }
            pairs.push((target.value, part));
        }
        pairs
    }

    /// Whether an item or attribute is a target whose object or key is read after a target before
    /// it was bound, as in `i, row[i] = 1, 2`. Such a name was read too early.
    fn reads_what_it_binds(&self, targets: &[Operand]) -> bool {
        let mut bound: Vec<Sym> = Vec::new();
        targets.iter().any(|target| {
            let kind = self.program.kind(target.value);
            if let Kind::Load(name) = kind {
                bound.push(name);
            }
            let stored = matches!(kind, Kind::Item { .. } | Kind::Attribute { .. });
            stored && self.may_read(target.value, &bound)
        })
    }

    fn read_too_early(&mut self, range: (u32, u32)) {
        let why = "a target reads a name that the same assignment binds";
        self.draft.gap(GapKind::OwnAttribute, why, range.0, range.1);
    }

    /// The names that are bound after a target was read: by `:=` in what is assigned to it.
    fn bound_after(&self, target: Val) -> Vec<Sym> {
        let after = self.program.ops.get(target.0 as usize..).unwrap_or_default().iter();
        let cells = after.filter_map(|op| {
            let Kind::Bind { cell, .. } = op.kind else { return None };
            self.program.cell(cell)
        });
        cells.filter(|cell| cell.scope == self.scope).map(|cell| cell.name).collect()
    }

    /// Whether a target may read one of these names.
    fn may_read(&self, target: Val, names: &[Sym]) -> bool {
        let mut at = target;
        loop {
            let kind = self.program.kind(at);
            if let Kind::Item { base, key, .. } = kind {
                if key.is_some_and(|key| !self.is_apart(key, names)) {
                    return true;
                }
                at = base;
            } else if let Some((base, _)) = kind.attribute() {
                at = base;
            } else {
                return !self.is_apart(at, names);
            }
        }
    }

    /// Whether an expression is a constant, or a name that is none of these.
    fn is_apart(&self, value: Val, names: &[Sym]) -> bool {
        let kind = self.program.kind(value);
        let other = matches!(kind, Kind::Load(name) if !names.contains(&name));
        other || names.is_empty() || matches!(kind, Kind::Constant(_))
    }

    /// The new list that a starred target collects elements in.
    fn rest(&mut self, element: Val, range: (u32, u32)) -> Val {
        let element = Operand { slot: Slot::Position, value: element };
        let elements = self.program.push_operands([element]);
        self.push(Kind::Gather(Collection::List, elements), range)
    }

    /// The values of a display of this many, where it has no star.
    fn parts(&self, source: Val, count: usize) -> Option<Vec<Val>> {
        let Kind::Collect(Collection::Tuple | Collection::List, operands) =
            self.program.kind(source)
        else {
            return None;
        };
        let operands = self.program.operands(operands);
        let plain = operands.iter().all(|operand| operand.slot == Slot::Position);
        (plain && operands.len() == count)
            .then(|| operands.iter().map(|operand| operand.value).collect())
    }

    pub(super) fn set_kind(&mut self, value: Val, kind: Kind) {
        if let Some(op) = self.program.ops.get_mut(value.0 as usize) {
            op.kind = kind;
        }
    }

    pub(super) fn bind_name(&mut self, name: Sym, source: Val, range: (u32, u32)) {
        let scope = self.scope;
        self.program.bind(scope, name, source, (range, self.block));
    }

    pub(super) fn escape(&mut self, value: Val, role: Role, into: Option<Sym>) {
        if matches!(self.program.kind(value), Kind::Constant(_) | Kind::Opaque) {
            return;
        }
        let range = self.program.op(value).map_or((0, 0), |op| (op.start, op.end));
        self.push(Kind::Escape { value, role, into }, range);
    }

    /// Binds the left side to an element of the right one.
    pub(super) fn bind_element(&mut self, items: &[Item]) {
        let (Some(target), Some(source)) = (value(items, Field::Left), value(items, Field::Right))
        else {
            return;
        };
        let range = self.program.op(source).map_or((0, 0), |op| (op.start, op.end));
        let element = self.push(Kind::Element(source), range);
        self.bind(target, element);
    }

    /// `name := value` binds in the function around, past comprehensions.
    pub(super) fn walrus(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let source = value(items, Field::Value);
        if self.frames.last().is_some_and(|around| around.syntax == Syntax::Interpolation) {
            // `{name:=5}` in a string is the name, and a format that begins with `=`.
            return Item::of(frame, value(items, Field::Name));
        }
        if let (Some(target), Some(source)) = (value(items, Field::Name), source)
            && let Kind::Load(name) = self.program.kind(target)
        {
            self.set_kind(target, Kind::Dead);
            let scope = self.function_around();
            // It may stand where it is not always reached, so it gets a block of its own.
            let block = self.program.open_block(
                Some(self.block),
                scope,
                crate::facts::When::Conditional,
                crate::facts::python::program::Repeats::Once,
            );
            self.program.bind(scope, name, source, (frame.range, block));
            if self.in_generator() {
                self.program.bind_later(scope, name);
            }
        }
        Item::of(frame, source)
    }

    /// Whether this runs when a generator is walked, wherever that is.
    fn in_generator(&self) -> bool {
        let around = self.frames.iter().rev().map(|frame| frame.syntax);
        let mut around = around.take_while(|syntax| {
            !matches!(
                *syntax,
                Syntax::FunctionDefinition | Syntax::Lambda | Syntax::ClassDefinition
            )
        });
        around.any(|syntax| syntax == Syntax::GeneratorExpression)
    }

    fn function_around(&self) -> ScopeId {
        let mut scope = self.scope;
        while let Some(record) = self.program.scope(scope) {
            match (record.kind, record.parent) {
                (ScopeKind::Comprehension, Some(parent)) => scope = parent,
                _ => break,
            }
        }
        scope
    }

    /// `value as target`, in a `with`, an `except` or a `case`.
    pub(super) fn as_pattern(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let source = items.first().and_then(|item| item.value);
        let target = child(items, Field::Alias).or_else(|| items.get(1));
        let target = target.and_then(|item| item.value);
        let within = self.frames.last().map(|frame| frame.syntax);
        let entered = self.frames.iter().any(|frame| frame.syntax == Syntax::WithItem);
        if let Some(target) = target
            && entered
            && within != Some(Syntax::WithItem)
        {
            // `a if b else c as d` is read as if `as` took the last part alone.
            self.entered.push(target);
            return Item::of(frame, source);
        }
        let bound = match (within, source) {
            (Some(Syntax::WithItem), Some(source)) => self.push(Kind::Entered(source), frame.range),
            (Some(Syntax::ExceptClause | Syntax::ExceptGroupClause), _) => {
                self.push(Kind::Caught, frame.range)
            }
            _ => self.push(Kind::Opaque, frame.range),
        };
        if let Some(target) = target {
            self.bind(target, bound);
        }
        Item::of(frame, source)
    }

    /// A context that is entered; what it gives is bound by `as`, where there is one.
    pub(super) fn with_item(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let context = items.first().filter(|item| item.syntax != Syntax::AsPattern);
        if let Some(source) = context.and_then(|item| item.value) {
            let bound = self.push(Kind::Entered(source), frame.range);
            for target in std::mem::take(&mut self.entered) {
                self.bind(target, bound);
            }
        }
        Item::of(frame, items.first().and_then(|item| item.value))
    }

    /// A name in a pattern captures; a dotted one is a value; the first of a class pattern is a
    /// class.
    pub(super) fn pattern_name(&mut self, frame: &Frame, names: &[Item]) -> Item {
        let within = self.frames.last().map(|frame| frame.syntax);
        let parts = names.iter().filter_map(|item| Some((self.private(item.name?), item.range)));
        let parts: Vec<_> = parts.collect();
        let Some(((first, range), rest)) = parts.split_first() else {
            return Item::of(frame, None);
        };
        let (first, range) = (*first, *range);
        if rest.is_empty() && within != Some(Syntax::ClassPattern) {
            let captured = self.push(Kind::Opaque, frame.range);
            if self.program.symbols.text(first) != "_" {
                self.bind_name(first, captured, range);
            }
            return Item::of(frame, Some(captured));
        }
        let mut value = self.push(Kind::Load(first), range);
        for (name, range) in rest.iter().copied() {
            let access = Access::Read;
            value =
                self.push(Kind::Attribute { base: value, name, access }, (frame.range.0, range.1));
        }
        self.program.patterns.push(value);
        Item::of(frame, Some(value))
    }

    /// `name=pattern` in a class pattern reads the attribute.
    pub(super) fn keyword_pattern(&mut self, frame: &Frame, items: &[Item]) -> Item {
        if let Some(name) = items.first().and_then(|item| item.name) {
            self.push(Kind::Matched(name), frame.range);
        }
        Item::of(frame, None)
    }

    /// `*rest` or `**rest` in a pattern captures.
    pub(super) fn splat_pattern(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let captured = self.push(Kind::Opaque, frame.range);
        if let Some(target) = items.iter().find_map(|item| item.value) {
            self.bind(target, captured);
        }
        Item::of(frame, Some(captured))
    }
}
