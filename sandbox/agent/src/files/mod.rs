//! The files of the workspace: put in before the program runs, taken out once nobody runs.
//!
//! Must never be at work while the program is: what it looks at then could be changed under it.

mod arriving;
mod leaving;

pub(crate) use arriving::Arrivals;
pub(crate) use leaving::Leaving;

use blake3::Hash;
use std::collections::HashMap;

/// The folder that programs find and leave their files in.
pub(crate) const WORKSPACE: &str = "/workspace";

const PIECE_BYTES: usize = 64 << 10;

/// What was put in, by name: its length and its digest. Times do not tell whether a file was
/// changed: they are counted in ticks, and a change may come within one.
type Known = HashMap<String, (u64, Hash)>;
