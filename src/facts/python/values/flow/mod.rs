//! How values pass through the program: through calls of its own functions, and through
//! attributes of its own objects.
//!
//! Must never follow a value further than every way in is seen.

mod astray;
mod attributes;
mod calls;
mod classes;
mod functions;
mod hooks;
mod libraries;
mod loose;
mod making;
mod partials;
mod pools;

pub(in crate::facts::python::values) use attributes::FIELDS;
pub(in crate::facts::python::values) use classes::Classes;
pub(in crate::facts::python) use functions::KEYWORD;
pub(in crate::facts::python::values) use functions::{By, Functions, Passed, returning};
pub(in crate::facts::python) use hooks::{CLASS_HOOKS, Part, part};
pub(in crate::facts::python::values) use hooks::{TEXT_HOOKS, Way, builtin_hooks};
pub(in crate::facts::python::values) use pools::{Pool, Pools};
