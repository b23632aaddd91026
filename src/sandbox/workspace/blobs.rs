//! Bytes on disk, by tenant and digest: `blobs/TENANT/DIGEST`, the tenant as a digest too.
//!
//! A file is written beside its place, synced and renamed, so that what stands in a place is
//! whole. Must never share bytes between tenants: who stores what another has could tell.

use super::error::Error;
use super::files::{Entry, File};
use std::collections::HashSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Blobs {
    places: Arc<Places>,
}

#[derive(Debug)]
struct Places {
    blobs: PathBuf,
    /// What is being written.
    unfinished: PathBuf,
}

/// The folder of one tenant.
#[derive(Debug)]
pub(super) struct Shelf {
    path: PathBuf,
    tenant: String,
}

impl Shelf {
    /// The tenant's digest, as [`tenant_digest`] makes it.
    pub(super) fn tenant(&self) -> &str {
        &self.tenant
    }
}

/// What stands for a tenant in paths.
pub(super) fn tenant_digest(tenant: &str) -> String {
    blake3::hash(tenant.as_bytes()).to_hex().to_string()
}

impl Blobs {
    /// What an earlier life was still writing is removed.
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let (blobs, unfinished) = (folder.join("blobs"), folder.join("unfinished"));
        for folder in [&blobs, &unfinished] {
            make(folder)?;
        }
        for name in names(&unfinished)? {
            remove(&unfinished.join(name))?;
        }
        Ok(Self { places: Arc::new(Places { blobs, unfinished }) })
    }

    /// `held` is kept until all is written, even where nobody waits for that any more.
    pub(super) async fn write(
        &self,
        tenant: &str,
        file: &File,
        held: impl Send + 'static,
    ) -> Result<(), Error> {
        let (places, shelf) = (Arc::clone(&self.places), tenant_digest(tenant));
        let (digest, content) = (file.digest.to_string(), file.content.clone());
        apart(move || {
            let _held = held;
            places.write(&shelf, &digest, &content)
        })
        .await
    }

    pub(super) async fn read(&self, tenant: &str, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = self.places.blobs.join(tenant_digest(tenant)).join(&*entry.digest);
        let (digest, bytes) = (entry.digest.to_string(), entry.bytes);
        apart(move || read(&path, &digest, bytes)).await
    }

    pub(super) async fn shelves(&self) -> Result<Vec<Shelf>, Error> {
        let places = Arc::clone(&self.places);
        apart(move || {
            let shelf = |tenant: String| Shelf { path: places.blobs.join(&tenant), tenant };
            Ok(names(&places.blobs)?.into_iter().map(shelf).collect())
        })
        .await
    }

    /// Removes what is not named; how many.
    pub(super) async fn tidy(&self, shelf: Shelf, named: HashSet<String>) -> Result<u64, Error> {
        apart(move || {
            let mut removed = 0_u64;
            for name in names(&shelf.path)? {
                if !named.contains(&name) {
                    remove(&shelf.path.join(name))?;
                    removed = removed.saturating_add(1);
                }
            }
            Ok(removed)
        })
        .await
    }
}

impl Places {
    fn write(&self, shelf: &str, digest: &str, content: &[u8]) -> Result<(), Error> {
        let shelf = self.blobs.join(shelf);
        let place = shelf.join(digest);
        // Bytes that are there and whole need not be written again.
        if read(&place, digest, content.len() as u64).is_ok() {
            return Ok(());
        }
        make(&shelf)?;
        let unfinished = self.unfinished.join(uuid::Uuid::now_v7().to_string());
        let written = write_synced(&unfinished, content)
            .and_then(|()| fs::rename(&unfinished, &place))
            .and_then(|()| for_reading().open(&shelf)?.sync_all());
        if written.is_err() {
            remove(&unfinished)?;
        }
        written.map_err(|error| Error::disk(&place, &error))
    }
}

fn write_synced(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn read(path: &Path, digest: &str, bytes: u64) -> Result<Vec<u8>, Error> {
    let refused = |error: &std::io::Error| Error::disk(path, error);
    let file = for_reading().open(path).map_err(|error| refused(&error))?;
    let mut content = Vec::new();
    // One more than there should be, so that too many are seen and no more are held.
    let most = bytes.saturating_add(1);
    file.take(most).read_to_end(&mut content).map_err(|error| refused(&error))?;
    let whole = content.len() as u64 == bytes && *blake3::hash(&content).to_hex() == *digest;
    if whole { Ok(content) } else { Err(Error::Damaged(digest.to_owned())) }
}

fn for_reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let refused = |error: std::io::Error| Error::disk(folder, &error);
    let entries = fs::read_dir(folder).map_err(refused)?;
    entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, _>>()
        .map_err(refused)
}

fn make(folder: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| Error::disk(folder, &error))
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::disk(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Off the threads that serve sockets.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::BrokeOff))
}
