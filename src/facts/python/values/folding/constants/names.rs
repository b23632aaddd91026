//! What names and collections hold, where nothing can have changed it since it was made.
//!
//! Must never read by a name what ends as it is walked.

use super::steps::Bound;
use super::{Constant, functions};
use crate::facts::python::program::{Kind, Lookup, Sym, Val};
use crate::facts::python::values::{Atom, Values};

impl Values<'_> {
    /// What a collection holds, as long as nothing changed it since it was made.
    pub(super) fn collection(
        &mut self,
        value: Val,
        site: Val,
        bound: Bound<'_>,
    ) -> Option<Constant> {
        if let Some(places) = self.places(site) {
            let places =
                places.iter().map(|place| place.single().and_then(|atom| self.constant_of(atom)));
            if let Some(elements) = places.collect::<Option<Vec<_>>>() {
                return Some(Constant::Sequence(elements));
            }
        }
        if self.is_changed(site) {
            return None;
        }
        let made = self.bound(value).unwrap_or(value);
        if made != value && self.ends(made) {
            return None;
        }
        self.step(made, bound)
    }

    /// Whether what a step makes changes or ends as it is used, so that what holds it tells
    /// nothing of it.
    pub(super) fn changes(&self, made: Val) -> bool {
        let Kind::Call { callee, .. } = self.program.kind(made) else {
            return self.ends(made);
        };
        let maker = self.of(callee).single().and_then(Atom::name);
        let maker = maker.map(|name| self.program.symbols.text(name)).unwrap_or_default();
        self.ends(made) || maker.starts_with("bytearray")
    }

    /// Whether what a step makes may have been walked to its end before it is read by a name.
    fn ends(&self, made: Val) -> bool {
        let Kind::Call { callee, .. } = self.program.kind(made) else {
            return self.program.generators.contains(&made);
        };
        let Some(Atom::Name(name)) = self.of(callee).single() else { return false };
        functions::is_iterator(self.program.symbols.text(name))
    }

    /// What a name holds that nothing else in the program speaks of: nothing can have changed it.
    fn only_here(&mut self, at: Val, name: Sym, bound: Bound<'_>) -> Option<Constant> {
        let made = self.bound(at)?;
        let Kind::Call { callee, .. } = self.program.kind(made) else { return None };
        let maker = self.of(callee).single()?.name()?;
        let simple = matches!(self.program.symbols.text(maker), "str.maketrans" | "bytearray");
        if !simple || self.keepers(made) > 1 {
            return None;
        }
        let steps = self.program.ops.len();
        self.steps_left = self.steps_left.checked_sub(u32::try_from(steps).ok()?)?;
        let loads = self
            .program
            .ops
            .iter()
            .filter(|op| matches!(op.kind, Kind::Load(read) if read == name));
        (loads.count() == 1).then(|| self.step(made, bound))?
    }

    /// A name: of a comprehension in its turn, or of something that never changes.
    pub(super) fn loaded(&mut self, (at, name): (Val, Sym), bound: Bound<'_>) -> Option<Constant> {
        let Lookup { exact, cells, .. } = self.lookup(at)?;
        let value = bound
            .find(|turn| exact == Some(turn.element) || cells.first() == Some(&Some(turn.cell)));
        if let Some(value) = value {
            return Some(value.clone());
        }
        let atom = self.of(at).single()?;
        if matches!(atom, Atom::From(_) | Atom::Unknown) {
            return self.only_here(at, name, bound);
        }
        if let Atom::Held(site) = atom {
            return self.collection(at, site, Bound { turn: None, ..bound });
        }
        self.constant_of(atom)
    }
}
