//! One possible value, and bounded sets of them.

use crate::facts::python::program::{DefId, Sym, Symbols, Val};

/// How many possible values of one expression are told apart.
const SET_MAX: usize = 8;

/// One possible value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) enum Atom {
    /// Anything that was not reported when it left our sight.
    Unknown,
    /// Text that is known whole.
    Text(Sym),
    /// Bytes that are known whole, as characters of the same number.
    Bytes(Sym),
    /// A number, `True`, `False` or `None`, as written.
    Literal(Sym),
    /// Data of this builtin type.
    Plain(Sym),
    /// The thing of this canonical name: a module, a member of one, a builtin.
    Name(Sym),
    /// An object that came from calling, or out of, the thing of this name.
    From(Sym),
    /// A path object of this text.
    Path(Sym),
    /// A function or class of the program's own.
    Own(DefId),
    /// An instance of a class of the program's own.
    Instance(DefId),
    /// A method of the program's own with the object that it is called on.
    Bound(DefId),
    /// A collection, by the step that made it.
    Held(Val),
}

impl Atom {
    /// The text, where it is text that is known.
    pub(in super::super) fn text(self) -> Option<Sym> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The canonical name, where it is a named thing.
    pub(in super::super) fn name(self) -> Option<Sym> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    /// Whether what happens to it elsewhere has to be followed.
    pub(in super::super) fn is_followed(self) -> bool {
        matches!(self, Self::Own(_) | Self::Instance(_) | Self::Bound(_) | Self::Held(_))
    }

    /// The definition, where it is one of the program's own.
    pub(in super::super) fn own(self) -> Option<DefId> {
        if let Self::Own(def) = self { Some(def) } else { None }
    }

    /// The name of the library thing that it is, or came out of.
    pub(in super::super) fn library(self) -> Option<Sym> {
        if let Self::Name(name) | Self::From(name) = self { Some(name) } else { None }
    }

    /// Whether it is data of a builtin type.
    pub(in super::super) fn is_plain(self) -> bool {
        matches!(self, Self::Text(_) | Self::Bytes(_) | Self::Literal(_) | Self::Plain(_))
    }
}

/// The possible values of one expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Set {
    atoms: [Option<Atom>; SET_MAX],
    /// Whether names had to be left out: then nothing that is said of it is the whole story.
    pub(in super::super) overflowed: bool,
    /// Whether anything but names was left out: then only names are told apart from then on.
    widened: bool,
}

impl Set {
    pub(in super::super) fn one(atom: Atom) -> Self {
        let mut set = Self::default();
        if let Some(first) = set.atoms.first_mut() {
            *first = Some(atom);
        }
        set
    }

    pub(in super::super) fn unknown() -> Self {
        Self::one(Atom::Unknown)
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = Atom> + '_ {
        self.atoms.iter().map_while(|atom| *atom)
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The only possible value.
    pub(in super::super) fn single(&self) -> Option<Atom> {
        let mut atoms = self.iter();
        match (atoms.next(), atoms.next()) {
            (Some(only), None) if !self.overflowed => Some(only),
            _ => None,
        }
    }

    pub(in super::super) fn has(&self, wanted: Atom) -> bool {
        self.iter().any(|atom| atom == wanted)
    }

    /// Whether every possible value passes.
    pub(in super::super) fn all(&self, passes: impl Fn(Atom) -> bool) -> bool {
        !self.overflowed && self.iter().all(passes)
    }

    /// The names that it may be.
    pub(in super::super) fn names(&self) -> impl Iterator<Item = Sym> + '_ {
        self.iter().filter_map(Atom::name)
    }

    /// Adds the values of another set; tells whether anything was new.
    pub(in super::super) fn join(&mut self, other: &Self, symbols: &mut Symbols) -> bool {
        let before = *self;
        self.overflowed |= other.overflowed;
        if other.widened && !self.widened {
            self.widen(symbols);
        }
        for atom in other.iter() {
            self.add(atom, symbols);
        }
        *self != before
    }

    /// Adds a value. In a full set plain data is told apart no longer, and then nothing is.
    pub(in super::super) fn add(&mut self, atom: Atom, symbols: &mut Symbols) {
        let told = !self.widened || matches!(atom, Atom::Name(_) | Atom::Unknown);
        if !told || self.has(atom) || (self.has_any_data(symbols) && atom.is_plain()) {
            return;
        }
        if let Some(free) = self.atoms.iter_mut().find(|place| place.is_none()) {
            *free = Some(atom);
            return;
        }
        let data = Atom::Plain(symbols.data());
        let plain = self.iter().filter(|atom| atom.is_plain()).count();
        let mut kept: Vec<Atom> = self.iter().filter(|atom| !atom.is_plain()).collect();
        if plain > 0 {
            kept.push(data);
        }
        self.atoms = [None; SET_MAX];
        if kept.len() == SET_MAX {
            kept.retain(|atom| matches!(atom, Atom::Name(_)));
            self.overflowed |= matches!(atom, Atom::Name(_)) || kept.len() == SET_MAX;
            kept.truncate(SET_MAX - 1);
            kept.push(Atom::Unknown);
            self.widened = true;
        } else if !atom.is_plain() {
            kept.push(atom);
        }
        for (place, atom) in self.atoms.iter_mut().zip(kept) {
            *place = Some(atom);
        }
    }

    /// Leaves out everything but names.
    fn widen(&mut self, symbols: &mut Symbols) {
        let names: Vec<Atom> = self.iter().filter(|atom| matches!(atom, Atom::Name(_))).collect();
        self.atoms = [None; SET_MAX];
        self.widened = true;
        for atom in names.into_iter().chain([Atom::Unknown]) {
            self.add(atom, symbols);
        }
    }

    fn has_any_data(&self, symbols: &mut Symbols) -> bool {
        let data = symbols.data();
        self.has(Atom::Plain(data))
    }
}
