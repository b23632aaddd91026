//! Containers that wait for a program, each for one only: a shelf of them for each shape.
//!
//! Must never hand a container out twice, nor make more than there is room for.

mod shelf;
#[cfg(test)]
mod tests;

use super::chores::Chores;
use super::container::{self, Shape};
use super::engine::{Endpoint, Engine};
use super::hosts::Health;
use super::life::{Hold, Warm};
use super::register::Register;
use super::{Error, Settings};
use crate::call::Text;
use shelf::Shelf;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as SlowMutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How often the stock is looked after.
const TEND_EVERY: Duration = Duration::from_millis(100);

/// After one could not be made, how long none is made for the stock: whoever waits for one has it
/// tried at once.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// While it is no time for chores, stock is made only where less than this part of it is left.
const LOW_PART: usize = 8;

/// All containers of one host; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: Settings,
    endpoint: Endpoint,
    /// Nothing until it was greeted.
    engine: SlowMutex<Option<Engine>>,
    register: Register,
    health: Arc<Health>,
    /// A permit for each container that exists, until it is gone.
    rooms: Arc<Semaphore>,
    /// A permit for each that is being made.
    hands: Semaphore,
    chores: Arc<Chores>,
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
    /// Whether it is what most programs run in.
    prepared: Prepared,
}

/// Whether a shape was asked for before any program was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Prepared {
    Not,
    Yes,
}

/// How many containers wait, and how many are wanted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stock {
    /// The host that they are on.
    pub host: Text,
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
    /// That of a host, by the settings as they are for it.
    pub(super) fn new(settings: Settings, endpoint: Endpoint, health: Arc<Health>) -> Self {
        let permits = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let hands = permits(settings.creations_at_once_max);
        let rooms = Arc::new(Semaphore::new(permits(settings.containers_max)));
        let rooms_min = permits(settings.runs_at_once_max);
        let chores = Chores::new(Arc::clone(&health), hands, Arc::clone(&rooms), rooms_min);
        Self {
            shared: Arc::new(Shared {
                rooms,
                hands: Semaphore::new(hands),
                chores: Arc::new(chores),
                settings,
                endpoint,
                engine: SlowMutex::default(),
                register: Register::default(),
                health,
                shelves: Mutex::default(),
                emptying: AtomicBool::new(false),
            }),
        }
    }

    /// The engine, greeted at first use: it may have been down when Regate started.
    pub(super) async fn engine(&self) -> Result<Engine, Error> {
        self.shared.engine().await
    }

    /// How many of this shape wait for a program.
    pub(super) fn ready(&self, shape: &Shape) -> usize {
        self.shared.lock().get(shape).map_or(0, |kept| kept.shelf.in_stock())
    }

    /// How many there are of any shape, from when one is ordered until it is gone.
    pub(super) fn containers(&self) -> usize {
        self.shared.register.len()
    }

    /// Whether the engine answers at all, for which it need not take long.
    pub(super) async fn ping(&self) -> Result<(), Error> {
        self.shared.engine().await?.ping().await
    }

    /// Whether the engine answers and has the image, where there is one to ask for.
    pub(super) async fn check(&self, image: Option<&str>) -> Result<(), Error> {
        let engine = self.engine().await?;
        match image {
            Some(image) => engine.find_image(image).await,
            None => engine.abilities().await.map(drop),
        }
    }

    /// Has the engine greeted anew: it may be another by now.
    pub(super) async fn forget_engine(&self) {
        self.shared.engine.lock().await.take();
    }

    /// Sees whether a container can be made, of the kind that is most likely to be wanted.
    pub(super) async fn prove(&self) -> Result<(), Error> {
        self.check(None).await?;
        let Some(shape) = self.likeliest() else { return Ok(()) };
        match Arc::clone(&self.shared.rooms).try_acquire_owned() {
            Ok(room) => self.shared.make_in(room, &shape).await.map(drop),
            // It has as many as it may.
            Err(_) => Ok(()),
        }
    }

    /// Removes the containers of this instance that nobody here knows of; how many.
    pub(super) async fn sweep(&self) -> Result<usize, Error> {
        let engine = self.shared.engine().await?;
        let mut swept = 0;
        for name in engine.containers(&self.shared.settings.instance).await? {
            if !self.shared.register.holds(&name) {
                engine.remove(&name).await?;
                swept += 1;
            }
        }
        Ok(swept)
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
        self.shared.fill(shape);
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
        let mut shelves = self.shared.lock();
        let kept = shelves.entry(shape.clone()).or_insert_with(Kept::new);
        (kept.used, kept.prepared) = (Instant::now(), Prepared::Yes);
        drop(shelves);
        self.shared.fill(shape);
    }

    /// Looks after the stock, for as long as it is polled.
    pub(super) async fn tend(&self) {
        loop {
            for shape in self.look_through() {
                self.shared.fill(&shape);
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

    /// What waits on the host of this name, a line for each shape.
    pub(super) fn stock(&self, host: &Text) -> Vec<Stock> {
        let shelves = self.shared.lock();
        let stock = |(shape, kept): (&Shape, &Kept)| Stock {
            host: Text::clone(host),
            modules: shape.modules().join(","),
            ready: kept.shelf.in_stock(),
            coming: kept.shelf.coming(),
            target: self.shared.settings.in_stock_max(shape.modules()),
        };
        shelves.iter().map(stock).collect()
    }

    /// Of the shapes that were asked for one that could be made, rather one that most run in.
    fn likeliest(&self) -> Option<Shape> {
        let shelves = self.shared.lock();
        let likely = |kept: &Kept| (kept.failed.is_none(), kept.prepared, kept.used);
        shelves.iter().max_by_key(|(_, kept)| likely(kept)).map(|(shape, _)| shape.clone())
    }

    /// Drops what died or is too old, or is on a host that is away; forgets shapes that nobody asks
    /// for; those that are left.
    fn look_through(&self) -> Vec<Shape> {
        let settings = &self.shared.settings;
        let old = |since: Instant| since.elapsed() >= Duration::from_millis(settings.stock_ms_max);
        let shut = self.shared.health.is_shut();
        let mut shelves = self.shared.lock();
        shelves.retain(|_, kept| {
            let unused = old(kept.used);
            let mut replaced = false;
            kept.shelf.keep(|warm| {
                // One at a time: they were made together, and somebody may want one now.
                let goes = !replaced && old(warm.since);
                replaced |= goes;
                !shut && !unused && !goes && warm.is_alive()
            });
            !(unused && kept.shelf.is_idle())
        });
        let wanted = shelves.iter().filter(|(_, kept)| !old(kept.used));
        wanted.map(|(shape, _)| shape.clone()).collect()
    }
}

impl Shared {
    /// The engine, greeted at first use: it may have been down when Regate started.
    async fn engine(&self) -> Result<Engine, Error> {
        let mut engine = self.engine.lock().await;
        if let Some(engine) = &*engine {
            return Ok(engine.clone());
        }
        let patience = Duration::from_millis(self.settings.engine_ms_max);
        Ok(engine.insert(Engine::connect(&self.endpoint, patience).await?).clone())
    }

    /// Makes a container for whoever waits for one, or for the stock.
    async fn supply(self: Arc<Self>, shape: Shape) {
        let answer = self.make(&shape).await;
        if let Err(error) = &answer {
            self.health.blame(error);
        }
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
        match unheard {
            Ok(()) => self.fill(&shape),
            Err(error) => tracing::warn!(%error, "no container could be put in stock"),
        }
    }

    /// Has as many made as are wanted.
    fn fill(self: &Arc<Self>, shape: &Shape) {
        // Not while the shelves are locked: who gives turns looks at them.
        let part = if self.chores.are_due() { 1 } else { LOW_PART };
        let hands = usize::try_from(self.settings.creations_at_once_max).unwrap_or(usize::MAX);
        let mut shelves = self.lock();
        let target = self.target(shape, &shelves).div_ceil(part);
        let ordered = shelves.get_mut(shape).map_or(0, |kept| kept.shelf.order(target, hands));
        drop(shelves);
        for _ in 0..ordered {
            tokio::spawn(Arc::clone(self).supply(shape.clone()));
        }
    }

    /// How many should be in stock. The stock of all shapes leaves as much room as there may be
    /// runs: a run that finds none of its shape waits for no other's.
    fn target(&self, shape: &Shape, shelves: &BTreeMap<Shape, Kept>) -> usize {
        let settings = &self.settings;
        if self.emptying.load(Ordering::SeqCst) || self.health.is_shut() {
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
        settings.in_stock_max(shape.modules()).min(room)
    }

    async fn make(&self, shape: &Shape) -> Result<Warm, Error> {
        let room = self.room().await?;
        self.make_in(room, shape).await
    }

    async fn make_in(&self, room: OwnedSemaphorePermit, shape: &Shape) -> Result<Warm, Error> {
        let _hand = self.hands.acquire().await.map_err(|_| Error::GivenUp)?;
        let engine = self.engine().await?;
        let entry = self.register.enter(container::new_name());
        Hold::new(engine, entry, room, Arc::clone(&self.chores)).make(&self.settings, shape).await
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
        let (shelf, used) = (Shelf::default(), Instant::now());
        Self { shelf, used, failed: None, prepared: Prepared::Not }
    }

    /// One that is alive; those that are not are dropped.
    fn take(&mut self) -> Option<Warm> {
        std::iter::from_fn(|| self.shelf.take())
            .find_map(|mut warm| warm.is_alive().then_some(warm))
    }
}
