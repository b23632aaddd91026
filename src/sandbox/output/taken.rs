//! The files of a workspace, as the agent hands them out.
//!
//! Must never take a name, a length or an order on the agent's word: it stands beside a hostile
//! program.

use super::Overflow;
use crate::sandbox::workspace::{File, Files, Given, Name};
use regate_agent::{Content, FileHead, FilesMax};

/// What came of a workspace until now.
#[derive(Debug)]
pub(in crate::sandbox) struct Taken {
    max: FilesMax,
    room_bytes: u64,
    told: u32,
    /// The last name; the next one comes behind it.
    last: Option<Name>,
    open: Option<Open>,
    changed: Vec<File>,
    /// What was put in and was told of again, whatever became of it.
    there: Vec<Name>,
}

#[derive(Debug)]
struct Open {
    name: Name,
    lacking_bytes: u64,
    content: Vec<u8>,
}

impl Taken {
    pub(in crate::sandbox) fn within(max: FilesMax) -> Self {
        let room_bytes = max.all_bytes_max;
        let (changed, there) = (Vec::new(), Vec::new());
        Self { max, room_bytes, told: 0, last: None, open: None, changed, there }
    }

    /// Takes what stands before a file.
    ///
    /// # Errors
    /// Where it is more than may come, not in order, or no name.
    pub(in crate::sandbox) fn head(
        &mut self,
        head: &FileHead,
        given: &[Given],
    ) -> Result<(), Overflow> {
        let name = Name::new(&head.name).ok_or(Overflow)?;
        let in_order = self.last.as_ref().is_none_or(|last| *last < name);
        self.told = self.told.saturating_add(1);
        if self.open.is_some() || !in_order || self.told > self.max.files_max {
            return Err(Overflow);
        }
        self.last = Some(name.clone());
        let was_given = given.iter().any(|file| file.name == name);
        if was_given {
            self.there.push(name.clone());
        }
        match head.content {
            Content::Follows => self.begin(name, head.bytes),
            Content::Unchanged if was_given => Ok(()),
            Content::Unchanged => Err(Overflow),
            Content::LeftOut => Ok(()),
        }
    }

    /// Takes bytes of the last file.
    ///
    /// # Errors
    /// Where they are more than it has.
    pub(in crate::sandbox) fn piece(&mut self, bytes: &[u8]) -> Result<(), Overflow> {
        let mut open = self.open.take().ok_or(Overflow)?;
        let length = u64::try_from(bytes.len()).map_err(|_| Overflow)?;
        open.lacking_bytes = open.lacking_bytes.checked_sub(length).ok_or(Overflow)?;
        open.content.extend_from_slice(bytes);
        self.put_back(open);
        Ok(())
    }

    /// What there was in all. Where the agent did not look everywhere, nothing is taken for gone.
    ///
    /// # Errors
    /// Where a file is not whole.
    pub(in crate::sandbox) fn close(
        self,
        told: &regate_agent::End,
        given: &[Given],
    ) -> Result<Files, Overflow> {
        let Self { open, changed, there, .. } = self;
        if open.is_some() {
            return Err(Overflow);
        }
        let gone = |file: &&Given| !told.files_cut && !there.contains(&file.name);
        let gone = given.iter().filter(gone);
        let gone = gone.map(|file| (file.name.clone(), file.digest.clone())).collect();
        // What was put in and comes out as it was is no change, whatever the agent says.
        let changed = changed.into_iter().filter(|file: &File| {
            !given.iter().any(|was| was.name == file.name && was.digest == file.digest)
        });
        let changed = changed.collect();
        Ok(Files { changed, gone, left: told.files_left, ..Files::default() })
    }

    fn begin(&mut self, name: Name, bytes: u64) -> Result<(), Overflow> {
        if bytes > self.max.file_bytes_max {
            return Err(Overflow);
        }
        self.room_bytes = self.room_bytes.checked_sub(bytes).ok_or(Overflow)?;
        // Nothing is set aside for bytes that may never come.
        self.put_back(Open { name, lacking_bytes: bytes, content: Vec::new() });
        Ok(())
    }

    /// It stays open until it is whole.
    fn put_back(&mut self, open: Open) {
        if open.lacking_bytes > 0 {
            self.open = Some(open);
        } else {
            self.changed.push(File::new(open.name, open.content));
        }
    }
}
