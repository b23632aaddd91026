//! Code as data: what is executed, evaluated, loaded or imported, and the facts of constant code.
//!
//! Must never leave code unread in silence: what is not constant is a gap.

mod annotations;
mod query;

use super::calls::Callee;
use super::{Depth, Teller};
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Slot, Val};
use crate::facts::python::values::{Atom, Set};
use crate::facts::{Dynamic, DynamicKind, Facts, GapKind, ModuleRoute};
use query::is_plain_expression;

impl Teller<'_, '_> {
    /// Code that a call makes, loads or runs.
    pub(super) fn tell_dynamic(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        kind: DynamicKind,
        operands: &[Operand],
    ) {
        let codes = self.codes(callee, operands);
        if matches!(kind, DynamicKind::PandasQuery | DynamicKind::PandasEval) {
            if let Some(code) = codes.first().copied().or_else(|| first(operands)) {
                self.tell_query(op, callee, kind, code);
            }
            return;
        }
        if codes.is_empty() {
            self.tell_unknown_code(op, kind, Set::default());
            self.tell_code(op, callee, kind, (None, None));
        }
        for code in codes {
            self.tell_unknown_code(op, kind, self.values.of(code));
            for text in self.texts_of(code) {
                let nested = text.and_then(|text| self.tell_nested(op, kind, text));
                self.tell_code(op, callee, kind, (Some(code), nested));
            }
        }
    }

    /// The arguments that are code: the first one, and those that are called so.
    fn codes(&self, callee: &Callee<'_>, operands: &[Operand]) -> Vec<Val> {
        let positions = if callee.name.starts_with("timeit.") { 2 } else { 1 };
        let taken = operands.iter().enumerate().filter(|(at, operand)| match operand.slot {
            Slot::Position => *at < positions,
            Slot::Keyword(name) => CODE.contains(&self.values.program.symbols.text(name)),
            Slot::Star | Slot::DoubleStar => false,
        });
        taken.map(|(_, operand)| operand.value).collect()
    }

    /// The texts that a piece of code may be; one that is not known stands for itself.
    fn texts_of(&self, code: Val) -> Vec<Option<Atom>> {
        let set = self.values.of(code);
        let texts: Vec<_> = set
            .iter()
            .filter(|atom| matches!(atom, Atom::Text(_) | Atom::Bytes(_)))
            .map(Some)
            .collect();
        if texts.is_empty() { vec![None] } else { texts }
    }

    fn tell_code(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        kind: DynamicKind,
        (code, nested): (Option<Val>, Option<Facts>),
    ) {
        let value = code.map_or_else(super::told::opaque, |code| self.traced(code));
        let (call, span) = (Text::clone(&callee.name), self.span(op));
        let nested = nested.map(Box::new);
        self.draft.dynamic(Dynamic { kind, call, value, nested, span });
    }

    /// Reads code in a constant text; what it needs counts here too.
    fn tell_nested(&mut self, op: &Op, kind: DynamicKind, text: Atom) -> Option<Facts> {
        if !is_read(kind) {
            return None;
        }
        let (Atom::Text(sym) | Atom::Bytes(sym)) = text else {
            return None;
        };
        let word = self.word(sym);
        let bytes = if matches!(text, Atom::Bytes(_)) {
            // Bytes stand as characters of the same number.
            word.chars().filter_map(|one| u8::try_from(one).ok()).collect()
        } else {
            word.trim_start_matches([' ', '\t']).as_bytes().to_vec()
        };
        self.read_counted(op, &bytes)
    }

    fn read_counted(&mut self, op: &Op, code: &[u8]) -> Option<Facts> {
        let Depth { catalogue, limits, left } = self.depth;
        let Some(left) = left.checked_sub(1) else {
            self.gap(GapKind::Limit, "code stands in code deeper than is read", op);
            return None;
        };
        if !self.draft.admit_code(code, (op.start, op.end)) {
            return None;
        }
        let nested = crate::facts::python::read_text(code, Depth { catalogue, limits, left });
        if !nested.complete() {
            self.gap(GapKind::Code, "the code in this text is not wholly understood", op);
        }
        let span = self.span(op);
        for need in &nested.capabilities {
            self.draft.capability(&need.name, need.resolution, &need.because, span);
        }
        Some(nested)
    }

    /// An expression of pandas. A plain one is told with what it says of its columns; of any other
    /// the names belong to the code around.
    fn tell_query(&mut self, op: &Op, callee: &Callee<'_>, kind: DynamicKind, code: Val) {
        let set = self.values.of(code);
        if !self.is_harmless_expression(set) {
            let why = "the expression reaches past columns, or is not known before it runs";
            self.gap(GapKind::Code, why, op);
            self.tell_code(op, callee, kind, (Some(code), None));
            return;
        }
        for text in set.iter().filter_map(Atom::text) {
            let columns = query::over_columns(self.values.program.symbols.text(text));
            let nested = self.read_counted(op, columns.as_bytes());
            self.tell_code(op, callee, kind, (Some(code), nested));
        }
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

    /// The modules that a call imports.
    pub(super) fn tell_dynamic_result(
        &mut self,
        at: Val,
        op: &Op,
        (callees, operands): (&[Callee<'_>], &[Operand]),
    ) {
        if !callees.iter().any(|callee| callee.dynamic() == Some(DynamicKind::Import)) {
            return;
        }
        let path = self.written(op);
        let modules: Vec<_> = self.values.of(at).names().collect();
        for module in &modules {
            self.tell_module(*module, ModuleRoute::DynamicImport, &path, op);
        }
        let named = first(operands).filter(|_| modules.is_empty());
        let named = named.map(|named| self.values.of(named)).unwrap_or_default();
        for module in named.iter().filter_map(Atom::text) {
            self.tell_module(module, ModuleRoute::Loader, &path, op);
        }
    }
}

/// Keywords of arguments that are code.
const CODE: [&str; 12] = [
    "expr",
    "source",
    "code",
    "name",
    "stmt",
    "setup",
    "statement",
    "cmd",
    "command",
    "script",
    "string",
    "src",
];

fn first(operands: &[Operand]) -> Option<Val> {
    operands.first().map(|operand| operand.value)
}

/// Whether the text that is given is Python itself.
fn is_read(kind: DynamicKind) -> bool {
    match kind {
        DynamicKind::Exec
        | DynamicKind::Eval
        | DynamicKind::Compile
        | DynamicKind::Debugger
        | DynamicKind::Interpreter
        | DynamicKind::AnnotationEval => true,
        DynamicKind::Import
        | DynamicKind::CodeObject
        | DynamicKind::Unpickle
        | DynamicKind::Ffi
        | DynamicKind::Doctest
        | DynamicKind::ConfigFactory
        | DynamicKind::PandasQuery
        | DynamicKind::PandasEval
        | DynamicKind::Template => false,
    }
}
