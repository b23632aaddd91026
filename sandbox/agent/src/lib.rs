//! What the gateway and the agent say to each other: frames on a container's standard streams.
//!
//! `README.md` tells the order in which they come. Must never believe a length, a kind or a text
//! that comes from the other side.

mod connection;
mod frame;
mod message;
mod name;
#[cfg(test)]
mod tests;

pub use connection::{
    Answered, Close, Connect, Data, PROXY_PORT, Refused, Side, WINDOW_BYTES, Way, Window,
};
pub use frame::{Decoder, FRAME_BYTES_MAX, Frame, FrameError, Kind, encode};
pub use message::{Connections, Content, End, FileHead, FilesMax, Ready, Start};
pub use name::{NAME_BYTES_MAX, NAME_PARTS_MAX, is_file_name};

/// The version of the protocol that this crate speaks. Both sides refuse any other.
pub const VERSION: u32 = 2;
