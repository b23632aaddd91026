//! The gateway's end of one connection: what came of it from the program, and how much may be
//! sent.
//!
//! Must never hold more than a window of what the program sent, nor send more than it has room
//! for.

#[cfg(test)]
mod tests;

use regate_agent::{Answered, Close, Data, Kind, Refused, Side, WINDOW_BYTES, Window, encode};
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// The agent sends what it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Overrun;

/// One connection's line to the program; the switchboard puts in what the agent says.
#[derive(Debug)]
pub(super) struct Line {
    number: u32,
    state: Mutex<State>,
    came: Notify,
    credited: Notify,
    /// Nobody listens at the program's end any more.
    gone: CancellationToken,
    frames: mpsc::Sender<Vec<u8>>,
}

#[derive(Debug)]
struct State {
    held: Vec<u8>,
    /// How many bytes more the agent may send.
    room: u32,
    /// How many bytes more may be sent to it.
    credit: u32,
    /// The program sends no more.
    ended: bool,
}

impl Line {
    pub(super) fn new(number: u32, frames: mpsc::Sender<Vec<u8>>) -> Self {
        let state =
            State { held: Vec::new(), room: WINDOW_BYTES, credit: WINDOW_BYTES, ended: false };
        Self {
            number,
            state: Mutex::new(state),
            came: Notify::new(),
            credited: Notify::new(),
            gone: CancellationToken::new(),
            frames,
        }
    }

    pub(super) const fn number(&self) -> u32 {
        self.number
    }

    /// Takes what the program sent.
    pub(super) fn take(&self, bytes: &[u8]) -> Result<(), Overrun> {
        self.change(|state| {
            let count = u32::try_from(bytes.len()).map_err(|_| Overrun)?;
            state.room = state.room.checked_sub(count).filter(|_| !state.ended).ok_or(Overrun)?;
            state.held.extend_from_slice(bytes);
            Ok(())
        })?;
        self.came.notify_one();
        Ok(())
    }

    /// So many bytes more may be sent.
    pub(super) fn credit(&self, bytes: u32) -> Result<(), Overrun> {
        self.change(|state| {
            let credit = state.credit.checked_add(bytes).filter(|sum| *sum <= WINDOW_BYTES);
            state.credit = credit.ok_or(Overrun)?;
            Ok(())
        })?;
        self.credited.notify_one();
        Ok(())
    }

    /// The program's end has ended.
    pub(super) fn end(&self, side: Side) {
        self.change(|state| state.ended = true);
        self.came.notify_one();
        if side == Side::Both {
            self.gone.cancel();
        }
    }

    /// What has ended of the program's end, if anything has.
    pub(super) fn ended(&self) -> Option<Side> {
        let ended = self.change(|state| state.ended);
        ended.then(|| if self.gone.is_cancelled() { Side::Both } else { Side::Sending })
    }

    /// Waits until nobody listens any more.
    pub(super) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// What came since the last time; nothing once the program has ended. One reader.
    pub(super) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            let (held, ended) = self.change(|state| (std::mem::take(&mut state.held), state.ended));
            if !held.is_empty() {
                return Some(held);
            }
            if ended {
                return None;
            }
            self.came.notified().await;
        }
    }

    /// Lets the program send as much again as was passed on.
    pub(super) async fn grant(&self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(WINDOW_BYTES);
        self.change(|state| state.room = state.room.saturating_add(bytes));
        self.say(|frames| Window { number: self.number, bytes }.put(frames)).await;
    }

    /// Waits until something may be sent, and answers how much; at most so much. One writer.
    pub(super) async fn room(&self, bytes_max: usize) -> usize {
        loop {
            let credit = self.change(|state| state.credit) as usize;
            if credit > 0 {
                return credit.min(bytes_max);
            }
            self.credited.notified().await;
        }
    }

    /// Sends so many bytes as there is room for.
    pub(super) async fn send(&self, bytes: &[u8]) {
        let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.change(|state| state.credit = state.credit.saturating_sub(count));
        self.say(|frames| Data { number: self.number, bytes }.put(frames)).await;
    }

    pub(super) async fn answer(&self, refused: Option<Refused>) {
        let answered = Answered { number: self.number, refused };
        // Two plain fields are always written.
        let payload = serde_json::to_vec(&answered).unwrap_or_default();
        self.say(|frames| encode(Kind::Answer, &payload, frames)).await;
    }

    pub(super) async fn close(&self, side: Side) {
        self.say(|frames| Close { number: self.number, side }.put(frames)).await;
    }

    /// Where the conversation is over, nobody has to hear it.
    async fn say(&self, put: impl FnOnce(&mut Vec<u8>)) {
        let mut frames = Vec::new();
        put(&mut frames);
        let _ = self.frames.send(frames).await;
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // Numbers and bytes are whole after any panic.
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
