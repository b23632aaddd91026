//! The program's own classes: what they derive from, and what they hold.
//!
//! Must never take a class for known that derives from something which is not.

use super::hooks::Members;
use crate::facts::python::program::{
    CellId, DefId, DefKind, Kind, Operands, Program, Slot, Sym, Val,
};
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::{HashMap, HashSet};

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

/// One class.
#[derive(Debug, Default)]
struct Class {
    fields: Vec<Sym>,
    /// The program's own classes that it derives from, and that derive from it.
    kin: Vec<DefId>,
    bases: Vec<DefId>,
    /// Whether it derives from something of which not everything is known.
    open: bool,
    enumeration: bool,
    /// Whether its annotated names are parameters.
    fielded: bool,
    /// Whether its objects have attributes that the program does not write.
    extended: bool,
    /// Whether it derives from a builtin type that holds what it is given.
    holding: bool,
}

/// The classes of a program.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Classes {
    classes: HashMap<DefId, Class>,
    /// The classes that bind a name in their body.
    members: HashMap<Sym, Vec<(DefId, CellId)>>,
    pub(super) parts: Members,
    /// What stands among the bases of a class.
    bases: HashSet<Val>,
    /// The names that the program writes to as attributes.
    written: HashSet<Sym>,
    /// The classes to whose objects' attributes of a name something was written.
    owners: HashMap<Sym, Vec<DefId>>,
    /// Whether objects of the program's own may be texts.
    pub(in crate::facts::python::values) texts: bool,
    /// Whether objects of the program's own may be dates and times.
    pub(in crate::facts::python::values) dates: bool,
    /// Whether fields may stand at other positions than they are written at.
    pub(super) shifted: bool,
}

impl Classes {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let mut classes = Self::default();
        for (scope, name) in &program.fields {
            classes.classes.entry(DefId(scope.0)).or_default().fields.push(*name);
            classes.written.insert(*name);
        }
        for (cell, id) in program.cells.iter().zip(0..) {
            if program.is_class(cell.scope) {
                let member = (DefId(cell.scope.0), CellId(id));
                classes.parts.note(program, member.0, member.1);
                classes.members.entry(cell.name).or_default().push(member);
            }
        }
        for (def, id) in program.defs.iter().zip(0..) {
            let bases = program.operands(def.bases).iter().map(|base| base.value);
            if def.kind == DefKind::Class {
                classes.bases.extend(bases.clone());
                let holding = bases.into_iter().any(|base| is_holding_base(program, base));
                classes.classes.entry(DefId(id)).or_default().holding = holding;
            }
        }
        for op in &program.ops {
            if let Kind::Store { target, .. } = op.kind
                && let Some((_, name)) = program.kind(target).attribute()
            {
                classes.written.insert(name);
            }
        }
        let shifts = ["ClassVar", "InitVar", "KW_ONLY", "kw_only", "init"];
        let written = |value: &Val| program.kind(*value).literal().is_some();
        classes.shifted = program.fields_vary
            || program.annotations.iter().any(written)
            || shifts.iter().any(|word| program.symbols.find(word).is_some());
        classes
    }

    /// The classes to whose objects' attributes of this name something was written.
    pub(super) fn owners(&self, name: Sym) -> Vec<DefId> {
        self.owners.get(&name).cloned().unwrap_or_default()
    }

    /// The attributes that are written to objects of a class.
    pub(super) fn attributes(&self, class: DefId) -> Vec<Sym> {
        let owned = self.owners.iter().filter(|(_, owners)| owners.contains(&class));
        let mut names: Vec<Sym> = owned.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Notes such a class; tells whether it is new.
    pub(super) fn note_owner(&mut self, name: Sym, class: DefId) -> bool {
        let owners = self.owners.entry(name).or_default();
        let new = !owners.contains(&class);
        if new {
            owners.push(class);
        }
        new
    }

    /// Whether a value stands among the bases of a class.
    pub(in crate::facts::python::values) fn is_base(&self, value: Val) -> bool {
        self.bases.contains(&value)
    }

    /// The classes that bind a name in their body.
    pub(in crate::facts::python::values) fn members(&self, name: Sym) -> Vec<(DefId, CellId)> {
        self.members.get(&name).cloned().unwrap_or_default()
    }

    /// The names of all members and attributes.
    pub(super) fn named(&self) -> Vec<Sym> {
        self.members.keys().chain(&self.written).copied().collect()
    }

    /// Whether the program writes to attributes of this name.
    pub(in crate::facts::python::values) fn is_written(&self, name: Sym) -> bool {
        self.written.contains(&name)
    }

    pub(in crate::facts::python::values) fn fields(&self, class: DefId) -> Vec<Sym> {
        self.classes.get(&class).map(|class| class.fields.clone()).unwrap_or_default()
    }

    pub(in crate::facts::python::values) fn kin(&self, class: DefId) -> Vec<DefId> {
        self.classes.get(&class).map(|class| class.kin.clone()).unwrap_or_default()
    }

    /// All classes of which something is known, in the order of the source.
    pub(super) fn all(&self) -> Vec<DefId> {
        let mut all: Vec<DefId> = self.classes.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Everything that is related to a class, itself included.
    pub(in crate::facts::python::values) fn family(&self, class: DefId) -> Vec<DefId> {
        let mut family = vec![class];
        let mut at = 0;
        while let Some(next) = family.get(at) {
            let kin = self.kin(*next);
            let new: Vec<DefId> = kin.into_iter().filter(|kin| !family.contains(kin)).collect();
            family.extend(new);
            at += 1;
        }
        family
    }

    /// Whether the objects of a class have no attributes but those that the program gives them.
    pub(super) fn holds_its_own(&self, class: DefId) -> bool {
        let extended = |class| self.classes.get(class).is_some_and(|class| class.extended);
        !self.ancestors(class).iter().any(extended)
    }

    /// A class and everything of the program's own that it derives from.
    pub(super) fn ancestors(&self, class: DefId) -> Vec<DefId> {
        let mut line = vec![class];
        let mut at = 0;
        while let Some(class) = line.get(at).and_then(|next| self.classes.get(next)) {
            let new: Vec<DefId> =
                class.bases.iter().copied().filter(|base| !line.contains(base)).collect();
            line.extend(new);
            at += 1;
        }
        line
    }
}

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
    pub(super) fn open_class(&mut self, id: DefId) {
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

    /// Whether objects of a class, or of one that it derives from, hold what they are given as
    /// builtin types do.
    pub(super) fn is_holding(&self, class: DefId) -> bool {
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
    pub(super) fn is_fielded(&self, line: &[DefId]) -> bool {
        let fielded = |class| self.classes.classes.get(class).is_some_and(|class| class.fielded);
        line.iter().any(fielded)
    }

    pub(super) fn is_open(&self, class: DefId) -> bool {
        self.pools.loose || self.classes.classes.get(&class).is_some_and(|class| class.open)
    }

    /// Everything that is related to a class, itself included.
    pub(super) fn family(&mut self, class: DefId) -> Vec<DefId> {
        if self.is_spent() {
            return vec![class];
        }
        let family = self.classes.family(class);
        self.spend(family.len() * family.len());
        family
    }

    /// A class and what it derives from.
    pub(super) fn line(&mut self, class: DefId) -> Vec<DefId> {
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
fn is_holding_base(program: &Program, base: Val) -> bool {
    let Kind::Load(name) = program.kind(base) else { return false };
    let lookup = program.lookup(base, name);
    let unbound = lookup.exact.is_none() && lookup.cells.iter().all(Option::is_none);
    unbound && HOLDING.contains(&program.symbols.text(name))
}
