//! `type X = …`, and what the parser only takes for it.
//!
//! `type(x).y = z` and `type[x] = z` are assignments to an attribute of a call and to an item. Must
//! never lose the call, nor bind a name that the interpreter does not bind.

use super::kinds::Field;
use super::walk::{Frame, Item, Walk, value};
use crate::facts::python::program::{Access, Collection, Kind, Operand, Operands, Slot, Val};

impl Walk<'_, '_> {
    pub(super) fn type_alias(&mut self, frame: &Frame, items: &[Item]) -> Item {
        let left = items.iter().find(|item| item.field == Field::Left);
        let (Some(left), right) = (left, value(items, Field::Right)) else {
            return Item::of(frame, None);
        };
        let Some(target) = left.value else {
            return Item::of(frame, None);
        };
        let source = right.unwrap_or_else(|| self.push(Kind::Opaque, frame.range));
        if self.slice(left.range).starts_with(['(', '[']) {
            let target = self.used_type(target, left.range.0, frame.range.0);
            self.bind(target, source);
        } else {
            let alias = self.push(Kind::Opaque, frame.range);
            self.bind(target, alias);
        }
        Item::of(frame, None)
    }

    /// Notes brackets that stand after the word `type`.
    pub(super) fn note_after_type(&mut self, range: (u32, u32)) {
        let blank = |letter: char| letter.is_ascii_whitespace() || letter == '\\';
        if self.slice((0, range.0)).trim_end_matches(blank).ends_with("type") {
            self.after_type.push(range);
        }
    }

    /// The target with the name `type` before its first bracket, in steps of their own.
    fn used_type(&mut self, target: Val, bracket: u32, start: u32) -> Val {
        let mut trailers = Vec::new();
        let mut base = target;
        while let Some(op) = self.program.op(base).copied() {
            let Some(inner) = trailed(op.kind).filter(|_| op.start == bracket) else {
                break;
            };
            trailers.push((base, op));
            base = inner;
        }
        let mut value = self.bracketed(base, bracket, start);
        for (old, op) in trailers.into_iter().rev() {
            self.set_kind(old, Kind::Dead);
            value = self.push(retrailed(op.kind, value), (start, op.end));
        }
        value
    }

    /// `type(…)` or `type[…]`.
    fn bracketed(&mut self, inner: Val, bracket: u32, start: u32) -> Val {
        let name = self.program.symbols.intern("type");
        let end = self.program.op(inner).map_or(bracket, |op| op.end);
        let closed = self.after_type.iter().find(|(open, _)| *open == bracket).copied();
        let range = (start, closed.map_or(end, |(_, end)| end));
        let callee = self.push(Kind::Load(name), (start, start + 4));
        let parts = self.program.kind(inner).collected().filter(|_| closed.is_none());
        if self.slice((bracket, bracket + 1)) == "[" {
            let key = parts.map(|parts| self.key(inner, parts));
            return self.push(Kind::Item { base: callee, key, access: Access::Read }, range);
        }
        let arguments = parts.unwrap_or_else(|| {
            self.program.push_operands([Operand { slot: Slot::Position, value: inner }])
        });
        if parts.is_some() {
            self.set_kind(inner, Kind::Dead);
        }
        self.push(Kind::Call { callee, arguments, implicit: None }, range)
    }

    /// The one key, or all of them as one.
    fn key(&mut self, list: Val, parts: Operands) -> Val {
        if let [only] = self.program.operands(parts) {
            let only = only.value;
            self.set_kind(list, Kind::Dead);
            return only;
        }
        self.set_kind(list, Kind::Collect(Collection::Passing, parts));
        list
    }
}

/// What a trailer such as `.name`, `[key]` or `(…)` stands behind.
fn trailed(kind: Kind) -> Option<Val> {
    if let Kind::Attribute { base, .. }
    | Kind::Item { base, .. }
    | Kind::Call { callee: base, implicit: None, .. } = kind
    {
        Some(base)
    } else {
        None
    }
}

fn retrailed(kind: Kind, base: Val) -> Kind {
    if let Kind::Attribute { name, access, .. } = kind {
        Kind::Attribute { base, name, access }
    } else if let Kind::Item { key, access, .. } = kind {
        Kind::Item { base, key, access }
    } else if let Kind::Call { arguments, implicit, .. } = kind {
        Kind::Call { callee: base, arguments, implicit }
    } else {
        kind
    }
}
