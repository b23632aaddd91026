//! Pages of the ledger for whoever reads it through the gateway.
//!
//! Each page is read with a connection of its own and held whole, so that a reader who is slow
//! holds up nobody. Must never take what decisions read sessions with, nor ask the writer.

use super::{Reader, Record, Selection};
use crate::ledger::{Error, Ledger};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Pages that are read at once; others wait for their turn.
pub(in crate::ledger) const AT_ONCE_MAX: usize = 2;
/// Bytes of bodies after which a page ends.
const BYTES_MAX: usize = 4 << 20;
/// A page looks for records for no longer than this, and ends with the file that it is in.
const LOOK_MAX: Duration = Duration::from_secs(1);
/// How long a page may take with the wait for its turn.
const READ_MAX: Duration = Duration::from_secs(15);

/// Some of the records that are selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The records, in the order asked for. There may be none though more follow.
    pub records: Vec<Record>,
    /// The record after which the next page begins; `None` where there is none.
    pub next: Option<u64>,
}

impl Ledger {
    /// The most records of a page.
    pub const PAGE_RECORDS_MAX: u64 = 1_000;

    /// The next records that are selected, over all files.
    ///
    /// # Errors
    /// Where a database does not answer in time.
    pub async fn page(&self, selection: &Selection) -> Result<Page, Error> {
        timeout(READ_MAX, self.read_page(selection)).await.unwrap_or(Err(Error::Timeout))
    }

    async fn read_page(&self, selection: &Selection) -> Result<Page, Error> {
        let _turn = self.pages.acquire().await.map_err(|_| Error::Closed)?;
        let limit = selection.limit.min(Self::PAGE_RECORDS_MAX);
        let selection = Selection { limit, ..selection.clone() };
        let began = Instant::now();
        let (mut records, mut bytes) = (Vec::new(), 0_usize);
        let each = |record: Record| {
            bytes = bytes.saturating_add(record.body.len());
            records.push(record);
            if bytes < BYTES_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let mut reader = Reader::open(&self.file).await?;
        let rest = || {
            if began.elapsed() < LOOK_MAX {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let next = reader.show_while(&selection, each, rest).await?;
        Ok(Page { records, next })
    }
}
