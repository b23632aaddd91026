//! The program's own functions: what their parameters are given, and what they give back.
//!
//! A parameter is the union over all calls, as long as the function never leaves our sight. Must
//! never leave out a call: where it is not known what is passed, anything is.

mod arguments;

pub(in crate::facts::python::values) use arguments::{By, Passed};

use super::Pool;
use super::hooks::{Way, names_of_classes, part, way};
use crate::facts::python::program::{DefId, DefKind, Kind, Parameter, Program, Takes, Val, number};
use crate::facts::python::values::{Atom, Set, Values};
use crate::facts::{Implicit, Role};
use std::collections::{HashMap, HashSet};

/// The kind of the name of a keyword that some call passes.
pub(in crate::facts::python) const KEYWORD: &str = "keyword";

/// How a function is reached through an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts::python::values) enum Mark {
    /// It is called by reading the attribute.
    Property,
    /// It is given no object.
    Static,
    /// It is given the class.
    Class,
}

/// The functions of a program.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Functions {
    parameters: HashMap<DefId, Vec<u32>>,
    /// The functions that yield, with the step that defines each.
    generators: HashMap<DefId, Val>,
    methods: HashMap<DefId, Vec<DefId>>,
    /// Methods of which one is meant where it is not known which.
    several: Vec<Vec<DefId>>,
    pub(in crate::facts::python::values) marks: HashMap<DefId, Mark>,
    /// What is called where a property is set, by the function that reads it.
    pub(super) setters: HashMap<DefId, Vec<DefId>>,
    /// The steps that are called as decorators.
    pub(super) decorators: HashSet<Val>,
    /// The function that a decorator is given just now.
    pub(super) decorated: Option<DefId>,
    /// The functions that are hooks.
    pub(super) hooks: HashSet<(DefId, Way)>,
    /// The methods that give what walks an object, which is followed where nothing else has it.
    pub(super) iterators: HashSet<DefId>,
    /// The functions that were seen to be called, or left our sight.
    pub(super) entered: HashSet<DefId>,
    /// Whether hooks may be other than functions that are seen.
    pub(super) hooks_unseen: bool,
    /// Whether methods may be called on classes that do not say so where they are defined.
    pub(super) of_classes: bool,
    /// Whether operators of the program's own take what they are applied to.
    pub(in crate::facts::python::values) hooked: bool,
}

impl Functions {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let mut functions = Self::default();
        for (parameter, number) in program.parameters.iter().zip(0..) {
            functions.parameters.entry(parameter.def).or_default().push(number);
        }
        let yielding: HashSet<DefId> =
            program.ops.iter().filter_map(|op| yielder(program, op.kind, op.block)).collect();
        for (op, at) in program.ops.iter().zip(0..) {
            if let Kind::Call { callee, implicit: Some(Implicit::Decorator), .. } = op.kind {
                functions.decorators.insert(callee);
            }
            if let Kind::Define(id) = op.kind {
                if yielding.contains(&id) {
                    functions.generators.insert(id, Val(at));
                }
                functions.note_method(program, id);
            }
        }
        functions.of_classes = names_of_classes(program, &functions.decorators);
        functions
    }

    fn note_method(&mut self, program: &Program, id: DefId) {
        let Some(def) = program.def(id) else { return };
        if def.kind == DefKind::Class || !program.is_class(def.within) {
            return;
        }
        self.methods.entry(DefId(def.within.0)).or_default().push(id);
        let name = program.symbols.text(def.name);
        self.hooked |= part(name).is_called() && self.takes(id);
    }

    /// Whether a function takes more than the object that it is called on.
    pub(super) fn takes(&self, id: DefId) -> bool {
        self.parameters.contains_key(&id)
    }

    pub(in crate::facts::python::values) fn parameters(&self, def: DefId) -> Vec<u32> {
        self.parameters.get(&def).cloned().unwrap_or_default()
    }

    pub(in crate::facts::python::values) fn generator(&self, def: DefId) -> Option<Val> {
        self.generators.get(&def).copied()
    }

    /// The number of a list of methods of which one is meant.
    pub(super) fn one_of(&mut self, mut methods: Vec<DefId>) -> u32 {
        methods.sort_unstable();
        methods.dedup();
        let known = self.several.iter().position(|known| *known == methods);
        number(known.unwrap_or_else(|| {
            self.several.push(methods);
            self.several.len() - 1
        }))
    }

    /// The methods of such a list.
    pub(in crate::facts::python::values) fn several(&self, list: u32) -> Vec<DefId> {
        self.several.get(list as usize).cloned().unwrap_or_default()
    }

    /// How many methods a class has.
    pub(super) fn count(&self, class: DefId) -> usize {
        self.methods.get(&class).map_or(0, Vec::len)
    }

    pub(in crate::facts::python::values) fn methods(&self, class: DefId) -> Vec<DefId> {
        self.methods.get(&class).cloned().unwrap_or_default()
    }
}

fn yielder(
    program: &Program,
    kind: Kind,
    block: crate::facts::python::program::BlockId,
) -> Option<DefId> {
    let Kind::Escape { role: Role::Yielded, .. } = kind else {
        return None;
    };
    program.block(block).map(|block| DefId(block.scope.0))
}

impl Values<'_> {
    /// Functions that the interpreter calls by itself may be given anything from the start.
    pub(in crate::facts::python::values) fn open_hooks(&mut self) {
        let hooks: Vec<DefId> = self
            .program
            .ops
            .iter()
            .filter_map(|op| if let Kind::Define(id) = op.kind { Some(id) } else { None })
            .filter(|id| {
                self.program.def(*id).is_some_and(|def| {
                    self.program.is_class(def.within)
                        && part(self.program.symbols.text(def.name)).is_called()
                })
            })
            .collect();
        for hook in hooks {
            let name = self.program.def(hook).map(|def| self.program.symbols.text(def.name));
            self.functions.hooks.insert((hook, way(name.unwrap_or_default())));
            if self.only_iterates(hook) {
                self.functions.iterators.insert(hook);
            } else {
                self.lose(Set::one(Atom::Bound(hook)));
            }
        }
    }

    /// What a parameter may be.
    pub(in crate::facts::python::values) fn parameter(&mut self, at: Val, number: u32) -> Set {
        let Some(parameter) = self.program.parameters.get(number as usize).copied() else {
            return Set::unknown();
        };
        let mut set = self.draw(Pool::Given(number));
        for way in [Way::Compared, Way::Key, Way::Operand] {
            if self.functions.hooks.contains(&(parameter.def, way)) {
                let handed = self.put_in(Pool::Handed(way));
                self.join(&mut set, &handed);
            }
        }
        match parameter.takes {
            Takes::Positions | Takes::Keywords => self.left_over(at, parameter, set),
            Takes::One | Takes::Named => {
                if let Some(default) = parameter.default {
                    let default = self.of(default);
                    self.join(&mut set, &default);
                }
                set
            }
        }
    }

    /// A starred parameter holds a collection of what is left over.
    fn left_over(&mut self, at: Val, parameter: Parameter, given: Set) -> Set {
        use crate::facts::python::program::Collection;
        let keywords = parameter.takes == Takes::Keywords;
        let collection = if keywords { Collection::Dictionary } else { Collection::Tuple };
        let site = self.hold(at, collection);
        if !given.is_empty() {
            self.pour(Pool::Rest(site), given);
            if keywords {
                let names = self.plain(KEYWORD);
                self.pour(Pool::Keys(site), names);
            }
        }
        Set::one(Atom::Held(site))
    }

    /// Passes the arguments of a call on to the parameters of a function, the first of which are
    /// passed by other means.
    pub(in crate::facts::python::values) fn pass(
        &mut self,
        def: DefId,
        arguments: &[Passed],
        bound: usize,
    ) {
        self.functions.entered.insert(def);
        let numbers = self.functions.parameters(def);
        for number in numbers {
            if let Some(parameter) = self.program.parameters.get(number as usize).copied() {
                self.pass_one((number, parameter), arguments, bound);
            }
        }
    }

    fn pass_one(
        &mut self,
        (number, parameter): (u32, Parameter),
        arguments: &[Passed],
        bound: usize,
    ) {
        let by_position = parameter.takes == Takes::One;
        if parameter.takes == Takes::Positions {
            self.note_left_over(parameter, arguments, bound);
        }
        let mut position = bound;
        let mut floating = false;
        for passed in arguments {
            match passed.by {
                By::Position if parameter.takes == Takes::Positions => {
                    self.pass_left_over(parameter, (position, floating), passed.value);
                    position += 1;
                }
                By::Position => {
                    let after = floating && parameter.position >= position;
                    if by_position && (after || (!floating && parameter.position == position)) {
                        self.pour(Pool::Given(number), passed.value);
                    }
                    position += 1;
                }
                By::Positions => {
                    let takes = parameter.takes == Takes::Positions;
                    if takes || (by_position && parameter.position >= position) {
                        self.pour(Pool::Given(number), passed.value);
                    }
                    floating = true;
                }
                By::Keyword(name) => self.pass_keyword((number, parameter), name, passed.value),
                By::Keywords => {
                    if parameter.takes != Takes::Positions {
                        self.pour(Pool::Given(number), passed.value);
                    }
                }
            }
        }
    }

    /// Notes how many a call leaves over for a starred parameter.
    fn note_left_over(&mut self, parameter: Parameter, arguments: &[Passed], bound: usize) {
        use crate::facts::python::program::Collection;
        let by_position = arguments.iter().filter(|passed| passed.by == By::Position).count();
        let site = self.hold(parameter.step, Collection::Tuple);
        self.note_length(site, (bound + by_position).saturating_sub(parameter.position));
    }

    pub(super) fn pass_left_over(
        &mut self,
        parameter: Parameter,
        (position, floating): (usize, bool),
        value: Set,
    ) {
        use crate::facts::python::program::Collection;
        let site = self.hold(parameter.step, Collection::Tuple);
        match position.checked_sub(parameter.position) {
            Some(place) if !floating => {
                let place = self.place(number(place));
                self.write(site, place, value);
            }
            None if !floating => {}
            Some(_) | None => self.pour(Pool::Rest(site), value),
        }
    }

    fn pass_keyword(
        &mut self,
        (number, parameter): (u32, Parameter),
        name: crate::facts::python::program::Sym,
        value: Set,
    ) {
        use crate::facts::python::program::Collection;
        match parameter.takes {
            Takes::One | Takes::Named if parameter.name == name => {
                self.pour(Pool::Given(number), value);
            }
            Takes::Keywords => {
                let site = self.hold(parameter.step, Collection::Dictionary);
                self.put(site, Set::one(Atom::Text(name)), value);
            }
            Takes::One | Takes::Named | Takes::Positions => {}
        }
    }

    /// What calling a function gives. A coroutine counts as what awaiting it gives.
    pub(in crate::facts::python::values) fn result(&mut self, def: DefId) -> Set {
        self.functions.entered.insert(def);
        if let Some(site) = self.functions.generator(def) {
            self.hold(site, crate::facts::python::program::Collection::List);
            return Set::one(Atom::Held(site));
        }
        let mut set = self.draw(Pool::Returned(def));
        if self.program.ending.contains(&def) || (set.is_empty() && self.gives_nothing(def)) {
            let none = self.program.symbols.intern("None");
            self.add(&mut set, Atom::Literal(none));
        }
        set
    }

    /// Whether a function gives nothing back anywhere.
    fn gives_nothing(&self, def: DefId) -> bool {
        !self.returning.contains(&def)
    }

    /// Notes what is given back or yielded.
    pub(in crate::facts::python::values) fn give(&mut self, at: usize, value: Val, role: Role) {
        let Some(def) = self.function_around(at) else {
            return;
        };
        let incoming = self.of(value);
        match (role, self.functions.generator(def)) {
            // It comes out of an exception, or of `yield from`.
            (Role::Returned, Some(_)) => self.lose(incoming),
            (Role::Returned, None) => {
                self.pour(Pool::Returned(def), incoming);
                self.note_iterator(def, incoming);
            }
            (_, Some(site)) => self.pour(Pool::Rest(site), incoming),
            (_, None) => {}
        }
    }

    /// Whether a step runs where a function was seen to be called, or in none.
    pub(in crate::facts::python::values) fn is_entered(&self, at: usize) -> bool {
        self.function_around(at)
            .is_none_or(|def| !self.is_function(def) || self.functions.entered.contains(&def))
    }

    pub(super) fn function_around(&self, at: usize) -> Option<DefId> {
        let op = self.program.op(Val(number(at)))?;
        Some(DefId(self.program.block(op.block)?.scope.0))
    }
}

/// The functions that give something back somewhere.
pub(in crate::facts::python::values) fn returning(program: &Program) -> HashSet<DefId> {
    program
        .ops
        .iter()
        .filter(|op| matches!(op.kind, Kind::Escape { role: Role::Returned, .. }))
        .filter_map(|op| Some(DefId(program.block(op.block)?.scope.0)))
        .collect()
}
