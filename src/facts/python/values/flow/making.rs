//! What making an object of the program's own classes passes on: to initialisers, and to fields.
//!
//! Must never take an initialiser for the only one that may not surely be.

use super::functions::{By, Passed};
use crate::facts::python::program::{DefId, Kind, Operands, ScopeId, Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};

/// The method that makes an object what it is.
const INITIALISER: &str = "__init__";

/// What gives what an object has of its bases.
const SUPER: &str = "super";

/// Methods that make an object, or make it again, where no class has written them.
const MAKERS: [&str; 4] = [INITIALISER, "__new__", "_make", "_replace"];

impl Values<'_> {
    /// Makes an object of a class.
    pub(in crate::facts::python::values) fn construct(
        &mut self,
        class: DefId,
        arguments: &[Passed],
    ) -> Set {
        let line = self.line(class);
        let mut set = self.made(class, &line);
        if self.is_spent() {
            self.add(&mut set, Atom::Unknown);
        }
        if self.is_spent() || self.is_enumeration(class) {
            return set;
        }
        if line.iter().any(|class| self.binds(*class, "__new__")) {
            self.add(&mut set, Atom::Unknown);
        }
        self.initialise(class, &line, arguments);
        set
    }

    /// Passes arguments to the initialisers of a class, or to the fields that its own fills.
    fn initialise(&mut self, class: DefId, line: &[DefId], arguments: &[Passed]) {
        let own = self.surely_binds(class, INITIALISER);
        let classes = if own { vec![class] } else { line.to_vec() };
        let mut makers = Vec::new();
        for class in &classes {
            makers.extend(self.methods_of(*class, INITIALISER));
        }
        for maker in &makers {
            self.call_on(*maker, Atom::Instance(class));
            self.pass(*maker, arguments, 1);
        }
        if self.is_fielded(line) && !own {
            self.fill(line, arguments);
        } else if makers.is_empty() {
            self.lose_passed(arguments);
        }
    }

    /// A maker that is called outright: one that no class has written fills the fields. Gives the
    /// object where that is what calling it gives.
    pub(super) fn make_again(
        &mut self,
        callee: Val,
        (base, name): (Atom, Sym),
        arguments: Operands,
    ) -> Option<Set> {
        let written = !self.classes.members(name).is_empty();
        let name = self.program.symbols.shared(name);
        if !MAKERS.contains(&&*name) {
            return None;
        }
        let mut passed = self.passed(arguments);
        if &*name == "_replace" {
            self.replace_fields(&passed);
            let same = matches!(base, Atom::Instance(_)) && !written;
            return same.then_some(Set::one(base));
        }
        // The object or the class is passed too.
        let whole = &*name == "__new__" || (&*name == INITIALISER && matches!(base, Atom::Own(_)));
        if whole && passed.first().is_some_and(|passed| passed.by == By::Position) {
            passed.remove(0);
        }
        if &*name == "_make" {
            for row in std::mem::take(&mut passed) {
                self.pass_star(row.value, &mut passed);
            }
        }
        let mut made = None;
        for class in self.made_again(callee, base) {
            let line = self.line(class);
            if self.is_fielded(&line) && !self.surely_binds(class, INITIALISER) {
                self.fill(&line, &passed);
                made = matches!(base, Atom::Own(_)).then(|| self.made(class, &line));
            }
        }
        made.filter(|_| &*name == "_make" && !written)
    }

    /// The classes whose maker may be called through a value.
    fn made_again(&mut self, callee: Val, base: Atom) -> Vec<DefId> {
        match base {
            Atom::Instance(class) | Atom::Own(class) => vec![class],
            // Of several bases `super` gives what stands beside as well.
            Atom::From(_) => match self.class_of_super(callee) {
                Some(class) => {
                    let mut family = self.family(class);
                    family.retain(|one| *one != class);
                    family
                }
                None => self.classes.all(),
            },
            Atom::Unknown => self.classes.all(),
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => Vec::new(),
        }
    }

    /// The classes whose members `super()` may give where a step reads one: those that are related
    /// to the class that it stands in, where all of them are known.
    pub(super) fn relatives_of_super(&mut self, callee: Val, base: Atom) -> Option<Vec<DefId>> {
        let Atom::From(origin) = base else { return None };
        let class = self.class_of_super(callee)?;
        (self.program.symbols.text(origin) == SUPER && !self.is_spent()).then_some(())?;
        let family = self.family(class);
        let known = !family.iter().any(|class| self.is_open(*class));
        known.then_some(family)
    }

    pub(super) fn member_of_super(&mut self, (base, name): (Atom, Sym), family: &[DefId]) -> Set {
        self.note_changing(base, name);
        let mut set = Set::one(base);
        let members = self.hidden_member_of(name, Some(family));
        self.join(&mut set, &members);
        set
    }

    /// The class that a step stands in, where the step calls a method of `super()`.
    fn class_of_super(&self, callee: Val) -> Option<DefId> {
        let (base, _) = self.program.kind(callee).attribute()?;
        let Kind::Call { arguments, .. } = self.program.kind(base) else {
            return None;
        };
        self.class_around(callee).filter(|_| arguments.start == arguments.end)
    }

    /// The class whose body a step stands in, however deep.
    pub(in crate::facts::python::values) fn class_around(&self, at: Val) -> Option<DefId> {
        let mut scope = self.program.block(self.program.op(at)?.block)?.scope;
        while !self.program.is_class(scope) {
            scope = self.program.scope(scope)?.parent?;
        }
        Some(DefId(scope.0))
    }

    /// Whether a class binds a name whenever its body runs, and never lets go of it.
    pub(super) fn surely_binds(&self, class: DefId, name: &str) -> bool {
        let name = self.program.symbols.find(name);
        let cell = name.and_then(|name| self.program.own_cell(ScopeId(class.0), name));
        let bindings = cell.and_then(|cell| self.program.cell(cell)).map(|cell| &cell.bindings);
        bindings.is_some_and(|bindings| {
            bindings.iter().any(|step| self.is_at_once(*step))
                && !bindings.iter().any(|step| matches!(self.program.kind(*step), Kind::Unbind))
        })
    }

    /// Whether a step runs whenever its scope does.
    fn is_at_once(&self, step: Val) -> bool {
        let block = self.program.op(step).and_then(|op| self.program.block(op.block));
        let around = block.and_then(|block| self.program.block(block.parent?));
        block.zip(around).is_some_and(|(block, around)| block.scope != around.scope)
    }

    /// The functions that a class defines in its body under a name.
    fn methods_of(&self, class: DefId, name: &str) -> Vec<DefId> {
        let mut methods = self.functions.methods(class);
        methods.retain(|method| {
            let def = self.program.def(*method);
            def.is_some_and(|def| self.program.symbols.text(def.name) == name)
        });
        methods
    }

    /// The function that a class binds in its body under a name.
    pub(super) fn method(&self, class: DefId, name: Sym) -> Option<DefId> {
        self.functions
            .methods(class)
            .into_iter()
            .find(|method| self.program.def(*method).is_some_and(|def| def.name == name))
    }

    /// Passes arguments to the fields of a class and of those that it derives from.
    fn fill(&mut self, line: &[DefId], arguments: &[Passed]) {
        let fields = self.all_fields(line);
        let told = line.len() == 1 && !self.classes.shifted;
        let mut position = 0;
        let mut floating = false;
        for passed in arguments {
            for (at, (owner, field)) in fields.iter().enumerate() {
                let hit = match passed.by {
                    By::Position | By::Positions if !told => true,
                    By::Position if !floating => at == position,
                    By::Position | By::Positions => at >= position,
                    By::Keyword(name) => name == *field,
                    By::Keywords => true,
                };
                if hit {
                    self.pour_attribute(Some(*owner), *field, passed.value);
                }
            }
            position += usize::from(passed.by == By::Position);
            floating |= passed.by == By::Positions;
        }
    }

    /// The fields of a class and of those that it derives from, these first.
    fn all_fields(&self, line: &[DefId]) -> Vec<(DefId, Sym)> {
        let fields = |class: &DefId| {
            let fields = self.classes.fields(*class).into_iter();
            fields.map(|field| (*class, field)).collect::<Vec<_>>()
        };
        line.iter().rev().flat_map(fields).collect()
    }

    /// What a class derives from that names a base. With parameters in brackets it is the base
    /// itself, where nothing of the program's own answers for these.
    pub(super) fn derived_from(&mut self, base: Val) -> Set {
        let silent = self.program.symbols.find("__class_getitem__").is_none();
        if let Kind::Item { base: generic, key: Some(_), .. } = self.program.kind(base)
            && silent
        {
            let classes = self.of(generic);
            let own = |atom: Atom| {
                matches!(atom, Atom::Own(id) if !self.is_function(id) && !self.is_open(id)
                    && !self.is_enumeration(id))
            };
            if !classes.is_empty() && classes.all(own) {
                return classes;
            }
        }
        self.of(base)
    }

    /// An object of a class that derives from a library's is an object of that library too.
    pub(super) fn made(&mut self, class: DefId, line: &[DefId]) -> Set {
        let mut set = Set::one(Atom::Instance(class));
        for class in line {
            let Some(bases) = self.program.def(*class).map(|def| def.bases) else { continue };
            for base in self.program.operands(bases).to_vec() {
                for atom in self.derived_from(base.value).iter() {
                    let library = atom
                        .library()
                        .filter(|name| self.names.has_methods(self.program.symbols.text(*name)));
                    if let Some(name) = library {
                        self.add(&mut set, Atom::From(name));
                    } else if atom == Atom::Unknown {
                        self.add(&mut set, Atom::Unknown);
                    }
                }
            }
        }
        set
    }
}
