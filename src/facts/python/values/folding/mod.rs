//! Constants that are made of other constants: texts and paths.
//!
//! Must never guess: what is not known whole is data of which only the type is known.

mod methods;
mod path_objects;
mod paths;
mod texts;

pub(in crate::facts::python) use paths::locate;
