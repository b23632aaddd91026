//! Values that are known whole, and what methods, functions and operators make of them.
//!
//! Must never give a value that the interpreter would not give; where it would raise, or where
//! that is not sure, there is none.

mod bytes;
mod codecs;
mod functions;
mod names;
mod sequences;
mod steps;
mod texts;

use super::patterns::is_wild;
use super::texts::TEXT_BYTES_MAX;
use crate::facts::python::program::{Collection, Sym, Val, number};
use crate::facts::python::values::flow::{By, Passed};
use crate::facts::python::values::{Atom, Set, Values};

/// Elements of one sequence.
const ELEMENTS_MAX: usize = 4_096;

/// Places of a list that are told apart.
const PLACES_MAX: usize = 32;

/// A value that is known whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constant {
    Text(String),
    Bytes(Vec<u8>),
    Whole(i128),
    /// `True`, `False`, `None` or another number, as written.
    Other(Sym),
    /// What a list, a tuple or an iterator holds, in order.
    Sequence(Vec<Constant>),
    /// The keys of a dictionary with their values.
    Pairs(Vec<(Constant, Constant)>),
    /// The bounds and the step of a slice.
    Slice([Option<i128>; 3]),
}

/// What is passed to a method or a function.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) positions: Vec<Constant>,
    pub(super) keywords: Vec<(String, Constant)>,
}

impl Given {
    /// What is passed at a position or by a keyword, where anything is.
    fn at(&self, position: usize, keyword: &str) -> Option<&Constant> {
        let named = || self.keywords.iter().find(|(name, _)| name == keyword);
        self.positions.get(position).or_else(|| named().map(|(_, value)| value))
    }

    /// Whether nothing is passed but by so many positions and these keywords.
    fn is_within(&self, positions: usize, keywords: &[&str]) -> bool {
        self.positions.len() <= positions
            && self.keywords.iter().all(|(name, _)| keywords.contains(&name.as_str()))
    }
}

impl Constant {
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn whole(&self) -> Option<i128> {
        if let Self::Whole(number) = self { Some(*number) } else { None }
    }

    /// A count that is not below zero; what is below counts as none.
    fn count(&self) -> Option<usize> {
        let count = self.whole()?;
        if count < 0 { Some(0) } else { usize::try_from(count).ok() }
    }

    /// The bytes, of texts as base64 and its like take them too.
    fn octets(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Text(text) => text.is_ascii().then_some(text.as_bytes()),
            Self::Whole(_)
            | Self::Other(_)
            | Self::Sequence(_)
            | Self::Pairs(_)
            | Self::Slice(_) => None,
        }
    }

    /// What walking it gives, in order.
    pub(super) fn elements(&self) -> Option<Vec<Self>> {
        let elements: Vec<Self> = match self {
            Self::Text(text) => text.chars().map(|letter| Self::Text(letter.into())).collect(),
            Self::Bytes(bytes) => bytes.iter().map(|byte| Self::Whole((*byte).into())).collect(),
            Self::Sequence(elements) => elements.clone(),
            Self::Pairs(pairs) => pairs.iter().map(|(key, _)| key.clone()).collect(),
            Self::Whole(_) | Self::Other(_) | Self::Slice(_) => return None,
        };
        (elements.len() <= ELEMENTS_MAX).then_some(elements)
    }

    /// Whether it is small enough to go on with.
    fn is_small(&self) -> bool {
        match self {
            Self::Text(text) => text.len() <= TEXT_BYTES_MAX,
            Self::Bytes(bytes) => bytes.len() <= TEXT_BYTES_MAX,
            Self::Sequence(elements) => elements.len() <= ELEMENTS_MAX,
            Self::Pairs(pairs) => pairs.len() <= ELEMENTS_MAX,
            Self::Whole(_) | Self::Other(_) | Self::Slice(_) => true,
        }
    }
}

impl Values<'_> {
    /// The constant that one possible value is, where it is no collection.
    pub(super) fn constant_of(&self, atom: Atom) -> Option<Constant> {
        if let Some(number) = self.whole_number(atom) {
            return Some(Constant::Whole(number));
        }
        let text = |text: Sym| self.program.symbols.text(text);
        match atom {
            Atom::Text(sym) => Some(Constant::Text(text(sym).to_owned())),
            Atom::Bytes(sym) => {
                let byte = |letter: char| u8::try_from(u32::from(letter)).ok();
                text(sym).chars().map(byte).collect::<Option<_>>().map(Constant::Bytes)
            }
            Atom::Literal(sym) => Some(Constant::Other(sym)),
            Atom::Name(name) => functions::constant(text(name)),
            Atom::Unknown
            | Atom::Partial(_)
            | Atom::Plain(_)
            | Atom::From(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => None,
        }
    }

    /// The texts that a value holds in order, where all that it holds is known.
    pub(in crate::facts::python::values) fn texts_in(&mut self, value: Val) -> Option<Vec<String>> {
        let elements = self.constant_at(value)?.elements()?;
        elements.iter().map(|element| element.text().map(str::to_owned)).collect()
    }

    /// The text that a method of a known text gives, where all that it is given is known.
    pub(super) fn method_of_constant(
        &self,
        base: Atom,
        method: &str,
        passed: &[Passed],
    ) -> Option<String> {
        let text =
            self.pattern_of(base).filter(|_| base.text().is_some() && texts::is_known(method))?;
        let mut given = Given::default();
        for passed in passed {
            let value = self.constant_of(passed.value.single()?)?;
            match passed.by {
                By::Position => given.positions.push(value),
                By::Keyword(name) => {
                    given.keywords.push((self.program.symbols.text(name).to_owned(), value));
                }
                By::Positions | By::Keywords => return None,
            }
        }
        let made = texts::method(&text, method, &given)?;
        made.text().filter(|made| !is_wild(made) && made.len() <= TEXT_BYTES_MAX).map(str::to_owned)
    }

    /// The values that a constant is, made at a step.
    pub(super) fn set_of(&mut self, at: Val, constant: Constant) -> Option<Set> {
        if !constant.is_small() {
            return None;
        }
        let atom = match constant {
            Constant::Text(text) if is_wild(&text) => return None,
            Constant::Text(text) => Atom::Text(self.fold(&text)?),
            Constant::Bytes(bytes) => {
                let text: String = bytes.into_iter().map(char::from).collect();
                Atom::Bytes(self.fold(&text)?)
            }
            Constant::Whole(whole) => Atom::Literal(self.fold(&whole.to_string())?),
            Constant::Other(written) => Atom::Literal(written),
            Constant::Sequence(elements) => return self.sequence_of(at, elements),
            Constant::Pairs(_) | Constant::Slice(_) => return None,
        };
        Some(Set::one(atom))
    }

    /// A list of constants, with its places told apart where they are few.
    fn sequence_of(&mut self, at: Val, elements: Vec<Constant>) -> Option<Set> {
        let flat = |element: &Constant| {
            !matches!(element, Constant::Sequence(_) | Constant::Pairs(_) | Constant::Slice(_))
        };
        if !elements.iter().all(flat) {
            return None;
        }
        if elements.len() > PLACES_MAX {
            let mut all = Set::default();
            for element in elements {
                let value = self.set_of(at, element)?;
                self.join(&mut all, &value);
            }
            return Some(self.made_of(at, Collection::List, all));
        }
        let site = self.hold(at, Collection::List);
        for (place, element) in elements.into_iter().enumerate() {
            let value = self.set_of(at, element)?;
            let place = self.place(number(place));
            self.write(site, place, value);
        }
        Some(Set::one(Atom::Held(site)))
    }
}
