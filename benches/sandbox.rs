//! The time of a call through the REST door, decision, record and run included, beside that of a
//! `docker run` of the same program in the same image: alone, and many at once; with a library that
//! was imported beforehand and without; how many calls a second go on for long, beside how many
//! containers the engine makes; what a container that waits costs, and what a thousand calls leave.
//! It takes about five minutes.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts what it measures, prints, and ends where it cannot"
)]

mod served;

use serde_json::{Value, json};
use served::Gateway;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

const PRINTS: &str = "print(1)";
const SUMS: &str = "import pandas as pd\nprint(pd.DataFrame({'a': [1, 2]}).a.sum())";
/// As many calls as wait in stock, and a pause in which the stock is filled again.
const STOCK: usize = 32;
const ALONE: usize = 200;
const PAUSE: Duration = Duration::from_millis(250);
const AT_ONCE: [usize; 2] = [8, 32];
const SUSTAINED: Duration = Duration::from_secs(20);
const ROUNDS: u32 = 3;
const MANY: usize = 1_000;
/// What a container may do beside these is the same for both.
const DOCKER_RUN: [&str; 20] = [
    "run",
    "--rm",
    "--interactive",
    "--network=none",
    "--read-only",
    "--tmpfs=/tmp",
    "--tmpfs=/workspace",
    "--memory=512m",
    "--memory-swap=512m",
    "--cpus=1",
    "--pids-limit=64",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--user=65534:65534",
    "regate-sandbox:latest",
    "python3",
    "-I",
    "-B",
    "-X",
    "utf8",
];

#[derive(Clone)]
struct Client {
    http: reqwest::Client,
    url: String,
}

impl Client {
    fn new(gateway: &Gateway) -> Self {
        Self { http: reqwest::Client::new(), url: format!("{}/v1/calls", gateway.url) }
    }

    /// The time of one call. No two programs are the same.
    async fn time(&self, program: &str, number: usize) -> Duration {
        let code = format!("{program}\n# {number}\n");
        let body = json!({"tool": "run_python", "arguments": {"code": code}});
        let started = Instant::now();
        let sent = self.http.post(&self.url).json(&body).send().await.unwrap();
        let reply: Value = sent.json().await.unwrap();
        let time = started.elapsed();
        assert_eq!(reply.pointer("/result/exit_code"), Some(&json!(0)), "{reply}");
        time
    }
}

fn docker_run(program: &str) -> Duration {
    let started = Instant::now();
    let mut child = Command::new("docker")
        .args(DOCKER_RUN)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    started.elapsed()
}

fn settings(stock: usize, preload: &str) -> String {
    format!(
        "[sandbox]\nstock_max = {stock}\ncontainers_max = 96\nwait_ms_max = 600000\n\
         preload = [{preload}]\n[limits]\ncalls_at_once_max = 64\n\
         calls_at_once_per_subject_max = 64\ncalls_at_once_per_tenant_max = 64\n"
    )
}

/// The times, the shortest first.
fn sorted(mut times: Vec<Duration>) -> Vec<Duration> {
    times.sort_unstable();
    times
}

fn part(times: &[Duration], hundredth: usize) -> Duration {
    *times.get((times.len() - 1) * hundredth / 100).unwrap()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

async fn filled(gateway: &Gateway, wanted: usize) {
    loop {
        let shown = reqwest::get(format!("{}/metrics", gateway.url)).await.unwrap();
        let ready: usize = shown
            .text()
            .await
            .unwrap()
            .lines()
            .filter(|line| line.starts_with("regate_sandbox_pool") && line.contains("\"ready\""))
            .filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok())
            .sum();
        if ready >= wanted {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

async fn alone(gateway: &Gateway, client: &Client) {
    let mut times = Vec::new();
    for number in 0..ALONE {
        sleep(PAUSE).await;
        times.push(client.time(PRINTS, number).await);
    }
    let times = sorted(times);
    let cold = sorted((0..20).map(|_| docker_run(PRINTS)).collect());
    let (median, p99) = (part(&times, 50), part(&times, 99));
    let ratio = ms(part(&cold, 50)) / ms(median);
    println!(
        "alone: median {:.1} ms, p99 {:.1} ms ({:.1} x)",
        ms(median),
        ms(p99),
        ms(p99) / ms(median)
    );
    println!("  docker run: median {:.1} ms, {ratio:.1} x", ms(part(&cold, 50)));
    filled(gateway, STOCK).await;
}

async fn at_once(gateway: &Gateway, client: &Client, count: usize) {
    let mut longest = Vec::new();
    for round in 0..5 {
        filled(gateway, STOCK).await;
        sleep(PAUSE).await;
        let started = Instant::now();
        let mut calls = JoinSet::new();
        for number in 0..count {
            let client = client.clone();
            calls.spawn(async move { client.time(PRINTS, 10_000 + round * 100 + number).await });
        }
        assert_eq!(calls.join_all().await.len(), count);
        longest.push(started.elapsed());
    }
    let cold = (0..3).map(|_| {
        let started = Instant::now();
        let runs = std::iter::repeat_with(|| std::thread::spawn(|| docker_run(PRINTS)));
        let runs: Vec<_> = runs.take(count).collect();
        for run in runs {
            let _ = run.join().unwrap();
        }
        started.elapsed()
    });
    let (warm, cold) = (part(&sorted(longest), 50), part(&sorted(cold.collect()), 50));
    println!("{count} at once: {:.0} ms", ms(warm));
    println!("  docker run: {:.0} ms, {:.1} x", ms(cold), ms(cold) / ms(warm));
}

/// With pandas imported beforehand, and without.
async fn imported() {
    let mut medians = Vec::new();
    for preload in ["{ modules = [\"pandas\"], stock_max = 4 }", ""] {
        let gateway = Gateway::start(&settings(4, preload));
        let client = Client::new(&gateway);
        let mut times = Vec::new();
        for number in 0..20 {
            filled(&gateway, if preload.is_empty() { 4 } else { 8 }).await;
            sleep(PAUSE).await;
            times.push(client.time(SUMS, number).await);
        }
        medians.push(ms(part(&sorted(times), 50)));
    }
    let (beforehand, then) = (medians.first().unwrap(), medians.last().unwrap());
    println!("pandas, imported beforehand: median {beforehand:.1} ms");
    println!("  imported by the program: {then:.1} ms, {:.1} x", then / beforehand);
}

/// How long the engine takes for each container that is made, and for each that is removed, while
/// nothing is run.
async fn engine() -> (f64, f64) {
    let gateway = Gateway::start(&settings(64, ""));
    // The gateway has begun by then.
    filled(&gateway, 16).await;
    let started = Instant::now();
    filled(&gateway, 64).await;
    let making = started.elapsed().as_secs_f64() / 48.0;
    let started = Instant::now();
    drop(gateway);
    (making, started.elapsed().as_secs_f64() / 64.0)
}

/// How many calls there are in a while without a pause, those that took a container which was in
/// stock before not counted.
async fn calls_made() -> usize {
    let gateway = Gateway::start(&settings(64, ""));
    filled(&gateway, 64).await;
    let client = Client::new(&gateway);
    let until = Instant::now() + SUSTAINED;
    let mut callers = JoinSet::new();
    for caller in 0..4 {
        let client = client.clone();
        callers.spawn(async move {
            let mut count = 0;
            while Instant::now() < until {
                client.time(PRINTS, 1_000_000 * (caller + 1) + count).await;
                count += 1;
            }
            count
        });
    }
    callers.join_all().await.into_iter().sum::<usize>().saturating_sub(64)
}

/// Calls without a pause, beside what the engine makes: in turns, so that a machine that becomes
/// slower becomes so for both.
async fn sustained() {
    let (mut making, mut removing, mut made) = (0.0, 0.0, 0);
    for _ in 0..ROUNDS {
        let engine = engine().await;
        making += engine.0 / f64::from(ROUNDS);
        removing += engine.1 / f64::from(ROUNDS);
        made += calls_made().await;
    }
    let rate = made as f64 / (SUSTAINED.as_secs_f64() * f64::from(ROUNDS));
    println!("sustained: {rate:.1} calls a second");
    println!("  {:.0} % of the containers that the engine makes", 100.0 * rate * making);
    println!("  {:.0} % of those that it makes and removes", 100.0 * rate * (making + removing));
}

/// What the host has left, in KiB.
fn available() -> f64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

async fn idle() {
    let before = available();
    let gateway = Gateway::start(&settings(STOCK, ""));
    filled(&gateway, STOCK).await;
    sleep(Duration::from_secs(2)).await;
    let each = (before - available()) / 1024.0 / STOCK as f64;
    println!("memory for each container that waits, the gateway's included: {each:.1} MiB");
}

async fn many(gateway: &Gateway, client: &Client) {
    let files = || std::fs::read_dir(format!("/proc/{}/fd", gateway.child.id())).unwrap().count();
    filled(gateway, STOCK).await;
    let before = files();
    for number in 0..MANY {
        client.time(PRINTS, 100_000 + number).await;
    }
    filled(gateway, STOCK).await;
    sleep(Duration::from_secs(2)).await;
    println!("{MANY} calls: {before} file descriptors before, {} after", files());
}

/// Containers of any gateway that are there.
fn containers() -> usize {
    let listed = Command::new("docker")
        .args(["ps", "--all", "--quiet", "--filter", "label=regate.instance"])
        .output()
        .unwrap();
    String::from_utf8(listed.stdout).unwrap().lines().count()
}

/// Processes that look after a container, and those in one that look after its program.
fn processes() -> usize {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let commands = all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let looks_after = |command: &Vec<u8>| {
        let program = command.split(|byte| *byte == 0).next().unwrap_or_default();
        program.ends_with(b"containerd-shim-runc-v2") || program.ends_with(b"/regate/agent")
    };
    commands.filter(looks_after).count()
}

#[tokio::main]
async fn main() {
    let (others, other_processes) = (containers(), processes());
    {
        let gateway = Gateway::start(&settings(STOCK, ""));
        let client = Client::new(&gateway);
        filled(&gateway, STOCK).await;
        alone(&gateway, &client).await;
        for count in AT_ONCE {
            at_once(&gateway, &client, count).await;
        }
        many(&gateway, &client).await;
    }
    imported().await;
    sustained().await;
    idle().await;
    let left = (containers().saturating_sub(others), processes().saturating_sub(other_processes));
    println!("left: {} containers, {} processes", left.0, left.1);
}
