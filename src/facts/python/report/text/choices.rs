//! What parameters and settings of a library that plots name by a text: fonts, backends, formats,
//! programs, and templates for numbers.
//!
//! Must never take a text that is not known for the name of something harmless.

use super::mappings::{DEPTH_MAX, PLOTTING};
use super::zones::ZONES;
use crate::facts::GapKind;
use crate::facts::python::program::{Op, Operand, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, Set};

/// Parameters that take a font: a mapping of its properties, or a pattern.
const FONTS: [&str; 5] =
    ["font", "fontproperties", "font_properties", "prop", "title_fontproperties"];

/// What the names of settings begin with that name a font by a pattern, a module, a program or
/// what is written.
const PATTERNS: [&str; 4] = ["mathtext.", "backend", "animation.", "savefig.format"];

/// Settings that name functions, which are imported and called for each new figure.
const HOOKS: [&str; 2] = ["figure.hooks", "hooks"];

/// Methods that write a figure in a format that a text names.
const SAVING: [&str; 3] = ["savefig", "print_figure", "imsave"];

/// Functions that take a style: its name, or a mapping of settings.
const STYLING: [&str; 2] = ["context", "use"];

/// Methods that take a template for numbers, which they apply to whatever they are given.
const TEMPLATES: [&str; 3] = ["set_major_formatter", "set_minor_formatter", "bar_label"];

/// What the names of parameters end with that take a mapping of properties.
const MAPPINGS: [&str; 6] = ["props", "prop", "dict", "_kw", "_kws", "kwargs"];

impl Teller<'_, '_> {
    /// What a keyword of a method is given.
    pub(super) fn tell_keyword(&mut self, op: &Op, (method, name): (&str, &str), set: Set) {
        match name {
            "fmt" | "formatter" if TEMPLATES.contains(&method) => {
                self.tell_number_template(op, set);
            }
            "format" if SAVING.contains(&method) => self.tell_font(op, set, DEPTH_MAX),
            // They are told as zones, with where they come from.
            _ if ZONES.contains(&name) => {}
            "style" if STYLING.contains(&method) => self.tell_mapping_or_text(op, set),
            _ => self.tell_property_value(op, name, set, DEPTH_MAX),
        }
    }

    /// Whether settings of a group are set that are patterns, or that may be.
    pub(super) fn names_patterns(&self, method: &str, operands: &[Operand]) -> bool {
        let group = operands.first().map(|operand| self.values.of(operand.value));
        method == "rc"
            && !group.unwrap_or_default().all(|atom| {
                let text = atom.text().map(|text| self.values.program.symbols.text(text));
                let pattern = |text: &str| PATTERNS.iter().any(|start| start.starts_with(text));
                text.is_some_and(|text| !pattern(text))
            })
    }

    /// What a parameter is given, where it takes properties.
    pub(super) fn tell_property_value(&mut self, op: &Op, name: &str, set: Set, left: u32) {
        if HOOKS.contains(&name) {
            self.gap(GapKind::Code, "what a hook of figures names is imported and called", op);
        }
        let pattern = PATTERNS.iter().any(|start| name.starts_with(start)) || name == "format";
        if name == "timezone" || ZONES.contains(&name) {
            self.tell_zone(op, set);
        } else if FONTS.contains(&name) || pattern {
            self.tell_font(op, set, left);
        } else if name == "rc" || MAPPINGS.iter().any(|end| name.ends_with(end)) {
            self.tell_mapping(op, set, left);
        }
    }

    /// A template for numbers: one that is known is told for itself, and functions are none.
    pub(super) fn tell_number_template(&mut self, op: &Op, set: Set) {
        let unknown = set.iter().any(|atom| match atom {
            Atom::Unknown | Atom::Plain(_) | Atom::Partial(_) => true,
            Atom::From(name) => !self.values.program.symbols.text(name).starts_with(PLOTTING),
            Atom::Text(_)
            | Atom::Bytes(_)
            | Atom::Literal(_)
            | Atom::Name(_)
            | Atom::Path(_)
            | Atom::Own(_)
            | Atom::Instance(_)
            | Atom::Bound(_)
            | Atom::Several(_)
            | Atom::Held(_) => false,
        });
        if unknown {
            self.gap(GapKind::Format, "a template for numbers is not known", op);
        }
    }

    /// A font, a backend or a format: a file or a program may be named by a text, a font by a mapping
    /// too.
    pub(super) fn tell_font(&mut self, op: &Op, set: Set, left: u32) {
        for atom in set.iter() {
            match atom {
                Atom::Text(text) => {
                    let text = self.word(text);
                    self.tell_setting(&text, op);
                }
                Atom::Literal(_) => {}
                Atom::Held(site) if self.values.is_dictionary(site) && left > 0 => {
                    self.tell_mapping(op, Set::one(atom), left);
                    for key in self.values.keys_of(site).into_iter().filter_map(Atom::text) {
                        self.tell_font_property(op, (site, key), left - 1);
                    }
                }
                Atom::Unknown
                | Atom::Partial(_)
                | Atom::Bytes(_)
                | Atom::Plain(_)
                | Atom::Name(_)
                | Atom::From(_)
                | Atom::Path(_)
                | Atom::Own(_)
                | Atom::Instance(_)
                | Atom::Bound(_)
                | Atom::Several(_)
                | Atom::Held(_) => self.gap(
                    GapKind::Path,
                    "what a text names is not known: a font, a module or a format",
                    op,
                ),
            }
        }
    }

    fn tell_font_property(&mut self, op: &Op, (site, key): (Val, Sym), left: u32) {
        match &*self.word(key) {
            "fname" => self.tell_set_property("file", op),
            // A family may be a whole pattern.
            "family" => {
                let family = self.values.held_under(site, Atom::Text(key));
                let lists = family.iter().filter(|atom| !matches!(atom, Atom::Held(_)));
                for atom in lists.collect::<Vec<_>>() {
                    self.tell_font(op, Set::one(atom), left);
                }
            }
            _ => {}
        }
    }
}
