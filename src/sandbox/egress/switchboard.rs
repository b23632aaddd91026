//! The connections of one run, each with its line to the program.
//!
//! All of them are led where the conversation with the agent is, and end with it. Must never keep
//! the conversation from being heard.

use super::Egress;
use super::line::{Line, Overrun};
use super::passage::Passage;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use regate_agent::{Close, Connect, Data, Frame, Kind, Window};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Frames that wait to be said; connections wait where there are more.
const FRAMES_MAX: usize = 32;
/// Frames that are said together.
const TOGETHER_BYTES_MAX: usize = 256 << 10;

/// The agent did not keep to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sandbox) struct Misled;

impl From<Overrun> for Misled {
    fn from(_: Overrun) -> Self {
        Self
    }
}

/// The lines of a run.
pub(in crate::sandbox) struct Switchboard<'a> {
    egress: &'a Egress,
    lines: BTreeMap<u32, Arc<Line>>,
    /// The number of the last that was asked for.
    last: u32,
    led: FuturesUnordered<BoxFuture<'a, u32>>,
    frames: mpsc::Receiver<Vec<u8>>,
    to_frames: mpsc::Sender<Vec<u8>>,
}

impl<'a> Switchboard<'a> {
    pub(in crate::sandbox) fn new(egress: &'a Egress) -> Self {
        let (to_frames, frames) = mpsc::channel(FRAMES_MAX);
        Self {
            egress,
            lines: BTreeMap::new(),
            last: 0,
            led: FuturesUnordered::new(),
            frames,
            to_frames,
        }
    }

    /// Takes what the agent says of a connection.
    pub(in crate::sandbox) fn hear(&mut self, frame: &Frame) -> Result<(), Misled> {
        let payload = &*frame.payload;
        match frame.kind {
            Kind::Connect => {
                let connect: Connect = serde_json::from_slice(payload).map_err(|_| Misled)?;
                self.begin(connect)
            }
            Kind::Data => {
                let Data { number, bytes } = Data::read(payload).ok_or(Misled)?;
                self.line(number)?.map_or(Ok(()), |line| line.take(bytes))?;
                Ok(())
            }
            Kind::Window => {
                let Window { number, bytes } = Window::read(payload).ok_or(Misled)?;
                self.line(number)?.map_or(Ok(()), |line| line.credit(bytes))?;
                Ok(())
            }
            Kind::Close => {
                let Close { number, side } = Close::read(payload).ok_or(Misled)?;
                if let Some(line) = self.line(number)? {
                    line.end(side);
                }
                Ok(())
            }
            Kind::Start
            | Kind::Source
            | Kind::Go
            | Kind::Ready
            | Kind::Taken
            | Kind::Stdout
            | Kind::Stderr
            | Kind::Event
            | Kind::End
            | Kind::FileHead
            | Kind::FilePiece
            | Kind::Answer => Err(Misled),
        }
    }

    /// Leads the connections on, until there is something to say to the agent.
    pub(in crate::sandbox) async fn next_frames(&mut self) -> Vec<u8> {
        loop {
            tokio::select! {
                Some(mut together) = self.frames.recv() => {
                    while together.len() < TOGETHER_BYTES_MAX {
                        let Ok(more) = self.frames.try_recv() else { break };
                        together.extend_from_slice(&more);
                    }
                    return together;
                }
                Some(number) = self.led.next(), if !self.led.is_empty() => {
                    self.lines.remove(&number);
                }
            }
        }
    }

    fn begin(&mut self, connect: Connect) -> Result<(), Misled> {
        let is_next = connect.number == self.last.saturating_add(1);
        if !is_next || connect.number > self.egress.limits.total_max {
            return Err(Misled);
        }
        self.last = connect.number;
        let line = Arc::new(Line::new(connect.number, self.to_frames.clone()));
        self.lines.insert(connect.number, Arc::clone(&line));
        let egress = self.egress;
        self.led.push(Box::pin(async move {
            Passage::lead(egress, &line, connect).await;
            line.number()
        }));
        Ok(())
    }

    /// The line of a connection; nothing where that is over by now.
    fn line(&self, number: u32) -> Result<Option<&Line>, Misled> {
        if number == 0 || number > self.last {
            return Err(Misled);
        }
        Ok(self.lines.get(&number).map(|line| &**line))
    }
}
