//! Mappings of properties that are handed to a library that plots: each key is as good as a
//! keyword, and a mapping that is not written out may hold any.
//!
//! Must never take a mapping for harmless whose keys are not known.

use super::given::Called;
use crate::facts::GapKind;
use crate::facts::python::program::{DefId, DefKind, Op, Operand, ScopeId, Slot, Sym, Takes, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, KEYWORD, Set};

/// The library whose objects have the properties.
pub(super) const PLOTTING: &str = "matplotlib";

/// Libraries that hand keywords on to a function that they are given.
const HANDING_ON: [&str; 5] = ["functools", "operator", "concurrent", "asyncio", "contextlib"];

/// Methods of tables that hand keywords on to what plots, or to a function that they are given.
const OF_TABLES: [&str; 17] = [
    "apply",
    "area",
    "bar",
    "barh",
    "box",
    "boxplot",
    "density",
    "hexbin",
    "hist",
    "kde",
    "line",
    "map",
    "pie",
    "pipe",
    "plot",
    "scatter",
    "transform",
];

/// Methods whose keywords are names of data, whatever has them.
const OF_DATA: [&str; 7] =
    ["agg", "aggregate", "assign", "format", "_replace", "rename", "substitute"];

/// Methods that take a mapping of properties or settings by position, and at which.
const AT: [(&str, usize); 25] = [
    ("__init__", 0),
    ("__ior__", 0),
    ("__or__", 0),
    ("annotate", 5),
    ("bbox_artist", 2),
    ("context", 0),
    ("figtext", 3),
    ("pie", 12),
    ("rc_context", 0),
    ("set_bbox", 0),
    ("set_check_props", 0),
    ("set_frame_props", 0),
    ("set_label_props", 0),
    ("set_label_text", 1),
    ("set_radio_props", 0),
    ("set_xlabel", 1),
    ("set_ylabel", 1),
    ("set_zlabel", 1),
    ("text", 3),
    ("text2D", 3),
    ("title", 1),
    ("update", 0),
    ("use", 0),
    ("xlabel", 1),
    ("ylabel", 1),
];

/// Methods that take a font by position, and at which: a text is a pattern there.
const FONTS_AT: [(&str, usize); 4] =
    [("TextPath", 3), ("math_to_image", 2), ("parse", 2), ("set_title", 1)];

/// Other methods that set properties, options or a font.
const SETTING: [&str; 7] =
    ["option_context", "rc", "reset_option", "set", "set_option", "setp", "update_nested_dict"];

/// Methods of the table that are handed on for what they draw.
const DRAWING: [&str; 3] = ["annotate", "pie", "title"];

/// Methods that set what their first argument names.
const ITEM_SETTERS: [&str; 2] = ["setdefault", "__setitem__"];

/// Whether what is called is the library's that plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plots {
    Surely,
    Perhaps,
}

impl Plots {
    fn of(roots: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let surely = roots.into_iter().any(|root| root.as_ref() == PLOTTING);
        if surely { Self::Surely } else { Self::Perhaps }
    }
}

/// Mappings in mappings that are looked into.
pub(super) const DEPTH_MAX: u32 = 4;

const UNKNOWN: &str = "which properties are set is not known";

impl Teller<'_, '_> {
    /// The mappings that a call is given, where they may come to name properties.
    pub(super) fn tell_mappings(&mut self, op: &Op, called: &Called<'_>, operands: &[Operand]) {
        self.tell_settings_handed_on(op, called.callee, operands);
        let Some((method, plots)) = self.takes_properties(op, called.callee) else { return };
        let method = &*method;
        let named = self.names_patterns(method, operands);
        let at = |table: &[(&str, usize)]| {
            table.iter().find(|(name, _)| *name == method).map(|(_, at)| *at)
        };
        let (mapping, font) = (at(&AT), at(&FONTS_AT));
        for (place, (operand, set)) in called.given.iter().enumerate() {
            match operand.slot {
                Slot::DoubleStar => self.tell_mapping(op, *set, DEPTH_MAX),
                Slot::Keyword(name) => {
                    let name = self.word(name);
                    let name = if named { "mathtext." } else { &*name };
                    self.tell_keyword(op, (method, name), *set);
                }
                Slot::Position | Slot::Star if called.takes(place, font) => {
                    self.tell_font(op, *set, DEPTH_MAX);
                }
                Slot::Position | Slot::Star if called.takes(place, mapping) => {
                    self.tell_mapping_or_text(op, *set);
                }
                Slot::Position | Slot::Star => self.tell_set_at(op, (method, place), called),
            }
            if plots == Plots::Surely && !matches!(operand.slot, Slot::DoubleStar) {
                self.tell_dictionaries(op, *set, DEPTH_MAX);
            }
        }
    }

    /// What a place means to a few methods.
    fn tell_set_at(&mut self, op: &Op, (method, place): (&str, usize), called: &Called<'_>) {
        let Some((operand, set)) = called.given.get(place) else { return };
        let keys = || set.iter().collect::<Vec<_>>();
        if method == "setp" {
            if operand.slot == Slot::Star {
                self.gap(GapKind::Arguments, UNKNOWN, op);
            } else if place % 2 == 1 {
                self.tell_keys(op, &keys());
                let value = called.given.get(place + 1).map(|(_, value)| *value);
                self.tell_values_of(op, &keys(), value.unwrap_or_default());
            }
        } else if place == 0 && method.ends_with("_formatter") {
            self.tell_number_template(op, *set);
        } else if place == 0 && ITEM_SETTERS.contains(&method) {
            self.tell_keys(op, &keys());
        }
    }

    /// What properties of these names are given.
    fn tell_values_of(&mut self, op: &Op, keys: &[Atom], value: Set) {
        for key in keys.iter().filter_map(|key| key.text()) {
            let name = self.word(key);
            self.tell_property_value(op, &name, value, DEPTH_MAX);
        }
    }

    /// Dictionaries that a library that plots is given, whatever it takes them for.
    fn tell_dictionaries(&mut self, op: &Op, set: Set, left: u32) {
        for atom in set.iter() {
            let Atom::Held(site) = atom else { continue };
            if self.values.is_dictionary(site) && left > 0 {
                self.tell_mapping(op, Set::one(atom), left);
                let held = self.values.elements_under(site);
                self.tell_dictionaries(op, held, left - 1);
            }
        }
    }

    /// A method by which properties are set is handed on, and will be given those that are not
    /// seen here.
    pub(in super::super) fn tell_handed_properties(&mut self, op: &Op, (set, word): (Set, &str)) {
        let at = AT.iter().chain(&FONTS_AT).any(|(name, _)| *name == word);
        let taking = ((at && !DRAWING.contains(&word)) || SETTING.contains(&word))
            && set.iter().filter_map(Atom::library).any(|name| {
                let text = self.values.program.symbols.text(name);
                let root = text.split('.').next().unwrap_or_default();
                root == PLOTTING
                    || (root == "pandas" && word.ends_with("_option"))
                    || (root == "pandas" && word.ends_with("_context"))
            });
        if taking {
            self.gap(GapKind::Arguments, "a method is handed on that sets properties", op);
        }
    }

    /// The name of what is called, where its keywords may come to be properties.
    fn takes_properties(&self, op: &Op, callee: Val) -> Option<(crate::call::Text, Plots)> {
        let root = |name: Sym| {
            let text = self.values.program.symbols.text(name);
            text.split('.').next().unwrap_or_default()
        };
        let plots = self.values.names.reaches(PLOTTING);
        let takes = |root: &str, method: &str| match root {
            PLOTTING => true,
            "pandas" => OF_TABLES.contains(&method),
            _ => plots && HANDING_ON.contains(&root),
        };
        if let Some((base, name)) = self.values.program.kind(callee).attribute() {
            let method = self.word(name);
            let takes = self.values.of(base).iter().any(|atom| match atom.library() {
                Some(name) if root(name) == "super" => plots && self.derives_from_library(op),
                Some(name) => takes(root(name), &method),
                None => atom == Atom::Unknown && plots && !OF_DATA.contains(&&*method),
            });
            let own = plots && self.values.of(callee).iter().any(|atom| self.keeps_keywords(atom));
            let base = self.values.of(base);
            let surely = Plots::of(base.iter().filter_map(Atom::library).map(root));
            return (takes || own).then_some((method, surely));
        }
        let callees = self.values.of(callee);
        let library = callees.iter().filter_map(Atom::library).find_map(|name| {
            let text = self.word(name);
            let method = text.rsplit('.').next().unwrap_or_default();
            takes(root(name), method).then(|| (method.into(), Plots::of([root(name)])))
        });
        let own = || {
            let keeps = |atom| atom == Atom::Unknown || self.keeps_keywords(atom);
            plots && callees.iter().any(keeps)
        };
        library.or_else(|| own().then(|| (crate::call::Text::default(), Plots::Perhaps)))
    }

    /// Whether something of the program's own takes whatever keywords it is given. What a class
    /// takes its methods say, or those of a class that it derives from.
    fn keeps_keywords(&self, callee: Atom) -> bool {
        let (Atom::Own(def) | Atom::Bound(def)) = callee else {
            return matches!(callee, Atom::Several(_));
        };
        let program = &self.values.program;
        let class = program.def(def).filter(|def| def.kind == DefKind::Class);
        let derived = class.is_some_and(|class| class.bases.start != class.bases.end);
        let of_class = |given: DefId| {
            let within = program.def(given).map(|given| given.within);
            class.is_some() && within.is_some_and(|scope| derived || scope == ScopeId(def.0))
        };
        program.parameters.iter().any(|given| {
            given.takes == Takes::Keywords && (given.def == def || of_class(given.def))
        })
    }

    /// Whether a step stands in a class that derives from a class of the library that plots.
    fn derives_from_library(&self, op: &Op) -> bool {
        let program = &self.values.program;
        let class = self.class_around(op).and_then(|class| program.def(class));
        let bases = class.map(|class| program.operands(class.bases)).unwrap_or_default();
        bases.iter().any(|base| {
            let set = self.values.of(base.value);
            set.names().any(|name| program.symbols.text(name).starts_with(PLOTTING))
        })
    }

    /// A mapping whose keys are names of properties, or a pair of such a key and its value.
    pub(super) fn tell_mapping(&mut self, op: &Op, set: Set, left: u32) {
        for atom in set.iter() {
            match atom {
                Atom::Held(site) if self.values.is_dictionary(site) && left > 0 => {
                    let keys = self.values.keys_of(site);
                    self.tell_keys(op, &keys);
                    for key in keys.into_iter().filter_map(Atom::text) {
                        let value = self.values.held_under(site, Atom::Text(key));
                        let name = self.word(key);
                        self.tell_property_value(op, &name, value, left - 1);
                    }
                }
                Atom::Held(_) if left > 0 => {
                    let keys = self.values.first_parts_of(Set::one(atom));
                    self.tell_keys(op, &keys.iter().collect::<Vec<_>>());
                }
                Atom::Literal(_) => {}
                // Settings as they stand: what is put into them is told there.
                Atom::Name(name) | Atom::From(name) if self.are_settings(name) => {}
                Atom::Unknown
                | Atom::Text(_)
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
                | Atom::Held(_) => self.gap(GapKind::Arguments, UNKNOWN, op),
            }
        }
    }

    /// The same where a text may be passed instead, which is none or names a style, or a list of
    /// either, or of pairs.
    pub(super) fn tell_mapping_or_text(&mut self, op: &Op, set: Set) {
        for atom in set.iter() {
            let mut all = Set::one(atom);
            if let Atom::Held(site) = atom
                && !self.values.is_dictionary(site)
            {
                all = self.values.elements_under(site);
            }
            for one in all.iter().collect::<Vec<_>>() {
                if one.text().is_none() && !self.is_text_of_type(one) {
                    self.tell_mapping(op, Set::one(one), DEPTH_MAX);
                }
            }
        }
    }

    fn is_text_of_type(&self, atom: Atom) -> bool {
        let kind = |kind| self.values.program.symbols.text(kind);
        matches!(atom, Atom::Partial(_)) || matches!(atom, Atom::Plain(of) if kind(of) == "str")
    }

    /// Texts that name properties.
    fn tell_keys(&mut self, op: &Op, keys: &[Atom]) {
        for key in keys {
            match key {
                Atom::Text(key) => {
                    let key = self.word(*key);
                    self.tell_setting(&key, op);
                }
                Atom::Literal(_) => {}
                // It is told where it is passed.
                Atom::Plain(kind) if self.values.program.symbols.text(*kind) == KEYWORD => {}
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
                | Atom::Held(_) => self.gap(GapKind::Arguments, UNKNOWN, op),
            }
        }
    }
}
