//! Constants that are made of other constants: texts and paths.
//!
//! Must never guess: what is not known whole is known in part, or data of which only the type is
//! known.

mod beginnings;
mod cleaned;
mod constants;
mod made;
mod methods;
mod numbers;
mod path_objects;
mod paths;
mod patterns;
mod printing;
mod texts;

pub(in crate::facts::python) use paths::locate;
pub(in crate::facts::python::values) use patterns::{around, covers};
pub(in crate::facts::python) use patterns::{
    as_statement, begins_found, ends, is_wild, leads, shown,
};
