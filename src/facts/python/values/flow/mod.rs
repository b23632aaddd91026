//! How values pass through the program: through calls of its own functions and out of its lists.
//!
//! Must never follow a value further than every way in is seen.

mod displays;
mod parameters;
mod returns;

pub(in crate::facts::python::values) use displays::Changes;
pub(in crate::facts::python::values) use parameters::Parameters;
pub(in crate::facts::python::values) use returns::Returns;
