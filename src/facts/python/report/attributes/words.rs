//! Names of attributes that lead into the object graph, and names that only look so.

use crate::facts::ReflectionKind;

/// Dunders from which nothing can be reached.
pub(super) const HARMLESS: [&str; 17] = [
    "__name__",
    "__qualname__",
    "__doc__",
    "__version__",
    "__all__",
    "__cause__",
    "__context__",
    "__suppress_context__",
    "__notes__",
    "__slots__",
    "__members__",
    "__match_args__",
    "__debug__",
    "__file__",
    "__author__",
    "__date__",
    "__license__",
];

/// Dunders that do what an operator or a statement does, where they are called outright.
const OPERATORS: [&str; 58] = [
    "__get__",
    "__set__",
    "__delete__",
    "__init__",
    "__new__",
    "__post_init__",
    "__init_subclass__",
    "__set_name__",
    "__enter__",
    "__exit__",
    "__aenter__",
    "__aexit__",
    "__iter__",
    "__next__",
    "__aiter__",
    "__anext__",
    "__len__",
    "__contains__",
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__repr__",
    "__str__",
    "__format__",
    "__bool__",
    "__int__",
    "__float__",
    "__add__",
    "__radd__",
    "__iadd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__floordiv__",
    "__mod__",
    "__pow__",
    "__matmul__",
    "__neg__",
    "__pos__",
    "__abs__",
    "__and__",
    "__or__",
    "__xor__",
    "__invert__",
    "__round__",
    "__call__",
    "__reversed__",
    "__index__",
    "__missing__",
];

/// Attributes of frames, generators, tracebacks and code objects.
const FRAMES: [&str; 18] = [
    "gi_frame",
    "gi_code",
    "gi_yieldfrom",
    "cr_frame",
    "cr_code",
    "cr_await",
    "cr_origin",
    "ag_frame",
    "ag_code",
    "ag_await",
    "tb_frame",
    "tb_next",
    "tb_lasti",
    "f_back",
    "f_builtins",
    "f_globals",
    "f_locals",
    "f_code",
];

/// Attributes of code objects that hold code or make other code.
const CODE: [&str; 6] =
    ["co_code", "co_consts", "co_names", "co_freevars", "co_cellvars", "co_varnames"];

/// Underscored names that are public: those of named tuples and enumerations.
pub(super) const PUBLIC: [&str; 12] = [
    "_replace",
    "_asdict",
    "_make",
    "_fields",
    "_field_defaults",
    "_missing_",
    "_value_",
    "_name_",
    "_generate_next_value_",
    "_ignore_",
    "_order_",
    "_repr_html_",
];

/// Names that the interpreter itself binds and that lead on, or make a class of a function.
pub(super) const NAMESPACES: [&str; 5] =
    ["__annotations__", "__build_class__", "__builtins__", "__loader__", "__spec__"];

/// Dunders as keys of a namespace; tags of plain data look otherwise.
pub(super) const GRAPH_KEYS: [&str; 14] = [
    "__builtins__",
    "__import__",
    "__loader__",
    "__spec__",
    "__globals__",
    "__subclasses__",
    "__bases__",
    "__base__",
    "__mro__",
    "__code__",
    "__closure__",
    "__getattribute__",
    "__self__",
    "__wrapped__",
];

/// Whether an attribute of this name is one of a frame, a generator or a code object.
pub(in super::super) fn inner(word: &str) -> Option<ReflectionKind> {
    if FRAMES.contains(&word) {
        return Some(ReflectionKind::Frame);
    }
    CODE.contains(&word).then_some(ReflectionKind::CodeAttr)
}

/// Whether an attribute of this name does what an operator or a statement does.
pub(in super::super) fn operates(word: &str) -> bool {
    OPERATORS.contains(&word)
}
