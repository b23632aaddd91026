//! How many files are on their way, of each tenant and of all.
//!
//! Must never let one tenant hold every place: a client that reads slowly holds its own for long.

use super::Settings;
use crate::call::Text;
use crate::limits::give_one_back;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places.
#[derive(Debug)]
pub(super) struct Transfers {
    at_once_max: usize,
    of_tenant_max: usize,
    held: Arc<Held>,
}

/// Leave to hold the bytes of one file; dropping it gives its place back.
#[derive(Debug)]
#[must_use = "leave that is dropped is given back"]
pub struct Transfer {
    held: Arc<Held>,
    tenant: Text,
}

/// How many each tenant holds; none of them is zero.
#[derive(Debug, Default)]
struct Held(Mutex<HashMap<Text, usize>>);

impl Transfers {
    pub(super) fn new(settings: &Settings) -> Self {
        let places = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        Self {
            at_once_max: places(settings.transfers_at_once_max),
            of_tenant_max: places(settings.transfers_at_once_per_tenant_max),
            held: Arc::default(),
        }
    }

    /// A place for a tenant, where one is free.
    pub(super) fn begin(&self, tenant: &Text) -> Option<Transfer> {
        let mut held = self.held.lock();
        let of_tenant = held.get(tenant).copied().unwrap_or(0);
        let of_all: usize = held.values().sum();
        if of_tenant >= self.of_tenant_max || of_all >= self.at_once_max {
            return None;
        }
        held.insert(Text::clone(tenant), of_tenant + 1);
        Some(Transfer { held: Arc::clone(&self.held), tenant: Text::clone(tenant) })
    }
}

impl Held {
    /// Whole numbers are whole after any panic.
    fn lock(&self) -> MutexGuard<'_, HashMap<Text, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        give_one_back(&mut self.held.lock(), &self.tenant);
    }
}
