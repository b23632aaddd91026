//! Steps whose every input is known whole: evaluated as the interpreter would, one by one.
//!
//! Must never follow more steps than it is given, or take a collection for unchanged that
//! something may have changed.

use super::sequences::dictionary_of;
use super::{Constant, ELEMENTS_MAX, Given, bytes, functions, texts};
use crate::facts::python::program::{CellId, Collection, Kind, Operands, Operator, Slot, Val};
use crate::facts::python::values::folding::numbers::reckoned;
use crate::facts::python::values::{Atom, Set, Values};

/// How deep steps may lie within each other.
const DEPTH_MAX: u32 = 24;

/// The name of one comprehension, and what it stands for in one turn.
#[derive(Debug)]
pub(super) struct Turn<'outer> {
    pub(super) cell: CellId,
    pub(super) element: Val,
    value: Constant,
    outer: Option<&'outer Turn<'outer>>,
}

/// What a step is evaluated with.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Bound<'turn> {
    pub(super) turn: Option<&'turn Turn<'turn>>,
    pub(super) depth: u32,
}

impl<'turn> Bound<'turn> {
    /// What stands for a comprehension's name, where this is one.
    pub(super) fn find(self, is_meant: impl Fn(&Turn<'_>) -> bool) -> Option<&'turn Constant> {
        let turns = std::iter::successors(self.turn, |turn| turn.outer);
        turns.into_iter().find(|turn| is_meant(turn)).map(|turn| &turn.value)
    }
}

impl Values<'_> {
    /// What a call gives, where all that goes in is known whole.
    pub(in crate::facts::python::values) fn constant_call(
        &mut self,
        at: Val,
        callee: Val,
        set: Set,
    ) -> Set {
        let known = set.single().is_some_and(|atom| self.constant_of(atom).is_some());
        if known || set.is_empty() || holds_others(at, set) || !self.may_be_known(callee) {
            return set;
        }
        let constant = self.step(at, Bound::default());
        constant.and_then(|constant| self.set_of(at, constant)).unwrap_or(set)
    }

    /// Whether the function or method is one of those that make values of values.
    fn may_be_known(&self, callee: Val) -> bool {
        if let Some(Atom::Name(name)) = self.of(callee).single() {
            let name = self.program.symbols.text(name);
            return functions::is_known(name) && !functions::is_fleeting(name);
        }
        let attribute = self.program.kind(callee).attribute();
        attribute.is_some_and(|(_, name)| texts::is_known(self.program.symbols.text(name)))
    }

    /// An item or a slice of what is known whole.
    pub(in crate::facts::python::values) fn constant_item(
        &mut self,
        at: Val,
        (base, key): (Set, Set),
        set: Set,
    ) -> Set {
        let negative = |atom: Atom| self.whole_number(atom).is_some_and(|number| number < 0);
        let whole = match base.single() {
            Some(Atom::Text(_) | Atom::Bytes(_) | Atom::Name(_)) => true,
            Some(Atom::Held(_)) => key.single().is_some_and(negative),
            _ => false,
        };
        if !whole || holds_others(at, set) {
            return set;
        }
        let constant = self.step(at, Bound::default());
        constant.and_then(|constant| self.set_of(at, constant)).unwrap_or(set)
    }

    /// The constant that a value is, outside any comprehension.
    pub(in crate::facts::python::values::folding) fn constant_at(
        &mut self,
        value: Val,
    ) -> Option<Constant> {
        self.constant(value, Bound::default())
    }

    /// The constant that a value is.
    pub(super) fn constant(&mut self, value: Val, bound: Bound<'_>) -> Option<Constant> {
        if bound.turn.is_none()
            && let Some(atom) = self.of(value).single()
        {
            if let Some(constant) = self.constant_of(atom) {
                return Some(constant);
            }
            if let Atom::Held(site) = atom {
                return self.collection(value, site, bound);
            }
        }
        self.step(value, bound)
    }

    /// What a step gives, from the constants that go in.
    pub(super) fn step(&mut self, at: Val, bound: Bound<'_>) -> Option<Constant> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        let bound = Bound { depth: bound.depth + 1, ..bound };
        if bound.depth > DEPTH_MAX {
            return None;
        }
        if let Some(value) = bound.find(|turn| turn.element == at) {
            return Some(value.clone());
        }
        match self.program.kind(at) {
            Kind::Constant(atom) => self.constant_of(atom),
            Kind::Load(name) => self.loaded((at, name), bound),
            Kind::Call { callee, arguments, .. } => self.called(callee, arguments, bound),
            Kind::Binary { operator, left, right } => {
                let (left, right) = (self.constant(left, bound)?, self.constant(right, bound)?);
                operated(operator, &left, &right)
            }
            Kind::Item { base, key: Some(key), .. } => {
                let base = self.constant(base, bound)?;
                base.item(&self.key(key, bound)?)
            }
            Kind::Collect(collection, operands) => self.display(collection, operands, bound),
            Kind::Gather(collection, operands) => self.turns(at, (collection, operands), bound),
            Kind::Format(parts) => {
                let parts = self.inputs(parts, bound)?;
                parts
                    .iter()
                    .map(|part| self.print(part))
                    .collect::<Option<String>>()
                    .map(Constant::Text)
            }
            Kind::Attribute { .. }
            | Kind::Dead
            | Kind::Opaque
            | Kind::Docstring(_)
            | Kind::Item { .. }
            | Kind::Caught
            | Kind::Either(_)
            | Kind::Formatted { .. }
            | Kind::Element(_)
            | Kind::Part { .. }
            | Kind::Entered(_)
            | Kind::Awaited(_)
            | Kind::Import(_)
            | Kind::Member { .. }
            | Kind::Define(_)
            | Kind::Parameter(_)
            | Kind::Receiver(_)
            | Kind::Owner(_)
            | Kind::Bind { .. }
            | Kind::Unbind
            | Kind::Escape { .. }
            | Kind::Store { .. }
            | Kind::Lost(_)
            | Kind::Matched(_) => None,
        }
    }

    fn called(&mut self, callee: Val, arguments: Operands, bound: Bound<'_>) -> Option<Constant> {
        if let Some(Atom::Name(name)) = self.of(callee).single() {
            let name = self.program.symbols.shared(name);
            if &*name == "map" {
                return self.mapped(arguments, bound);
            }
            if !functions::is_known(&name) {
                return None;
            }
            let given = self.given_to(arguments, bound)?;
            return functions::call(&name, &given);
        }
        let (base, name) = self.program.kind(callee).attribute()?;
        let name = self.program.symbols.shared(name);
        if !texts::is_known(&name) {
            return None;
        }
        let base = self.constant(base, bound)?;
        let given = self.given_to(arguments, bound)?;
        if &*name == "translate" && !self.leaves_out(&given) {
            return None;
        }
        method(&base, &name, &given)
    }

    /// Whether every word in a table of `translate` is `None`, which leaves a character out.
    fn leaves_out(&self, given: &Given) -> bool {
        let none = self.program.symbols.find("None").map(Constant::Other);
        given.positions.iter().all(|table| {
            let Constant::Pairs(pairs) = table else { return true };
            let mut words = pairs.iter().filter(|(_, to)| matches!(to, Constant::Other(_)));
            words.all(|(_, to)| Some(to) == none.as_ref())
        })
    }

    /// `map(function, sequence)` of a function of the library.
    fn mapped(&mut self, arguments: Operands, bound: Bound<'_>) -> Option<Constant> {
        let [function, elements] = self.program.operands(arguments) else { return None };
        let (function, elements) = (*function, *elements);
        if [function, elements].iter().any(|operand| operand.slot != Slot::Position) {
            return None;
        }
        let Some(Atom::Name(name)) = self.of(function.value).single() else { return None };
        let name = self.program.symbols.shared(name);
        if functions::is_fleeting(&name) {
            return None;
        }
        let elements = self.constant(elements.value, bound)?.elements()?;
        let made = elements.into_iter().map(|element| {
            functions::call(&name, &Given { positions: vec![element], keywords: Vec::new() })
        });
        made.collect::<Option<_>>().map(Constant::Sequence)
    }

    /// What is passed, where no star is.
    fn given_to(&mut self, arguments: Operands, bound: Bound<'_>) -> Option<Given> {
        let mut given = Given::default();
        for operand in self.program.operands(arguments).to_vec() {
            let value = self.constant(operand.value, bound)?;
            match operand.slot {
                Slot::Position => given.positions.push(value),
                Slot::Keyword(name) => {
                    given.keywords.push((self.program.symbols.text(name).to_owned(), value));
                }
                Slot::Star | Slot::DoubleStar => return None,
            }
        }
        Some(given)
    }

    fn inputs(&mut self, operands: Operands, bound: Bound<'_>) -> Option<Vec<Constant>> {
        let operands = self.program.operands(operands).to_vec();
        if operands.len() > ELEMENTS_MAX
            || operands
                .iter()
                .any(|operand| operand.slot != Slot::Position || self.changes(operand.value))
        {
            return None;
        }
        operands.into_iter().map(|operand| self.constant(operand.value, bound)).collect()
    }

    fn display(
        &mut self,
        collection: Collection,
        operands: Operands,
        bound: Bound<'_>,
    ) -> Option<Constant> {
        let values = self.inputs(operands, bound)?;
        match collection {
            Collection::Tuple | Collection::List => Some(Constant::Sequence(values)),
            Collection::Dictionary => dictionary(values),
            Collection::Set | Collection::Passing => None,
        }
    }

    /// The key of an item, or a slice.
    fn key(&mut self, key: Val, bound: Bound<'_>) -> Option<Constant> {
        let Some(operands) = self.program.slices.get(&key).copied() else {
            return self.constant(key, bound);
        };
        let parts = self.inputs(operands, bound)?;
        let [start, stop, step] = parts.as_slice() else { return None };
        let none = self.program.symbols.find("None").map(Constant::Other);
        let part = |part: &Constant| {
            if Some(part) == none.as_ref() { Some(None) } else { part.whole().map(Some) }
        };
        Some(Constant::Slice([part(start)?, part(stop)?, part(step)?]))
    }

    /// A comprehension over one sequence, without conditions.
    fn turns(
        &mut self,
        at: Val,
        (collection, operands): (Collection, Operands),
        bound: Bound<'_>,
    ) -> Option<Constant> {
        let (cell, element) = self.program.turns.get(&at).copied()?;
        let Kind::Element(source) = self.program.kind(element) else { return None };
        let elements = self.constant(source, bound)?.elements()?;
        let body = self.program.operands(operands).to_vec();
        let mut made = Vec::new();
        for value in elements {
            let turn = Turn { cell, element, value, outer: bound.turn };
            let inner = Bound { turn: Some(&turn), ..bound };
            if body.iter().any(|operand| self.changes(operand.value)) {
                return None;
            }
            for operand in &body {
                made.push(self.constant(operand.value, inner)?);
            }
        }
        match (collection, body.len()) {
            (Collection::List, 1) => Some(Constant::Sequence(made)),
            (Collection::Dictionary, 2) => dictionary(made),
            (
                Collection::List
                | Collection::Dictionary
                | Collection::Tuple
                | Collection::Set
                | Collection::Passing,
                _,
            ) => None,
        }
    }

    /// What a constant is printed as in a formatted string.
    fn print(&self, constant: &Constant) -> Option<String> {
        match constant {
            Constant::Text(text) => Some(text.clone()),
            Constant::Whole(number) => Some(number.to_string()),
            Constant::Other(written) => {
                let written = self.program.symbols.text(*written);
                matches!(written, "True" | "False" | "None").then(|| written.to_owned())
            }
            Constant::Bytes(_)
            | Constant::Sequence(_)
            | Constant::Pairs(_)
            | Constant::Slice(_) => None,
        }
    }
}

/// Whether a step gives collections that were made elsewhere: a copy is not what they are.
fn holds_others(at: Val, set: Set) -> bool {
    set.iter().any(|atom| matches!(atom, Atom::Held(site) if site != at))
}

/// A dictionary of these keys and values, which take turns.
fn dictionary(made: Vec<Constant>) -> Option<Constant> {
    let (given, rest) = made.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let pairs = given.iter().map(|[key, value]| (key.clone(), value.clone()));
    dictionary_of(pairs).map(Constant::Pairs)
}

/// What a method gives.
fn method(base: &Constant, name: &str, given: &Given) -> Option<Constant> {
    match base {
        Constant::Text(text) => texts::method(text, name, given),
        Constant::Bytes(octets) => bytes::method(octets, name, given),
        Constant::Pairs(_) if name == "get" && given.keywords.is_empty() => {
            match given.positions.as_slice() {
                // `True` is 1, and `1.0` too.
                [Constant::Other(_), ..] => None,
                [key] => base.item(key),
                [key, default] => Some(base.item(key).unwrap_or_else(|| default.clone())),
                _ => None,
            }
        }
        Constant::Pairs(_)
        | Constant::Whole(_)
        | Constant::Other(_)
        | Constant::Sequence(_)
        | Constant::Slice(_) => None,
    }
}

/// What an operator gives.
fn operated(operator: Operator, left: &Constant, right: &Constant) -> Option<Constant> {
    let made = match (left, right) {
        (Constant::Whole(left), Constant::Whole(right)) => {
            Constant::Whole(reckoned(operator, *left, *right)?)
        }
        (Constant::Text(left), Constant::Text(right)) if operator == Operator::Add => {
            Constant::Text(format!("{left}{right}"))
        }
        (Constant::Bytes(left), Constant::Bytes(right)) if operator == Operator::Add => {
            Constant::Bytes([left.as_slice(), right].concat())
        }
        (Constant::Sequence(left), Constant::Sequence(right)) if operator == Operator::Add => {
            Constant::Sequence([left.as_slice(), right].concat())
        }
        (value, count @ Constant::Whole(_)) | (count @ Constant::Whole(_), value)
            if operator == Operator::Multiply =>
        {
            return value.repeated(count.count()?);
        }
        _ => return None,
    };
    made.is_small().then_some(made)
}
