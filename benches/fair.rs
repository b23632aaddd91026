//! How long tenants wait for the sandbox while one of them floods it, and while none does.
//!
//! 32 clients of three tenants share 8 places, in which a run takes its time and no CPU. First
//! each tenant asks for a part of its share of what the places can do, at random moments; then
//! one of them asks for ten times its share. What a client asks for while it waits, it asks for as
//! soon as it was served.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints what it measured, and ends where it cannot"
)]

use regate::call::{Authentication, Subject};
use regate::limits::fair::Weights;
use regate::sandbox::Turns;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

const PLACES: u32 = 8;
/// The mean of the runs' times.
const RUN: Duration = Duration::from_millis(40);
const LASTS: Duration = Duration::from_secs(20);
/// How much of their shares the tenants ask for, in hundredths.
const LOADS: [u32; 3] = [70, 80, 90];
/// What the one that floods asks for.
const FLOOD: u32 = 1_000;
/// Clients of the tenant that floods, and of each of the two others.
const CLIENTS: [(&str, u32); 3] = [("flood", 12), ("calm", 10), ("still", 10)];

/// The mean time between two calls of a client of a tenant that has so many clients and asks for
/// so many hundredths of its share.
fn mean_gap(clients: u32, load: u32) -> Duration {
    RUN * u32::try_from(CLIENTS.len()).unwrap() * clients * 100 / PLACES / load
}

/// When calls come and how long their runs take: at random, the same each time.
struct Chance {
    mean_gap: Duration,
    state: u64,
}

impl Chance {
    /// A number above 0 and up to 1.
    fn uniform(&mut self) -> f64 {
        const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(1_442_695_040_888_963_407);
        let upper_half = u32::try_from(self.state >> 32).unwrap();
        (f64::from(upper_half) + 1.0) / (f64::from(u32::MAX) + 1.0)
    }

    /// Calls come independently of each other.
    fn gap(&mut self) -> Duration {
        self.mean_gap.mul_f64(-self.uniform().ln())
    }

    /// From half of the mean to half more than it.
    fn run(&mut self) -> Duration {
        RUN.mul_f64(0.5 + self.uniform())
    }
}

fn subject(tenant: &str) -> Subject {
    Subject {
        id: "agent".into(),
        tenant: tenant.into(),
        roles: Vec::new(),
        authentication: Authentication::ApiKey,
    }
}

/// One client: asks at random, or as soon as it was served where it is late.
async fn client(
    turns: Turns,
    tenant: &'static str,
    mut chance: Chance,
    begin: Instant,
) -> Vec<Duration> {
    let (subject, until) = (subject(tenant), begin + LASTS);
    let (mut next, mut waits) = (begin + chance.gap(), Vec::new());
    while next < until {
        sleep_until(next).await;
        let asked = Instant::now();
        let turn = turns.take(&subject).await;
        waits.push(asked.elapsed());
        sleep(chance.run()).await;
        drop(turn);
        next = (next + chance.gap()).max(Instant::now());
    }
    waits
}

/// The waits of each tenant, sorted, where the first asks for so much and the others for so much.
async fn waits(first: u32, others: u32) -> Vec<(&'static str, Vec<Duration>)> {
    let turns = Turns::new(PLACES, Weights::new());
    let begin = Instant::now() + Duration::from_millis(100);
    let mut clients = Vec::new();
    for (index, (tenant, count)) in CLIENTS.into_iter().enumerate() {
        let load = if index == 0 { first } else { others };
        for number in 0..count {
            let seed = u64::try_from(index).unwrap() * 1_000 + u64::from(number) + 1;
            let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let chance = Chance { mean_gap: mean_gap(count, load), state };
            clients.push((tenant, tokio::spawn(client(turns.clone(), tenant, chance, begin))));
        }
    }
    let mut waits: Vec<_> = CLIENTS.iter().map(|(tenant, _)| (*tenant, Vec::new())).collect();
    for (tenant, client) in clients {
        let waited = client.await.unwrap();
        let of_tenant = waits.iter_mut().filter(|(name, _)| *name == tenant);
        of_tenant.for_each(|(_, all)| all.extend(&waited));
    }
    waits.iter_mut().for_each(|(_, all)| all.sort_unstable());
    waits
}

fn percentile(sorted: &[Duration], hundredths: usize) -> f64 {
    let index = (sorted.len() * hundredths / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(0.0, |wait| wait.as_secs_f64() * 1_000.0)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for load in LOADS {
        let (quiet, flooded) =
            runtime.block_on(async { (waits(load, load).await, waits(FLOOD, load).await) });
        println!("each tenant asks for {load} % of its share; with the flood, one for {FLOOD} %");
        println!(
            "tenant   calls  p50 ms  p99 ms | with the flood: calls  p50 ms  p99 ms | ratio of p99"
        );
        quiet.iter().zip(&flooded).for_each(|((tenant, without), (_, with))| {
            let (before, after) = (percentile(without, 99), percentile(with, 99));
            println!(
                "{tenant:<7} {:>6} {:>7.2} {before:>7.2} | {:>21} {:>7.2} {after:>7.2} | {:>6.2}",
                without.len(),
                percentile(without, 50),
                with.len(),
                percentile(with, 50),
                after / before,
            );
        });
    }
}
