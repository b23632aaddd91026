//! Canonical names: what a member of a named thing is called, and what the catalogue says of it.

use crate::call::Text;
use crate::facts::python::program::{NumberMap, Program, Sym, Symbols};
use crate::facts::{Catalogue, Entry, ImportForm, Makes, Method};
use std::collections::HashSet;

/// What a name means.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Meaning<'catalogue> {
    /// What the catalogue says.
    pub(in super::super) entry: Option<&'catalogue Entry>,
    /// Whether it is known to be a module.
    pub(in super::super) module: bool,
}

impl Meaning<'_> {
    /// Whether the thing is one whose every use as a value has to be told.
    pub(in super::super) fn notable(&self) -> bool {
        self.module
            || self.entry.is_some_and(|entry| {
                !entry.capabilities.is_empty()
                    || entry.dynamic.is_some()
                    || !entry.parameters.is_empty()
                    || entry.makes == Some(Makes::Path)
            })
    }
}

/// Canonical names and the catalogue, with what was looked up before.
pub(in super::super) struct Names<'catalogue> {
    catalogue: &'catalogue Catalogue,
    members: NumberMap<(Sym, Sym), (Sym, Hop)>,
    meanings: NumberMap<Sym, Meaning<'catalogue>>,
    modules: HashSet<Sym>,
    roots: HashSet<Text>,
}

/// Whether a member is another module than its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Hop {
    No,
    Module,
    /// The name grew longer than names are followed.
    Lost,
}

/// Bytes that a canonical name may have.
const NAME_BYTES_MAX: usize = 256;

impl<'catalogue> Names<'catalogue> {
    pub(in super::super) fn new(catalogue: &'catalogue Catalogue, program: &mut Program) -> Self {
        let mut names = Self {
            catalogue,
            members: NumberMap::default(),
            meanings: NumberMap::default(),
            modules: HashSet::new(),
            roots: HashSet::new(),
        };
        for import in &program.imports {
            if import.form != ImportForm::Relative {
                names.note_module(program.symbols.shared(import.module), &mut program.symbols);
            }
        }
        names
    }

    /// Every package on the way to a module is a module too.
    fn note_module(&mut self, name: Text, symbols: &mut Symbols) {
        for (at, _) in name.match_indices('.').chain([(name.len(), "")]) {
            let package = name.get(..at).unwrap_or_default();
            self.modules.insert(symbols.intern(package));
        }
        let root = name.split('.').next().unwrap_or_default();
        self.roots.insert(root.into());
    }

    /// Whether the source reaches a module of this top-level name.
    pub(in super::super) fn reaches(&self, root: &str) -> bool {
        self.roots.contains(root)
    }

    /// Notes that a name is a module's.
    pub(in super::super) fn found_module(&mut self, name: Sym, symbols: &mut Symbols) {
        if !self.modules.contains(&name) {
            self.note_module(symbols.shared(name), symbols);
            self.meanings.remove(&name);
        }
    }

    /// The canonical name of a member, and whether it is another module.
    pub(in super::super) fn member(
        &mut self,
        of: Sym,
        name: Sym,
        symbols: &mut Symbols,
    ) -> (Sym, Hop) {
        if let Some(known) = self.members.get(&(of, name)) {
            return *known;
        }
        let found = self.find_member(of, name, symbols);
        self.members.insert((of, name), found);
        found
    }

    fn find_member(&mut self, of: Sym, name: Sym, symbols: &mut Symbols) -> (Sym, Hop) {
        let member = symbols.text(name);
        let owner = symbols.text(of);
        if matches!(owner, "builtins" | "__builtins__") {
            return (name, Hop::No);
        }
        if owner.len() + member.len() > NAME_BYTES_MAX {
            return (of, Hop::Lost);
        }
        // Calling the method that calls is calling the thing itself.
        if member == "__call__" {
            return (of, Hop::No);
        }
        let full = format!("{owner}.{member}");
        let reexports = &self.catalogue.reexports;
        let target =
            reexports.get(full.as_str()).or_else(|| reexports.get(format!("*.{member}").as_str()));
        let known = self.catalogue.names.contains_key(full.as_str())
            || self.catalogue.prefixes.contains_key(full.as_str());
        match target {
            Some(target) if !known && **target != *full => {
                let target = symbols.intern(target);
                self.found_module(target, symbols);
                (target, Hop::Module)
            }
            _ => (symbols.intern(&full), Hop::No),
        }
    }

    /// What a name means.
    pub(in super::super) fn meaning(
        &mut self,
        name: Sym,
        symbols: &Symbols,
    ) -> Meaning<'catalogue> {
        if let Some(meaning) = self.meanings.get(&name) {
            return *meaning;
        }
        let meaning =
            Meaning { entry: self.entry(symbols.text(name)), module: self.modules.contains(&name) };
        self.meanings.insert(name, meaning);
        meaning
    }

    fn entry(&self, name: &str) -> Option<&'catalogue Entry> {
        let catalogue = self.catalogue;
        if let Some(entry) = catalogue.names.get(name) {
            return Some(entry);
        }
        let ends = name.rmatch_indices('.').map(|(at, _)| at);
        std::iter::once(name.len())
            .chain(ends)
            .filter_map(|end| name.get(..end))
            .find_map(|prefix| catalogue.prefixes.get(prefix))
    }

    /// Whether a builtin of this name matters.
    pub(in super::super) fn is_builtin(&self, name: &str) -> bool {
        self.catalogue.names.contains_key(name)
    }

    /// Whether objects of the library that a name belongs to have methods that matter.
    pub(in super::super) fn has_methods(&self, name: &str) -> bool {
        let root = name.split('.').next().unwrap_or_default();
        self.catalogue.method_roots.contains(root)
    }

    /// Whether a call of the thing of this name gives an open file.
    pub(in super::super) fn makes_handle(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| entry.makes == Some(Makes::Handle))
    }

    /// The methods of this name that matter.
    pub(in super::super) fn methods(&self, name: &str) -> &'catalogue [Method] {
        self.catalogue.methods.get(name).map_or(&[], Vec::as_slice)
    }
}
