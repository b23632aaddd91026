//! Members that the objects of a class have from what it derives from, as builtin types and
//! abstract classes have them.
//!
//! Must never leave out a member that one of the plain bases gives something by.

use crate::facts::python::program::{DefId, Sym};
use crate::facts::python::values::Values;
use crate::facts::python::values::flow::Pool;

/// The public members of texts, numbers, exceptions and collections, sorted.
const MEMBERS: [&str; 104] = [
    "add",
    "add_note",
    "append",
    "appendleft",
    "args",
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "capitalize",
    "casefold",
    "center",
    "clear",
    "conjugate",
    "copy",
    "count",
    "data",
    "decode",
    "denominator",
    "difference",
    "difference_update",
    "discard",
    "elements",
    "encode",
    "endswith",
    "expandtabs",
    "extend",
    "extendleft",
    "find",
    "format",
    "format_map",
    "from_bytes",
    "fromhex",
    "fromkeys",
    "get",
    "hex",
    "imag",
    "index",
    "insert",
    "intersection",
    "intersection_update",
    "is_integer",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isdisjoint",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "issubset",
    "issuperset",
    "istitle",
    "isupper",
    "items",
    "join",
    "keys",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "maxlen",
    "most_common",
    "move_to_end",
    "numerator",
    "partition",
    "pop",
    "popitem",
    "popleft",
    "real",
    "remove",
    "removeprefix",
    "removesuffix",
    "replace",
    "reverse",
    "rfind",
    "rindex",
    "rjust",
    "rotate",
    "rpartition",
    "rsplit",
    "rstrip",
    "setdefault",
    "sort",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "subtract",
    "swapcase",
    "symmetric_difference",
    "symmetric_difference_update",
    "title",
    "to_bytes",
    "total",
    "translate",
    "union",
    "update",
    "upper",
    "values",
    "with_traceback",
    "zfill",
];

/// Those of lists, dictionaries and sets.
const OF_HOLDING: [&str; 31] = [
    "add",
    "append",
    "clear",
    "copy",
    "count",
    "difference",
    "difference_update",
    "discard",
    "extend",
    "fromkeys",
    "get",
    "index",
    "insert",
    "intersection",
    "intersection_update",
    "isdisjoint",
    "issubset",
    "issuperset",
    "items",
    "keys",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "symmetric_difference",
    "symmetric_difference_update",
    "union",
    "update",
    "values",
];

/// Whether objects of builtin types have a member of this name.
pub(super) fn is_inherited(name: &str) -> bool {
    MEMBERS.binary_search(&name).is_ok()
}

impl Values<'_> {
    /// A class that derives from a builtin type and binds a name that this one has too may be asked
    /// for it by what copies its objects, with what they hold.
    pub(in crate::facts::python::values::flow) fn open_overriding(&mut self, class: DefId) {
        if !self.is_holding(class) || self.is_open(class) {
            return;
        }
        let family = self.family(class);
        let names: Vec<Sym> =
            OF_HOLDING.iter().filter_map(|name| self.program.symbols.find(name)).collect();
        let overridden = names.into_iter().any(|name| {
            let members = self.classes.members(name).into_iter().map(|(owner, _)| owner);
            let mut owners = members.chain(self.classes.owners(name));
            let anywhere = !self.put_in(Pool::Attribute(None, name)).is_empty();
            anywhere || owners.any(|owner| family.contains(&owner))
        });
        if overridden {
            self.open_class(class);
        }
    }
}
