//! `kill -9` of the engine in the middle of calls, each second time of the gateway with it: both
//! go on, nothing is left, and no call is executed or reported twice.

use super::dice::Dice;
use super::records::Recorded;
use super::{Told, assert_executed_once, assert_told_is_true, call};
use crate::dockerd::Dockerd;
use crate::served::{Served, With};
use crate::witness::Witness;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

const KILLS: usize = 20;
const CLIENTS: usize = 3;
const ENGINE_MS: u32 = 10_000;

/// What outlives each kill.
struct House {
    dockerd: Dockerd,
    witness: Witness,
    data: tempfile::TempDir,
    instance: String,
    /// For how long its containers are kept: no other's are kept for so long.
    stock_ms: u32,
    told: Arc<Told>,
}

/// Those who call, until they are told that it is enough or nobody answers.
struct Clients {
    enough: Arc<AtomicBool>,
    clients: Vec<JoinHandle<()>>,
}

impl House {
    fn new() -> Self {
        let dockerd = Dockerd::with_image();
        let witness = Witness::before(dockerd.socket());
        let instance = format!("engine-killing-test-{}", std::process::id());
        let stock_ms = 4_000 + std::process::id() % 4_000;
        let (data, told) = (tempfile::tempdir().unwrap(), Arc::default());
        Self { dockerd, witness, data, instance, stock_ms, told }
    }

    /// How many agents wait or run, whatever the engine knows of them.
    fn agents(&self) -> usize {
        let wait_ms = (self.stock_ms + ENGINE_MS).to_string();
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let commands = processes.filter_map(|each| std::fs::read(each.path().join("cmdline")).ok());
        let is_ours = |command: &Vec<u8>| {
            let mut words = command.split(|byte| *byte == 0);
            words.next() == Some(b"/usr/libexec/regate/agent")
                && words.next() == Some(wait_ms.as_bytes())
        };
        commands.filter(is_ours).count()
    }

    /// With a stock: what waits for a program dies with the engine as well.
    fn start(&self) -> Served {
        let settings = format!(
            "[sandbox]\ndocker = 'unix://{}'\ninstance = '{}'\nengine_ms_max = {ENGINE_MS}\n\
             wait_ms_max = 120000\nstock_max = 4\nstock_ms_max = {}\npreload = []\n\
             [ledger]\nappend_ms_max = 60000\n",
            self.witness.socket().display(),
            self.instance,
            self.stock_ms
        );
        let (data, settings) = (Some(self.data.path()), &*settings);
        Served::start(&With { data, settings, ..With::default() })
    }

    fn calls(&self, served: &Served) -> Clients {
        let enough = Arc::new(AtomicBool::new(false));
        let call = |_| {
            let (url, told, enough) =
                (served.url.clone(), Arc::clone(&self.told), Arc::clone(&enough));
            tokio::spawn(async move { keep_calling(&url, &told, &enough).await })
        };
        Clients { clients: (0..CLIENTS).map(call).collect(), enough }
    }

    fn done(&self) -> usize {
        self.told.done.lock().unwrap().len()
    }

    /// Waits until so many more calls were done.
    async fn go_on_for(&self, count: usize) {
        let enough = self.done() + count;
        while self.done() < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The engine dies in the middle of calls, and is started again. Where the gateway lives, it
    /// finds its way by itself.
    async fn engine_dies(&mut self, served: &Served, dice: &mut Dice) {
        let clients = self.calls(served);
        self.go_on_for(1 + dice.below(4)).await;
        tokio::time::sleep(Duration::from_micros(dice.below(200_000) as u64)).await;
        self.dockerd.kill();
        self.dockerd.start();
        self.go_on_for(1).await;
        clients.stop().await;
    }

    /// Both die, and are started again.
    async fn both_die(&mut self, served: Served, dice: &mut Dice) -> Served {
        let clients = self.calls(&served);
        self.go_on_for(1 + dice.below(4)).await;
        tokio::time::sleep(Duration::from_micros(dice.below(200_000) as u64)).await;
        self.dockerd.kill();
        served.signal("KILL");
        drop(served);
        clients.stop().await;
        self.dockerd.start();
        self.start()
    }
}

impl Clients {
    async fn stop(self) {
        self.enough.store(true, Ordering::SeqCst);
        for client in self.clients {
            client.await.unwrap();
        }
    }
}

/// No two programs are the same. Each takes a moment, so that some are always in the middle.
async fn keep_calling(url: &str, told: &Told, enough: &AtomicBool) {
    let client = reqwest::Client::new();
    while !enough.load(Ordering::SeqCst) {
        let number = told.calls.fetch_add(1, Ordering::SeqCst);
        let code = format!("import time\ntime.sleep(0.05)\nprint({number})");
        let Some(reply) = call(&client, url, &code).await else { return };
        told.note(&reply);
    }
}

/// What an engine that was killed left is removed by the gateway's next life, or ends.
async fn assert_nothing_is_left(house: &House, served: Served) {
    while house.dockerd.containers(&house.instance) > 4 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    served.stop();
    assert_eq!(house.dockerd.containers(&house.instance), 0, "a container is left");
    // What the engine had forgotten when it was killed ends by itself.
    while house.agents() > 0 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_kills_of_the_engine_leave_and_repeat_nothing() {
    let mut house = House::new();
    let mut dice = Dice::new(5_101_130);
    let mut served = house.start();
    assert!(served.call("print(1)").await["result"].is_object() && house.agents() > 0);
    for round in 0..KILLS {
        if round % 2 == 0 {
            house.engine_dies(&served, &mut dice).await;
        } else {
            served = house.both_die(served, &mut dice).await;
        }
    }
    let last = served.call("print(2)").await;
    assert_eq!(last["result"]["stdout"], "2\n", "{last}");
    assert!(served.verify());
    let records = served.ledger();
    assert_nothing_is_left(&house, served).await;

    let recorded = Recorded::of(&records);
    let executed = assert_executed_once(&house.witness.executed(), &recorded);
    recorded.assert_each_ended_once();
    assert_told_is_true(&house.told, &executed, &recorded);
    let broken = |ends: &&Vec<&str>| ends[0] != "ok";
    println!(
        "{} calls permitted, {} executed, {} broken off",
        recorded.permitted.len(),
        executed.len(),
        recorded.outcomes.values().filter(broken).count()
    );
    assert!(recorded.outcomes.values().any(|ends| ends[0] == "interrupted"));
}
