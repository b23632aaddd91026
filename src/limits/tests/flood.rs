//! How long tenants wait while one of them floods, in a time of its own: the same each time, and
//! not a matter of the machine.
//!
//! 32 clients of three tenants share 8 places. What a client asks for while it waits, it asks for
//! as soon as it was served. `benches/fair.rs` does the same with a gateway.

use super::subject;
use crate::limits::fair::{FairQueue, Weights};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

const PLACES: u32 = 8;
/// The mean of the runs' times.
const RUN_US: f64 = 40_000.0;
const LASTS_US: u64 = 400_000_000;
/// Tenants and their clients; the first is the one that floods.
const CLIENTS: [(&str, u32); 3] = [("flood", 12), ("calm", 10), ("still", 10)];
/// What the flood asks for, in shares.
const FLOOD: f64 = 10.0;

/// How long a run takes, as a part of the mean, by chance.
type Runs = fn(f64) -> f64;

fn equal(_: f64) -> f64 {
    1.0
}

fn from_half_to_half_more(chance: f64) -> f64 {
    0.5 + chance
}

/// Numbers above 0 and up to 1.
struct Chance(u64);

impl Chance {
    fn number(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (f64::from((self.0 >> 32) as u32) + 1.0) / (f64::from(u32::MAX) + 1.0)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Asks { tenant: usize },
    Ends { tenant: usize, next_us: u64 },
}

/// One that waits.
struct Waits {
    tenant: usize,
    since_us: u64,
    next_us: u64,
}

struct Simulation {
    queue: FairQueue<Waits>,
    free: u32,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    chance: Chance,
    runs: Runs,
    /// The mean time between two calls of a client of each tenant.
    gaps_us: [f64; 3],
    waits_us: [Vec<u64>; 3],
}

impl Simulation {
    /// Tenants that ask for so many shares each.
    fn new(loads: [f64; 3], runs: Runs) -> Self {
        let gap = |index: usize| {
            let clients = f64::from(CLIENTS[index].1);
            RUN_US * CLIENTS.len() as f64 * clients / f64::from(PLACES) / loads[index]
        };
        let mut simulation = Self {
            queue: FairQueue::new(Weights::new(), PLACES),
            free: PLACES,
            events: BinaryHeap::new(),
            chance: Chance(20_261_130),
            runs,
            gaps_us: [gap(0), gap(1), gap(2)],
            waits_us: Default::default(),
        };
        for (tenant, (_, clients)) in CLIENTS.iter().enumerate() {
            for _ in 0..*clients {
                let at = simulation.gap_us(tenant);
                simulation.events.push(Reverse((at, Event::Asks { tenant })));
            }
        }
        simulation
    }

    fn gap_us(&mut self, tenant: usize) -> u64 {
        whole_us(self.gaps_us[tenant] * -self.chance.number().ln())
    }

    /// The waits of the tenants that do not flood, sorted.
    fn waits_of_others(mut self) -> Vec<u64> {
        while let Some(Reverse((now_us, event))) = self.events.pop() {
            if now_us > LASTS_US {
                break;
            }
            match event {
                Event::Asks { tenant } => {
                    let next_us = now_us + self.gap_us(tenant);
                    let waiting = Waits { tenant, since_us: now_us, next_us };
                    self.queue.push(&subject(CLIENTS[tenant].0, "agent"), waiting);
                }
                Event::Ends { tenant, next_us } => {
                    self.free += 1;
                    self.events.push(Reverse((next_us.max(now_us), Event::Asks { tenant })));
                }
            }
            self.pass_on(now_us);
        }
        let [_, calm, still] = self.waits_us;
        let mut waits = [calm, still].concat();
        waits.sort_unstable();
        waits
    }

    fn pass_on(&mut self, now_us: u64) {
        while self.free > 0
            && let Some(Waits { tenant, since_us, next_us }) = self.queue.pop()
        {
            self.free -= 1;
            self.waits_us[tenant].push(now_us - since_us);
            let run_us = whole_us(RUN_US * (self.runs)(self.chance.number()));
            self.events.push(Reverse((now_us + run_us, Event::Ends { tenant, next_us })));
        }
    }
}

fn whole_us(us: f64) -> u64 {
    u64::try_from(Duration::from_secs_f64(us / 1e6).as_micros()).unwrap()
}

fn p99_ms(waits_us: &[u64]) -> f64 {
    waits_us[waits_us.len() * 99 / 100] as f64 / 1_000.0
}

#[test]
fn the_others_wait_at_most_twice_as_long_while_one_floods() {
    for (name, runs) in [("equal", equal as Runs), ("varied", from_half_to_half_more)] {
        for load in [0.7, 0.8, 0.9] {
            let quiet = p99_ms(&Simulation::new([load; 3], runs).waits_of_others());
            let flooded = p99_ms(&Simulation::new([FLOOD, load, load], runs).waits_of_others());
            println!("{name} runs, load {load}: p99 {quiet:.1} ms, with the flood {flooded:.1} ms");
            assert!(flooded <= 2.0 * quiet, "{name} {load}: {quiet} {flooded}");
        }
    }
}

/// At a small load hardly anyone waits, so that twice as long is nothing. No place is kept free and
/// no run is broken off: who comes while one floods waits until a run ends, and for no other run.
#[test]
fn at_a_small_load_they_wait_for_the_end_of_one_run() {
    for (name, runs) in [("equal", equal as Runs), ("varied", from_half_to_half_more)] {
        for load in [0.3, 0.5] {
            let flooded = p99_ms(&Simulation::new([FLOOD, load, load], runs).waits_of_others());
            println!("{name} runs, load {load}: p99 with the flood {flooded:.1} ms");
            assert!(flooded * 1_000.0 <= RUN_US, "{name} {load}: {flooded}");
        }
    }
}
