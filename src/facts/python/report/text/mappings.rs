//! Mappings of properties that are handed to a library that plots: each key is as good as a
//! keyword, and a mapping that is not written out may hold any.
//!
//! Must never take a mapping for harmless whose keys are not known.

use crate::facts::GapKind;
use crate::facts::python::program::{Op, Operand, Operator, Slot, Sym, Val};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, Set};

/// The library whose objects have the properties.
const PLOTTING: &str = "matplotlib";

/// What the name of its settings holds.
const SETTINGS: &str = ".rcParams";

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

/// Parameters that take a font: a mapping of its properties, or a pattern.
const FONTS: [&str; 5] =
    ["font", "fontproperties", "font_properties", "prop", "title_fontproperties"];

/// What the names of settings begin with that name a font by a pattern, a module or a program.
const PATTERNS: [&str; 3] = ["mathtext.", "backend", "animation."];

/// What the names of parameters end with that take a mapping of properties.
const MAPPINGS: [&str; 6] = ["props", "prop", "dict", "_kw", "_kws", "kwargs"];

/// Methods that take a mapping of properties or settings by position, and at which.
const AT: [(&str, usize); 12] = [
    ("update", 0),
    ("context", 0),
    ("rc_context", 0),
    ("use", 0),
    ("set_title", 1),
    ("set_xlabel", 1),
    ("set_ylabel", 1),
    ("title", 1),
    ("xlabel", 1),
    ("ylabel", 1),
    ("figtext", 3),
    ("text", 3),
];

/// Methods that set what their first argument names.
const ITEM_SETTERS: [&str; 2] = ["setdefault", "__setitem__"];

/// Functions that settings may be given to as a whole, since they only look at them.
const LOOKING: [&str; 11] = [
    "copy.copy",
    "copy.deepcopy",
    "dict",
    "isinstance",
    "iter",
    "len",
    "list",
    "print",
    "repr",
    "sorted",
    "str",
];

/// Mappings in mappings that are looked into.
const DEPTH_MAX: u32 = 4;

const UNKNOWN: &str = "which properties are set is not known";

impl Teller<'_, '_> {
    /// The mappings that a call is given, where they may come to name properties.
    pub(in super::super) fn tell_mappings(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        self.tell_settings_handed_on(op, callee, operands);
        let Some(method) = self.takes_properties(op, callee) else { return };
        let method = &*method;
        let named = self.names_patterns(method, operands);
        let at = AT.iter().find(|(name, _)| *name == method).map(|(_, at)| *at);
        for (place, operand) in operands.iter().enumerate() {
            let set = self.values.of(operand.value);
            match operand.slot {
                Slot::DoubleStar => self.tell_mapping(op, set, DEPTH_MAX),
                Slot::Keyword(name) => {
                    let name = if named { "mathtext.".into() } else { self.word(name) };
                    self.tell_property_value(op, &name, set, DEPTH_MAX);
                }
                Slot::Position if at == Some(place) => self.tell_mapping_or_text(op, set),
                Slot::Position if method == "setp" && place % 2 == 1 => self.tell_keys(op, set),
                Slot::Position if place == 0 && ITEM_SETTERS.contains(&method) => {
                    self.tell_keys(op, set);
                }
                Slot::Star if method == "setp" => {
                    self.gap(GapKind::Arguments, UNKNOWN, op);
                }
                Slot::Position | Slot::Star => {}
            }
        }
    }

    /// Whether settings of a group are set that are patterns, or that may be.
    fn names_patterns(&self, method: &str, operands: &[Operand]) -> bool {
        let group = operands.first().map(|operand| self.values.of(operand.value));
        method == "rc"
            && !group.unwrap_or_default().all(|atom| {
                let text = atom.text().map(|text| self.values.program.symbols.text(text));
                let pattern = |text: &str| PATTERNS.iter().any(|start| start.starts_with(text));
                text.is_some_and(|text| !pattern(text))
            })
    }

    /// The name of what is called, where its keywords may come to be properties.
    fn takes_properties(&self, op: &Op, callee: Val) -> Option<crate::call::Text> {
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
            return takes.then_some(method);
        }
        let callees = self.values.of(callee);
        callees.names().find_map(|name| {
            let text = self.word(name);
            let method = text.rsplit('.').next().unwrap_or_default();
            takes(root(name), method).then(|| method.into())
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

    /// What a parameter is given, where it takes properties.
    fn tell_property_value(&mut self, op: &Op, name: &str, set: Set, left: u32) {
        let pattern = PATTERNS.iter().any(|start| name.starts_with(start));
        if FONTS.contains(&name) || pattern {
            self.tell_font(op, set, left);
        } else if MAPPINGS.iter().any(|end| name.ends_with(end)) {
            self.tell_mapping(op, set, left);
        }
    }

    /// A mapping whose keys are names of properties, or a pair of such a key and its value.
    fn tell_mapping(&mut self, op: &Op, set: Set, left: u32) {
        for atom in set.iter() {
            match atom {
                Atom::Held(site) if self.values.is_dictionary(site) && left > 0 => {
                    let keys = self.values.keys_of(site);
                    self.tell_keys(op, keys);
                    for key in keys.iter().filter_map(Atom::text) {
                        let value = self.values.held_under(site, Atom::Text(key));
                        let name = self.word(key);
                        self.tell_property_value(op, &name, value, left - 1);
                    }
                }
                Atom::Held(_) if left > 0 => {
                    let keys = self.values.first_parts_of(Set::one(atom));
                    self.tell_keys(op, keys);
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
                | Atom::Held(_) => self.gap(GapKind::Arguments, UNKNOWN, op),
            }
        }
    }

    /// The same where a text may be passed instead, which is none or names a style, or a list of
    /// either, or of pairs.
    fn tell_mapping_or_text(&mut self, op: &Op, set: Set) {
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
        matches!(atom, Atom::Plain(kind) if self.values.program.symbols.text(kind) == "str")
    }

    /// Texts that name properties.
    fn tell_keys(&mut self, op: &Op, keys: Set) {
        if !keys.all(|atom| matches!(atom, Atom::Text(_) | Atom::Literal(_))) {
            self.gap(GapKind::Arguments, UNKNOWN, op);
        }
        for key in keys.iter().filter_map(Atom::text) {
            let key = self.word(key);
            self.tell_setting(&key, op);
        }
    }

    /// A font: a file may be named by a mapping, and by a pattern.
    fn tell_font(&mut self, op: &Op, set: Set, left: u32) {
        for atom in set.iter() {
            match atom {
                Atom::Text(text) => {
                    let text = self.word(text);
                    self.tell_setting(&text, op);
                }
                Atom::Literal(_) => {}
                Atom::Held(site) if self.values.is_dictionary(site) && left > 0 => {
                    self.tell_mapping(op, Set::one(atom), left);
                    for key in self.values.keys_of(site).iter().filter_map(Atom::text) {
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
                | Atom::Held(_) => self.gap(GapKind::Path, "which font this is, is not known", op),
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

    fn are_settings(&self, name: Sym) -> bool {
        self.values.program.symbols.text(name).contains(SETTINGS)
    }

    pub(in super::super) fn may_be_settings(&self, value: Val) -> bool {
        self.values.of(value).iter().filter_map(Atom::library).any(|name| self.are_settings(name))
    }

    /// Settings that are handed to what may change them by keys that are not seen here.
    fn tell_settings_handed_on(&mut self, op: &Op, callee: Val, operands: &[Operand]) {
        let looks = self.values.of(callee).all(|atom| {
            let name = atom.library().map(|name| self.values.program.symbols.text(name));
            let looks = |name: &str| LOOKING.contains(&name) || name.starts_with(PLOTTING);
            name.is_some_and(looks) || atom.own().is_some()
        });
        if !looks && operands.iter().any(|operand| self.may_be_settings(operand.value)) {
            self.gap(GapKind::Arguments, "settings of a library are handed on", op);
        }
    }

    /// `settings | mapping`, and the same in place.
    pub(in super::super) fn tell_merged(
        &mut self,
        op: &Op,
        operator: Operator,
        (left, right): (Val, Val),
    ) {
        if operator == Operator::Other && self.may_be_settings(left) {
            self.tell_mapping(op, self.values.of(right), DEPTH_MAX);
        }
    }

    /// What a setting is set to, where its name is known.
    pub(super) fn tell_setting_value(&mut self, op: &Op, key: Val, value: Val) {
        for key in self.values.of(key).iter().filter_map(Atom::text) {
            let key = self.word(key);
            self.tell_property_value(op, &key, self.values.of(value), DEPTH_MAX);
        }
    }
}
