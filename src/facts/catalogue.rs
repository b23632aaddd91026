//! What names mean: canonical names to capabilities and parameters. Data from the policy bundle.
//!
//! Must never hold a name itself: every name of a library stands in the data.

use super::{DynamicKind, Handled, ResourceKind, Runtime};
use crate::call::Text;
use std::collections::{HashMap, HashSet};

/// The catalogue that an extraction is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// blake3 of the data that it was made from, in hex: part of every cache key.
    pub digest: Text,
    /// The interpreter that it describes.
    pub runtime: Runtime,
    /// Exact canonical names. Builtins have no dot.
    pub names: HashMap<Text, Entry>,
    /// Dotted prefixes: an entry for `socket` covers `socket` and every `socket.*` that has no
    /// entry of its own; the longest prefix wins.
    pub prefixes: HashMap<Text, Entry>,
    /// Method names that matter on objects of a library, whatever expression holds the object.
    pub methods: HashMap<Text, Vec<Method>>,
    /// The top-level modules that any of those methods is of.
    pub method_roots: HashSet<Text>,
    /// Attributes of objects of a library by which a program says what the library does later:
    /// writing one needs what its entry says. Reading one needs nothing.
    pub attributes: HashMap<Text, Vec<Method>>,
    /// Attributes that are modules, of what `modules` does not describe: a key `*.os` covers the
    /// attribute `os` of every library name.
    pub reexports: HashMap<Text, Text>,
    /// What the modules of the image hold, by their names.
    pub modules: HashMap<Text, Holdings>,
    /// What functions do with what they are given.
    pub handled: Handled,
}

/// What a module of the image holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holdings {
    /// Its members that are modules: each with the name of the module, where that is another.
    pub modules: Words,
    /// Its public members. `None` where nothing is said of them.
    pub public: Option<Words>,
    /// Its members that are known by another name: each with that name.
    pub names: Words,
}

/// Words with what they mean, as `os path=posixpath`. A word without a meaning means itself.
///
/// Kept as one text, since there are many thousands of which a source asks for few.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    text: Text,
    /// Where each word lies in the text, in the order of the words.
    places: Box<[Word]>,
}

/// Offsets into the text of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    start: usize,
    /// Where the word ends and its meaning may follow.
    middle: usize,
    end: usize,
}

impl Words {
    /// Takes words that are separated by blanks.
    pub fn new(text: impl Into<Text>) -> Self {
        let text = text.into();
        let mut places = Vec::new();
        let mut start = 0;
        for each in text.split(' ') {
            let (name, end) = (each.split('=').next().unwrap_or_default(), start + each.len());
            if !name.is_empty() {
                places.push(Word { start, middle: start + name.len(), end });
            }
            start = end + 1;
        }
        places.sort_by_key(|word| text.get(word.start..word.middle));
        Self { places: places.into(), text }
    }

    /// What a word means, where it is one of these.
    pub fn meaning(&self, word: &str) -> Option<&str> {
        let name = |place: &Word| self.text.get(place.start..place.middle);
        let found = self.places.binary_search_by(|place| name(place).cmp(&Some(word))).ok()?;
        let place = self.places.get(found)?;
        let meaning = self.text.get(place.middle..place.end)?;
        meaning.strip_prefix('=').or_else(|| name(place))
    }
}

/// What one name means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// What using it needs from the world, sorted.
    pub capabilities: Vec<Text>,
    /// How it makes code, where it does.
    pub dynamic: Option<DynamicKind>,
    /// The parameters that name resources.
    pub parameters: Vec<Parameter>,
    /// The parameter that says whether a file is read or written, as `open` has one.
    pub mode: Option<Slots>,
    /// What a call of it gives, where that matters.
    pub makes: Option<Makes>,
    /// The parameter that may name a method by a text, as `DataFrame.agg` has one.
    pub dispatch: Option<Slots>,
    /// The parameters that ask for more, as `allow_pickle` does.
    pub switches: Vec<Switch>,
}

/// A parameter that asks for more than the function needs without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Where it is passed.
    pub slots: Slots,
    /// What it needs unless it is `False` or `None`, sorted.
    pub capabilities: Vec<Text>,
}

/// What a call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Makes {
    /// A path object whose text is the joined arguments.
    Path,
    /// An open file or an in-memory one: where a path is expected, it names none.
    Handle,
}

/// Where an argument may be passed. One with neither is the object that a method is called on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slots {
    /// Its position, from 0, where it may be passed so.
    pub position: Option<u32>,
    /// Its keyword, where it may be passed so.
    pub keyword: Option<Text>,
}

/// A parameter that names a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its position, from 0, where it may be passed so.
    pub position: Option<u32>,
    /// Its keyword, where it may be passed so.
    pub keyword: Option<Text>,
    /// What it names.
    pub kind: ResourceKind,
    /// What is done with that: `read`, `write`, `exec`, `connect`, …
    pub op: Text,
}

/// A method that matters on objects of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Its canonical name, such as `pandas.DataFrame.to_csv`.
    pub name: Text,
    /// The top-level modules whose objects have it; on an object of unknown origin it counts
    /// where the source reaches one of them.
    pub of: Vec<Text>,
    /// On an object of unknown origin it counts only with this many positional arguments, so
    /// that a name which plain data has too (`str.replace`) is told apart.
    pub positional: Option<u32>,
    /// What it means.
    pub entry: Entry,
}
