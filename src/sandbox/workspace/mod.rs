//! The workspaces of sessions: which files a session has, and their bytes.
//!
//! The bytes lie in a folder by their digest, apart for each tenant; an index says whose they are
//! and what they are called. Must never make a path of a name, never hand out bytes that are not
//! those of their digest, and never let anybody see what is another subject's.

mod blobs;
mod error;
mod files;
mod index;
mod kind;
mod names;
mod settings;
#[cfg(test)]
mod tests;
mod transfers;

pub use error::Error;
pub use files::{Changes, Entry, File, Files, Given, Kept, Owner};
pub use names::Name;
pub use settings::{Limit, Settings};
pub use transfers::Transfer;

use crate::call::{Text, Timestamp};
use blobs::Blobs;
use index::Index;
use std::sync::Arc;
use tokio::sync::RwLock;
use transfers::Transfers;

/// All workspaces.
#[derive(Debug)]
pub struct Workspaces {
    settings: Settings,
    index: Index,
    blobs: Blobs,
    /// Held to read by whoever stores bytes that the index does not name yet, to write by whoever
    /// removes what it does not name.
    sweeping: Arc<RwLock<()>>,
    transfers: Transfers,
}

impl Workspaces {
    /// Opens or makes them.
    ///
    /// # Errors
    /// Where the folder cannot be had or its index is something else.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let blobs = Blobs::open(&settings.folder)?;
        let index = Index::open(&settings.folder).await?;
        let transfers = Transfers::new(settings);
        let (settings, sweeping) = (settings.clone(), Arc::default());
        Ok(Self { settings, index, blobs, sweeping, transfers })
    }

    /// Their bounds.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Leave to hold the bytes of one more file of a tenant, where neither it nor all together
    /// hold too many.
    pub fn transfer(&self, tenant: &Text) -> Option<Transfer> {
        self.transfers.begin(tenant)
    }

    /// What a session has, sorted by name.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub async fn list(&self, owner: &Owner, now: Timestamp) -> Result<Vec<Entry>, Error> {
        self.index.list(owner, self.kept_since(now)).await
    }

    /// What all sessions of a subject have, sorted by session and name, from behind one of them.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub async fn list_all(
        &self,
        owner: &Owner,
        (behind, count): (Option<&Name>, u32),
        now: Timestamp,
    ) -> Result<Vec<(Arc<str>, Entry)>, Error> {
        self.index.list_all(owner, (behind, count), self.kept_since(now)).await
    }

    /// One file; `None` where the session has none of this name.
    ///
    /// # Errors
    /// Where it cannot be read, or is not what was stored.
    pub async fn read(
        &self,
        owner: &Owner,
        name: &Name,
        now: Timestamp,
    ) -> Result<Option<(Entry, Vec<u8>)>, Error> {
        let Some(entry) = self.index.find(owner, name, self.kept_since(now)).await? else {
            return Ok(None);
        };
        let bytes = self.blobs.read(&owner.tenant, &entry).await?;
        Ok(Some((entry, bytes)))
    }

    /// All files of a session, for a run: this is a use.
    ///
    /// # Errors
    /// Where one cannot be read, or is not what was stored.
    pub async fn load(&self, owner: &Owner, now: Timestamp) -> Result<Vec<Given>, Error> {
        let mut given = Vec::new();
        for entry in self.list(owner, now).await? {
            let content = self.blobs.read(&owner.tenant, &entry).await?;
            given.push(Given { name: entry.name, content, digest: entry.digest });
        }
        if !given.is_empty() {
            self.index.touch(owner, now).await?;
        }
        Ok(given)
    }

    /// Puts what changed into a session's workspace: all of it or nothing.
    ///
    /// # Errors
    /// Where it cannot be stored, or a bound would be passed.
    pub async fn keep(
        &self,
        owner: &Owner,
        changes: &Changes<'_>,
        now: Timestamp,
    ) -> Result<(), Error> {
        if changes.put.is_empty() && changes.gone.is_empty() {
            return Ok(());
        }
        // Writing goes on where who waits for it gives up, and so does what keeps sweeps away.
        let unswept = Arc::new(Arc::clone(&self.sweeping).read_owned().await);
        let too_long = |file: &&File| file.bytes() > self.settings.file_bytes_max;
        if changes.put.iter().any(|file| too_long(&file)) {
            return Err(Error::Full(Limit::FileBytes));
        }
        for file in changes.put {
            self.blobs.write(&owner.tenant, file, Arc::clone(&unswept)).await?;
        }
        self.index.change(owner, changes, &self.settings, (now, self.kept_since(now))).await
    }

    /// Removes a file; whether there was one. Its bytes go with the next sweep.
    ///
    /// # Errors
    /// Where the index cannot be written.
    pub async fn remove(&self, owner: &Owner, name: &Name) -> Result<bool, Error> {
        self.index.remove(owner, name).await
    }

    /// Forgets what nobody used for its time, and removes bytes that nobody refers to; how many.
    ///
    /// # Errors
    /// Where the index or the folder cannot be read or written.
    pub async fn sweep(&self, now: Timestamp) -> Result<u64, Error> {
        self.index.forget(self.kept_since(now)).await?;
        let mut removed = 0_u64;
        for shelf in self.blobs.shelves().await? {
            let _alone = self.sweeping.write().await;
            let named = self.index.digests(shelf.tenant()).await?;
            removed = removed.saturating_add(self.blobs.tidy(shelf, named).await?);
        }
        Ok(removed)
    }

    /// Whether the index answers.
    ///
    /// # Errors
    /// Where it does not.
    pub async fn check(&self) -> Result<(), Error> {
        self.index.check().await
    }

    fn kept_since(&self, now: Timestamp) -> i64 {
        let kept_ms = i64::try_from(self.settings.kept_ms_max).unwrap_or(i64::MAX);
        now.unix_ms().saturating_sub(kept_ms)
    }
}
