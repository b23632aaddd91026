//! Calls that the language itself gives a meaning: attributes by name, namespaces, imports, code
//! in text, format strings.

use super::calls::Callee;
use super::format::{reaching_fields, takes_members};
use super::query::is_plain_expression;
use super::resources::Passed;
use super::{Depth, Teller};
use crate::call::Text;
use crate::facts::python::program::{Op, Operand, Operands, Slot, Sym, Val};
use crate::facts::python::values::{Atom, COLLECTION, Set};
use crate::facts::{
    Binding, BindingKind, Dynamic, DynamicKind, Facts, GapKind, ModuleRoute, Reflection,
    ReflectionKind, Resolution,
};

/// What is done with the `format` of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation<'call> {
    /// It is called with these.
    Applied(&'call [Operand]),
    /// It is handed on.
    HandedOn,
}

impl Teller<'_, '_> {
    /// Everything that one possible callee means.
    pub(super) fn tell_callee(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        arguments: Operands,
        operands: &[Operand],
    ) {
        let receiver = None;
        if callee.named.is_some() {
            self.tell_parameters(op, callee, (receiver, operands));
            self.tell_by_name(op, callee, operands);
            self.tell_unbound_method(op, callee);
        }
        if let Some(kind) = callee.entry.and_then(|entry| entry.dynamic) {
            self.tell_dynamic(op, callee, kind, (self.code(arguments), operands));
        }
        let resolution =
            if callee.named.is_some() { Resolution::Exact } else { Resolution::Possible };
        let span = self.span(op);
        for capability in self.needs(callee, operands) {
            self.draft.capability(&capability, resolution, &callee.name, span);
        }
    }

    fn tell_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        match &*callee.name {
            "getattr" | "hasattr" | "setattr" | "delattr" => {
                self.tell_attribute_by_name(op, callee, operands)
            }
            "operator.attrgetter" | "operator.methodcaller" => {
                for operand in operands.iter().take(match &*callee.name {
                    "operator.methodcaller" => 1,
                    _ => operands.len(),
                }) {
                    self.tell_attribute_text(op, *operand);
                }
            }
            "globals" | "locals" | "vars" => {
                let span = self.span(op);
                let (name, on) = (Text::clone(&callee.name), Some(self.written(op)));
                let kind = ReflectionKind::Namespace;
                self.draft.reflection(Reflection { kind, name, on, span });
            }
            "str.format" | "str.format_map" | "string.Formatter.format" => {
                self.gap(GapKind::Format, "a format string is applied that is not known", op);
            }
            _ => {}
        }
    }

    fn tell_attribute_by_name(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        if let Some(name) = operands.get(1) {
            self.tell_attribute_text(op, *name);
        } else {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
        }
        let base = operands.first().map(|operand| self.values.of(operand.value));
        let library = base.is_some_and(|set| set.names().next().is_some());
        if library && matches!(&*callee.name, "setattr" | "delattr") {
            let span = self.span(op);
            let name = Text::clone(&callee.name);
            let kind = BindingKind::SetattrOpaque;
            self.draft.binding(Binding { kind, name, to: Vec::new(), span });
        }
    }

    /// A text that names an attribute, perhaps a dotted one.
    fn tell_attribute_text(&mut self, op: &Op, operand: Operand) {
        let set = self.values.of(operand.value);
        let known = operand.slot == Slot::Position && set.all(|atom| matches!(atom, Atom::Text(_)));
        if !known || set.is_empty() {
            self.gap(GapKind::Attribute, "which attribute is meant is not known", op);
        }
        for atom in set.iter() {
            let Atom::Text(text) = atom else { continue };
            for part in self.word(text).split('.') {
                let part = self.values.program.symbols.intern(part);
                self.tell_named_attribute(part, op);
                let word = self.word(part);
                self.tell_named_method(&word, None, op);
            }
        }
    }

    /// The code that a call is given: the first argument, or the one that is called so.
    fn code(&self, arguments: Operands) -> Option<Val> {
        let named = |operand: &&Operand| match operand.slot {
            Slot::Keyword(name) => matches!(&*self.word(name), "expr" | "source" | "code" | "name"),
            Slot::Position | Slot::Star | Slot::DoubleStar => false,
        };
        let keyword = self.values.program.operands(arguments).iter().find(named);
        let first = self.values.positional(arguments, 0);
        first.or_else(|| keyword.map(|operand| operand.value))
    }

    fn tell_dynamic(
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
        let nested = text.as_ref().and_then(|text| self.read_nested(kind, text, op));
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

    fn read_nested(&mut self, kind: DynamicKind, text: &str, op: &Op) -> Option<Facts> {
        match kind {
            DynamicKind::Exec | DynamicKind::Eval | DynamicKind::Compile => {
                let Depth { catalogue, limits, left } = self.depth;
                let left = left.checked_sub(1)?;
                if !self.draft.admit_code(text, (op.start, op.end)) {
                    return None;
                }
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

    /// Methods by their name: format strings, and what the catalogue says of library objects.
    pub(super) fn tell_method(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let Some((base, name)) = self.values.program.kind(callee).attribute() else {
            return;
        };
        if matches!(&*self.word(name), "format" | "format_map") {
            self.tell_format(op, base, Operation::Applied(operands));
        }
        let (callees, _) = self.callees(callee, operands);
        for callee in &callees {
            self.tell_dispatch(op, callee, operands);
            if callee.named.is_none() {
                self.tell_parameters(op, callee, (Some(base), operands));
            }
        }
    }

    /// A parameter that may name a method by a text.
    fn tell_dispatch(&mut self, op: &Op, callee: &Callee<'_>, operands: &[Operand]) {
        let Some(slots) = callee.entry.and_then(|entry| entry.dispatch.as_ref()) else {
            return;
        };
        let value = match self.passed(slots, operands) {
            Passed::As(value) => value,
            Passed::Not => return,
            Passed::Unseen => {
                self.gap(GapKind::Callee, "which method is meant is not known", op);
                return;
            }
        };
        let named = self.values.written_out(value);
        if !named.iter().all(|atom| self.is_callable_or_known(*atom)) && passes_on(operands) {
            self.gap(GapKind::Callee, "which method is meant, and given more, is not known", op);
        }
        for text in named.into_iter().filter_map(Atom::text) {
            let word = self.word(text);
            self.tell_named_attribute(text, op);
            self.tell_named_method(&word, None, op);
        }
    }

    /// Whether a value names no method, or names one that is known.
    fn is_callable_or_known(&self, atom: Atom) -> bool {
        match atom {
            Atom::Text(_) | Atom::Name(_) | Atom::Own(_) | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Plain(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Instance(_) => false,
        }
    }

    pub(super) fn tell_format(&mut self, op: &Op, base: Val, operation: Operation<'_>) {
        let set = self.values.of(base);
        let data = match operation {
            Operation::Applied(operands) => {
                operands.iter().all(|operand| self.is_data(operand.value))
            }
            Operation::HandedOn => false,
        };
        for atom in set.iter() {
            match atom {
                Atom::Text(template) => self.tell_template(op, &self.word(template)),
                Atom::Unknown | Atom::Plain(_) if !data => {
                    self.gap(GapKind::Format, "a format string is applied that is not known", op);
                }
                Atom::From(origin) if !data && !self.has_own_format(origin) => {
                    self.gap(GapKind::Format, "a format string is applied that is not known", op);
                }
                Atom::Unknown
                | Atom::Plain(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_)
                | Atom::Own(_)
                | Atom::Instance(_) => {}
            }
        }
    }

    /// Whether `format` of what came from there is a method of its own: log formatters have one.
    fn has_own_format(&self, origin: Sym) -> bool {
        let name = self.values.program.symbols.text(origin);
        name == "super" || name.starts_with("logging.")
    }

    /// Whether a value is data through and through, which a collection need not be.
    fn is_data(&self, value: Val) -> bool {
        let collection = |kind| self.values.program.symbols.text(kind) == COLLECTION;
        self.values.of(value).all(|atom| match atom {
            Atom::Plain(kind) => !collection(kind),
            Atom::Text(_) | Atom::Bytes(_) | Atom::Literal(_) => true,
            Atom::Unknown
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_) => false,
        })
    }

    fn tell_template(&mut self, op: &Op, template: &str) {
        if !takes_members(template) {
            return;
        }
        for field in reaching_fields(template) {
            let (name, on) = (crate::facts::draft::quote(field), Some(self.written(op)));
            let span = self.span(op);
            let kind = ReflectionKind::Format;
            self.draft.reflection(Reflection { kind, name, on, span });
        }
    }
}

/// Whether a method that is named by a text would be given more than the choice of an axis.
fn passes_on(operands: &[Operand]) -> bool {
    operands.len() > 1
}
