//! The names of files.
//!
//! Whoever says a name, a caller, an agent or an index, it becomes one here or nowhere.

use crate::call::Text;
use std::fmt;

/// The name of a file below `/workspace`: relative, bounded, without anything that leads out of
/// it or deceives a reader. [`regate_agent::is_file_name`] says what that is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Text);

impl Name {
    /// The name, where it is one.
    pub fn new(name: &str) -> Option<Self> {
        regate_agent::is_file_name(name).then(|| Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folders that it is in, from the outermost on.
    pub(in crate::sandbox) fn folders(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').filter_map(|(at, _)| self.0.get(..at))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
