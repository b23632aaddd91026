//! What functions do with what they are given. Data from the policy bundle.
//!
//! Must never take a function for harmless that the data does not list.

use crate::call::Text;
use std::collections::HashMap;

/// What a function does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handling {
    /// Anything: so it is with every function that is not listed.
    Keeps,
    /// It keeps, changes and calls nothing, but for what is given by keyword, which it may call.
    Looks,
    /// The same, but it hands them to each other's hooks, as an operator does.
    Operates,
    /// As `Looks`, but it calls methods of what is given beside the first.
    Writes,
    /// It walks or copies collections; what they hold may be kept, and functions are called.
    Copies,
    /// As `Copies`, and it walks the collections in those that it is given.
    Tabulates,
    /// As `Copies`, and a list may be in another order from then on; of anything but lists the
    /// function may do anything.
    Shuffles,
    /// As `Copies`, but the collections themselves may be got back out of what it gives.
    Holds,
    /// It gives what it is given first.
    Gives,
    /// It leaves the function or class that it decorates as it is.
    Decorates,
    /// It copies attributes of what it is given to what it then decorates.
    Wraps,
    /// It walks collections, and gives what is made of their elements.
    Collects(Collects),
}

/// What a function makes of collections that it walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collects {
    /// It gives a list of the elements of the first.
    Lists,
    /// It gives a set of the elements of the first.
    Sets,
    /// It gives a dictionary of all that it is given.
    Merges,
    /// It gives pairs of a number and an element of the first.
    Numbers,
    /// It gives elements of all side by side.
    Zips,
    /// It gives what the first makes of elements of the others.
    Applies,
    /// It gives the elements of the second of which the first says so.
    Filters,
    /// It gives one of the elements of the first, one of several things, or a default.
    Chooses,
    /// It gives the next element of the first, or the second.
    Takes,
    /// It gives what stands at one of the places of the first.
    Picks,
    /// It gives an iterator over the first.
    Iterates,
}

impl Handling {
    /// Every way, with its word in the data.
    pub const WORDS: [(&str, Self); 22] = [
        ("keeps", Self::Keeps),
        ("looks", Self::Looks),
        ("operates", Self::Operates),
        ("writes", Self::Writes),
        ("copies", Self::Copies),
        ("tabulates", Self::Tabulates),
        ("shuffles", Self::Shuffles),
        ("holds", Self::Holds),
        ("gives", Self::Gives),
        ("decorates", Self::Decorates),
        ("wraps", Self::Wraps),
        ("lists", Self::Collects(Collects::Lists)),
        ("sets", Self::Collects(Collects::Sets)),
        ("merges", Self::Collects(Collects::Merges)),
        ("numbers", Self::Collects(Collects::Numbers)),
        ("zips", Self::Collects(Collects::Zips)),
        ("applies", Self::Collects(Collects::Applies)),
        ("filters", Self::Collects(Collects::Filters)),
        ("chooses", Self::Collects(Collects::Chooses)),
        ("takes", Self::Collects(Collects::Takes)),
        ("picks", Self::Collects(Collects::Picks)),
        ("iterates", Self::Collects(Collects::Iterates)),
    ];
}

/// What the functions of Python and its libraries do with what they are given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handled {
    /// By their canonical names. Builtins have no dot.
    pub functions: HashMap<Text, Handling>,
    /// By the module or class that they stand in; the longest name wins.
    pub modules: HashMap<Text, Handling>,
    /// Methods by their names, each with the top-level module whose objects have it.
    pub methods: HashMap<Text, Vec<(Text, Handling)>>,
}

impl Handled {
    /// What the function of this canonical name does.
    pub fn function(&self, name: &str) -> Handling {
        let listed = self.functions.get(name).copied();
        listed.or_else(|| self.within(name)).unwrap_or(Handling::Keeps)
    }

    /// What a method does of an object that came out of the thing of this canonical name.
    pub fn method(&self, origin: &str, method: &str) -> Handling {
        let root = origin.split('.').next().unwrap_or_default();
        let methods = self.methods.get(method).map_or(&[][..], Vec::as_slice);
        let listed = methods.iter().find(|(of, _)| &**of == root).map(|(_, handling)| *handling);
        listed.or_else(|| self.within(origin)).unwrap_or(Handling::Keeps)
    }

    fn within(&self, name: &str) -> Option<Handling> {
        let ends = name.rmatch_indices('.').map(|(at, _)| at);
        std::iter::once(name.len())
            .chain(ends)
            .filter_map(|end| name.get(..end))
            .find_map(|around| self.modules.get(around).copied())
    }
}
