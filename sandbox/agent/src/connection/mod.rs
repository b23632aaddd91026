//! What the two sides say of connections: frames that name one by its number.
//!
//! The agent numbers them from 1 on. Each side may send so many bytes on a connection as the other
//! has room for: [`WINDOW_BYTES`] at first, and then as much more as [`Window`] says. Must never
//! hold more than that of one connection.

mod refused;
#[cfg(test)]
mod tests;

pub use refused::Refused;

use crate::{FRAME_BYTES_MAX, Kind, encode};
use serde::{Deserialize, Serialize};

/// How many bytes of a connection may be under way to one side, or wait there.
pub const WINDOW_BYTES: u32 = 128 << 10;

/// Where the agent's proxy listens, on the loopback of the container.
pub const PROXY_PORT: u16 = 3128;

const NUMBER_BYTES: usize = 4;

/// The program wants a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// One more than the last.
    pub number: u32,
    /// The host as the program wrote it.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What it is for.
    pub way: Way,
}

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// `CONNECT`: whatever the two ends say to each other.
    Tunnel,
    /// One message of HTTP and its answer. The message follows as the program wrote it.
    Plain,
}

impl Way {
    /// The word in policy and the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tunnel => "tunnel",
            Self::Plain => "plain",
        }
    }
}

/// Whether the program has its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// Which connection.
    pub number: u32,
    /// Why it has none; nothing where it is open.
    pub refused: Option<Refused>,
}

/// What is sent on a connection: its number in four bytes, greatest first, then the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<'a> {
    /// Which connection.
    pub number: u32,
    /// What is sent.
    pub bytes: &'a [u8],
}

/// How much more may be sent on a connection: two numbers of four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Which connection.
    pub number: u32,
    /// How many bytes more.
    pub bytes: u32,
}

/// One side has ended: the connection's number, and a byte that says what of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    /// Which connection.
    pub number: u32,
    /// What has ended.
    pub side: Side,
}

/// What has ended of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Who says so sends no more, and still listens.
    Sending,
    /// All of it. What comes for it afterwards was under way, and is passed over.
    Both,
}

impl Side {
    const fn byte(self) -> u8 {
        match self {
            Self::Sending => b's',
            Self::Both => b'b',
        }
    }

    const fn of(byte: u8) -> Option<Self> {
        match byte {
            b's' => Some(Self::Sending),
            b'b' => Some(Self::Both),
            _ => None,
        }
    }
}

impl<'a> Data<'a> {
    /// How many bytes one frame has room for.
    pub const BYTES_MAX: usize = FRAME_BYTES_MAX - NUMBER_BYTES;

    /// Reads a payload.
    pub fn read(payload: &'a [u8]) -> Option<Self> {
        let (number, bytes) = payload.split_first_chunk()?;
        Some(Self { number: u32::from_be_bytes(*number), bytes })
    }

    /// Appends it as one frame. The bytes are at most [`Self::BYTES_MAX`].
    pub fn put(self, frames: &mut Vec<u8>) {
        encode(Kind::Data, &[&self.number.to_be_bytes(), self.bytes].concat(), frames);
    }
}

impl Window {
    /// Reads a payload.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let (number, bytes) = payload.split_first_chunk()?;
        let bytes = u32::from_be_bytes(bytes.try_into().ok()?);
        Some(Self { number: u32::from_be_bytes(*number), bytes })
    }

    /// Appends it as one frame.
    pub fn put(self, frames: &mut Vec<u8>) {
        let payload = [self.number.to_be_bytes(), self.bytes.to_be_bytes()].concat();
        encode(Kind::Window, &payload, frames);
    }
}

impl Close {
    /// Reads a payload.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let (number, side) = payload.split_first_chunk()?;
        let [side] = side else { return None };
        Some(Self { number: u32::from_be_bytes(*number), side: Side::of(*side)? })
    }

    /// Appends it as one frame.
    pub fn put(self, frames: &mut Vec<u8>) {
        let [a, b, c, d] = self.number.to_be_bytes();
        encode(Kind::Close, &[a, b, c, d, self.side.byte()], frames);
    }
}
