//! The containers of one shape: those that wait, those that are being made, those who want one.
//!
//! Knows nothing of engines: it says how many are wanted. Must never give one container to two.

use std::collections::VecDeque;
use tokio::sync::oneshot;

/// INVARIANT: where somebody waits, nothing is in stock.
#[derive(Debug)]
pub(super) struct Shelf<T, E> {
    stock: VecDeque<T>,
    waiting: VecDeque<oneshot::Sender<Result<T, E>>>,
    /// How many are being made.
    coming: usize,
}

impl<T, E> Default for Shelf<T, E> {
    fn default() -> Self {
        Self { stock: VecDeque::new(), waiting: VecDeque::new(), coming: 0 }
    }
}

impl<T, E> Shelf<T, E> {
    /// The one that has waited longest.
    pub(super) fn take(&mut self) -> Option<T> {
        self.stock.pop_front()
    }

    /// Stands in line for the next that is made.
    pub(super) fn wait(&mut self) -> oneshot::Receiver<Result<T, E>> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.push_back(sender);
        receiver
    }

    /// How many more have to be made now, for those who wait and so that `target` are in stock:
    /// all for whom somebody waits, and others while fewer than `at_once_max` are being made. They
    /// count as being made from here on.
    pub(super) fn order(&mut self, target: usize, at_once_max: usize) -> usize {
        self.waiting.retain(|sender| !sender.is_closed());
        let waited_for = self.waiting.len().saturating_sub(self.coming);
        let wanted = self.waiting.len().saturating_add(target);
        let lacking = wanted.saturating_sub(self.stock.len().saturating_add(self.coming));
        let ordered = waited_for.max(lacking.min(at_once_max.saturating_sub(self.coming)));
        self.coming = self.coming.saturating_add(ordered);
        ordered
    }

    /// One that was being made is there, or will not be: whoever waits longest hears of it. One
    /// that nobody waits for is put in stock; an error that nobody waits for is handed back.
    pub(super) fn arrive(&mut self, mut answer: Result<T, E>) -> Result<(), E> {
        self.coming = self.coming.saturating_sub(1);
        while let Some(sender) = self.waiting.pop_front() {
            match sender.send(answer) {
                Ok(()) => return Ok(()),
                Err(unheard) => answer = unheard,
            }
        }
        self.stock.push_back(answer?);
        Ok(())
    }

    /// Drops what is in stock and not to be kept.
    pub(super) fn keep(&mut self, keep: impl FnMut(&mut T) -> bool) {
        self.stock.retain_mut(keep);
    }

    /// How many are in stock.
    pub(super) fn in_stock(&self) -> usize {
        self.stock.len()
    }

    /// How many are being made.
    pub(super) fn coming(&self) -> usize {
        self.coming
    }

    /// How many are in stock or being made.
    pub(super) fn in_stock_or_coming(&self) -> usize {
        self.stock.len().saturating_add(self.coming)
    }

    /// Whether nothing is in it, on its way, or wanted.
    pub(super) fn is_idle(&self) -> bool {
        self.stock.is_empty() && self.waiting.is_empty() && self.coming == 0
    }
}
