//! The library bases of the program's own classes: what making an object passes on to them.
//!
//! Must never lose sight of a class whose base is not told where it is named.

use crate::call::Text;
use crate::facts::python::program::{DefId, DefKind, Kind, Op, Operand, ScopeId, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::Atom;
use crate::facts::{GapKind, ResourceKind};

/// Methods by which a class makes an object, or makes it again.
const MAKING: [&str; 3] = ["__init__", "__new__", "__call__"];

impl<'tell> Teller<'tell, '_> {
    /// Notes the bases of the program's own classes.
    pub(in super::super) fn prepare_bases(&mut self) {
        let program = &self.values.program;
        let classes = program.defs.iter().filter(|def| def.kind == DefKind::Class);
        let bases = classes.flat_map(|def| program.operands(def.bases));
        self.bases.extend(bases.map(|base| base.value));
    }

    /// Whether it is a base of an own class that needs nothing but what it is given: that is told
    /// where an object of the class is made.
    pub(in super::super) fn is_passed_on_to(&mut self, value: Val) -> bool {
        self.bases.contains(&value) && self.taker(value).is_some()
    }

    /// The library class that a base surely is, where it only takes parameters.
    fn taker(&mut self, base: Val) -> Option<Callee<'tell>> {
        let name = self.values.of(base).single().and_then(Atom::name)?;
        let meaning = self.values.names.meaning(name, &self.values.program.symbols);
        let entry = meaning.entry.filter(|entry| {
            !meaning.module
                && entry.capabilities.is_empty()
                && entry.dynamic.is_none()
                && entry.makes.is_none()
                && entry.parameters.iter().all(|one| one.kind == ResourceKind::Statement)
        })?;
        Some(Callee { name: self.word(name), entry: Some(entry), named: Some(name) })
    }

    /// A class over a library's gives a name another meaning: what the catalogue says of setting it
    /// holds of that, in whatever class of the program's it stands.
    pub(in super::super) fn tell_overridden(&mut self, op: &Op, word: &str, value: Val) {
        if matches!(word, "__getattr__" | "__getattribute__") {
            self.tell_answering(op);
        }
        self.tell_set_in_class(op, word, value);
    }

    /// Libraries of arrays ask any object for its memory by attributes, whatever answers for those.
    fn tell_answering(&mut self, op: &Op) {
        if ["numpy", "pandas", "matplotlib"].iter().any(|root| self.values.names.reaches(root)) {
            let why = "a class answers for attributes by which arrays are laid over memory";
            self.gap(GapKind::Attribute, why, op);
        }
    }

    /// Whether a class of the program's own derives from a class of one of these libraries, or from
    /// something that may be one.
    pub(in super::super) fn derives_from(&self, roots: &[Text]) -> bool {
        self.bases.iter().any(|base| {
            self.values.of(*base).iter().any(|atom| match atom.library() {
                Some(name) => {
                    let text = self.values.program.symbols.text(name);
                    let root = text.split('.').next().unwrap_or_default();
                    roots.iter().any(|wanted| &**wanted == root)
                }
                None => atom == Atom::Unknown,
            })
        })
    }

    /// Making an object of an own class makes one of its library bases, of the same arguments
    /// where no `__init__` of its own stands between.
    pub(in super::super) fn tell_made_bases(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        if self.bases.is_empty() {
            return;
        }
        for base in self.bases_of_call(op, callee) {
            if let Some(taker) = self.taker(base) {
                self.tell_callee(op, &taker, operands);
            }
        }
    }

    /// The bases that are given what a call gives, where it makes an object of an own class.
    pub(in super::super) fn bases_of_call(&self, op: &Op, callee: Val) -> Vec<Val> {
        if self.bases.is_empty() {
            return Vec::new();
        }
        let made = self.values.program.kind(callee).attribute();
        let making = |name: Sym| MAKING.contains(&self.values.program.symbols.text(name));
        match made.filter(|(_, name)| making(*name)) {
            Some((base, _)) if self.is_super(base) => {
                let class = self.class_around(op);
                class.map(|class| self.bases_above(class)).unwrap_or_default()
            }
            Some((base, _)) => self.bases_of(base),
            None => self.bases_of(callee),
        }
    }

    /// The bases of the own classes that a value may be, or be an object of.
    fn bases_of(&self, value: Val) -> Vec<Val> {
        let mut found = Vec::new();
        for atom in self.values.of(value).iter() {
            if let Atom::Own(class) | Atom::Instance(class) = atom
                && !self.makes_itself(class)
            {
                found.extend(self.bases_above(class));
            }
        }
        found
    }

    /// Whether a class has an `__init__` of its own.
    fn makes_itself(&self, class: DefId) -> bool {
        let program = &self.values.program;
        let init = program.symbols.find("__init__");
        init.and_then(|init| program.own_cell(ScopeId(class.0), init)).is_some()
    }

    /// The bases of a class, through own bases that have no `__init__`.
    fn bases_above(&self, class: DefId) -> Vec<Val> {
        let (mut found, mut seen, mut open) = (Vec::new(), vec![class], vec![class]);
        while let Some(class) = open.pop() {
            let program = &self.values.program;
            let def = program.def(class).filter(|def| def.kind == DefKind::Class);
            let bases = def.map(|def| program.operands(def.bases).to_vec()).unwrap_or_default();
            for base in bases {
                found.push(base.value);
                for own in self.values.of(base.value).iter().filter_map(Atom::own) {
                    if !self.makes_itself(own) && !seen.contains(&own) {
                        seen.push(own);
                        open.push(own);
                    }
                }
            }
        }
        found
    }

    /// An own class over a library base is handed on: what it will be made of is not seen here.
    pub(in super::super) fn tell_open_class(&mut self, value: Val, op: &Op) {
        let classes: Vec<DefId> = self.values.of(value).iter().filter_map(Atom::own).collect();
        let bases: Vec<Val> =
            classes.into_iter().flat_map(|class| self.bases_above(class)).collect();
        let open = bases.into_iter().any(|base| self.taker(base).is_some());
        if open {
            let why = "a class is handed on, and what is made of it is not known";
            self.gap(GapKind::Statement, why, op);
        }
    }

    /// Whether a value is what `super()` gives.
    pub(in super::super) fn is_super(&self, value: Val) -> bool {
        let Kind::Call { callee, .. } = self.values.program.kind(value) else {
            return false;
        };
        let name = self.values.of(callee).single().and_then(Atom::name);
        name.is_some_and(|name| self.values.program.symbols.text(name) == "super")
    }

    /// The class that a step stands in.
    pub(in super::super) fn class_around(&self, op: &Op) -> Option<DefId> {
        let program = &self.values.program;
        let mut scope = program.block(op.block).map(|block| block.scope);
        while let Some(id) = scope.filter(|id| !program.is_class(*id)) {
            scope = program.scope(id).and_then(|record| record.parent);
        }
        scope.map(|scope| DefId(scope.0))
    }
}
