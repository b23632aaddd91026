//! What classes derive from, and what follows of that for their objects and methods.
//!
//! Must never take a class for known that derives from something which is not.

use crate::facts::python::program::{DefId, DefKind, Kind, Operands, Program, Slot, Val};
use crate::facts::python::values::flow::functions::Passed;
use crate::facts::python::values::{Atom, Set, Values};

/// Bases that add no attributes of their own which matter, and call no methods with values but
/// those that the interpreter calls too.
const PLAIN_BASES: [&str; 25] = [
    "object",
    "abc.ABC",
    "typing.Generic",
    "typing.Protocol",
    "typing.NamedTuple",
    "Exception",
    "ValueError",
    "RuntimeError",
    "TypeError",
    "KeyError",
    "IndexError",
    "LookupError",
    "ArithmeticError",
    "NotImplementedError",
    "collections.abc.Callable",
    "collections.abc.Collection",
    "collections.abc.Container",
    "collections.abc.Hashable",
    "collections.abc.Iterable",
    "collections.abc.Iterator",
    "collections.abc.Mapping",
    "collections.abc.Reversible",
    "collections.abc.Sequence",
    "collections.abc.Sized",
    "collections.abc.MutableMapping",
];

/// Bases that add no attributes at all.
const BARE_BASES: [&str; 4] = ["object", "abc.ABC", "typing.Generic", "typing.Protocol"];

/// Classes whose members are objects of the class.
const ENUMERATIONS: [&str; 5] =
    ["enum.Enum", "enum.StrEnum", "enum.IntEnum", "enum.Flag", "enum.IntFlag"];

/// Bases whose objects are texts, that which is not known among them.
const TEXTS: [&str; 6] = ["", "str", "bytes", "enum.StrEnum", "numpy.str_", "numpy.bytes_"];

/// Builtin types that hold what they are given, and call methods of no other names than their own.
const HOLDING: [&str; 3] = ["dict", "list", "set"];

/// Makers of classes whose annotated names are parameters.
const FIELD_BASES: [&str; 1] = ["typing.NamedTuple"];

/// The keyword by which a class says what makes it.
const METACLASS: &str = "metaclass";

impl Values<'_> {
    /// A definition; of a class, what it derives from is looked at.
    pub(in crate::facts::python::values) fn define(&mut self, id: DefId) -> Set {
        let Some(def) = self.program.def(id).copied() else {
            return Set::unknown();
        };
        let mut set = Set::one(Atom::Own(id));
        if def.kind == DefKind::Class && self.define_class(id, def.bases) {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// Looks at what a class derives from; tells whether something else may be made of it.
    fn define_class(&mut self, id: DefId, bases: Operands) -> bool {
        let mut replaced = false;
        for base in self.program.operands(bases).to_vec() {
            let set = self.derived_from(base.value);
            self.note_dates(set);
            let keyword = if let Slot::Keyword(name) = base.slot { Some(name) } else { None };
            let metaclass =
                keyword.is_some_and(|name| self.program.symbols.text(name) == METACLASS);
            if keyword.is_some() && !metaclass {
                // `__init_subclass__` takes it, whoever has written that.
                self.lose(set);
                continue;
            }
            if metaclass || set.overflowed {
                let plain = |atom: Atom| {
                    atom.name().is_some_and(|name| self.program.symbols.text(name) == "abc.ABCMeta")
                };
                if !set.all(plain) {
                    self.open_class(id);
                    self.lose(set);
                    replaced = true;
                }
                continue;
            }
            for atom in set.iter() {
                self.derive(id, atom);
            }
        }
        self.open_overriding(id);
        replaced
    }

    fn derive(&mut self, id: DefId, base: Atom) {
        if let Atom::Own(base) = base {
            self.relate(id, base);
            return;
        }
        let name = base.library().map(|name| self.program.symbols.shared(name));
        let name = name.as_deref().unwrap_or_default();
        let class = self.classes.classes.entry(id).or_default();
        let before = (class.fielded, class.extended, class.enumeration, self.classes.texts);
        class.fielded |= FIELD_BASES.contains(&name);
        class.extended |= !BARE_BASES.contains(&name);
        class.enumeration |= ENUMERATIONS.contains(&name);
        self.classes.texts |= TEXTS.contains(&name);
        let after = (class.fielded, class.extended, class.enumeration, self.classes.texts);
        // Methods that stand before may have been read without it.
        self.pools.stale |= before != after;
        if ENUMERATIONS.contains(&name) {
            self.lose_methods(id);
        } else if class.holding && HOLDING.contains(&name) {
            // What that means is looked at for all classes together.
        } else if !PLAIN_BASES.contains(&name) && !matches!(name, "str" | "int") {
            self.open_class(id);
        }
    }

    fn relate(&mut self, id: DefId, base: DefId) {
        let known = self.classes.classes.entry(id).or_default();
        if known.bases.contains(&base) {
            return;
        }
        known.bases.push(base);
        known.kin.push(base);
        let open = known.open;
        let parent = self.classes.classes.entry(base).or_default();
        parent.kin.push(id);
        let opens = parent.open || open;
        self.pools.stale = true;
        if opens {
            self.open_class(id);
        }
        if self.pools.is_lost(id) || self.pools.is_lost(base) {
            self.lose(Set::one(Atom::Instance(id)));
            self.lose(Set::one(Atom::Instance(base)));
        }
    }

    /// Something that is not known may write the attributes of its objects and call its methods.
    pub(in crate::facts::python::values::flow) fn open_class(&mut self, id: DefId) {
        if self.classes.classes.entry(id).or_default().open {
            return;
        }
        for class in self.classes.family(id) {
            self.classes.classes.entry(class).or_default().open = true;
            self.lose_methods(class);
        }
        self.pools.stale = true;
    }

    fn lose_methods(&mut self, class: DefId) {
        for method in self.functions.methods(class) {
            self.lose(Set::one(Atom::Bound(method)));
        }
        for cell in self.classes.parts.of(class) {
            self.lose_functions(class, self.cell(cell));
        }
    }

    /// Marks a class as one whose annotated names are parameters.
    pub(in crate::facts::python::values) fn give_fields(&mut self, class: DefId) {
        let known = self.classes.classes.entry(class).or_default();
        self.pools.stale |= !known.fielded;
        known.fielded = true;
    }

    /// A class that is made a data class by a call is another one from there on.
    pub(in crate::facts::python::values::flow) fn give_fields_late(&mut self, passed: &[Passed]) {
        for class in passed.iter().flat_map(|passed| passed.value.iter()).filter_map(Atom::own) {
            self.give_fields(class);
        }
        self.lose_passed(passed);
    }

    /// Whether objects of a class, or of one that it derives from, hold what they are given as
    /// builtin types do.
    pub(in crate::facts::python::values::flow) fn is_holding(&self, class: DefId) -> bool {
        let ancestors = self.classes.ancestors(class);
        let holding = |class| self.classes.classes.get(class).is_some_and(|class| class.holding);
        ancestors.iter().any(holding)
    }

    pub(in crate::facts::python::values) fn is_enumeration(&self, class: DefId) -> bool {
        let family = self.classes.ancestors(class);
        let enumeration =
            |class| self.classes.classes.get(class).is_some_and(|class| class.enumeration);
        family.iter().any(enumeration)
    }

    /// Whether the annotated names of a class, or of one that it derives from, are parameters.
    pub(in crate::facts::python::values::flow) fn is_fielded(&self, line: &[DefId]) -> bool {
        let fielded = |class| self.classes.classes.get(class).is_some_and(|class| class.fielded);
        line.iter().any(fielded)
    }

    pub(in crate::facts::python::values::flow) fn is_open(&self, class: DefId) -> bool {
        self.pools.loose || self.classes.classes.get(&class).is_some_and(|class| class.open)
    }

    /// Everything that is related to a class, itself included.
    pub(in crate::facts::python::values::flow) fn family(&mut self, class: DefId) -> Vec<DefId> {
        if self.is_spent() {
            return vec![class];
        }
        let family = self.classes.family(class);
        self.spend(family.len() * family.len());
        family
    }

    /// A class and what it derives from.
    pub(in crate::facts::python::values::flow) fn line(&mut self, class: DefId) -> Vec<DefId> {
        if self.is_spent() {
            return vec![class];
        }
        let line = self.classes.ancestors(class);
        let methods: usize = line.iter().map(|class| self.functions.count(*class)).sum();
        self.spend(line.len() * line.len() + methods);
        line
    }
}

/// Whether a base is surely a builtin type that holds what it is given.
pub(super) fn is_holding_base(program: &Program, base: Val) -> bool {
    let Kind::Load(name) = program.kind(base) else { return false };
    let lookup = program.lookup(base, name);
    let unbound = lookup.exact.is_none() && lookup.cells.iter().all(Option::is_none);
    unbound && HOLDING.contains(&program.symbols.text(name))
}
