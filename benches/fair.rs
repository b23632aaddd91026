//! How long calls wait for the sandbox while one tenant floods the gateway, and while none does.
//!
//! A served gateway, HTTP, and real containers, in which a program takes its time and little CPU.
//! 32 clients of three tenants share 8 places. First each tenant asks for a part of its share of
//! what the places can do, at random moments; then one of them asks for ten times its share. What
//! a client asks for while it waits, it asks for as soon as it was served. The wait of a call is
//! all of its time but that of its program. It takes about ten minutes.
//!
//! No place is kept free and no run is broken off. While a tenant floods, every place is taken, and
//! whoever comes first of all others waits for the first run to end: a part of a run's time, and
//! nearly a whole one where all runs began together and take the same time. Without the flood one
//! waits only where others fill the places by chance: not at all at a small load. The ratio of the
//! two says something of the queue where the places are busy anyway.
//!
//! `src/limits/tests/flood.rs` does the same without a gateway, in a time of its own.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints what it measured, and ends where it cannot"
)]

mod served;

use serde_json::{Value, json};
use served::Gateway;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

const PLACES: u32 = 8;
/// The mean of the programs' times.
const PROGRAM_MS: f64 = 1_500.0;
/// What is asked for at once to see what the places can do, and for how long.
const TRIED_AT_ONCE: u32 = 2 * PLACES;
const TRIED_FOR: Duration = Duration::from_secs(20);
const LASTS: Duration = Duration::from_secs(280);
/// How much of their shares the tenants ask for, in hundredths, and the one that floods.
const LOAD: u32 = 70;
const FLOOD: u32 = 1_000;
/// Clients of the tenant that floods, and of each of the two others.
const CLIENTS: [(&str, u32); 3] = [("flood", 12), ("calm", 10), ("still", 10)];

/// A key for each tenant, and all the time that a busy machine takes.
fn written_settings() -> String {
    let sandbox = format!(
        "[sandbox]\nruns_at_once_max = {PLACES}\nwait_ms_max = 600000\nengine_ms_max = 60000\n"
    );
    let key = |(tenant, _): (&str, u32)| {
        let hash = blake3::hash(key_of(tenant).as_bytes()).to_hex();
        format!("[[keys]]\nhash = \"blake3:{hash}\"\nsubject = \"agent\"\ntenant = \"{tenant}\"\n")
    };
    [vec![sandbox], CLIENTS.map(key).to_vec()].concat().concat()
}

fn key_of(tenant: &str) -> String {
    format!("rgt_{tenant}")
}

/// When calls come and how long they take: at random, the same each time.
struct Chance {
    mean_gap: Duration,
    state: u64,
}

impl Chance {
    /// Another for each number.
    fn new(number: u32, mean_gap: Duration) -> Self {
        let state = (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self { mean_gap, state }
    }

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

    /// A program that takes from half of the mean to half more than it.
    fn program(&mut self) -> String {
        let ms = PROGRAM_MS * (0.5 + self.uniform());
        format!("import time\ntime.sleep({:.3})\n", ms / 1_000.0)
    }
}

/// One of a tenant's clients.
#[derive(Clone)]
struct Client {
    http: reqwest::Client,
    url: String,
    tenant: &'static str,
}

impl Client {
    fn new(gateway: &Gateway, tenant: &'static str) -> Self {
        Self { http: reqwest::Client::new(), url: format!("{}/v1/calls", gateway.url), tenant }
    }

    /// One call: its time without that of its program.
    async fn call(&self, program: &str) -> Duration {
        let asked = Instant::now();
        let body = json!({"tool": "run_python", "arguments": {"code": program}});
        let message = self.http.post(&self.url).bearer_auth(key_of(self.tenant)).json(&body);
        let reply: Value = message.send().await.unwrap().json().await.unwrap();
        let ran_ms = reply.pointer("/result/duration_ms").and_then(Value::as_u64);
        let ran = ran_ms.unwrap_or_else(|| stop(&reply));
        asked.elapsed().saturating_sub(Duration::from_millis(ran))
    }

    /// Asks at random, or as soon as it was served where it is late.
    async fn ask(self, mut chance: Chance, begin: Instant) -> Vec<Duration> {
        let until = begin + LASTS;
        let (mut next, mut waits) = (begin + chance.gap(), Vec::new());
        while next < until {
            sleep_until(next).await;
            waits.push(self.call(&chance.program()).await);
            next = (next + chance.gap()).max(Instant::now());
        }
        waits
    }

    /// Asks again and again, and says how often it was served.
    async fn ask_on(self, mut chance: Chance, until: Instant) -> u32 {
        let mut served = 0;
        while Instant::now() < until {
            self.call(&chance.program()).await;
            served += 1;
        }
        served
    }
}

fn stop(reply: &Value) -> u64 {
    println!("this did not run: {reply}");
    std::process::exit(1)
}

/// How many runs a second the places can do.
async fn capacity(gateway: &Gateway) -> f64 {
    let until = Instant::now() + TRIED_FOR;
    let began = Instant::now();
    let clients: Vec<_> = (0..TRIED_AT_ONCE)
        .map(|number| {
            let chance = Chance::new(number, Duration::ZERO);
            tokio::spawn(Client::new(gateway, "calm").ask_on(chance, until))
        })
        .collect();
    let mut served = 0;
    for client in clients {
        served += client.await.unwrap();
    }
    f64::from(served) / began.elapsed().as_secs_f64()
}

/// The waits of each tenant, sorted, where the first asks for so many hundredths of its share and
/// the others for so many.
async fn waits(gateway: &Gateway, capacity: f64, loads: [u32; 2]) -> Vec<Vec<Duration>> {
    let begin = Instant::now() + Duration::from_millis(100);
    let mut clients = Vec::new();
    for (index, (tenant, count)) in CLIENTS.into_iter().enumerate() {
        let load = f64::from(if index == 0 { loads[0] } else { loads[1] }) / 100.0;
        let of_tenant = load * capacity / f64::from(u32::try_from(CLIENTS.len()).unwrap());
        let mean_gap = Duration::from_secs_f64(f64::from(count) / of_tenant);
        for number in 0..count {
            let chance = Chance::new(u32::try_from(index).unwrap() * 1_000 + number, mean_gap);
            clients.push((index, tokio::spawn(Client::new(gateway, tenant).ask(chance, begin))));
        }
    }
    let mut waits = vec![Vec::new(); CLIENTS.len()];
    for (index, client) in clients {
        let waited = client.await.unwrap();
        waits.iter_mut().skip(index).take(1).for_each(|all| all.extend(&waited));
    }
    waits.iter_mut().for_each(|all| all.sort_unstable());
    waits
}

fn percentile_ms(sorted: &[Duration], hundredths: usize) -> f64 {
    let index = (sorted.len() * hundredths / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).map_or(0.0, |wait| wait.as_secs_f64() * 1_000.0)
}

fn print_row(tenant: &str, without: &[Duration], with: &[Duration]) {
    let row = |sorted| [50, 99].map(|part| percentile_ms(sorted, part));
    let ([p50, p99], [p50_flooded, p99_flooded]) = (row(without), row(with));
    println!(
        "{tenant:<10} {:>6} {p50:>7.0} {p99:>7.0} | {:>21} {p50_flooded:>7.0} {p99_flooded:>7.0} \
         | {:>6.2}",
        without.len(),
        with.len(),
        p99_flooded / p99,
    );
}

/// The tenants that do not flood, together.
fn others(waits: &[Vec<Duration>]) -> Vec<Duration> {
    let mut all = waits.iter().skip(1).flatten().copied().collect::<Vec<_>>();
    all.sort_unstable();
    all
}

async fn measure(gateway: &Gateway) {
    let capacity = capacity(gateway).await;
    println!("{PLACES} places do {capacity:.1} runs in a second");
    println!("each tenant asks for {LOAD} % of its share; with the flood, one for {FLOOD} %");
    let quiet = waits(gateway, capacity, [LOAD, LOAD]).await;
    let flooded = waits(gateway, capacity, [FLOOD, LOAD]).await;
    println!(
        "tenant      calls  p50 ms  p99 ms | with the flood: calls  p50 ms  p99 ms | ratio of p99"
    );
    for ((tenant, _), (without, with)) in CLIENTS.iter().zip(quiet.iter().zip(&flooded)) {
        print_row(tenant, without, with);
    }
    print_row("the others", &others(&quiet), &others(&flooded));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let gateway = Gateway::start(&written_settings());
    runtime.block_on(measure(&gateway));
}
