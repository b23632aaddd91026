//! Annotations that something evaluates: the texts in them are code.
//!
//! Must never take an annotation for a class that may be a text.

use crate::facts::python::program::{Access, Kind, Op, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::Atom;
use crate::facts::{DynamicKind, Facts, GapKind};

/// Decorators that ask for annotations without saying so.
const EVALUATING: [&str; 2] = ["functools.singledispatch", "functools.singledispatchmethod"];

/// What evaluates annotations.
const EVALUATOR: &str = "typing.get_type_hints";

/// Makers of what stands for a class in annotations, and is not looked into.
const STANDING: [&str; 3] = ["typing.NewType", "typing.ParamSpec", "typing.TypeVar"];

/// What holds texts that are no names.
const LITERAL: &str = "typing.Literal";

/// How deep annotations stand in each other that are looked into.
const DEPTH_MAX: u32 = 8;

impl Teller<'_, '_> {
    /// Annotations that are texts, where something evaluates them.
    pub(in super::super) fn tell_annotations(&mut self) {
        let Some(evaluating) = self.evaluating() else { return };
        if self.answers_for_members() {
            let why = "a class answers for annotations that are evaluated";
            self.gap(GapKind::Code, why, &evaluating);
        }
        let postponed = self.are_postponed();
        let annotations = self.values.program.annotations.clone();
        let mut before = None;
        for annotation in annotations {
            let Some(op) = self.values.program.op(annotation).copied() else { continue };
            // What is put together of annotations is told with each of them.
            let within = |part: Op| op.start <= part.start && part.end <= op.end;
            let whole = matches!(op.kind, Kind::Opaque) && before.is_some_and(within);
            if !(whole && self.begins_with_class(annotation, &op)) {
                self.tell_evaluated(&op, annotation, DEPTH_MAX);
            }
            if postponed {
                self.tell_postponed(&op, annotation);
            }
            before = Some(op);
        }
    }

    /// Whether what an annotation begins with, `list` in `list[int]`, is a class.
    fn begins_with_class(&self, annotation: Val, op: &Op) -> bool {
        let first = (0..annotation.0).rev().map(Val).find_map(|value| {
            let part = self.values.program.op(value).filter(|part| part.start >= op.start);
            match part {
                Some(part) if part.start > op.start => None,
                Some(part) => matches!(part.kind, Kind::Load(_)).then_some(Some(value)),
                None => Some(None),
            }
        });
        let class = |atom| matches!(atom, Atom::Name(_) | Atom::Own(_) | Atom::Literal(_));
        first.flatten().is_some_and(|first| {
            let set = self.values.of(first);
            !set.is_empty() && set.all(class)
        })
    }

    /// A call of what evaluates annotations.
    fn evaluating(&self) -> Option<Op> {
        let symbols = &self.values.program.symbols;
        if EVALUATING.iter().all(|name| symbols.find(name).is_none()) {
            return None;
        }
        let evaluates = |op: &&Op| {
            let Kind::Call { callee, .. } = op.kind else { return false };
            let callees = self.values.of(callee);
            callees.names().any(|name| EVALUATING.contains(&symbols.text(name)))
        };
        self.values.program.ops.iter().find(evaluates).copied()
    }

    /// Whether annotations are kept as their texts.
    fn are_postponed(&self) -> bool {
        let symbols = &self.values.program.symbols;
        self.values.program.imports.iter().any(|import| {
            symbols.text(import.module) == "__future__"
                && import.names.iter().any(|(name, _)| symbols.text(*name) == "annotations")
        })
    }

    /// An annotation, or a part of one: a class, a text, or what is put together of those.
    fn tell_evaluated(&mut self, op: &Op, value: Val, left: u32) {
        let set = self.values.of(value);
        if !set.is_empty() && set.all(|atom| self.is_class_or_text(atom)) {
            for atom in set.iter().filter(|atom| atom.text().is_some()) {
                let nested = self.tell_nested(op, DynamicKind::AnnotationEval, atom);
                self.tell_annotation(op, value, nested);
            }
            return;
        }
        match self.parts_of_annotation(value).filter(|_| left > 0) {
            Some(parts) => {
                for part in parts {
                    self.tell_evaluated(op, part, left - 1);
                }
            }
            None => self.gap(GapKind::Code, "an annotation is evaluated that is not known", op),
        }
    }

    /// What an annotation is put together of, where that is seen.
    fn parts_of_annotation(&self, value: Val) -> Option<Vec<Val>> {
        let program = &self.values.program;
        let kind = program.kind(value);
        if let Kind::Load(_) = kind {
            return Some(self.values.sources(value)).filter(|found| !found.is_empty());
        }
        if let Kind::Item { base, key: Some(key), access: Access::Read } = kind {
            let set = self.values.of(base);
            let known = |atom| matches!(atom, Atom::Name(_) | Atom::Own(_));
            let literal = set.names().any(|name| program.symbols.text(name) == LITERAL);
            let parts = if literal { Vec::new() } else { vec![key] };
            return (!set.is_empty() && set.all(known)).then_some(parts);
        }
        let parts = matches!(kind, Kind::Binary { .. } | Kind::Collect(..));
        parts.then(|| program.inputs(kind))
    }

    fn is_class_or_text(&self, atom: Atom) -> bool {
        match atom {
            Atom::Text(_) | Atom::Literal(_) | Atom::Name(_) | Atom::Own(_) | Atom::Bound(_) => {
                true
            }
            Atom::From(name) => STANDING.contains(&self.values.program.symbols.text(name)),
            Atom::Plain(of) => {
                let of = self.values.program.symbols.text(of);
                !matches!(of, "str" | "data" | "input")
            }
            Atom::Unknown
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Path(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => false,
        }
    }

    fn tell_annotation(&mut self, op: &Op, annotation: Val, nested: Option<Facts>) {
        let callee = Callee { name: EVALUATOR.into(), entry: None, named: None };
        self.tell_code(op, &callee, DynamicKind::AnnotationEval, (Some(annotation), nested));
    }

    /// An annotation that is kept as its text: one that only names classes is none to be told.
    fn tell_postponed(&mut self, op: &Op, annotation: Val) {
        let written = self.text.get(op.start as usize..op.end as usize).unwrap_or_default();
        let nested = self.read_counted(op, written.as_bytes());
        let plain = nested.as_ref().is_some_and(|nested| {
            nested.complete() && nested.calls.is_empty() && nested.capabilities.is_empty()
        });
        if !plain {
            self.tell_annotation(op, annotation, nested);
        }
    }
}
