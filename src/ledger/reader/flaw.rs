//! What can be wrong with a ledger, and how it is told.
//!
//! Must never blame a record for what was done to another, as far as that can be known.

use std::fmt;

/// A place where the ledger does not say what was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the record.
    pub seq: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// It is not there, nor is any other up to `last`: they were sealed, and their file is gone.
    File {
        /// The last one that is gone.
        last: u64,
    },
    /// The file that it should be in cannot be read.
    Foreign(String),
    /// Its hash does not follow from its body and the record before it.
    Unchained,
    /// It cannot be read as a record.
    Unreadable(String),
    /// A column does not say what the body says.
    Column(&'static str),
    /// Its number in its session is not the next one.
    Step,
    /// What a table notes of sessions or subjects is not what the records up to here tell.
    Noted(&'static str),
    /// The end of the chain that was noted is not the end that is there.
    Head,
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq;
        match &self.fault {
            Fault::Missing => write!(formatter, "record {seq} was removed"),
            Fault::File { last } => write!(
                formatter,
                "the sealed file or files with the records {seq} to {last} are not there"
            ),
            Fault::Foreign(reason) => {
                write!(formatter, "the file of record {seq} cannot be read: {reason}")
            }
            Fault::Unchained => write!(
                formatter,
                "record {seq} was changed or put in another's place, or one before it was removed"
            ),
            Fault::Unreadable(reason) => {
                write!(formatter, "record {seq} cannot be read: {reason}")
            }
            Fault::Column(column) => write!(
                formatter,
                "record {seq} has a column `{column}` that does not say what its body says"
            ),
            Fault::Step => write!(
                formatter,
                "record {seq} has a number in its session that is not the next one"
            ),
            Fault::Noted(table) => write!(
                formatter,
                "the `{table}` that are noted are not those that the records up to {seq} tell"
            ),
            Fault::Head => write!(
                formatter,
                "record {seq} is the last one, and not the one that was noted as the last"
            ),
        }
    }
}
