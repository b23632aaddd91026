//! The names of the containers that this process knows of.
//!
//! Must never lose a name before its container is gone: a sweep would take it for a leftover.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The names; clones share them.
#[derive(Debug, Default, Clone)]
pub(super) struct Register {
    names: Arc<Mutex<BTreeSet<String>>>,
}

/// A name in the register, which it leaves when this is dropped.
#[derive(Debug)]
pub(super) struct Entry {
    name: String,
    register: Register,
}

impl Register {
    /// Enters a name.
    pub(super) fn enter(&self, name: String) -> Entry {
        self.change(|names| names.insert(name.clone()));
        Entry { name, register: self.clone() }
    }

    /// Whether a name is in it.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.change(|names| names.contains(name))
    }

    /// How many are in it.
    pub(super) fn len(&self) -> usize {
        self.change(|names| names.len())
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
        // A set of names is whole after any panic.
        change(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Entry {
    /// The name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.register.change(|names| names.remove(&self.name));
    }
}
