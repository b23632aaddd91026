//! One possible value, and bounded sets of them.

use super::folding::{around, covers};
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
    /// Text that is known in part: a pattern.
    Partial(Sym),
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
    /// One of several methods of the program's own with the object that it is called on, by the
    /// number of their list.
    Several(u32),
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
        matches!(
            self,
            Self::Own(_) | Self::Instance(_) | Self::Bound(_) | Self::Several(_) | Self::Held(_)
        )
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
        matches!(
            self,
            Self::Text(_) | Self::Partial(_) | Self::Bytes(_) | Self::Literal(_) | Self::Plain(_)
        )
    }

    /// The text or the pattern, where it is one.
    pub(in super::super) fn written(self) -> Option<Sym> {
        if let Self::Text(text) | Self::Partial(text) = self { Some(text) } else { None }
    }

    /// Whether it is a whole number.
    pub(super) fn is_whole(self, symbols: &Symbols) -> bool {
        if let Self::Literal(text) = self {
            is_whole(symbols.text(text))
        } else {
            self == Self::Plain(symbols.whole())
        }
    }
}

/// Whether a literal is a whole number, in whatever base.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let based = digits.len() > 1 && digits.starts_with('0');
    digits.starts_with(|first: char| first.is_ascii_digit())
        && !digits.contains(['.', 'j', 'J'])
        && (based || !digits.contains(['e', 'E']))
}

/// What stands for all of these values of a full set.
pub(super) fn data_around(atoms: &[Atom], symbols: &mut Symbols) -> Atom {
    if atoms.iter().all(|atom| atom.is_whole(symbols)) {
        return Atom::Plain(symbols.whole());
    }
    let texts: Option<Vec<&str>> =
        atoms.iter().map(|atom| atom.written().map(|text| symbols.text(text))).collect();
    match texts.and_then(|texts| around(&texts)) {
        Some(pattern) => Atom::Partial(symbols.intern(&pattern)),
        None => Atom::Plain(symbols.data()),
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

    /// Whether only names are told apart any more.
    pub(in super::super) fn is_widened(&self) -> bool {
        self.widened
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

    /// The values but for some.
    pub(in super::super) fn without(&self, left_out: impl Fn(Atom) -> bool) -> Self {
        let mut atoms = [None; SET_MAX];
        let kept = self.iter().filter(|atom| !left_out(*atom));
        for (place, atom) in atoms.iter_mut().zip(kept) {
            *place = Some(atom);
        }
        Self { atoms, ..*self }
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
        if !told || self.has(atom) || (atom.is_plain() && self.covers(atom, symbols)) {
            return;
        }
        if let Some(free) = self.atoms.iter_mut().find(|place| place.is_none()) {
            *free = Some(atom);
            return;
        }
        let (plain, mut kept): (Vec<Atom>, Vec<Atom>) =
            self.iter().chain([atom]).partition(|atom| atom.is_plain());
        if kept.len() + usize::from(!plain.is_empty()) > SET_MAX {
            kept.retain(|atom| matches!(atom, Atom::Name(_)));
            self.overflowed |= kept.len() >= SET_MAX;
            kept.truncate(SET_MAX - 1);
            kept.push(Atom::Unknown);
            self.widened = true;
        } else if !plain.is_empty() {
            kept.push(data_around(&plain, symbols));
        }
        self.atoms = [None; SET_MAX];
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

    /// Whether data is among what the set says already.
    fn covers(&self, data: Atom, symbols: &Symbols) -> bool {
        let text = data.written().map(|text| symbols.text(text));
        self.iter().any(|atom| {
            if let Atom::Partial(pattern) = atom {
                return text.is_some_and(|text| covers(symbols.text(pattern), text));
            }
            atom == Atom::Plain(symbols.data())
                || (atom == Atom::Plain(symbols.whole()) && data.is_whole(symbols))
        })
    }
}
