//! Attributes, items and names as ways into the object graph.

mod words;

pub(super) use words::{inner, operates};

use super::Teller;
use super::names::is_search_path;
use super::told::is_dunder;
use crate::call::Text;
use crate::facts::python::program::{Access, Op, Sym, Val};
use crate::facts::python::values::{Atom, CAUGHT, Hop};
use crate::facts::{GapKind, Module, ModuleRoute, Reflection, ReflectionKind, Resolution};

use words::{GRAPH_KEYS, HARMLESS, NAMESPACES, PUBLIC};

/// Whether an attribute is called where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    Outright,
    No,
}

impl Teller<'_, '_> {
    /// A name that the interpreter binds.
    pub(super) fn tell_name(&mut self, at: Val, name: Sym, op: &Op) {
        let word = self.word(name);
        if NAMESPACES.contains(&&*word) && self.values.of(at).has(Atom::Name(name)) {
            self.reflect(ReflectionKind::Namespace, name, op);
        }
    }

    fn reflect(&mut self, kind: ReflectionKind, name: Sym, op: &Op) {
        let name = self.word(name);
        self.tell_reflection(kind, name, op);
    }

    pub(super) fn tell_reflection(&mut self, kind: ReflectionKind, name: Text, op: &Op) {
        let (on, span) = (Some(self.written(op)), self.span(op));
        self.draft.reflection(Reflection { kind, name, on, next: None, span });
    }

    pub(super) fn tell_attribute(&mut self, at: Val, op: &Op, parts: (Val, Sym, Access)) {
        let (base, name, access) = parts;
        match access {
            Access::Read => {
                self.tell_use(at, op);
                self.tell_hops(base, name, op);
            }
            Access::Write | Access::Delete => {
                self.tell_patch(base, name, op);
                self.tell_told_attribute(base, name, op);
            }
        }
        // A method that is called on a function of note is another way to call the function.
        let made_again = self.is_made_again(base, name);
        let called = if made_again || self.is_notable(base) { Called::No } else { self.called(at) };
        if let Some(kind) = self.leads_on(at, name, called) {
            self.reflect(kind, name, op);
        }
        if &*self.word(name) == "parent" {
            self.tell_path_made(at, op);
        }
        if self.hands_back(base, name) {
            self.reflect(ReflectionKind::NameLookup, name, op);
        }
        if !matches!(self.called(at), Called::Outright) && access == Access::Read {
            self.tell_bound_method(base, name, op);
        }
        self.tell_private(base, name, op);
    }

    /// Whether an object that is not the program's own is made a second time, with other arguments.
    fn is_made_again(&self, base: Val, name: Sym) -> bool {
        let symbols = &self.values.program.symbols;
        matches!(symbols.text(name), "__init__" | "__new__" | "__call__")
            && self.values.of(base).iter().any(|atom| match atom {
                Atom::From(origin) => symbols.text(origin) != "super",
                Atom::Unknown | Atom::Path(_) => true,
                Atom::Text(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Partial(_)
                | Atom::Name(_)
                | Atom::Own(_)
                | Atom::Bound(_)
                | Atom::Several(_)
                | Atom::Held(_)
                | Atom::Instance(_) => false,
            })
    }

    /// Whether it may be a function or class that the catalogue speaks of.
    fn is_notable(&mut self, base: Val) -> bool {
        let names: Vec<Sym> = self.values.of(base).names().collect();
        let symbols = &self.values.program.symbols;
        names.iter().any(|name| {
            let meaning = self.values.names.meaning(*name, symbols);
            meaning.notable() && !meaning.module
        })
    }

    /// An exception hands back the object whose attribute was missing.
    fn hands_back(&self, base: Val, name: Sym) -> bool {
        let symbols = &self.values.program.symbols;
        symbols.text(name) == "obj"
            && self
                .values
                .of(base)
                .iter()
                .any(|atom| !matches!(atom, Atom::Own(_) | Atom::Instance(_)))
    }

    /// Whether the step is what the next call calls.
    fn called(&self, at: Val) -> Called {
        if self.values.callees.contains(&at) { Called::Outright } else { Called::No }
    }

    /// How an attribute of this name leads into the object graph.
    pub(super) fn leads_on(&self, at: Val, name: Sym, called: Called) -> Option<ReflectionKind> {
        let symbols = &self.values.program.symbols;
        let word = symbols.text(name);
        if let Some(kind) = inner(word) {
            return Some(kind);
        }
        if word == "mro" && !self.own_names.contains("mro") {
            return Some(ReflectionKind::Dunder);
        }
        let harmless = HARMLESS.contains(&word)
            || (operates(word) && (called == Called::Outright || self.is_own(at)))
            || (word == "__class__" && self.class_names.contains(&at));
        (is_dunder(word) && !harmless).then_some(ReflectionKind::Dunder)
    }

    /// Whether what is read is surely a function of the program's own, whose body is told.
    fn is_own(&self, at: Val) -> bool {
        let set = self.values.of(at);
        !set.is_empty()
            && set.all(|atom| matches!(atom, Atom::Own(_) | Atom::Bound(_) | Atom::Several(_)))
    }

    /// A library's private member, or a private name that the program never gave to anything.
    fn tell_private(&mut self, base: Val, name: Sym, op: &Op) {
        let word = self.word(name);
        if !word.starts_with('_') || is_dunder(&word) || PUBLIC.contains(&&*word) {
            return;
        }
        let own = self.own_names.contains(&word);
        let set = self.values.of(base);
        if own && set.iter().any(|atom| matches!(atom, Atom::Own(_) | Atom::Instance(_))) {
            return;
        }
        let library = set.iter().any(|atom| match atom {
            Atom::Name(_) | Atom::Path(_) => true,
            Atom::From(name) => !matches!(self.values.program.symbols.text(name), "super" | CAUGHT),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => false,
        });
        if library {
            self.gap(GapKind::Attribute, "a private member of a library is used", op);
        } else if !own {
            self.gap(
                GapKind::OwnAttribute,
                "a private attribute is used that the program itself never sets",
                op,
            );
        }
    }

    /// A member of a library that is another module.
    fn tell_hops(&mut self, base: Val, name: Sym, op: &Op) {
        let owners: Vec<Sym> = self.values.of(base).names().collect();
        for owner in owners {
            self.tell_hop(owner, name, op);
        }
    }

    pub(super) fn tell_hop(&mut self, owner: Sym, name: Sym, op: &Op) {
        let (module, hop) = self.values.names.member(owner, name, &mut self.values.program.symbols);
        let path = || format!("{}.{}", self.word(owner), self.word(name));
        match hop {
            Hop::Module => self.tell_module(module, ModuleRoute::Attribute, &path(), op),
            Hop::Unlisted => {
                let why = format!("`{}` is no public member of its module", path());
                self.gap(GapKind::Attribute, &why, op);
            }
            Hop::No | Hop::Lost => {}
        }
    }

    pub(super) fn tell_module(&mut self, module: Sym, route: ModuleRoute, path: &str, op: &Op) {
        let (module, span) = (self.word(module), self.span(op));
        self.draft.module(Module {
            module,
            route,
            path: path.into(),
            resolution: Resolution::Exact,
            span,
        });
    }

    pub(super) fn tell_member(&mut self, at: Val, op: &Op, (module, name): (Sym, Sym)) {
        self.tell_use(at, op);
        self.tell_hop(module, name, op);
        let word = self.word(name);
        if word.starts_with('_') && !HARMLESS.contains(&&*word) {
            self.gap(GapKind::Attribute, "a private member of a library is imported", op);
        }
    }

    pub(super) fn tell_item(&mut self, at: Val, op: &Op, parts: (Val, Option<Val>, Access)) {
        let (base, key, access) = parts;
        let owners: Vec<Sym> = self.values.of(base).names().collect();
        for owner in owners {
            match &*self.word(owner) {
                "sys.modules" => self.tell_module_item(key, access, op),
                "os.environ" | "os.environb" => self.tell_env(key, owner, op),
                name if access != Access::Read && is_search_path(name) => {
                    self.tell_rebound(name, op);
                }
                _ => {}
            }
        }
        if access == Access::Write {
            let keys = key.map(|key| self.values.of(key)).unwrap_or_default();
            self.tell_names_put(op, (base, keys));
        }
        if access == Access::Write && self.may_be_settings(base) {
            self.tell_setting_item(key, op);
        }
        if self.values.of(base).iter().any(|atom| matches!(atom, Atom::Path(_))) {
            self.tell_path_made(at, op);
        }
        if let Some(key) = key {
            self.tell_key((base, key), access);
            self.tell_graph_key(key, op);
        }
        self.tell_namespace_item(base, key, op);
    }

    /// A setting of a library that a key names: settings name programs and modules too.
    fn tell_setting_item(&mut self, key: Option<Val>, op: &Op) {
        let keys = key.map(|key| self.values.of(key)).unwrap_or_default();
        if keys.is_empty() || !keys.all(|atom| matches!(atom, Atom::Text(_))) {
            self.gap(GapKind::Attribute, "which setting is written is not known", op);
        }
        for text in keys.iter().filter_map(Atom::text) {
            let text = self.word(text);
            self.tell_setting(&text, op);
        }
    }

    /// A key that leads into the object graph, whatever holds it.
    fn tell_graph_key(&mut self, key: Val, op: &Op) {
        for text in self.values.of(key).iter().filter_map(Atom::text) {
            if GRAPH_KEYS.contains(&self.values.program.symbols.text(text)) {
                self.reflect(ReflectionKind::Dunder, text, op);
            }
        }
    }

    /// A name that is looked up in a namespace: of a constant one the value follows.
    fn tell_namespace_item(&mut self, base: Val, key: Option<Val>, op: &Op) {
        if !self.values.is_namespace(base) {
            return;
        }
        let key = key.map(|key| self.values.of(key)).unwrap_or_default();
        if key.is_empty() || !key.all(|atom| matches!(atom, Atom::Text(_))) {
            self.gap(GapKind::Namespace, "which name is looked up is not known", op);
        }
    }

    fn tell_module_item(&mut self, key: Option<Val>, access: Access, op: &Op) {
        let key = key.map(|key| self.values.of(key)).unwrap_or_default();
        if access != Access::Read {
            self.tell_rebound("sys.modules", op);
        }
        if key.is_empty() || !key.all(|atom| matches!(atom, Atom::Text(_))) {
            self.gap(GapKind::Namespace, "which module is taken is not known", op);
        }
        for atom in key.iter() {
            if let Atom::Text(module) = atom {
                self.tell_module(module, ModuleRoute::SysModules, "sys.modules", op);
            }
        }
    }

    pub(super) fn tell_matched(&mut self, name: Sym, op: &Op) {
        let word = self.word(name);
        if word.starts_with('_') || self.leads_on(Val(u32::MAX), name, Called::No).is_some() {
            self.reflect(ReflectionKind::Match, name, op);
        }
        self.tell_named_method(&word, None, op);
        self.tell_matched_template(&word, op);
    }

    /// The text that an attribute is named by, told as the attribute would be.
    pub(super) fn tell_named_attribute(&mut self, name: Sym, op: &Op) {
        let word = self.word(name);
        if let Some(kind) = self.leads_on(Val(u32::MAX), name, Called::No) {
            self.reflect(kind, name, op);
        } else if word.starts_with('_') && !self.own_names.contains(&word) {
            self.gap(GapKind::Attribute, "a private attribute is named by a text", op);
        }
    }
}
