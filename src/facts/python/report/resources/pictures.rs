//! Pictures that are read: whatever is no PNG goes to a library that looks at the content, and
//! starts a program for PostScript.
//!
//! Must never take a picture for one of dots whose name or format is not known.

use super::Passed;
use crate::facts::python::program::{Op, Operand, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::report::calls::Callee;
use crate::facts::python::values::{Atom, locate};
use crate::facts::{GapKind, Slots};

/// Functions that read a picture, with the keyword of its file.
const READING: [(&str, &str); 3] = [
    ("matplotlib.image.imread", "fname"),
    ("matplotlib.image.thumbnail", "infile"),
    ("matplotlib.pyplot.imread", "fname"),
];

/// What the names of pictures of dots end with.
const DOTS: [&str; 8] = [".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"];

/// Pictures in memory.
const MEMORY: &str = "io.BytesIO";

/// The text of a name.
fn written(atom: Atom) -> Option<Sym> {
    if let Atom::Path(text) = atom { Some(text) } else { atom.written() }
}

impl Teller<'_, '_> {
    /// A picture that is read, where it may be other than one of dots.
    pub(in super::super) fn tell_picture(
        &mut self,
        op: &Op,
        callee: &Callee<'_>,
        operands: &[Operand],
    ) {
        let Some((_, keyword)) = READING.iter().find(|(name, _)| *name == &*callee.name) else {
            return;
        };
        let slots = |position, keyword: &str| Slots {
            position: Some(position),
            keyword: Some(keyword.into()),
        };
        let named = match self.passed(&slots(0, keyword), operands) {
            Passed::As(file) => self.is_of_dots(file),
            Passed::Unseen | Passed::Not => false,
        };
        let safe = match self.passed(&slots(1, "format"), operands) {
            Passed::As(format) => self.is_png(format),
            Passed::Unseen => false,
            Passed::Not => named,
        };
        if !safe {
            self.tell_postscript(op);
        } else if let Passed::As(file) = self.passed(&slots(0, keyword), operands) {
            let names = self.values.of(file);
            for name in names.iter().filter_map(written).collect::<Vec<_>>() {
                let name = locate(self.values.program.symbols.text(name)).norm;
                if !name.ends_with(".png") {
                    self.pictures.push((*op, name.into()));
                }
            }
        }
    }

    fn tell_postscript(&mut self, op: &Op) {
        let why = "a picture is read that may be PostScript, for which a program is started";
        self.gap(GapKind::Arguments, why, op);
    }

    /// Pictures that the program may have written itself may hold anything.
    pub(in super::super) fn tell_made_pictures(&mut self) {
        for (op, name) in std::mem::take(&mut self.pictures) {
            if self.draft.may_write(&name) {
                self.tell_postscript(&op);
            }
        }
    }

    fn is_png(&self, format: Val) -> bool {
        let png = |text| self.values.program.symbols.text(text) == "png";
        self.values.of(format).all(|atom| atom.text().is_some_and(png))
    }

    /// Whether the name of a file is that of a picture of dots. One in memory has no name, and is a
    /// PNG, unless it is given one.
    fn is_of_dots(&self, file: Val) -> bool {
        let symbols = &self.values.program.symbols;
        let set = self.values.of(file);
        !set.is_empty()
            && set.all(|atom| match atom {
                Atom::Text(text) | Atom::Partial(text) | Atom::Path(text) => {
                    let name = symbols.text(text).to_ascii_lowercase();
                    DOTS.iter().any(|end| name.ends_with(end))
                }
                Atom::From(name) => {
                    symbols.text(name) == MEMORY && !self.own_names.contains("name")
                }
                Atom::Literal(_) => true,
                Atom::Unknown
                | Atom::Bytes(_)
                | Atom::Plain(_)
                | Atom::Name(_)
                | Atom::Own(_)
                | Atom::Instance(_)
                | Atom::Bound(_)
                | Atom::Several(_)
                | Atom::Held(_) => false,
            })
    }
}
