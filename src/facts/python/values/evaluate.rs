//! What one step gives, from what the steps before it give.

use super::flow::{FIELDS, Way};
use super::members::Hop;
use super::namespaces::builtins_of;
use super::{Atom, Set, Values};
use crate::facts::Role;
use crate::facts::python::program::{
    Access, Builtin, Collection, Kind, Lookup, Operands, Sym, Val,
};

/// The origin of a caught exception; no library name looks like it.
pub(in super::super) const CAUGHT: &str = "<exception>";

/// The kind of what a display makes.
pub(in super::super) const COLLECTION: &str = "collection";

/// The origin of a class that was asked of an unknown object.
pub(in super::super) const CLASS: &str = "type";

/// What the origin ends with of something that came out of an open file.
pub(super) const OUT: &str = ".<out>";

/// Functions that import the module that their first argument names.
pub(super) const IMPORTERS: [&str; 3] =
    ["__import__", "importlib.import_module", "importlib.__import__"];

impl Values<'_> {
    pub(super) fn evaluate(&mut self, at: Val, kind: Kind) -> Set {
        match kind {
            Kind::Constant(atom) | Kind::Docstring(atom) => Set::one(atom),
            Kind::Load(name) => self.load(at, name),
            Kind::Attribute { base, name, .. } => self.attributes(at, base, name),
            Kind::Item { base, key, access } => self.items(at, (base, key), access),
            Kind::Call { callee, arguments, implicit } => {
                let set = self.calls(at, (callee, arguments, implicit));
                self.constant_call(at, callee, set)
            }
            Kind::Binary { operator, left, right } => self.binary(at, operator, (left, right)),
            Kind::Either(operands) => self.either(operands),
            Kind::Collect(collection, operands) => self.collect(at, collection, operands),
            Kind::Gather(collection, operands) => self.gather(at, collection, operands),
            Kind::Format(parts) => self.format(at, parts),
            Kind::Formatted { value, format } => self.formatted(value, format),
            Kind::Element(value) => self.elements_of(self.of(value)),
            Kind::Part { value, index } => self.parts_of(self.of(value), index),
            Kind::Entered(value) => self.entered(value),
            Kind::Awaited(value) => self.awaited(value),
            Kind::Import(module) => Set::one(Atom::Name(module)),
            Kind::Member { module, name } => self.attribute(Atom::Name(module), name),
            Kind::Define(def) => self.define(def),
            Kind::Parameter(number) => self.parameter(at, number),
            Kind::Receiver(def) => self.receiver(at, def),
            Kind::Owner(def) => self.owner(def),
            Kind::Opaque => Set::unknown(),
            Kind::Caught => Set::one(Atom::From(self.program.symbols.intern(CAUGHT))),
            Kind::Store { target, value } => {
                self.store(target, value);
                Set::default()
            }
            Kind::Lost(value) => {
                self.lose(self.of(value));
                Set::default()
            }
            Kind::Escape { value, role, .. } => {
                self.escape(value, role);
                Set::default()
            }
            Kind::Dead | Kind::Bind { .. } | Kind::Unbind | Kind::Matched(_) => Set::default(),
        }
    }

    pub(super) fn plain(&mut self, kind: &str) -> Set {
        Set::one(Atom::Plain(self.program.symbols.intern(kind)))
    }

    fn load(&mut self, at: Val, name: Sym) -> Set {
        let Some(Lookup { exact, cells, builtin }) = self.lookup(at) else {
            return Set::unknown();
        };
        if let Some(exact) = exact {
            return self.perhaps_bound(self.of(exact));
        }
        if self.program.symbols.text(name) == "__class__"
            && let Some(class) = self.class_around(at)
        {
            return self.owner(class);
        }
        let mut set = Set::default();
        let mut bound = false;
        for cell in cells.into_iter().flatten() {
            bound = true;
            let values = self.read_cell(cell);
            self.join(&mut set, &values);
        }
        let matters = || self.names.is_builtin(self.program.symbols.text(name));
        if builtin == Builtin::Possible && (!bound || matters()) {
            self.add(&mut set, Atom::Name(name));
        }
        self.perhaps_bound(set)
    }

    /// What a name holds that something unseen may have bound.
    fn perhaps_bound(&mut self, mut set: Set) -> Set {
        if self.pools.unbound && set.iter().any(|atom| atom.name().is_none()) {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// A value that is handed to something that the language has for it.
    fn escape(&mut self, value: Val, role: Role) {
        match role {
            Role::Raised | Role::Matched | Role::Decorator | Role::Closure => {
                self.lose(self.of(value));
            }
            Role::Argument if self.classes.is_base(value) => self.hand_to_entries(self.of(value)),
            Role::Argument => self.hand_to_hooks(Way::Compared, self.of(value)),
            Role::Assigned
            | Role::Returned
            | Role::Yielded
            | Role::Default
            | Role::Container
            | Role::AttributeWrite => {}
        }
    }

    fn attributes(&mut self, at: Val, base: Val, name: Sym) -> Set {
        if self.accessor(at).is_some() {
            return Set::unknown();
        }
        let base = self.of(base);
        if self.program.symbols.text(name) == "mapping"
            && base.iter().any(|atom| matches!(atom, Atom::Held(_)))
        {
            // A view of a mapping leads back to it.
            self.loosen();
        }
        let called = self.callees.contains(&at) && self.changes.keepers(at) == 1;
        if !called {
            self.lose_owners(base, name);
        }
        if matches!(self.program.symbols.text(name), "f_builtins" | "__builtins__") {
            return self.all_builtins();
        }
        self.each(base, |values, atom| values.attribute(atom, name))
    }

    /// A method of a collection, or a part of a function, that is not called where it stands.
    pub(super) fn lose_owners(&mut self, base: Set, name: Sym) {
        let harmless = matches!(
            self.program.symbols.text(name),
            "__name__" | "__doc__" | "__qualname__" | "__class__" | "__module__"
        );
        for atom in base.iter().filter(|_| !harmless) {
            match atom {
                Atom::Held(_) | Atom::Bound(_) | Atom::Several(_) => self.lose(Set::one(atom)),
                Atom::Own(def) if self.is_function(def) => self.lose(Set::one(atom)),
                Atom::Own(_)
                | Atom::Unknown
                | Atom::Text(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Partial(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_)
                | Atom::Instance(_) => {}
            }
        }
    }

    /// The union over every possible value.
    pub(super) fn each(&mut self, set: Set, mut step: impl FnMut(&mut Self, Atom) -> Set) -> Set {
        let mut union = Set::default();
        union.overflowed = set.overflowed;
        for atom in set.iter() {
            let next = step(self, atom);
            self.join(&mut union, &next);
        }
        union
    }

    /// A member of a value.
    pub(in super::super) fn attribute(&mut self, of: Atom, name: Sym) -> Set {
        self.note_changing(of, name);
        match of {
            Atom::Name(owner) => self.member(owner, name),
            Atom::From(origin) => {
                let mut set = self.out_of_member(origin, name);
                if !self.is_librarys_own(origin, name) {
                    let hidden = self.hidden_member(name);
                    self.join(&mut set, &hidden);
                }
                set
            }
            Atom::Path(path) => self.path_attribute(path, name),
            Atom::Own(def) if self.is_function(def) => self.of_function(def, name),
            Atom::Own(_) | Atom::Instance(_) => self.own_member(of, name),
            Atom::Unknown => {
                let mut set = Set::unknown();
                let hidden = self.hidden_member(name);
                self.join(&mut set, &hidden);
                set
            }
            Atom::Text(_) if !self.is_text_member(name) => Set::default(),
            Atom::Literal(_) if self.is_none(of) && !self.is_private(name) => Set::default(),
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Held(_) => Set::unknown(),
            Atom::Bound(_) if self.program.symbols.text(name) == "__call__" => Set::one(of),
            Atom::Bound(_) | Atom::Several(_) => {
                self.lose(Set::one(of));
                Set::unknown()
            }
        }
    }

    fn or_unknown(&mut self, mut set: Set) -> Set {
        self.add(&mut set, Atom::Unknown);
        set
    }

    /// Whether it is `None`, of which nothing is taken but what every object has.
    pub(super) fn is_none(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Literal(text) if self.program.symbols.text(text) == "None")
    }

    fn is_private(&self, name: Sym) -> bool {
        self.program.symbols.text(name).starts_with('_')
    }

    /// A member of an object of a library; what a thing is called is a text.
    fn out_of_member(&mut self, origin: Sym, name: Sym) -> Set {
        if is_label(self.program.symbols.text(name)) {
            let text = self.plain("str");
            return if self.classes.is_written(name) { self.or_unknown(text) } else { text };
        }
        if self.is_date_number(origin, name) {
            return self.plain("int");
        }
        self.part_of_made(origin, name).unwrap_or_else(|| self.out_of(origin))
    }

    fn member(&mut self, owner: Sym, name: Sym) -> Set {
        let (member, hop) = self.names.member(owner, name, &mut self.program.symbols);
        if self.program.symbols.text(member) == FIELDS {
            self.ask_fields();
        }
        let mut set = Set::one(Atom::Name(member));
        if hop == Hop::Lost {
            set = Set::unknown();
            set.overflowed = true;
        }
        set
    }

    fn items(&mut self, at: Val, (base, key): (Val, Option<Val>), access: Access) -> Set {
        let namespace = self.is_namespace(base);
        let base = self.of(base);
        let written = key;
        let key = key.map(|key| self.of(key)).unwrap_or_default();
        if access != Access::Read {
            self.note_item(base);
        }
        self.hand_to_hooks(Way::Key, key);
        self.hand_key(base, key);
        if namespace {
            return self.each(key, |values, atom| {
                atom.text().map_or_else(Set::unknown, |name| values.named_global(name))
            });
        }
        let inner = key.single().and_then(Atom::text);
        if inner.is_some_and(|key| self.program.symbols.text(key) == "__builtins__") {
            return self.all_builtins();
        }
        let set = self.each(base, |values, atom| match atom {
            Atom::Name(name) => values.named_item(name, key),
            Atom::From(origin) => values.out_of(origin),
            // `parents[0]` and what a glob gave.
            Atom::Path(_) => values.lost_path(),
            Atom::Held(site) if access == Access::Delete => {
                values.mix(site);
                Set::default()
            }
            Atom::Held(site) => values.held_item(at, site, key),
            Atom::Instance(class) => {
                if !values.gives_one_item(class, key) {
                    values.lose(Set::one(atom));
                }
                let place = values.place_of(key);
                values.fields_of(class, place)
            }
            Atom::Own(class) if !values.is_function(class) => {
                let mut set = Set::one(atom);
                if values.is_enumeration(class) {
                    set = Set::one(Atom::Instance(class));
                }
                values.add(&mut set, Atom::Unknown);
                set
            }
            Atom::Literal(_) if values.is_none(atom) => Set::default(),
            Atom::Text(_) | Atom::Partial(_) => values.part_of_letters(atom, written),
            Atom::Unknown
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_) => Set::unknown(),
        });
        self.constant_item(at, (base, key), set)
    }

    /// An item of a collection; a slice of a list holds what the list holds.
    fn held_item(&mut self, at: Val, site: Val, key: Set) -> Set {
        if self.heap.is_defaulting(site) {
            self.put_key(site, key);
        }
        if self.heap.is_dictionary(site) || !self.may_be_slice(key) {
            return self.read_keys(site, key);
        }
        let elements = self.read(site, None);
        let mut set = self.made_of(at, Collection::List, elements);
        if !key.all(|key| self.is_slice(key)) {
            let item = self.read_keys(site, key);
            self.join(&mut set, &item);
        }
        set
    }

    /// `sys.modules["os"]` is a module; an item of any other library thing came out of it.
    fn named_item(&mut self, name: Sym, key: Set) -> Set {
        if self.program.symbols.text(name) == "sys.modules" {
            return self.each(key, |values, atom| {
                atom.text().map_or_else(Set::unknown, |module| values.module(module))
            });
        }
        let text = self.program.symbols.shared(name);
        if let Some(owner) = text.strip_suffix(".__dict__").or_else(|| builtins_of(&text)) {
            let owner = self.program.symbols.intern(owner);
            return self.each(key, |values, atom| {
                atom.text().map_or_else(Set::unknown, |name| values.member(owner, name))
            });
        }
        Set::one(Atom::From(name))
    }

    pub(super) fn module(&mut self, module: Sym) -> Set {
        self.names.found_module(module, &mut self.program.symbols);
        Set::one(Atom::Name(module))
    }

    fn either(&mut self, operands: Operands) -> Set {
        let operands = self.program.operands(operands).to_vec();
        if let Some(property) = operands.last().and_then(|last| self.property(last.value)) {
            return property;
        }
        let mut union = Set::default();
        for operand in operands {
            let next = self.of(operand.value);
            self.join(&mut union, &next);
        }
        union
    }

    pub(super) fn taken_out(&mut self, atom: Atom) -> Set {
        match atom {
            Atom::From(origin) => self.out_of(origin),
            Atom::Path(_) => Set::one(atom),
            Atom::Name(name) => Set::one(Atom::From(name)),
            Atom::Literal(_) if self.is_none(atom) => Set::default(),
            Atom::Text(_) | Atom::Partial(_) => self.plain("str"),
            Atom::Bytes(_) => self.plain("int"),
            Atom::Plain(kind) if self.program.symbols.text(kind) == "range" => self.plain("int"),
            Atom::Plain(kind) if self.program.symbols.text(kind) == "str" => self.plain("str"),
            Atom::Unknown
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_)
            | Atom::Instance(_) => Set::unknown(),
        }
    }
}

/// Whether an attribute of this name says what a thing is called.
pub(super) fn is_label(name: &str) -> bool {
    matches!(name, "__name__" | "__qualname__" | "__module__" | "__doc__")
}
