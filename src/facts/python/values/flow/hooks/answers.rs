//! What hooks of the program's own give where data would be expected.
//!
//! Must never take an answer for data that a hook may give otherwise.

use super::may_be_own;
use crate::facts::python::values::{Atom, Set, Values};

/// Hooks by which an object says what it is as a text.
pub(in crate::facts::python::values) const TEXT_HOOKS: [&str; 5] =
    ["__str__", "__repr__", "__format__", "__bytes__", "__rmod__"];

/// The hooks that a builtin asks which gives what they give.
pub(in crate::facts::python::values) fn builtin_hooks(name: &str) -> &'static [&'static str] {
    match name {
        "abs" => &["__abs__"],
        "round" => &["__round__"],
        "sum" => &["__add__", "__radd__"],
        _ => &TEXT_HOOKS,
    }
}

impl Values<'_> {
    /// A value that is handed back, and whatever hooks of the program's own give in its place.
    pub(in crate::facts::python::values) fn own_or(&mut self, mut set: Set, hooks: &[&str]) -> Set {
        if self.is_own_with(set, hooks) {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// Whether it may be an object of the program's own that has one of these hooks.
    pub(in crate::facts::python::values) fn is_own_with(&self, set: Set, hooks: &[&str]) -> bool {
        let hooks = hooks.iter().filter_map(|hook| self.program.symbols.find(hook));
        let mut hooks = hooks.into_iter();
        set.iter().any(may_be_own)
            && hooks
                .any(|hook| self.classes.is_written(hook) || !self.classes.members(hook).is_empty())
    }

    /// Data of a kind, and whatever the program's own hooks give in its place.
    pub(in crate::facts::python::values) fn data_of(
        &mut self,
        kind: &str,
        asked: Set,
        hooks: &[&str],
    ) -> Set {
        let set = self.plain(kind);
        self.answered_by(set, asked, hooks)
    }

    /// A value, and whatever the program's own hooks give in its place.
    pub(in crate::facts::python::values) fn answered_by(
        &mut self,
        mut set: Set,
        asked: Set,
        hooks: &[&str],
    ) -> Set {
        if self.answers_for(asked, hooks) {
            self.add(&mut set, Atom::Unknown);
        }
        set
    }

    /// Whether hooks of the program's own may answer for a value with other than data.
    pub(in crate::facts::python::values) fn answers_for(
        &mut self,
        asked: Set,
        hooks: &[&str],
    ) -> bool {
        if !asked.overflowed && !asked.iter().any(may_be_own) {
            return false;
        }
        // A text hook gives a text: that is data, unless a class of the program's own is a text.
        let texts = hooks.contains(&"__str__");
        (!texts || self.classes.texts) && hooks.iter().any(|hook| self.answers(hook))
    }

    /// Whether a hook of this name may give other than data.
    fn answers(&mut self, hook: &str) -> bool {
        let Some(hook) = self.program.symbols.find(hook) else {
            return false;
        };
        let mut answers = self.classes.is_written(hook);
        for (_, cell) in self.classes.members(hook) {
            let bound = self.read_cell(cell);
            for atom in bound.iter() {
                answers |= !self.gives_data(atom);
            }
        }
        answers
    }

    /// Whether a hook gives data alone.
    fn gives_data(&mut self, hook: Atom) -> bool {
        let (Atom::Own(def) | Atom::Bound(def)) = hook else {
            return self.is_data(hook);
        };
        let given = self.result(def);
        self.is_function(def) && given.all(|atom| self.is_data(atom))
    }

    /// Whether it is data, or says that there is no answer.
    fn is_data(&self, atom: Atom) -> bool {
        let none = |name| self.program.symbols.text(name) == "NotImplemented";
        atom.is_plain() || atom.name().is_some_and(none)
    }
}
