//! Code as data: what is executed, evaluated, loaded or imported, and the facts of constant code.
//!
//! Must never leave code unread in silence: what is not constant is a gap.

mod query;

use super::calls::Callee;
use super::{Depth, Teller};
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Operands, Slot, Val};
use crate::facts::python::values::{Atom, Set};
use crate::facts::{Dynamic, DynamicKind, Facts, GapKind, ModuleRoute};
use query::is_plain_expression;

impl Teller<'_, '_> {
    /// The code that a call is given: the first argument, or the one that is called so.
    pub(super) fn code(&self, arguments: Operands) -> Option<Val> {
        let named = |operand: &&Operand| match operand.slot {
            Slot::Keyword(name) => matches!(&*self.word(name), "expr" | "source" | "code" | "name"),
            Slot::Position | Slot::Star | Slot::DoubleStar => false,
        };
        let keyword = self.values.program.operands(arguments).iter().find(named);
        let first = self.values.positional(arguments, 0);
        first.or_else(|| keyword.map(|operand| operand.value))
    }

    pub(super) fn tell_dynamic(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        kind: DynamicKind,
        (code, operands): (Option<Val>, &[Operand]),
    ) {
        let set = code.map(|code| self.values.of(code)).unwrap_or_default();
        let text = match set.single() {
            Some(Atom::Text(text)) => Some(self.word(text)),
            _ => None,
        };
        let plain = matches!(kind, DynamicKind::PandasQuery | DynamicKind::PandasEval);
        let none = code.is_none() && operands.is_empty();
        if plain && (none || self.is_harmless_expression(set)) {
            return;
        }
        self.tell_unknown_code(op, kind, set);
        let nested = text.as_ref().and_then(|text| self.read_nested(kind, text));
        if let Some(nested) = &nested {
            let span = self.span(op);
            for capability in &nested.capabilities {
                self.draft.capability(
                    &capability.name,
                    capability.resolution,
                    &capability.because,
                    span,
                );
            }
        }
        let value = code.map_or_else(super::told::opaque, |code| self.value(code));
        let (call, span) = (Text::clone(&callee.name), self.span(op));
        let nested = nested.map(Box::new);
        self.draft.dynamic(Dynamic { kind, call, value, nested, span });
    }

    /// A constant expression over columns is no code.
    fn is_harmless_expression(&self, set: Set) -> bool {
        let harmless = |atom: Atom| {
            let text = atom.text();
            text.is_some_and(|text| is_plain_expression(self.values.program.symbols.text(text)))
        };
        !set.is_empty() && set.all(harmless)
    }

    fn tell_unknown_code(&mut self, op: &Op, kind: DynamicKind, set: Set) {
        let known =
            !set.is_empty() && set.all(|atom| matches!(atom, Atom::Text(_) | Atom::Bytes(_)));
        let gap = match kind {
            DynamicKind::Import => GapKind::Import,
            DynamicKind::Exec
            | DynamicKind::Eval
            | DynamicKind::Compile
            | DynamicKind::CodeObject
            | DynamicKind::PandasQuery
            | DynamicKind::PandasEval
            | DynamicKind::AnnotationEval
            | DynamicKind::Doctest
            | DynamicKind::ConfigFactory
            | DynamicKind::Debugger
            | DynamicKind::Interpreter
            | DynamicKind::Unpickle
            | DynamicKind::Ffi
            | DynamicKind::Template => GapKind::Code,
        };
        if !known {
            self.gap(gap, "the code that is loaded here is not known before it runs", op);
        }
    }

    fn read_nested(&self, kind: DynamicKind, text: &str) -> Option<Facts> {
        match kind {
            DynamicKind::Exec | DynamicKind::Eval | DynamicKind::Compile => {
                let Depth { catalogue, limits, left } = self.depth;
                let left = left.checked_sub(1)?;
                Some(crate::facts::python::read_text(text, Depth { catalogue, limits, left }))
            }
            DynamicKind::Import
            | DynamicKind::CodeObject
            | DynamicKind::Unpickle
            | DynamicKind::Ffi
            | DynamicKind::Debugger
            | DynamicKind::Interpreter
            | DynamicKind::AnnotationEval
            | DynamicKind::Doctest
            | DynamicKind::ConfigFactory
            | DynamicKind::PandasQuery
            | DynamicKind::PandasEval
            | DynamicKind::Template => None,
        }
    }

    /// The modules that a call imports.
    pub(super) fn tell_dynamic_result(&mut self, at: Val, op: &Op, callees: &[Callee<'_>]) {
        let imports = callees.iter().any(|callee| {
            callee.entry.and_then(|entry| entry.dynamic) == Some(DynamicKind::Import)
        });
        if !imports {
            return;
        }
        let modules: Vec<_> = self.values.of(at).names().collect();
        for module in modules {
            let path = self.written(op);
            self.tell_module(module, ModuleRoute::DynamicImport, &path, op);
        }
    }
}
