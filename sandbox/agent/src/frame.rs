//! The frame: a kind of one byte, the payload's length as four bytes, greatest first, the payload.
//!
//! Must never hold more than one frame beyond what it was given.

/// How long a payload may be, in bytes.
pub const FRAME_BYTES_MAX: usize = 1 << 20;

const HEAD_BYTES: usize = 5;

/// What a frame is for. The first three go to the agent, the next six come from it, those of files
/// go both ways, and the others are of the program's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What the run may use: [`crate::Start`] as JSON. The first frame.
    Start,
    /// A piece of the program's text, as it is.
    Source,
    /// Run it. No payload.
    Go,
    /// A file of the workspace: [`crate::FileHead`] as JSON.
    FileHead,
    /// A piece of the last file's bytes, as they are.
    FilePiece,
    /// The interpreter waits for a program: [`crate::Ready`] as JSON. The first frame.
    Ready,
    /// The program's text is whole. No payload.
    Taken,
    /// What the program wrote to its standard output, as it is.
    Stdout,
    /// What the program wrote to its standard error, as it is.
    Stderr,
    /// What the interpreter saw the program do, as lines of JSON, cut anywhere.
    Event,
    /// How it ended: [`crate::End`] as JSON. The last frame.
    End,
    /// The program wants a connection: [`crate::Connect`] as JSON. From the agent.
    Connect,
    /// Whether it has it: [`crate::Answered`] as JSON. To the agent.
    Answer,
    /// What is sent on a connection: [`crate::Data`]. Both ways.
    Data,
    /// How much more may be sent on one: [`crate::Window`]. Both ways.
    Window,
    /// One side has ended: [`crate::Close`]. Both ways.
    Close,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it is for.
    pub kind: Kind,
    /// What it says, at most [`FRAME_BYTES_MAX`] bytes.
    pub payload: Vec<u8>,
}

/// Why bytes are no frame. Nothing that follows them can be read either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// No kind of frame has this number.
    #[error("no frame is of the kind {0}")]
    Kind(u8),
    /// A payload would be longer than any may be.
    #[error("a payload of {0} bytes is too long")]
    Length(u32),
}

/// Makes frames of bytes that come in pieces of any size.
#[derive(Debug, Default)]
pub struct Decoder {
    held: Vec<u8>,
    read: usize,
}

impl Kind {
    const ALL: [Self; 16] = [
        Self::Start,
        Self::Source,
        Self::Go,
        Self::FileHead,
        Self::FilePiece,
        Self::Ready,
        Self::Taken,
        Self::Stdout,
        Self::Stderr,
        Self::Event,
        Self::End,
        Self::Connect,
        Self::Answer,
        Self::Data,
        Self::Window,
        Self::Close,
    ];

    const fn byte(self) -> u8 {
        match self {
            Self::Start => b'S',
            Self::Source => b'P',
            Self::Go => b'G',
            Self::FileHead => b'F',
            Self::FilePiece => b'f',
            Self::Ready => b'R',
            Self::Taken => b'T',
            Self::Stdout => b'o',
            Self::Stderr => b'e',
            Self::Event => b'v',
            Self::End => b'E',
            Self::Connect => b'C',
            Self::Answer => b'A',
            Self::Data => b'D',
            Self::Window => b'W',
            Self::Close => b'X',
        }
    }

    fn of(byte: u8) -> Result<Self, FrameError> {
        let found = Self::ALL.into_iter().find(|kind| kind.byte() == byte);
        found.ok_or(FrameError::Kind(byte))
    }
}

/// Appends a payload to `bytes`, in as many frames as it needs: one, where it is short or empty.
pub fn encode(kind: Kind, payload: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = payload;
    loop {
        let (piece, after) = rest.split_at_checked(FRAME_BYTES_MAX).unwrap_or((rest, &[]));
        let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
        bytes.push(kind.byte());
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(piece);
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

impl Decoder {
    /// Takes bytes in the order in which they came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.read > 0 {
            self.held.drain(..self.read);
            self.read = 0;
        }
        self.held.extend_from_slice(bytes);
    }

    /// The next frame that is whole; nothing where more bytes are needed.
    ///
    /// # Errors
    /// Where the bytes are no frame. The same is answered from there on.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let rest = self.held.get(self.read..).unwrap_or_default();
        let Some(([kind, length @ ..], body)) = rest.split_first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        let kind = Kind::of(*kind)?;
        let length = u32::from_be_bytes(*length);
        let count = usize::try_from(length).ok().filter(|count| *count <= FRAME_BYTES_MAX);
        let count = count.ok_or(FrameError::Length(length))?;
        let Some(payload) = body.get(..count).map(<[u8]>::to_vec) else {
            return Ok(None);
        };
        self.read = self.read.saturating_add(HEAD_BYTES).saturating_add(count);
        Ok(Some(Frame { kind, payload }))
    }
}
