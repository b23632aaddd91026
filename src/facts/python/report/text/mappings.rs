//! Mappings of properties that are handed to a library that plots: each key is as good as a
//! keyword, and a mapping that is not written out may hold any.
//!
//! Must never take a mapping for harmless whose keys are not known.

use crate::facts::GapKind;
use crate::facts::python::program::{
    DefId, DefKind, Op, Operand, Operator, ScopeId, Slot, Sym, Takes, Val,
};
use crate::facts::python::report::Teller;
use crate::facts::python::values::{Atom, KEYWORD, Set};

/// The library whose objects have the properties.
pub(super) const PLOTTING: &str = "matplotlib";

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
pub(super) const DEPTH_MAX: u32 = 4;

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
                    let name = self.word(name);
                    let name = if named { "mathtext." } else { &*name };
                    self.tell_keyword(op, (method, name), set);
                }
                Slot::Position if place == 0 && method.ends_with("_formatter") => {
                    self.tell_number_template(op, set);
                }
                Slot::Position if at == Some(place) => self.tell_mapping_or_text(op, set),
                Slot::Position if method == "setp" && place % 2 == 1 => {
                    self.tell_keys(op, &set.iter().collect::<Vec<_>>());
                }
                Slot::Position if place == 0 && ITEM_SETTERS.contains(&method) => {
                    self.tell_keys(op, &set.iter().collect::<Vec<_>>());
                }
                Slot::Star if method == "setp" => {
                    self.gap(GapKind::Arguments, UNKNOWN, op);
                }
                Slot::Position | Slot::Star => {}
            }
        }
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
            let own = plots && self.values.of(callee).iter().any(|atom| self.keeps_keywords(atom));
            return (takes || own).then_some(method);
        }
        let callees = self.values.of(callee);
        let library = callees.names().find_map(|name| {
            let text = self.word(name);
            let method = text.rsplit('.').next().unwrap_or_default();
            takes(root(name), method).then(|| method.into())
        });
        let own = || {
            let keeps = |atom| atom == Atom::Unknown || self.keeps_keywords(atom);
            plots && callees.iter().any(keeps)
        };
        library.or_else(|| own().then(Default::default))
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
