//! Canonical names: what a member of a named thing is called, and what the catalogue says of it.

use super::evaluate::{CLASS, OUT};
use super::{Atom, Set, Values};
use crate::call::Text;
use crate::facts::python::program::{
    Kind, Lookup, NumberMap, Operands, Program, Sym, Symbols, Val,
};
use crate::facts::{Catalogue, Entry, Handling, Holdings, ImportForm, Makes, Method};
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
    /// The module has no public member of this name.
    Unlisted,
    /// The name grew longer than names are followed.
    Lost,
}

/// Private members and dunders are told for themselves, and a module of which nothing is said is
/// refused as a whole.
fn hop_of(member: &str, public: Option<bool>) -> Hop {
    if public == Some(false) && !member.starts_with('_') { Hop::Unlisted } else { Hop::No }
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

    /// Whether a name is known to be a module's.
    pub(in super::super) fn is_module(&self, name: &str) -> bool {
        self.roots.contains(name) || self.catalogue.prefixes.contains_key(name)
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
        // A builtin function belongs to the builtins.
        if member == "__self__" && !owner.contains('.') && !self.roots.contains(owner) {
            return (symbols.intern("__builtins__"), Hop::No);
        }
        // Calling the method that calls is calling the thing itself.
        if member == "__call__" {
            return (of, Hop::No);
        }
        let full = format!("{owner}.{member}");
        let (target, hop) = match self.catalogue.modules.get(owner) {
            Some(holdings) => self.held(holdings, &full, member),
            None => self.handed_out(&full, member),
        };
        let target = symbols.intern(&target);
        match hop {
            Hop::Module => self.found_module(target, symbols),
            // What an import statement of the source names is a module.
            Hop::Unlisted if self.modules.contains(&target) => return (target, Hop::No),
            Hop::No | Hop::Unlisted | Hop::Lost => {}
        }
        (target, hop)
    }

    /// What the catalogue says of exactly this name goes before what it says of another name of
    /// the same thing.
    fn is_catalogued(&self, full: &str) -> bool {
        self.catalogue.names.contains_key(full) || self.catalogue.prefixes.contains_key(full)
    }

    /// A member of a module that the image describes.
    fn held(&self, holdings: &Holdings, full: &str, member: &str) -> (String, Hop) {
        let is_catalogued = self.is_catalogued(full);
        if let Some(module) = holdings.modules.meaning(member) {
            let name = if is_catalogued { full } else { module };
            return (name.to_owned(), Hop::Module);
        }
        let public = holdings.public.as_ref().map(|public| public.meaning(member).is_some());
        let alias = holdings.names.meaning(member);
        match alias.filter(|alias| !is_catalogued && self.is_better(alias, public)) {
            Some(alias) if self.is_public(alias) => (alias.to_owned(), Hop::No),
            Some(alias) => (alias.to_owned(), hop_of(member, public)),
            None if is_catalogued => (full.to_owned(), Hop::No),
            None => (full.to_owned(), hop_of(member, public)),
        }
    }

    /// Whether a thing is to be called by its other name: its own is not for programs, or it is
    /// the other one that the catalogue speaks of.
    fn is_better(&self, alias: &str, public: Option<bool>) -> bool {
        public != Some(true) || self.catalogue.names.contains_key(alias)
    }

    /// Whether a name is one that programs may use: a builtin, or a public member of its module.
    fn is_public(&self, name: &str) -> bool {
        name.rsplit_once('.').is_none_or(|(module, member)| {
            let holdings = self.catalogue.modules.get(module);
            let public = holdings.and_then(|holdings| holdings.public.as_ref());
            public.is_some_and(|public| public.meaning(member).is_some())
        })
    }

    /// A member of anything else: libraries hand out the modules that they use.
    fn handed_out(&self, full: &str, member: &str) -> (String, Hop) {
        let reexports = &self.catalogue.reexports;
        let target = reexports.get(full).or_else(|| reexports.get(format!("*.{member}").as_str()));
        match target {
            Some(target) if !self.is_catalogued(full) && **target != *full => {
                (target.to_string(), Hop::Module)
            }
            _ => (full.to_owned(), Hop::No),
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

    /// What a name needs from the world.
    pub(in super::super) fn needs(&self, name: &str) -> &'catalogue [Text] {
        self.entry(name).map_or(&[], |entry| entry.capabilities.as_slice())
    }

    /// What the function of this canonical name does with what it is given.
    pub(super) fn handling(&self, name: &str) -> Handling {
        self.catalogue.handled.function(name)
    }

    /// What a method does with what it is given, of an object that came out of a thing.
    pub(super) fn method_handling(&self, origin: &str, method: &str) -> Handling {
        self.catalogue.handled.method(origin, method)
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

    /// The properties that matter and whose name a part of a name may stand for, sorted.
    pub(in super::super) fn properties_like(&self, part: &str) -> Vec<&'catalogue str> {
        let methods = self.catalogue.methods.iter();
        let mut found: Vec<&str> = methods
            .filter(|(name, methods)| {
                let properties = methods.iter().any(|method| method.entry.parameters.is_empty());
                &***name != part && name.contains(part) && properties
            })
            .map(|(name, _)| &**name)
            .collect();
        found.sort_unstable();
        found
    }

    /// The attributes of this name that matter where they are written.
    pub(in super::super) fn attributes(&self, name: &str) -> &'catalogue [Method] {
        self.catalogue.attributes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The methods of this name that matter.
    pub(in super::super) fn methods(&self, name: &str) -> &'catalogue [Method] {
        self.catalogue.methods.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The class of path objects.
const PATH_CLASS: &str = "pathlib.Path";

impl Values<'_> {
    /// Whether a value is surely what calling the thing of this name gave, and not what came out
    /// of that.
    fn is_made_by(&self, value: Val, name: Sym) -> bool {
        let made = match (self.program.kind(value), self.lookup(value)) {
            (Kind::Load(_), Some(Lookup { exact: Some(bound), .. })) => self.program.kind(bound),
            (kind, _) => kind,
        };
        let Kind::Call { callee, .. } = made else {
            return false;
        };
        self.of(callee).single() == Some(Atom::Name(name))
    }

    /// The class of a thing: for an object of a library it makes what the library made it with.
    pub(super) fn type_of(&mut self, arguments: Operands) -> Set {
        let whole = self.program.operands(arguments).len() == 1;
        let Some(value) = self.positional(arguments, 0).filter(|_| whole) else {
            return Set::unknown();
        };
        let set = self.of(value);
        match set.single() {
            Some(Atom::From(name)) if self.is_made_by(value, name) && self.is_class(name) => {
                Set::one(Atom::Name(name))
            }
            _ => self.class_of(set),
        }
    }

    /// Whether a thing of a library goes by the name of a class, or stands for one: a function
    /// makes objects of a class of another name.
    fn is_class(&self, name: Sym) -> bool {
        let text = self.program.symbols.text(name);
        let last = text.rsplit('.').next().unwrap_or_default();
        last.starts_with(|first: char| first.is_uppercase()) || self.names.makes_handle(text)
    }

    /// The class of a value. What a library made may have come out of what it made.
    pub(super) fn class_of(&mut self, set: Set) -> Set {
        self.each(set, |values, atom| match atom {
            Atom::From(name) if !values.program.symbols.text(name).ends_with(OUT) => {
                let class = values.program.symbols.intern(CLASS);
                let mut set = Set::one(Atom::Name(name));
                values.add(&mut set, Atom::From(class));
                set
            }
            Atom::Instance(def) => values.owner(def),
            Atom::Path(_) => Set::one(Atom::Name(values.program.symbols.intern(PATH_CLASS))),
            Atom::Unknown | Atom::From(_) => {
                Set::one(Atom::From(values.program.symbols.intern(CLASS)))
            }
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Own(_) => Set::unknown(),
        })
    }
}
