//! What calls give, and what they pass on.
//!
//! Must never take a call of something unknown for harmless: what it is given leaves our sight.

use super::Pool;
use super::functions::{By, Mark, Passed};
use crate::facts::python::program::{DefId, DefKind, Operands, ScopeId, Sym, Val};
use crate::facts::python::values::held::position;
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Handling, Implicit};

/// Decorators that leave a function as it is where it yields.
const GENERATING: [&str; 2] = ["contextlib.contextmanager", "contextlib.asynccontextmanager"];

impl Values<'_> {
    /// What a call gives.
    pub(in crate::facts::python::values) fn calls(
        &mut self,
        at: Val,
        (callee, arguments, implicit): (Val, Operands, Option<Implicit>),
    ) -> Set {
        if implicit == Some(Implicit::Decorator) {
            return self.decorated(at, callee, arguments);
        }
        if let Some((base, name)) = self.program.kind(callee).attribute() {
            let base = self.of(base);
            return self.each(base, |values, atom| {
                values.method_call((at, callee), (atom, name), arguments)
            });
        }
        let callees = self.of(callee);
        self.each(callees, |values, atom| values.call((at, callee), atom, arguments))
    }

    fn method_call(
        &mut self,
        place: (Val, Val),
        (base, name): (Atom, Sym),
        arguments: Operands,
    ) -> Set {
        match base {
            Atom::Path(_) => {
                let passed = self.passed(arguments);
                self.lose_passed(&passed);
                self.path_method(base, name, arguments)
            }
            Atom::Held(site) => self.collection_method(place, site, name, arguments),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_) => {
                self.note_parsing(name, arguments);
                if let Some(made) = self.make_again(place.1, (base, name), arguments) {
                    return made;
                }
                if let Some(set) = self.replaced_by_method(base, place.1, arguments) {
                    return set;
                }
                if let Some(set) = self.text_method(base, name, arguments) {
                    return self.steady(place.0, set);
                }
                let members = match self.relatives_of_super(place.1, base) {
                    Some(family) => self.member_of_super((base, name), &family),
                    None => self.attribute(base, name),
                };
                let method = base.library().map(|_| name);
                self.each(members, |values, atom| {
                    if let Atom::From(origin) = atom {
                        return values.library_call(origin, method, arguments);
                    }
                    values.call(place, atom, arguments)
                })
            }
        }
    }

    /// A parser of arguments writes the attributes of an object that it is given.
    fn note_parsing(&mut self, name: Sym, arguments: Operands) {
        if !self.program.symbols.text(name).starts_with("parse_") {
            return;
        }
        let passed = self.passed(arguments);
        let object = |atom: Atom| matches!(atom, Atom::Own(_) | Atom::Instance(_));
        let library = passed.iter().any(|passed| passed.value.iter().any(object));
        if library && self.classes.members(name).is_empty() {
            self.loosen();
        }
    }

    fn call(&mut self, place: (Val, Val), callee: Atom, arguments: Operands) -> Set {
        match callee {
            Atom::Name(name) => self.named_call(place, name, arguments),
            Atom::From(origin) => self.library_call(origin, None, arguments),
            Atom::Own(_) | Atom::Bound(_) | Atom::Several(_) => {
                let passed = self.passed(arguments);
                self.own_call(callee, &passed)
            }
            Atom::Literal(_) if self.is_none(callee) => Set::default(),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Path(_)
            | Atom::Held(_) => {
                let passed = self.passed(arguments);
                self.lose_passed(&passed);
                Set::unknown()
            }
            Atom::Instance(class) => {
                let passed = self.passed(arguments);
                self.lose_passed(&passed);
                let mut set = self.call_object(class, &passed);
                self.add(&mut set, Atom::Unknown);
                set
            }
        }
    }

    /// What a method is called on counts as an object, though it may be the class. Where objects
    /// cannot be called, it is the class that is.
    fn call_object(&mut self, class: DefId, passed: &[Passed]) -> Set {
        let family = self.family(class);
        let hook = self.program.symbols.find("__call__");
        let written = hook.is_some_and(|hook| self.classes.is_written(hook));
        let callable = written || family.iter().any(|class| self.binds(*class, "__call__"));
        let mut set = Set::default();
        if callable && !self.functions.of_classes {
            return set;
        }
        for class in family {
            let made = self.construct(class, passed);
            self.join(&mut set, &made);
        }
        set
    }

    /// What calling something of the program's own gives.
    pub(in crate::facts::python::values) fn own_call(
        &mut self,
        callee: Atom,
        passed: &[Passed],
    ) -> Set {
        let (def, bound) = match callee {
            Atom::Several(list) => {
                let methods = self.functions.several(list).into_iter();
                let mut given = Set::default();
                for method in methods {
                    let one = self.own_call(Atom::Bound(method), passed);
                    self.join(&mut given, &one);
                }
                return given;
            }
            Atom::Own(def) => (def, 0),
            Atom::Bound(def) => (def, 1),
            Atom::Unknown
            | Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Plain(_)
            | Atom::Partial(_)
            | Atom::Name(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Instance(_)
            | Atom::Held(_) => {
                self.note_wrapper(Set::one(callee));
                self.lose_passed(passed);
                return Set::unknown();
            }
        };
        if self.program.def(def).is_some_and(|def| def.kind == DefKind::Class) {
            return self.construct(def, passed);
        }
        let is_static = self.functions.marks.get(&def) == Some(&Mark::Static);
        let bound = if is_static { 0 } else { bound };
        if bound == 0 {
            self.pass_receiver(def, passed);
        }
        self.pass(def, passed, bound);
        self.result(def)
    }

    /// A method that is called outright is given the object that it is called on.
    fn pass_receiver(&mut self, def: DefId, passed: &[Passed]) {
        let within = self.program.def(def).map(|def| def.within);
        let Some(class) = within.filter(|within| self.program.is_class(*within)) else { return };
        let name = self.program.scope(ScopeId(def.0)).and_then(|scope| scope.parameters.first());
        let name = name.copied();
        let mut first = Set::default();
        for passed in passed_first(passed, name) {
            self.join(&mut first, &passed.value);
        }
        let family = self.family(DefId(class.0));
        let own = |atom| matches!(atom, Atom::Instance(class) if family.contains(&class));
        for atom in first.iter().filter(|atom| !own(*atom)) {
            self.pour(Pool::Receiver(def), Set::one(atom));
        }
    }

    pub(in crate::facts::python::values) fn lose_passed(&mut self, passed: &[Passed]) {
        for passed in passed {
            self.lose(passed.value);
        }
    }

    /// What a decorator makes of a definition.
    fn decorated(&mut self, at: Val, callee: Val, arguments: Operands) -> Set {
        let passed = self.passed(arguments);
        let definition = position(&passed, 0).unwrap_or_default();
        if let Some(property) = self.accessed(callee, definition) {
            return property;
        }
        let callees = self.of(callee);
        if callees.single().is_none() {
            // Which of them it is says what the definition is.
            self.lose(definition);
        }
        // A decorator calls what it is given as the interpreter would have.
        self.functions.decorated = definition.iter().find_map(Atom::own);
        let decorated = self.each(callees, |values, atom| {
            let name = atom.library().map(|name| values.program.symbols.shared(name));
            if values.mark(definition, name.as_deref().unwrap_or_default()) {
                return definition;
            }
            values.call((at, callee), atom, arguments)
        });
        self.functions.decorated = None;
        decorated
    }

    /// Whether a decorator leaves what it decorates as it is; notes what it is from now on.
    fn mark(&mut self, definition: Set, decorator: &str) -> bool {
        if GENERATING.contains(&decorator) && !definition.iter().all(|atom| self.generates(atom)) {
            return false;
        }
        let mark = match decorator {
            "property" | "functools.cached_property" => Some(Mark::Property),
            "staticmethod" => Some(Mark::Static),
            "classmethod" => Some(Mark::Class),
            _ => None,
        };
        let handling = self.names.handling(decorator);
        if handling == Handling::Wraps {
            self.wrap(definition);
        } else if mark.is_none() && handling != Handling::Decorates {
            return false;
        }
        for atom in definition.iter() {
            if let Atom::Own(def) = atom {
                self.mark_one(def, mark, decorator);
            }
        }
        true
    }

    /// Whether it is a function that yields.
    fn generates(&self, atom: Atom) -> bool {
        atom.own().is_some_and(|def| self.functions.generator(def).is_some())
    }

    fn mark_one(&mut self, def: DefId, mark: Option<Mark>, decorator: &str) {
        if let Some(mark) = mark {
            let before = self.functions.marks.insert(def, mark);
            self.pools.stale |= before != Some(mark);
        } else if decorator == "dataclasses.dataclass" {
            self.give_fields(def);
        }
    }
}

/// What may be passed to the first parameter of a function, which has this name.
fn passed_first(passed: &[Passed], name: Option<Sym>) -> Vec<Passed> {
    let surely = passed.iter().position(|passed| passed.by == By::Position);
    let before = passed.get(..=surely.unwrap_or(usize::MAX)).unwrap_or(passed);
    let named = |by| match by {
        By::Keyword(keyword) => Some(keyword) == name,
        By::Keywords => true,
        By::Position | By::Positions => false,
    };
    let by_name = passed.iter().filter(|passed| surely.is_none() && named(passed.by));
    let by_position =
        before.iter().filter(|passed| matches!(passed.by, By::Position | By::Positions));
    by_position.chain(by_name).copied().collect()
}
