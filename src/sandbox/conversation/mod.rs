//! What is said to the agent of one container, and what it answers.
//!
//! Must never believe more of the agent than its frames: it stands beside a hostile program.

#[cfg(test)]
mod tests;

use super::egress::{Egress, Switchboard};
use super::engine::Attached;
use super::output::{Output, Overflow, Stream, Taken};
use super::workspace::Given;
use futures_util::{FutureExt, StreamExt};
use regate_agent::{
    Content, Decoder, End, FileHead, Frame, FrameError, Kind, Ready, Start, VERSION, encode,
};
use tokio::io::AsyncWriteExt;

/// A conversation that goes on. Dropping it closes the streams, which ends the program.
#[derive(Debug)]
pub(super) struct Conversation {
    attached: Attached,
    frames: Decoder,
}

/// Why nothing more is to be heard.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// The stream ended before the agent had said how the program did.
    #[error("the agent's stream ended before its last word")]
    Ended,
    /// The stream broke.
    #[error("the agent's stream broke: {0}")]
    Stream(#[from] super::Error),
    /// What came is no frame.
    #[error("what the agent sent is no frame: {0}")]
    Frame(#[from] FrameError),
    /// A frame came that has no place here.
    #[error("the agent sent a frame out of turn")]
    Turn,
    /// A frame says what cannot be understood.
    #[error("what the agent said was not understood: {0}")]
    Message(#[from] serde_json::Error),
    /// The agent speaks another version.
    #[error("the agent speaks version {0} of the protocol, not {VERSION}: the image is another's")]
    Version(u32),
    /// Somebody else than the agent said how the program ended.
    #[error("the last frame does not bear the token of this run")]
    Token,
    /// More output came than may, or a file that may not.
    #[error("the agent handed out more than it may")]
    Overflow,
}

impl From<Overflow> for Broken {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl Conversation {
    /// Begins one on the streams of a container.
    pub(super) fn new(attached: Attached) -> Self {
        Self { attached, frames: Decoder::default() }
    }

    /// Waits until the interpreter waits for its program.
    pub(super) async fn hear_ready(&mut self) -> Result<(), Broken> {
        let frame = self.hear().await?;
        if frame.kind != Kind::Ready {
            return Err(Broken::Turn);
        }
        let ready: Ready = serde_json::from_slice(&frame.payload)?;
        if ready.version == VERSION { Ok(()) } else { Err(Broken::Version(ready.version)) }
    }

    /// Whether nothing came since the agent was ready, the end of its stream included.
    pub(super) fn is_quiet(&mut self) -> bool {
        self.attached.output.next().now_or_never().is_none()
    }

    /// Hands the program and its files in. Where that fails, nothing of it was run.
    pub(super) async fn hand_in(
        &mut self,
        start: &Start,
        source: &[u8],
        files: &[Given],
    ) -> Result<(), Broken> {
        let mut said = Vec::with_capacity(source.len().saturating_add(512));
        encode(Kind::Start, &serde_json::to_vec(start)?, &mut said);
        for Given { name, content, .. } in files {
            let (name, bytes) = (name.to_string(), content.len() as u64);
            let head = FileHead { name, bytes, content: Content::Follows };
            encode(Kind::FileHead, &serde_json::to_vec(&head)?, &mut said);
            if !content.is_empty() {
                encode(Kind::FilePiece, content, &mut said);
            }
            self.say(&said).await?;
            said.clear();
        }
        if !source.is_empty() {
            encode(Kind::Source, source, &mut said);
        }
        self.say(&said).await?;
        let frame = self.hear().await?;
        if frame.kind == Kind::Taken { Ok(()) } else { Err(Broken::Turn) }
    }

    /// Lets the program go and takes its output and its files out, until the agent says how it
    /// ended. What connections it may have are led meanwhile. Its last frame has to bear the token
    /// of its start.
    pub(super) async fn run(
        &mut self,
        token: &str,
        (output, taken): (&mut Output, &mut Taken),
        files: &[Given],
        egress: Option<&Egress>,
    ) -> Result<End, Broken> {
        let mut said = Vec::new();
        encode(Kind::Go, &[], &mut said);
        self.say(&said).await?;
        let mut board = egress.map(Switchboard::new);
        loop {
            let frame = self.hear_or_lead(board.as_mut()).await?;
            match frame.kind {
                Kind::Stdout => output.take(Stream::Stdout, &frame.payload)?,
                Kind::Stderr => output.take(Stream::Stderr, &frame.payload)?,
                Kind::Event => output.take(Stream::Events, &frame.payload)?,
                Kind::FileHead => taken.head(&serde_json::from_slice(&frame.payload)?, files)?,
                Kind::FilePiece => taken.piece(&frame.payload)?,
                Kind::End => {
                    let end: End = serde_json::from_slice(&frame.payload)?;
                    return if end.token == token { Ok(end) } else { Err(Broken::Token) };
                }
                Kind::Connect | Kind::Data | Kind::Window | Kind::Close => {
                    let board = board.as_mut().ok_or(Broken::Turn)?;
                    board.hear(&frame).map_err(|_| Broken::Turn)?;
                }
                Kind::Start
                | Kind::Source
                | Kind::Go
                | Kind::Ready
                | Kind::Taken
                | Kind::Answer => {
                    return Err(Broken::Turn);
                }
            }
        }
    }

    /// Says that nothing more is wanted, and waits until the agent's container has ended.
    pub(super) async fn end(mut self) {
        if self.attached.stdin.shutdown().await.is_ok() {
            while let Some(Ok(_)) = self.attached.output.next().await {}
        }
    }

    /// The next frame. Until it comes, connections are led on and what they have to say is said.
    async fn hear_or_lead(&mut self, board: Option<&mut Switchboard<'_>>) -> Result<Frame, Broken> {
        let Some(board) = board else { return self.hear().await };
        loop {
            tokio::select! {
                frame = self.hear() => return frame,
                frames = board.next_frames() => self.say(&frames).await?,
            }
        }
    }

    async fn say(&mut self, frames: &[u8]) -> Result<(), Broken> {
        self.attached.stdin.write_all(frames).await.map_err(|_| Broken::Ended)
    }

    /// Loses nothing where it is given up while it waits.
    async fn hear(&mut self) -> Result<Frame, Broken> {
        loop {
            if let Some(frame) = self.frames.next_frame()? {
                return Ok(frame);
            }
            let bytes = self.attached.output.next().await.ok_or(Broken::Ended)??;
            self.frames.push(&bytes);
        }
    }
}
