//! What one step gives, from what the steps before it give.

use super::members::Hop;
use super::texts::builtins_of;
use super::{Atom, Set, Values};
use crate::facts::Makes;
use crate::facts::python::program::{
    Builtin, DefId, DefKind, Kind, Lookup, Operands, Operator, Slot, Sym, Val,
};

/// The origin of a caught exception; no library name looks like it.
pub(in super::super) const CAUGHT: &str = "<exception>";

/// The kind of what a display makes.
pub(in super::super) const COLLECTION: &str = "collection";

/// The origin of a class that was asked of an unknown object.
pub(in super::super) const CLASS: &str = "type";

/// What the origin ends with of something that came out of an open file.
const OUT: &str = ".<out>";

/// Functions that import the module that their first argument names.
const IMPORTERS: [&str; 3] = ["__import__", "importlib.import_module", "importlib.__import__"];

impl Values<'_> {
    pub(super) fn evaluate(&mut self, at: Val, kind: Kind) -> Set {
        match kind {
            Kind::Constant(atom) | Kind::Docstring(atom) => Set::one(atom),
            Kind::Load(name) => self.load(at, name),
            Kind::Attribute { base, name, .. } => self.attributes(base, name),
            Kind::Item { base, key, .. } => self.items(base, key),
            Kind::Call { callee, arguments, .. } => self.calls(callee, arguments),
            Kind::Binary { operator, left, right } => self.binary(operator, left, right),
            Kind::Either(operands) => self.either(operands),
            Kind::Collect(..) => self.plain(COLLECTION),
            Kind::Format(parts) => self.format(parts),
            Kind::Element(value) => self.element(value),
            Kind::Part { value, index } => self.part(value, index),
            Kind::Entered(value) | Kind::Awaited(value) => self.entered(value),
            Kind::Import(module) => Set::one(Atom::Name(module)),
            Kind::Member { module, name } => self.attribute(Atom::Name(module), name),
            Kind::Define(def) => Set::one(Atom::Own(def)),
            Kind::Parameter(number) => self.parameter(number),
            Kind::Receiver(def) => self.made(def),
            Kind::Opaque => Set::unknown(),
            Kind::Caught => Set::one(Atom::From(self.program.symbols.intern(CAUGHT))),
            Kind::Dead
            | Kind::Bind { .. }
            | Kind::Unbind
            | Kind::Escape { .. }
            | Kind::Matched(_) => Set::default(),
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
            return self.of(exact);
        }
        let mut set = Set::default();
        let mut bound = false;
        for cell in cells.into_iter().flatten() {
            bound = true;
            let values = self.read_cell(cell);
            set.join(&values, &mut self.program.symbols);
        }
        let matters = || self.names.is_builtin(self.program.symbols.text(name));
        if builtin == Builtin::Possible && (!bound || matters()) {
            set.add(Atom::Name(name), &mut self.program.symbols);
        }
        set
    }

    fn attributes(&mut self, base: Val, name: Sym) -> Set {
        let base = self.of(base);
        if matches!(self.program.symbols.text(name), "f_builtins" | "__builtins__") {
            return self.all_builtins();
        }
        self.each(base, |values, atom| values.attribute(atom, name))
    }

    /// The union over every possible value.
    pub(super) fn each(&mut self, set: Set, mut step: impl FnMut(&mut Self, Atom) -> Set) -> Set {
        let mut union = Set::default();
        union.overflowed = set.overflowed;
        for atom in set.iter() {
            let next = step(self, atom);
            union.join(&next, &mut self.program.symbols);
        }
        union
    }

    /// A member of a value.
    pub(in super::super) fn attribute(&mut self, of: Atom, name: Sym) -> Set {
        match of {
            Atom::Name(owner) => self.member(owner, name),
            Atom::From(origin) => self.out_of(origin),
            Atom::Path(path) => self.path_attribute(path, name),
            Atom::Own(def) | Atom::Instance(def) => self.own_member(def, name),
            Atom::Unknown | Atom::Text(_) | Atom::Bytes(_) | Atom::Literal(_) | Atom::Plain(_) => {
                Set::unknown()
            }
        }
    }

    fn member(&mut self, owner: Sym, name: Sym) -> Set {
        let (member, hop) = self.names.member(owner, name, &mut self.program.symbols);
        let mut set = Set::one(Atom::Name(member));
        if hop == Hop::Lost {
            set = Set::unknown();
            set.overflowed = true;
        }
        set
    }

    /// What the body of an own class binds the name to; instances may hold anything under it.
    fn own_member(&mut self, def: DefId, name: Sym) -> Set {
        let scope = self.program.def(def).map(|def| (def.kind, def.scope));
        let cell = match scope {
            Some((DefKind::Class, scope)) => self.program.own_cell(scope, name),
            Some((DefKind::Function | DefKind::Lambda, _)) | None => None,
        };
        let mut set = cell.map_or_else(Set::default, |cell| self.read_cell(cell));
        set.add(Atom::Unknown, &mut self.program.symbols);
        set
    }

    fn items(&mut self, base: Val, key: Option<Val>) -> Set {
        let namespace = self.is_namespace(base);
        let base = self.of(base);
        let key = key.map(|key| self.of(key)).unwrap_or_default();
        if namespace {
            return self.each(key, |values, atom| {
                atom.text().map_or_else(Set::unknown, |name| values.named_global(name))
            });
        }
        let inner = key.single().and_then(Atom::text);
        if inner.is_some_and(|key| self.program.symbols.text(key) == "__builtins__") {
            return self.all_builtins();
        }
        self.each(base, |values, atom| match atom {
            Atom::Name(name) => values.named_item(name, key),
            Atom::From(origin) => values.out_of(origin),
            // `parents[0]` and what a glob gave.
            Atom::Path(_) => values.lost_path(),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Instance(_) => Set::unknown(),
        })
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

    fn calls(&mut self, callee: Val, arguments: Operands) -> Set {
        let method = self.program.kind(callee).attribute();
        let method = method.map(|(base, name)| (self.of(base), name));
        let callees = self.of(callee);
        if let Some((base, name)) = method
            && !base.is_empty()
            && base.all(|atom| matches!(atom, Atom::Path(_)))
        {
            return self.each(base, |values, atom| values.path_method(atom, name, arguments));
        }
        self.each(callees, |values, atom| values.call(atom, arguments))
    }

    fn call(&mut self, callee: Atom, arguments: Operands) -> Set {
        match callee {
            Atom::Name(name) => self.named_call(name, arguments),
            Atom::From(origin) => self.out_of(origin),
            Atom::Own(def) => self.made(def),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Path(_)
            | Atom::Instance(_) => Set::unknown(),
        }
    }

    /// What calling a definition of the program's own gives. An instance of a class with a base of
    /// a library is an object of that library too.
    fn made(&mut self, def: DefId) -> Set {
        let Some((DefKind::Class, bases)) = self.program.def(def).map(|def| (def.kind, def.bases))
        else {
            return self.returned(def);
        };
        let mut set = Set::one(Atom::Instance(def));
        for base in self.program.operands(bases).to_vec() {
            let base = self.of(base.value);
            for atom in base.iter() {
                let library = atom
                    .library()
                    .filter(|name| self.names.has_methods(self.program.symbols.text(*name)));
                if let Some(name) = library {
                    set.add(Atom::From(name), &mut self.program.symbols);
                } else if matches!(atom, Atom::Own(_)) {
                    set.add(Atom::Unknown, &mut self.program.symbols);
                }
            }
        }
        set
    }

    fn named_call(&mut self, name: Sym, arguments: Operands) -> Set {
        let text = self.program.symbols.shared(name);
        if &*text == "getattr" {
            return self.getattr(arguments);
        }
        if IMPORTERS.contains(&&*text) || text.ends_with(".load_module") {
            return self.imported(arguments);
        }
        if let Some(set) = self.resolved_by(&text, arguments) {
            return set;
        }
        if let Some(set) = self.builtin_call(&text, arguments) {
            return set;
        }
        let makes =
            self.names.meaning(name, &self.program.symbols).entry.and_then(|entry| entry.makes);
        match makes {
            Some(Makes::Path) => self.made_path(arguments),
            Some(Makes::Handle) | None => Set::one(Atom::From(name)),
        }
    }

    /// What the builtins give that give data, or what they were given.
    fn builtin_call(&mut self, name: &str, arguments: Operands) -> Option<Set> {
        match name {
            "str" => Some(self.text_of(arguments)),
            "int" | "float" | "bool" | "len" | "repr" | "bytes" | "sum" | "round" | "abs"
            | "range" | "input" => Some(self.plain(name)),
            "sorted" | "list" | "tuple" | "set" | "reversed" | "iter" | "next" => {
                let first = self.positional(arguments, 0);
                Some(first.map_or_else(Set::unknown, |first| self.derived(first)))
            }
            "map" if self.maps_classes(arguments) => {
                Some(Set::one(Atom::From(self.program.symbols.intern(CLASS))))
            }
            "type" => Some(self.type_of(arguments)),
            "vars" => Some(self.namespace_of(arguments)),
            "super" | "open" => None,
            _ if name.contains('.') => None,
            _ => Some(Set::unknown()),
        }
    }

    /// The value passed at this position, where no star comes before it.
    pub(in super::super) fn positional(&self, arguments: Operands, position: usize) -> Option<Val> {
        let operands = self.program.operands(arguments);
        let before = operands.get(..=position)?;
        before
            .iter()
            .all(|operand| operand.slot == Slot::Position)
            .then(|| before.last().map(|operand| operand.value))?
    }

    fn getattr(&mut self, arguments: Operands) -> Set {
        let (Some(base), Some(name)) =
            (self.positional(arguments, 0), self.positional(arguments, 1))
        else {
            return Set::unknown();
        };
        let (base, names) = (self.of(base), self.of(name));
        self.each(names, |values, name| {
            name.text().map_or_else(Set::unknown, |name| {
                values.each(base, |values, atom| values.attribute(atom, name))
            })
        })
    }

    fn imported(&mut self, arguments: Operands) -> Set {
        let names = self.positional(arguments, 0).map(|name| self.of(name));
        self.each(names.unwrap_or_else(Set::unknown), |values, atom| {
            atom.text().map_or_else(Set::unknown, |module| values.module(module))
        })
    }

    fn binary(&mut self, operator: Operator, left: Val, right: Val) -> Set {
        let (left, right) = (self.of(left), self.of(right));
        match (operator, left.single(), right.single()) {
            (Operator::Add, Some(Atom::Text(left)), Some(Atom::Text(right))) => {
                self.concatenate(&[left, right])
            }
            (Operator::Divide, ..) if left.iter().any(|atom| matches!(atom, Atom::Path(_))) => {
                self.divided(left, right)
            }
            _ => self.mixed(left, right),
        }
    }

    /// An operator on library objects gives what came out of the library; on data, data.
    fn mixed(&mut self, left: Set, right: Set) -> Set {
        let library = left.iter().chain(right.iter()).find_map(Atom::library);
        if let Some(name) = library {
            return Set::one(Atom::From(name));
        }
        if !left.is_empty()
            && !right.is_empty()
            && left.all(Atom::is_plain)
            && right.all(Atom::is_plain)
        {
            return self.plain("data");
        }
        Set::unknown()
    }

    fn either(&mut self, operands: Operands) -> Set {
        let operands = self.program.operands(operands).to_vec();
        let mut union = Set::default();
        for operand in operands {
            let next = self.of(operand.value);
            union.join(&next, &mut self.program.symbols);
        }
        union
    }

    /// What an element of a value may be.
    pub(super) fn derived(&mut self, value: Val) -> Set {
        let set = self.of(value);
        self.each(set, Self::taken_out)
    }

    fn taken_out(&mut self, atom: Atom) -> Set {
        match atom {
            Atom::From(origin) => self.out_of(origin),
            Atom::Path(_) => Set::one(atom),
            Atom::Name(name) => Set::one(Atom::From(name)),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Own(_)
            | Atom::Instance(_) => Set::unknown(),
        }
    }

    /// What comes out of an object of a library. What comes out of an open file is no open file:
    /// it may be the text of a path.
    fn out_of(&mut self, origin: Sym) -> Set {
        let text = self.program.symbols.text(origin);
        if !self.names.makes_handle(text) {
            return Set::one(Atom::From(origin));
        }
        let out = format!("{text}{OUT}");
        Set::one(Atom::From(self.program.symbols.intern(&out)))
    }

    /// What `with` or `await` gives: library objects give themselves.
    fn entered(&mut self, value: Val) -> Set {
        let set = self.of(value);
        self.each(set, |values, atom| {
            if matches!(atom, Atom::From(_)) { Set::one(atom) } else { values.taken_out(atom) }
        })
    }
}
