//! The collections of a program: what they hold, and what their methods change.
//!
//! Must never treat a use of a collection as harmless that it does not know.

mod builtins;
mod displays;
mod lent;
mod methods;
mod sites;

pub(in crate::facts::python::values) use displays::Changes;
pub(in crate::facts::python::values) use lent::DEEP;
pub(in crate::facts::python::values) use methods::position;
pub(in crate::facts::python::values) use sites::Heap;
