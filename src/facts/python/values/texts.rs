//! Texts that are made of other texts: joined, formatted, converted, within a budget.

use super::evaluate::CLASS;
use super::{Atom, Set, Values};
use crate::call::Text;
use crate::facts::python::program::{Kind, Operands, ScopeId, Sym, Val};

/// Bytes that one folded text may have.
const TEXT_BYTES_MAX: usize = 4_096;

/// Texts that one format may make.
const COMBINATIONS_MAX: usize = 6;

impl Values<'_> {
    /// `str(path)` is the text of the path.
    pub(super) fn text_of(&mut self, arguments: Operands) -> Set {
        let value = self.positional(arguments, 0).map(|value| self.of(value));
        match value.and_then(|set| set.single()) {
            Some(Atom::Text(text) | Atom::Path(text)) => Set::one(Atom::Text(text)),
            _ => self.plain("str"),
        }
    }

    pub(super) fn concatenate(&mut self, parts: &[Sym]) -> Set {
        let symbols = &self.program.symbols;
        let bytes: usize = parts.iter().map(|part| symbols.text(*part).len()).sum();
        if bytes > TEXT_BYTES_MAX {
            return self.plain("str");
        }
        let whole: String = parts.iter().map(|part| symbols.text(*part)).collect();
        match self.fold(&whole) {
            Some(text) => Set::one(Atom::Text(text)),
            None => self.plain("str"),
        }
    }

    /// A formatted string is known where all of its parts are: one text for each combination.
    pub(super) fn format(&mut self, parts: Operands) -> Set {
        let mut whole = vec![String::new()];
        for part in self.program.operands(parts).to_vec() {
            let Some(texts) = self.printed(self.of(part.value)) else {
                return self.plain("str");
            };
            let bytes: usize = whole.iter().map(String::len).sum();
            if whole.len() * texts.len() > COMBINATIONS_MAX || bytes > TEXT_BYTES_MAX {
                return self.plain("str");
            }
            whole = whole
                .iter()
                .flat_map(|start| texts.iter().map(move |text| format!("{start}{text}")))
                .collect();
        }
        let mut union = Set::default();
        for text in &whole {
            let Some(text) = self.fold(text) else {
                return self.plain("str");
            };
            union.add(Atom::Text(text), &mut self.program.symbols);
        }
        union
    }

    /// The texts that possible values are printed as, where all are known.
    fn printed(&self, set: Set) -> Option<Vec<Text>> {
        if set.is_empty() || set.overflowed {
            return None;
        }
        let printed = |atom: Atom| {
            if let Atom::Literal(text) = atom
                && self.is_decimal(text)
            {
                return Some(self.program.symbols.shared(text));
            }
            Some(self.program.symbols.shared(atom.text()?))
        };
        set.iter().map(printed).collect()
    }

    /// Whether a number is written as it is printed.
    fn is_decimal(&self, number: Sym) -> bool {
        let text = self.program.symbols.text(number);
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    }

    /// The number of a made text, while the budget lasts.
    pub(super) fn fold(&mut self, text: &str) -> Option<Sym> {
        if let Some(known) = self.program.symbols.find(text) {
            return Some(known);
        }
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        self.folding_left = self.folding_left.checked_sub(text.len())?;
        Some(self.program.symbols.intern(text))
    }
}

/// Functions that give what a dotted text names, a module's members included.
const RESOLVERS: [&str; 2] = ["pkgutil.resolve_name", "pydoc.locate"];

/// What texts name: members of namespaces, and what a dotted text stands for.
impl Values<'_> {
    /// The namespace of the builtins, whatever hands it out.
    pub(super) fn all_builtins(&mut self) -> Set {
        Set::one(Atom::Name(self.program.symbols.intern("__builtins__")))
    }

    /// Whether a value is what `globals` or `locals` gives, or `vars` of nothing.
    pub(in super::super) fn is_namespace(&self, value: Val) -> bool {
        let Kind::Call { callee, arguments, .. } = self.program.kind(value) else {
            return false;
        };
        let Some(Atom::Name(name)) = self.of(callee).single() else {
            return false;
        };
        arguments.start == arguments.end
            && matches!(self.program.symbols.text(name), "globals" | "locals" | "vars")
    }

    /// What a name of the module may be bound to, or the builtin; anything else is possible too.
    pub(super) fn named_global(&mut self, name: Sym) -> Set {
        let cell = self.program.own_cell(ScopeId(0), name);
        let mut set = cell.map_or_else(Set::default, |cell| self.read_cell(cell));
        set.add(Atom::Unknown, &mut self.program.symbols);
        set
    }

    /// Whether the classes of things are taken one by one.
    pub(super) fn maps_classes(&self, arguments: Operands) -> bool {
        let function = self.positional(arguments, 0).map(|value| self.of(value));
        let named = |name| self.program.symbols.text(name) == CLASS;
        function.is_some_and(|function| function.names().any(named))
    }

    /// `vars(thing)` is the namespace of the thing.
    pub(super) fn namespace_of(&mut self, arguments: Operands) -> Set {
        let of = self.positional(arguments, 0).map_or_else(Set::unknown, |value| self.of(value));
        let dict = self.program.symbols.intern("__dict__");
        self.each(of, |values, atom| values.attribute(atom, dict))
    }

    /// `module:member.member` or the same with dots alone: the first part is a module.
    pub(super) fn resolved_by(&mut self, name: &str, arguments: Operands) -> Option<Set> {
        RESOLVERS.contains(&name).then(|| self.resolved(arguments))
    }

    fn resolved(&mut self, arguments: Operands) -> Set {
        let names = self.positional(arguments, 0).map(|name| self.of(name));
        self.each(names.unwrap_or_else(Set::unknown), |values, atom| {
            let Some(text) = atom.text().map(|text| values.program.symbols.shared(text)) else {
                return Set::unknown();
            };
            let mut parts = text.split([':', '.']).filter(|part| !part.is_empty());
            let Some(module) = parts.next() else {
                return Set::unknown();
            };
            let module = values.program.symbols.intern(module);
            let mut set = values.module(module);
            for part in parts {
                let name = values.program.symbols.intern(part);
                set = values.each(set, |values, atom| values.attribute(atom, name));
            }
            set
        })
    }
}

/// The builtins, where a name is one of those of their namespace.
pub(super) fn builtins_of(name: &str) -> Option<&'static str> {
    matches!(name, "__builtins__" | "__dict__" | "builtins.__dict__").then_some("builtins")
}
