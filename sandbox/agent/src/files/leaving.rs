//! Files that are taken out of the workspace, as frames.
//!
//! Must never follow a link, wait for a pipe, or go on without end: a hostile program made this
//! tree. It is gone, and so are all others, so that nothing changes while this looks.

use super::{Known, PIECE_BYTES};
use blake3::{Hash, Hasher};
use nix::fcntl::OFlag;
use regate_agent::{Content, FileHead, FilesMax, Kind, is_file_name};
use std::fs::{DirEntry, File, OpenOptions, read_dir};
use std::io::{ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many things of the tree are looked at.
const ENTRIES_MAX: u32 = 20_000;

/// The frames that tell of a workspace, in the order of its names.
pub(crate) struct Leaving {
    found: std::vec::IntoIter<Found>,
    open: Option<(File, u64)>,
    known: Known,
    max: FilesMax,
    room_bytes: u64,
    until: Option<Instant>,
    /// Whether there may be more than is told of.
    pub(crate) cut: bool,
    /// How many things are not handed out.
    pub(crate) left: u64,
}

#[derive(Default)]
struct Tree {
    found: Vec<Found>,
    folders: Vec<(PathBuf, String)>,
    looked: u32,
    cut: bool,
    left: u64,
}

struct Found {
    name: String,
    path: PathBuf,
    bytes: u64,
}

impl Leaving {
    /// Looks through a folder.
    pub(crate) fn from_folder(root: &str, max: FilesMax, known: &Known) -> Self {
        let until = Instant::now().checked_add(Duration::from_millis(max.ms_max));
        let mut tree = Tree::default();
        if max.files_max > 0 {
            tree.look_through(root.into(), until);
        }
        let Tree { mut found, mut cut, mut left, .. } = tree;
        found.sort_by(|one, other| one.name.cmp(&other.name));
        let fits = usize::try_from(max.files_max).unwrap_or(usize::MAX);
        if found.len() > fits {
            left += (found.len() - fits) as u64;
            cut = true;
            found.truncate(fits);
        }
        let found = found.into_iter();
        let (known, room_bytes) = (known.clone(), max.all_bytes_max);
        Self { found, open: None, known, max, room_bytes, until, cut, left }
    }

    fn piece(&mut self) -> Option<Result<(Kind, Vec<u8>)>> {
        let (mut file, lacking) = self.open.take()?;
        let length = usize::try_from(lacking).unwrap_or(usize::MAX).min(PIECE_BYTES);
        let mut piece = vec![0; length];
        if let Err(error) = file.read_exact(&mut piece) {
            return Some(Err(error));
        }
        let lacking = lacking.saturating_sub(length as u64);
        self.open = (lacking > 0).then_some((file, lacking));
        Some(Ok((Kind::FilePiece, piece)))
    }

    fn head(&mut self) -> Option<Result<(Kind, Vec<u8>)>> {
        if is_over(self.until) {
            self.left += self.found.len() as u64;
            self.cut |= self.found.len() > 0;
            return None;
        }
        let Found { name, path, bytes } = self.found.next()?;
        let content = self.begin(&name, &path, bytes);
        if content == Content::LeftOut {
            self.left += 1;
        }
        let head = serde_json::to_vec(&FileHead { name, bytes, content });
        Some(head.map(|head| (Kind::FileHead, head)).map_err(Into::into))
    }

    fn begin(&mut self, name: &str, path: &Path, bytes: u64) -> Content {
        let Ok(file) = open(path, bytes) else { return Content::LeftOut };
        if self.known.get(name).is_some_and(|known| is_unchanged(path, bytes, known)) {
            return Content::Unchanged;
        }
        if bytes > self.max.file_bytes_max || bytes > self.room_bytes {
            return Content::LeftOut;
        }
        self.room_bytes -= bytes;
        self.open = (bytes > 0).then_some((file, bytes));
        Content::Follows
    }
}

impl Iterator for Leaving {
    type Item = Result<(Kind, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.piece().or_else(|| self.head())
    }
}

impl Tree {
    fn look_through(&mut self, root: PathBuf, until: Option<Instant>) {
        self.folders.push((root, String::new()));
        while let Some((path, prefix)) = self.folders.pop() {
            // What its own maker may not read is left where it is.
            let Ok(entries) = read_dir(path) else {
                self.cut = true;
                continue;
            };
            for entry in entries {
                self.looked += 1;
                let over = self.looked > ENTRIES_MAX || is_over(until);
                match entry {
                    Ok(entry) if !over => self.look_at(&entry, &prefix),
                    Ok(_) | Err(_) => {
                        self.cut = true;
                        return;
                    }
                }
            }
        }
    }

    fn look_at(&mut self, entry: &DirEntry, prefix: &str) {
        let name = entry.file_name().into_string().ok();
        let name = name.map(|name| format!("{prefix}{name}")).filter(|name| is_file_name(name));
        match (name, entry.metadata()) {
            (Some(name), Ok(about)) if about.is_dir() => {
                self.folders.push((entry.path(), format!("{name}/")));
            }
            (Some(name), Ok(about)) if about.is_file() => {
                self.found.push(Found { name, path: entry.path(), bytes: about.len() });
            }
            _ => self.left += 1,
        }
    }
}

fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

/// Opens a file that is no link and no pipe, and as long as it was.
fn open(path: &Path, bytes: u64) -> Result<File> {
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.len() == bytes { Ok(file) } else { Err(ErrorKind::Other.into()) }
}

fn is_unchanged(path: &Path, bytes: u64, known: &(u64, Hash)) -> bool {
    let digest = || digest(&mut open(path, bytes).ok()?).ok();
    bytes == known.0 && digest() == Some(known.1)
}

fn digest(file: &mut File) -> Result<Hash> {
    let (mut hasher, mut piece) = (Hasher::new(), vec![0; PIECE_BYTES]);
    loop {
        let count = file.read(&mut piece)?;
        match piece.get(..count).filter(|read| !read.is_empty()) {
            Some(read) => hasher.update(read),
            None => return Ok(hasher.finalize()),
        };
    }
}
