//! A gate that answers the same to all, and remembers what it was told.

use futures_util::future::BoxFuture;
use regate::sandbox::egress::{Asked, Ended, Gate, Refused};
use std::sync::Mutex;

#[derive(Debug, Default)]
pub(super) struct Recorder {
    refused: Option<Refused>,
    ended: Mutex<Vec<Ended>>,
}

impl Recorder {
    pub(super) fn refusing(refused: Refused) -> Self {
        Self { refused: Some(refused), ..Self::default() }
    }

    /// How the connections ended since the last time, by their numbers.
    pub(super) fn take(&self) -> Vec<Ended> {
        let mut ended = std::mem::take(&mut *self.ended.lock().unwrap());
        ended.sort_by_key(|one| one.asked.number);
        ended
    }
}

impl Gate for Recorder {
    fn decide<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Result<(), Refused>> {
        let refused = asked.refused.or(self.refused);
        Box::pin(async move { refused.map_or(Ok(()), Err) })
    }

    fn ended(&self, ended: Ended) {
        self.ended.lock().unwrap().push(ended);
    }
}
