//! Class patterns where a class may say that any object is its own: what stands by place in them
//! reads attributes that the class names.
//!
//! Must never take a class for one whose names are written out where it may have others.

use crate::facts::GapKind;
use crate::facts::python::program::{Access, DefId, DefKind, Kind, ScopeId, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, CLASS_HOOKS};

/// What names the attributes.
const NAMES: &str = "__match_args__";

/// The method by which a class is told of its subclasses.
const REGISTER: &str = "register";

impl Teller<'_, '_> {
    /// Class patterns, where objects may pass for those of another class.
    pub(in super::super) fn tell_patterns(&mut self) {
        let patterns = std::mem::take(&mut self.values.program.patterns);
        if !patterns.is_empty() && self.passes_for_others() {
            for class in patterns {
                let known = self.values.of(class).all(|atom| self.names_its_own(atom));
                if let Some(op) = self.values.program.op(class).copied().filter(|_| !known) {
                    let why = "which attributes a pattern reads of any object is not known";
                    self.gap(GapKind::Attribute, why, &op);
                }
            }
        }
    }

    /// Whether a class of the program's own answers what its instances are, or is told.
    fn passes_for_others(&self) -> bool {
        let symbols = &self.values.program.symbols;
        let named = |name: &str| symbols.find(name).is_some();
        CLASS_HOOKS.iter().any(|name| named(name)) || (named(REGISTER) && self.registers())
    }

    /// Whether a method is taken by which a class is told of its subclasses, or may be named.
    fn registers(&self) -> bool {
        let program = &self.values.program;
        let register = |name| program.symbols.text(name) == REGISTER;
        let mut ops = program.ops.iter().enumerate();
        let named =
            program.symbols.find(REGISTER).is_some_and(|name| self.told_texts.contains(&name));
        named
            || ops.any(|(number, op)| {
                let Kind::Attribute { base, name, access: Access::Read } = op.kind else {
                    return false;
                };
                let own = self.values.of(Val(crate::facts::python::program::number(number)));
                let own = !own.is_empty() && own.all(Atom::is_followed);
                register(name) && !own && !self.dispatches(base)
            })
    }

    /// Whether it is a function that is told of others, and no class.
    fn dispatches(&self, base: Val) -> bool {
        let set = self.values.of(base);
        let symbols = &self.values.program.symbols;
        !set.is_empty()
            && set.all(|atom| {
                if let Atom::Own(def) = atom {
                    let def = self.values.program.def(def);
                    return def.is_some_and(|def| def.kind != DefKind::Class);
                }
                atom.library().is_some_and(|name| {
                    let name = symbols.text(name);
                    name.starts_with("functools.singledispatch") || name == "atexit"
                })
            })
    }

    /// Whether a class is a library's, or names the attributes in its own body.
    fn names_its_own(&self, atom: Atom) -> bool {
        match atom {
            Atom::Name(_) => true,
            Atom::Own(class) => self.binds_in_body(class, NAMES),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Partial(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        }
    }

    fn binds_in_body(&self, class: DefId, name: &str) -> bool {
        let program = &self.values.program;
        let name = program.symbols.find(name);
        name.and_then(|name| program.own_cell(ScopeId(class.0), name)).is_some()
    }
}
