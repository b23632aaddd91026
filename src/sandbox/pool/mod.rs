//! Containers that wait for a program, each for one only: a shelf of them for each shape.
//!
//! Must never hand a container out twice, nor make more than there is room for.

mod shelf;
#[cfg(test)]
mod tests;

use super::container::{self, Shape};
use super::engine::Engine;
use super::life::{Hold, Warm};
use super::register::Register;
use super::turns::Turns;
use super::{Error, Settings};
use shelf::Shelf;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How often the stock is looked after.
const TEND_EVERY: Duration = Duration::from_millis(100);

/// After one could not be made, how long none is made for the stock: whoever waits for one has it
/// tried at once.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// While runs are under way, stock is made only where less than this part of it is left: making
/// containers takes CPU time from those who run.
const LOW_PART: usize = 4;

/// All containers of one sandbox; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: Settings,
    engine: OnceCell<Engine>,
    register: Register,
    turns: Turns,
    /// A permit for each container that exists, until it is gone.
    rooms: Arc<Semaphore>,
    /// A permit for each that is being made.
    hands: Semaphore,
    shelves: Mutex<BTreeMap<Shape, Kept>>,
    emptying: AtomicBool,
}

#[derive(Debug)]
struct Kept {
    shelf: Shelf<Warm, Error>,
    /// When a container of it was last asked for.
    used: Instant,
    /// When one could not be made, if the last one could not.
    failed: Option<Instant>,
}

/// How many containers wait, and how many are wanted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stock {
    /// What their interpreters have imported, joined by commas; empty where it is nothing.
    pub modules: String,
    /// How many wait for a program.
    pub ready: usize,
    /// How many are being made.
    pub coming: usize,
    /// How many should wait.
    pub target: usize,
}

impl Pool {
    pub(super) fn new(settings: &Settings, turns: Turns) -> Self {
        let permits = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        Self {
            shared: Arc::new(Shared {
                settings: settings.clone(),
                engine: OnceCell::new(),
                register: Register::default(),
                turns,
                rooms: Arc::new(Semaphore::new(permits(settings.containers_max))),
                hands: Semaphore::new(permits(settings.creations_at_once_max)),
                shelves: Mutex::default(),
                emptying: AtomicBool::new(false),
            }),
        }
    }

    /// The names of those that are there or being made or removed.
    pub(super) fn register(&self) -> &Register {
        &self.shared.register
    }

    /// The engine, greeted at first use: it may have been down when Regate started.
    pub(super) async fn engine(&self) -> Result<&Engine, Error> {
        self.shared.engine().await
    }

    /// A container of this shape that waits for its program: one in stock, or else the next that
    /// is made.
    pub(super) async fn take(&self, shape: &Shape) -> Result<Warm, Error> {
        let next = {
            let mut shelves = self.shared.lock();
            let kept = shelves.entry(shape.clone()).or_insert_with(Kept::new);
            kept.used = Instant::now();
            match kept.take() {
                Some(warm) => Ok(warm),
                None => Err(kept.shelf.wait()),
            }
        };
        self.fill(shape);
        match next {
            Ok(warm) => Ok(warm),
            Err(next) => next.await.unwrap_or_else(|_| Err(Error::GivenUp)),
        }
    }

    /// A container of this shape that is made for whoever asks, beside the stock and without any.
    pub(super) async fn make(&self, shape: &Shape) -> Result<Warm, Error> {
        self.shared.make(shape).await
    }

    /// Keeps containers of this shape in stock from now on, as though one had been asked for.
    pub(super) fn prepare(&self, shape: &Shape) {
        self.shared.lock().entry(shape.clone()).or_insert_with(Kept::new).used = Instant::now();
        self.fill(shape);
    }

    /// Looks after the stock, for as long as it is polled.
    pub(super) async fn tend(&self) {
        loop {
            for shape in self.look_through() {
                self.fill(&shape);
            }
            tokio::time::sleep(TEND_EVERY).await;
        }
    }

    /// Removes what waits, and waits until no container is left. Nothing may be asked for until
    /// then.
    pub(super) async fn empty(&self) {
        self.shared.emptying.store(true, Ordering::SeqCst);
        self.shared.lock().clear();
        let all = self.shared.settings.containers_max;
        // The semaphore is never closed.
        drop(self.shared.rooms.acquire_many(all).await);
        self.shared.emptying.store(false, Ordering::SeqCst);
    }

    /// What waits, a line for each shape.
    pub(super) fn stock(&self) -> Vec<Stock> {
        let shelves = self.shared.lock();
        let stock = |(shape, kept): (&Shape, &Kept)| Stock {
            modules: shape.modules().join(","),
            ready: kept.shelf.in_stock(),
            coming: kept.shelf.coming(),
            target: self.shared.settings.in_stock_max(shape.modules()),
        };
        shelves.iter().map(stock).collect()
    }

    /// Drops what died or is too old, forgets shapes that nobody asks for; those that are left.
    fn look_through(&self) -> Vec<Shape> {
        let settings = &self.shared.settings;
        let old = |since: Instant| since.elapsed() >= Duration::from_millis(settings.stock_ms_max);
        let mut shelves = self.shared.lock();
        shelves.retain(|_, kept| {
            let unused = old(kept.used);
            let mut replaced = false;
            kept.shelf.keep(|warm| {
                // One at a time: they were made together, and somebody may want one now.
                let goes = !replaced && old(warm.since);
                replaced |= goes;
                !unused && !goes && warm.is_alive()
            });
            !(unused && kept.shelf.is_idle())
        });
        let wanted = shelves.iter().filter(|(_, kept)| !old(kept.used));
        wanted.map(|(shape, _)| shape.clone()).collect()
    }

    /// Has as many made as are wanted.
    fn fill(&self, shape: &Shape) {
        let mut shelves = self.shared.lock();
        let target = self.target(shape, &shelves);
        let ordered = shelves.get_mut(shape).map_or(0, |kept| kept.shelf.order(target));
        drop(shelves);
        for _ in 0..ordered {
            tokio::spawn(Arc::clone(&self.shared).supply(shape.clone()));
        }
    }

    /// How many should be in stock. The stock of all shapes leaves as much room as there may be
    /// runs: a run that finds none of its shape waits for no other's.
    fn target(&self, shape: &Shape, shelves: &BTreeMap<Shape, Kept>) -> usize {
        let settings = &self.shared.settings;
        if self.shared.emptying.load(Ordering::SeqCst) {
            return 0;
        }
        let failed = shelves.get(shape).and_then(|kept| kept.failed);
        if failed.is_some_and(|failed| failed.elapsed() < RETRY_AFTER) {
            return 0;
        }
        let others = shelves.iter().filter(|(other, _)| *other != shape);
        let others = others.map(|(_, kept)| kept.shelf.in_stock_or_coming()).sum();
        let room = settings.containers_max.saturating_sub(settings.runs_at_once_max);
        let room = usize::try_from(room).unwrap_or(usize::MAX).saturating_sub(others);
        let most = settings.in_stock_max(shape.modules()).min(room);
        if self.shared.turns.are_all_back() { most } else { most.div_ceil(LOW_PART) }
    }
}

impl Shared {
    async fn engine(&self) -> Result<&Engine, Error> {
        let patience = Duration::from_millis(self.settings.engine_ms_max);
        self.engine.get_or_try_init(|| Engine::connect(&self.settings.docker, patience)).await
    }

    /// Makes a container for whoever waits for one, or for the stock.
    async fn supply(self: Arc<Self>, shape: Shape) {
        let answer = self.make(&shape).await;
        let mut shelves = self.lock();
        let unheard = match shelves.get_mut(&shape) {
            Some(kept) => {
                kept.failed = answer.is_err().then(Instant::now);
                kept.shelf.arrive(answer)
            }
            None => answer.map(drop),
        };
        if self.emptying.load(Ordering::SeqCst) {
            shelves.clear();
        }
        drop(shelves);
        if let Err(error) = unheard {
            tracing::warn!(%error, "no container could be put in stock");
        }
    }

    async fn make(&self, shape: &Shape) -> Result<Warm, Error> {
        let room = self.room().await?;
        let _hand = self.hands.acquire().await.map_err(|_| Error::GivenUp)?;
        let engine = self.engine().await?.clone();
        let entry = self.register.enter(container::new_name());
        Hold::new(engine, entry, room).make(&self.settings, shape).await
    }

    async fn room(&self) -> Result<OwnedSemaphorePermit, Error> {
        Arc::clone(&self.rooms).acquire_owned().await.map_err(|_| Error::GivenUp)
    }

    /// The shelves are whole between any two of their changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Shape, Kept>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn new() -> Self {
        Self { shelf: Shelf::default(), used: Instant::now(), failed: None }
    }

    /// One that is alive; those that are not are dropped.
    fn take(&mut self) -> Option<Warm> {
        std::iter::from_fn(|| self.shelf.take())
            .find_map(|mut warm| warm.is_alive().then_some(warm))
    }
}
