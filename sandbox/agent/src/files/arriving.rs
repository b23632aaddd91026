//! Files that are put into the workspace.
//!
//! Must never write to what is there already, nor through a link.

use super::Known;
use blake3::Hasher;
use regate_agent::{Content, FileHead, is_file_name};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// The files that are on their way in, one after the other.
pub(crate) struct Arrivals {
    root: PathBuf,
    lacking: u32,
    open: Option<Arriving>,
    known: Known,
}

struct Arriving {
    head: FileHead,
    file: File,
    lacking_bytes: u64,
    hasher: Hasher,
}

impl Arrivals {
    pub(crate) fn into_folder(root: &str) -> Self {
        Self { root: root.into(), lacking: 0, open: None, known: Known::new() }
    }

    /// How many will come.
    pub(crate) fn expect(&mut self, files: u32) {
        self.lacking = files;
    }

    /// Whether all that were to come are there.
    pub(crate) fn are_whole(&self) -> bool {
        self.lacking == 0 && self.open.is_none()
    }

    /// What was put in.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    pub(crate) fn begin(&mut self, head: FileHead) -> Result<()> {
        let due = self.open.is_none() && head.content == Content::Follows;
        if !due || !is_file_name(&head.name) {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.lacking = self.lacking.checked_sub(1).ok_or(ErrorKind::InvalidInput)?;
        let file = create(&self.root, &head.name)?;
        let lacking_bytes = head.bytes;
        let arriving = Arriving { head, file, lacking_bytes, hasher: Hasher::new() };
        self.put_back(arriving);
        Ok(())
    }

    pub(crate) fn take(&mut self, piece: &[u8]) -> Result<()> {
        let mut arriving = self.open.take().ok_or(ErrorKind::InvalidInput)?;
        let lacking = arriving.lacking_bytes.checked_sub(piece.len() as u64);
        arriving.lacking_bytes = lacking.ok_or(ErrorKind::FileTooLarge)?;
        arriving.file.write_all(piece)?;
        arriving.hasher.update(piece);
        self.put_back(arriving);
        Ok(())
    }

    /// It stays open until it is whole.
    fn put_back(&mut self, arriving: Arriving) {
        if arriving.lacking_bytes > 0 {
            self.open = Some(arriving);
            return;
        }
        let Arriving { head, hasher, .. } = arriving;
        self.known.insert(head.name, (head.bytes, hasher.finalize()));
    }
}

/// Makes a file where there is none, and the folders that it is in.
fn create(root: &Path, name: &str) -> Result<File> {
    let mut path = root.to_owned();
    let (folders, last) = name.rsplit_once('/').map_or(("", name), |parted| parted);
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        path.push(folder);
        match DirBuilder::new().create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made?,
        }
        if !path.symlink_metadata()?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
    }
    path.push(last);
    OpenOptions::new().write(true).create_new(true).open(path)
}
