//! Path objects: what making, joining and walking them gives.

use super::{Atom, Set, Values, paths};
use crate::facts::python::program::{Operand, Operands, Slot, Sym};

/// The canonical name of a path object whose text is not known.
const LOST: &str = "pathlib.Path";

impl Values<'_> {
    pub(super) fn path_attribute(&mut self, path: Sym, name: Sym) -> Set {
        match self.program.symbols.text(name) {
            "parent" => {
                let parent = paths::parent(self.program.symbols.text(path));
                self.path(&parent)
            }
            "name" | "stem" | "suffix" | "suffixes" | "parts" | "drive" | "root" | "anchor" => {
                self.plain("str")
            }
            _ => Set::one(Atom::Path(path)),
        }
    }

    pub(super) fn path(&mut self, text: &str) -> Set {
        match self.fold(text) {
            Some(text) => Set::one(Atom::Path(text)),
            None => self.lost_path(),
        }
    }

    /// A path object of unknown text.
    pub(super) fn lost_path(&mut self) -> Set {
        Set::one(Atom::From(self.program.symbols.intern(LOST)))
    }

    /// Path objects join their arguments.
    pub(super) fn made_path(&mut self, arguments: Operands) -> Set {
        let operands = self.program.operands(arguments).to_vec();
        let mut whole = String::from(".");
        for operand in operands {
            match self.path_text(operand) {
                Some(text) => whole = paths::join(&whole, &text),
                None => return self.lost_path(),
            }
        }
        self.path(&whole)
    }

    fn path_text(&self, operand: Operand) -> Option<String> {
        if operand.slot != Slot::Position {
            return None;
        }
        let (Atom::Text(text) | Atom::Path(text)) = self.of(operand.value).single()? else {
            return None;
        };
        Some(self.program.symbols.text(text).to_owned())
    }

    /// Methods of path objects that give path objects.
    pub(super) fn path_method(&mut self, base: Set, name: Sym, arguments: Operands) -> Option<Set> {
        let Some(Atom::Path(path)) = base.single() else {
            return None;
        };
        let path = self.program.symbols.shared(path);
        let operands = self.program.operands(arguments).to_vec();
        let method = self.program.symbols.shared(name);
        let set = match &*method {
            "joinpath" | "glob" | "rglob" | "relative_to" => self.joined(&path, &operands),
            "with_name" | "with_suffix" => self.renamed(&path, &method, &operands),
            "iterdir" => self.path(&paths::join(&path, "*")),
            "resolve" | "absolute" => self.path(&paths::absolute(&path)),
            "expanduser" | "readlink" | "with_stem" => self.lost_path(),
            "open" => Set::one(Atom::From(self.program.symbols.intern("open"))),
            _ => self.plain("data"),
        };
        Some(set)
    }

    fn renamed(&mut self, path: &str, method: &str, operands: &[Operand]) -> Set {
        let part = operands.first().and_then(|operand| self.path_text(*operand));
        let Some(part) = part.filter(|part| !part.contains('/')) else {
            return self.lost_path();
        };
        let renamed = if method == "with_name" {
            paths::join(&paths::parent(path), &part)
        } else {
            paths::with_suffix(path, &part)
        };
        self.path(&renamed)
    }

    fn joined(&mut self, path: &str, operands: &[Operand]) -> Set {
        let mut whole = path.to_owned();
        for operand in operands {
            match self.path_text(*operand) {
                Some(text) => whole = paths::join(&whole, &text),
                None => return self.lost_path(),
            }
        }
        self.path(&whole)
    }
}
