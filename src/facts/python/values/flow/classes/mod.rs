//! The program's own classes: what they derive from, and what they hold.
//!
//! Must never forget a class that is related to another.

mod deriving;

use super::hooks::Members;
use crate::facts::python::program::{CellId, DefId, DefKind, Kind, Program, Sym, Val};
use deriving::is_holding_base;
use std::collections::{HashMap, HashSet};

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
    pub(in crate::facts::python::values::flow) parts: Members,
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
    pub(in crate::facts::python::values::flow) shifted: bool,
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
    pub(in crate::facts::python::values::flow) fn owners(&self, name: Sym) -> Vec<DefId> {
        self.owners.get(&name).cloned().unwrap_or_default()
    }

    /// The attributes that are written to objects of a class.
    pub(in crate::facts::python::values::flow) fn attributes(&self, class: DefId) -> Vec<Sym> {
        let owned = self.owners.iter().filter(|(_, owners)| owners.contains(&class));
        let mut names: Vec<Sym> = owned.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// Notes such a class; tells whether it is new.
    pub(in crate::facts::python::values::flow) fn note_owner(
        &mut self,
        name: Sym,
        class: DefId,
    ) -> bool {
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
    pub(in crate::facts::python::values::flow) fn named(&self) -> Vec<Sym> {
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
    pub(in crate::facts::python::values::flow) fn all(&self) -> Vec<DefId> {
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
    pub(in crate::facts::python::values::flow) fn holds_its_own(&self, class: DefId) -> bool {
        let extended = |class| self.classes.get(class).is_some_and(|class| class.extended);
        !self.ancestors(class).iter().any(extended)
    }

    /// A class and everything of the program's own that it derives from.
    pub(in crate::facts::python::values::flow) fn ancestors(&self, class: DefId) -> Vec<DefId> {
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
