//! Places that values are put into in one part of a program and taken out of in another.
//!
//! A place only ever holds more. Must never let go of what is followed: where it leaves our
//! sight, everything that could be done to it there counts as done.

use super::hooks::Way;
use crate::facts::python::program::{DefId, Program, Sym, Val};
use crate::facts::python::values::{Atom, Set, Values};
use std::collections::{HashMap, HashSet};

/// Classes, members and methods that are looked through for one source.
const LOOKED_UP_MAX: usize = 1 << 18;

/// One such place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::facts::python::values) enum Pool {
    /// What a parameter is given, by its number.
    Given(u32),
    /// What a method is called on, besides objects of its class.
    Receiver(DefId),
    /// The objects that operators hand to hooks.
    Handed(Way),
    /// What a function gives back.
    Returned(DefId),
    /// What is written to attributes of this name, of objects of a class or of any others.
    Attribute(Option<DefId>, Sym),
    /// The keys of a dictionary.
    Keys(Val),
    /// What a collection holds at places that are not told apart.
    Rest(Val),
    /// What a collection holds under a key or at a place.
    Field(Val, Atom),
}

/// What one place holds.
#[derive(Debug, Default)]
struct Contents {
    set: Set,
    /// The round in which it was last read.
    read_in: u32,
    /// Whether what is put in leaves our sight.
    leaks: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(in crate::facts::python::values) struct Pools {
    contents: HashMap<Pool, Contents>,
    /// The round that goes on, from 1.
    pub(in crate::facts::python::values) round: u32,
    /// Whether something grew after it was read in this round.
    pub(in crate::facts::python::values) stale: bool,
    /// Whether anything may be put anywhere, unseen.
    pub(in crate::facts::python::values) loose: bool,
    /// How much was looked up among classes so far.
    looked_up: usize,
    /// Whether names may be bound unseen.
    pub(in crate::facts::python::values) unbound: bool,
    /// The definitions that left our sight.
    lost: HashSet<DefId>,
}

impl Pools {
    pub(in crate::facts::python::values) fn new(program: &Program) -> Self {
        let loose = super::loose::is_loose(program);
        let unbound = loose && super::loose::binds_unseen(program);
        Self { loose, unbound, ..Self::default() }
    }

    /// Whether a definition left our sight.
    pub(in crate::facts::python::values) fn is_lost(&self, def: DefId) -> bool {
        self.lost.contains(&def)
    }

    /// The definitions that left our sight.
    pub(super) fn lost_definitions(&self) -> Vec<DefId> {
        let mut lost: Vec<DefId> = self.lost.iter().copied().collect();
        lost.sort_unstable();
        lost
    }

    /// Notes that something changed that was read through this place.
    pub(in crate::facts::python::values) fn touch(&mut self, pool: Pool) {
        let round = self.round;
        self.stale |= self.contents.get(&pool).is_some_and(|contents| contents.read_in == round);
    }
}

impl Values<'_> {
    /// Counts what is looked up among classes: past a bound their objects are followed no longer.
    pub(super) fn spend(&mut self, steps: usize) {
        self.pools.looked_up = self.pools.looked_up.saturating_add(steps);
        if self.is_spent() {
            self.loosen();
        }
    }

    /// Whether the objects of classes are followed no longer.
    pub(super) fn is_spent(&self) -> bool {
        self.pools.looked_up > LOOKED_UP_MAX
    }

    /// Puts values into a place.
    pub(in crate::facts::python::values) fn pour(&mut self, pool: Pool, incoming: Set) {
        let (mut grown, leaks) = {
            let contents = self.pools.contents.entry(pool).or_default();
            (contents.set, contents.leaks)
        };
        let before = grown;
        self.join(&mut grown, &incoming);
        if grown == before {
            return;
        }
        if let Some(contents) = self.pools.contents.get_mut(&pool) {
            contents.set = grown;
        }
        self.pools.touch(pool);
        if leaks {
            self.lose(incoming);
        }
    }

    /// What was put into a place.
    pub(super) fn put_in(&mut self, pool: Pool) -> Set {
        let round = self.pools.round;
        let contents = self.pools.contents.entry(pool).or_default();
        contents.read_in = round;
        contents.set
    }

    /// Whether a place surely holds nothing.
    pub(super) fn holds_nothing(&self, pool: Pool) -> bool {
        let held = self.pools.contents.get(&pool);
        !self.pools.loose && held.is_none_or(|contents| contents.set.is_empty())
    }

    /// What a place holds.
    pub(in crate::facts::python::values) fn draw(&mut self, pool: Pool) -> Set {
        let mut set = self.put_in(pool);
        if self.pools.loose {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// Joins two sets of values. What a full set cannot hold leaves our sight.
    pub(in crate::facts::python::values) fn join(&mut self, set: &mut Set, other: &Set) {
        let before = *set;
        // A full set may stay as it is and drop what it is given.
        if !set.join(other, &mut self.program.symbols) && !set.is_widened() {
            return;
        }
        let kept = *set;
        let dropped = before.iter().chain(other.iter());
        let dropped: Vec<Atom> =
            dropped.filter(|atom| atom.is_followed() && !kept.has(*atom)).collect();
        if !dropped.is_empty() {
            self.lose_each(dropped);
        }
    }

    /// Adds one value to a set.
    pub(in crate::facts::python::values) fn add(&mut self, set: &mut Set, atom: Atom) {
        self.join(set, &Set::one(atom));
    }

    /// Notes that values leave our sight.
    pub(in crate::facts::python::values) fn lose(&mut self, set: Set) {
        let followed: Vec<Atom> = set.iter().filter(|atom| atom.is_followed()).collect();
        if !followed.is_empty() {
            self.lose_each(followed);
        }
    }

    fn lose_each(&mut self, mut open: Vec<Atom>) {
        while let Some(atom) = open.pop() {
            match atom {
                Atom::Held(site) => open.extend(self.lose_site(site)),
                Atom::Own(def) if self.is_function(def) => {
                    if self.functions.decorated != Some(def) {
                        self.receive(def, Set::unknown());
                        self.receive_setters(def);
                    }
                    open.extend(self.lose_def(def));
                }
                Atom::Own(class) => {
                    self.open_receivers(class);
                    open.extend(self.lose_def(class));
                }
                Atom::Instance(def) | Atom::Bound(def) => {
                    open.extend(self.lose_def(def));
                }
                Atom::Several(list) => {
                    open.extend(self.functions.several(list).into_iter().map(Atom::Bound));
                }
                Atom::Unknown
                | Atom::Text(_)
                | Atom::Bytes(_)
                | Atom::Literal(_)
                | Atom::Plain(_)
                | Atom::Partial(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_) => {}
            }
        }
    }

    /// Whoever has a class may call its methods on anything.
    fn open_receivers(&mut self, class: DefId) {
        for class in self.classes.family(class) {
            for method in self.functions.methods(class) {
                self.receive(method, Set::unknown());
            }
        }
    }

    /// Anything may be put into a collection that left our sight, and all of it be taken out.
    fn lose_site(&mut self, site: Val) -> Vec<Atom> {
        let Some(fields) = self.heap.lose(site) else {
            return Vec::new();
        };
        let fields = fields.into_iter().map(|key| Pool::Field(site, key));
        let mut open = Vec::new();
        for pool in fields.chain([Pool::Rest(site), Pool::Keys(site)]) {
            open.extend(self.leak(pool));
            self.pour(pool, Set::unknown());
        }
        open
    }

    /// A function that left our sight may be given anything, and a class has methods.
    fn lose_def(&mut self, def: DefId) -> Vec<Atom> {
        if !self.pools.lost.insert(def) {
            return Vec::new();
        }
        self.functions.entered.insert(def);
        for number in self.functions.parameters(def) {
            self.pour(Pool::Given(number), Set::unknown());
        }
        let mut open = self.leak(Pool::Returned(def));
        for field in self.classes.fields(def) {
            self.pour_attribute(Some(def), field, Set::unknown());
            // Fields are taken out by their places too.
            open.extend(self.leak(Pool::Attribute(Some(def), field)));
        }
        open.extend(self.functions.generator(def).map(Atom::Held));
        open.extend(self.setters(def).into_iter().map(Atom::Bound));
        open.extend(self.classes.kin(def).into_iter().map(Atom::Instance));
        // Its methods are called on its objects there.
        open.extend(self.functions.methods(def).into_iter().map(Atom::Bound));
        for cell in self.classes.parts.of(def) {
            let bound = self.cell(cell);
            let functions = bound.iter().filter(|atom| self.is_callable(*atom));
            let functions: Vec<Atom> = functions.collect();
            open.extend(functions.into_iter().map(|atom| self.as_member(def, atom)));
        }
        open
    }

    /// What a place holds leaves our sight, and so does what will be put in.
    pub(super) fn leak(&mut self, pool: Pool) -> Vec<Atom> {
        let contents = self.pools.contents.entry(pool).or_default();
        contents.leaks = true;
        contents.set.iter().filter(|atom| atom.is_followed()).collect()
    }
}
