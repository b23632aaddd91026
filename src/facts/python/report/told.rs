//! Scopes, imports, definitions and values in the words of the facts.

use super::Teller;
use crate::call::Text;
use crate::facts::python::program::{DefId, ImportRecord, Kind, ScopeId, Sym, Val};
use crate::facts::python::values::{Atom, COLLECTION, Set, ends, is_wild};
use crate::facts::{
    GapKind, Import, ImportForm, Level, Module, ModuleRoute, Resolution, Scope, ScopeKind, Span,
    Taint, Value,
};

/// Bytes of a value's text that a fact may carry.
const VALUE_BYTES_MAX: usize = 2_048;

pub(super) fn scope_id(number: u32) -> Text {
    format!("s{number}").into()
}

impl Teller<'_, '_> {
    pub(super) fn tell_scopes(&mut self) {
        for number in 0..self.values.program.scopes.len() {
            let id = ScopeId(crate::facts::python::program::number(number));
            let Some(record) = self.values.program.scope(id) else {
                continue;
            };
            let scope = Scope {
                id: scope_id(id.0),
                kind: record.kind,
                name: self.word(record.name),
                parent: record.parent.map(|parent| scope_id(parent.0)),
                parameters: record.parameters.iter().map(|name| self.word(*name)).collect(),
                called: self.runs(id, record.kind),
            };
            self.draft.scope(scope);
        }
    }

    /// Whether a scope's body runs where it stands, or is called where that is seen.
    fn runs(&self, id: ScopeId, kind: ScopeKind) -> bool {
        match kind {
            ScopeKind::Module | ScopeKind::Class | ScopeKind::Comprehension => true,
            ScopeKind::Function | ScopeKind::Lambda => self.called.contains(&DefId(id.0)),
        }
    }

    pub(super) fn tell_imports(&mut self) {
        let imports = std::mem::take(&mut self.values.program.imports);
        for import in &imports {
            self.tell_import(import);
        }
        self.values.program.imports = imports;
    }

    fn tell_import(&mut self, import: &ImportRecord) {
        let (start, end) = import.range;
        let span = self.draft.span(start, end);
        let module = self.word(import.module);
        self.draft.module(Module {
            module: Text::clone(&module),
            route: ModuleRoute::Import,
            path: Text::clone(&module),
            resolution: Resolution::Exact,
            span,
        });
        if import.form == ImportForm::Import && import.alias.is_none() {
            self.tell_packages(&module, span);
        }
        if import.form == ImportForm::Star && !import.known {
            self.draft.gap_on(
                GapKind::Import,
                "a star import binds names that are not written here",
                Some(Text::clone(&module)),
                import.range,
            );
        }
        let names = import
            .names
            .iter()
            .map(|(name, alias)| (self.word(*name), alias.map(|alias| self.word(alias))));
        let fact = Import {
            form: import.form,
            module,
            alias: import.alias.map(|alias| self.word(alias)),
            names: names.collect(),
            written: crate::facts::draft::quote(
                self.text.get(start as usize..end as usize).unwrap_or_default(),
            ),
            scope: scope_id(import.scope.0),
            span,
        };
        self.draft.import(fact);
    }

    /// `import a.b` binds `a`, out of which everything else in it is taken.
    fn tell_packages(&mut self, module: &Text, span: Span) {
        let Some((package, _)) = module.split_once('.') else { return };
        self.draft.module(Module {
            module: package.into(),
            route: ModuleRoute::Import,
            path: Text::clone(module),
            resolution: Resolution::Exact,
            span,
        });
    }

    /// The name of a definition of the program's own: no library name looks like it.
    pub(super) fn own_name(&self, name: Sym) -> Text {
        format!("<own>.{}", self.values.program.symbols.text(name)).into()
    }

    /// What is known of a value.
    pub(super) fn value(&self, value: Val) -> Value {
        let kind = self.values.program.kind(value);
        let level = if matches!(kind, Kind::Constant(_) | Kind::Docstring(_)) {
            Level::Literal
        } else {
            Level::Folded
        };
        let told = match self.values.of(value).single() {
            Some(atom) => self.value_of(atom, level),
            None => self.one_of(self.values.of(value)),
        };
        if matches!(told.level, Level::Folded | Level::Partial) {
            let ops = self.origin(value).ops;
            return Value { ops, ..told };
        }
        told
    }

    /// What is known of a value that names something, with what it was made by and came from.
    pub(super) fn traced(&self, value: Val) -> Value {
        self.trace(value, self.value(value))
    }

    /// The same of what is told of it.
    pub(super) fn trace(&self, value: Val, told: Value) -> Value {
        if told.level == Level::Literal {
            return told;
        }
        let mut origin = self.origin(value);
        if told.level == Level::Folded {
            origin.taint.clear();
        } else if origin.taint.is_empty() && told.candidates.is_empty() {
            origin.taint.push(Taint::Unknown);
        }
        Value { ops: origin.ops, taint: origin.taint, ..told }
    }

    /// A value that is one of several.
    fn one_of(&self, set: Set) -> Value {
        let known: Vec<Value> = set.iter().map(|atom| self.value_of(atom, Level::Folded)).collect();
        let texts: Option<Vec<Text>> = known.iter().map(|one| one.text.clone()).collect();
        let Some(mut candidates) = texts.filter(|texts| !texts.is_empty() && !set.overflowed)
        else {
            return opaque();
        };
        candidates.sort();
        candidates.dedup();
        let first = known.first().map(|one| &*one.kind).unwrap_or_default();
        let kind = if known.iter().all(|one| &*one.kind == first) { first } else { "unknown" };
        Value { candidates, ..of_kind(Level::Partial, kind) }
    }

    pub(super) fn value_of(&self, atom: Atom, level: Level) -> Value {
        let symbols = &self.values.program.symbols;
        match atom {
            Atom::Text(text) => known(level, "str", symbols.text(text)),
            Atom::Partial(pattern) => in_part("str", symbols.text(pattern)),
            Atom::Bytes(text) => known(level, "bytes", symbols.text(text)),
            Atom::Literal(text) => {
                known(level, literal_kind(symbols.text(text)), symbols.text(text))
            }
            Atom::Path(text) if is_wild(symbols.text(text)) => in_part("path", symbols.text(text)),
            Atom::Path(text) => known(Level::Folded, "path", symbols.text(text)),
            Atom::Held(_) => of_kind(Level::Object, COLLECTION),
            Atom::Plain(kind) => of_kind(Level::Object, symbols.text(kind)),
            Atom::Name(name) | Atom::From(name) => of_kind(Level::Object, symbols.text(name)),
            Atom::Own(def) | Atom::Bound(def) | Atom::Instance(def) => {
                let name = self.values.program.def(def).map(|def| self.own_name(def.name));
                of_kind(Level::Object, name.as_deref().unwrap_or("unknown"))
            }
            Atom::Unknown | Atom::Several(_) => opaque(),
        }
    }
}

fn literal_kind(text: &str) -> &'static str {
    match text {
        "True" | "False" => "bool",
        "None" => "NoneType",
        _ => "number",
    }
}

pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

fn known(level: Level, kind: &str, text: &str) -> Value {
    let cut = text.floor_char_boundary(VALUE_BYTES_MAX);
    let start = text.get(..cut).unwrap_or_default();
    let whole = cut == text.len();
    Value {
        level: if whole { level } else { Level::Partial },
        kind: kind.into(),
        text: whole.then(|| start.into()),
        prefix: (!whole).then(|| start.into()),
        suffix: None,
        candidates: Vec::new(),
        ops: Vec::new(),
        taint: Vec::new(),
    }
}

/// A text of which the beginning and the end are known.
pub(super) fn in_part(kind: &str, pattern: &str) -> Value {
    let (prefix, suffix) = ends(pattern);
    let cut = prefix.floor_char_boundary(VALUE_BYTES_MAX);
    let told = |text: &str| (!text.is_empty()).then(|| text.into());
    Value {
        prefix: told(prefix.get(..cut).unwrap_or_default()),
        suffix: told(suffix).filter(|_| suffix.len() <= VALUE_BYTES_MAX),
        ..of_kind(Level::Partial, kind)
    }
}

fn of_kind(level: Level, kind: &str) -> Value {
    Value {
        level,
        kind: kind.into(),
        text: None,
        prefix: None,
        suffix: None,
        candidates: Vec::new(),
        ops: Vec::new(),
        taint: Vec::new(),
    }
}

pub(super) fn opaque() -> Value {
    of_kind(Level::Opaque, "unknown")
}
