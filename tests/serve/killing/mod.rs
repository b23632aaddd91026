//! `kill -9` at random moments under load: no call is executed twice, none without its decision
//! recorded, what waits for a person still waits, what a person said is spent once at most, and
//! the chain holds, over files that are sealed meanwhile.

mod dice;
mod questions;
mod records;

use crate::engine::{Starts, containers};
use crate::served::{Served, With, lay_asking_bundle};
use dice::Dice;
use questions::{People, Questions};
use records::Recorded;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

const KILLS: usize = 30;
const CLIENTS: usize = 2;

/// What clients were told, over all lives of the gateway.
#[derive(Default)]
struct Told {
    replies: AtomicUsize,
    /// The calls whose result was handed out.
    done: Mutex<BTreeSet<String>>,
}

impl Told {
    fn note(&self, reply: &Value) {
        if reply["result"].is_object() {
            self.done.lock().unwrap().insert(reply["id"].as_str().unwrap().to_owned());
        }
        self.replies.fetch_add(1, Ordering::SeqCst);
    }
}

/// The gateway's state over all its lives.
struct House {
    bundle: tempfile::TempDir,
    data: tempfile::TempDir,
    instance: String,
    told: Arc<Told>,
    questions: Arc<Questions>,
}

impl House {
    fn new() -> Self {
        let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        lay_asking_bundle(bundle.path());
        let instance = format!("killing-test-{}", std::process::id());
        Self { bundle, data, instance, told: Arc::default(), questions: Arc::default() }
    }

    /// A busy machine has all its time; each few calls the ledger is sealed.
    fn start(&self) -> Served {
        let settings = format!(
            "[sandbox]\ninstance = '{}'\nengine_ms_max = 60000\nwait_ms_max = 120000\n\
             [ledger]\nappend_ms_max = 60000\nrotate_bytes_max = 12000\n\
             [approvals]\nwait_ms_max = 50\npending_per_subject_max = 100000\n",
            self.instance
        );
        Served::start(&With {
            policies: Some(self.bundle.path()),
            data: Some(self.data.path()),
            settings: &settings,
            ..With::default()
        })
    }

    fn people(&self, served: &Served) -> People {
        People::new(&served.url, self.data.path())
    }

    fn load(&self, served: &Served, dice: &mut Dice) -> Vec<JoinHandle<()>> {
        let mut clients: Vec<_> = (0..CLIENTS)
            .map(|_| tokio::spawn(keep_calling(served.url.clone(), Arc::clone(&self.told))))
            .collect();
        let questions = Arc::clone(&self.questions);
        let told = Arc::clone(&self.told);
        let (people, dice) = (self.people(served), dice.split());
        clients
            .push(tokio::spawn(async move { questions.keep_asking(&people, dice, &told).await }));
        clients
    }

    /// One life: it ends some replies after its beginning, and some moments after the last of them.
    async fn live(&self, dice: &mut Dice) {
        let served = self.start();
        self.questions.assert_stand(&self.people(&served)).await;
        let enough = self.told.replies.load(Ordering::SeqCst) + dice.below(5);
        let clients = self.load(&served, dice);
        while self.told.replies.load(Ordering::SeqCst) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_micros(dice.below(300_000) as u64)).await;
        served.signal("KILL");
        drop(served);
        for client in clients {
            client.await.unwrap();
        }
    }
}

/// Sends a call, and answers nothing where nobody does.
async fn call(client: &reqwest::Client, url: &str, code: &str) -> Option<Value> {
    let body = json!({"tool": "run_python", "arguments": {"code": code}});
    let sent = client.post(format!("{url}/v1/calls")).json(&body).send().await;
    sent.ok()?.json().await.ok()
}

/// Calls again and again, until nobody answers.
async fn keep_calling(url: String, told: Arc<Told>) {
    let client = reqwest::Client::new();
    while let Some(reply) = call(&client, &url, "print(1)").await {
        told.note(&reply);
    }
}

/// No call was executed twice, and none without a decision that permits it.
fn assert_executed_once(started: &[String], recorded: &Recorded<'_>) {
    let executed: BTreeSet<&str> = started.iter().map(String::as_str).collect();
    assert_eq!(executed.len(), started.len(), "a call was executed twice");
    let unrecorded: Vec<_> =
        executed.iter().filter(|call| !recorded.permitted.contains_key(**call)).collect();
    assert!(unrecorded.is_empty(), "{unrecorded:?} were executed without a decision");
}

/// What was handed out was executed, and the record says so.
fn assert_told_is_true(told: &Told, started: &[String], recorded: &Recorded<'_>) {
    for call in told.done.lock().unwrap().iter() {
        assert_eq!(recorded.outcomes[call.as_str()], ["ok"], "{call} was answered");
        assert!(started.contains(call), "{call} was answered and not executed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_kills_lose_and_repeat_nothing() {
    let house = House::new();
    let starts = Starts::of(&house.instance);
    let mut dice = Dice::new(20_261_130);
    for _ in 0..KILLS {
        house.live(&mut dice).await;
    }

    let served = house.start();
    let people = house.people(&served);
    house.questions.assert_stand(&people).await;
    let before = served.ledger();
    let spent_late = house.questions.use_what_is_left(&people, &Recorded::of(&before)).await;
    house.questions.assert_stand(&people).await;
    let last = served.call("print(2)").await;
    assert_eq!(last["result"]["stdout"], "2\n", "{last}");
    let started = starts.until(last["id"].as_str().unwrap());
    assert!(served.verify());
    let records = served.ledger();
    served.stop();
    assert_eq!(containers(&house.instance), 0, "a container is left");

    let recorded = Recorded::of(&records);
    assert_executed_once(&started, &recorded);
    recorded.assert_each_ended_once();
    assert_told_is_true(&house.told, &started, &recorded);
    let approvals = recorded.assert_approvals_are_spent_once();
    house.questions.assert_recorded(&recorded);

    let interrupted = recorded.outcomes.values().filter(|ends| ends[0] == "interrupted").count();
    println!(
        "{} calls permitted, {} executed, {interrupted} interrupted, {} seals; {approvals:?}, \
         {spent_late} spent after the last kill",
        recorded.permitted.len(),
        started.len(),
        recorded.seals
    );
    assert!(interrupted > 0 && recorded.seals > 0 && started.len() > KILLS);
    assert!(approvals.open > 0 && approvals.spent > 0, "{approvals:?}");
    house.questions.assert_many();
}
