//! `kill -9` at random moments under load: no call is executed twice, none without its decision
//! recorded, what waits for a person still waits, what a person said is spent once at most, and
//! the chain holds, over files that are sealed meanwhile.

mod dice;
mod engine;
mod questions;
mod records;

use crate::engine::containers;
use crate::served::{Served, With, lay_asking_bundle};
use crate::witness::Witness;
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
    /// How many programs were sent, of which no two are the same.
    calls: AtomicUsize,
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
    witness: Witness,
    told: Arc<Told>,
    questions: Arc<Questions>,
}

impl House {
    fn new() -> Self {
        let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        lay_asking_bundle(bundle.path());
        let instance = format!("killing-test-{}", std::process::id());
        let witness = Witness::before("/var/run/docker.sock".into());
        let (told, questions) = (Arc::default(), Arc::default());
        Self { bundle, data, instance, witness, told, questions }
    }

    /// A busy machine has all its time; each few calls the ledger is sealed.
    fn start(&self) -> Served {
        let settings = format!(
            "[sandbox]\ndocker = 'unix://{}'\ninstance = '{}'\nengine_ms_max = 60000\n\
             wait_ms_max = 120000\n\
             [ledger]\nappend_ms_max = 60000\nrotate_bytes_max = 12000\n\
             [approvals]\nwait_ms_max = 50\npending_per_subject_max = 100000\n",
            self.witness.socket().display(),
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
    loop {
        let number = told.calls.fetch_add(1, Ordering::SeqCst);
        let code = format!("print({number}, 'call')");
        let Some(reply) = call(&client, &url, &code).await else { return };
        told.note(&reply);
    }
}

/// No call was executed twice, and none without a decision that permits it; those that were.
fn assert_executed_once(programs: &[String], recorded: &Recorded<'_>) -> BTreeSet<String> {
    let call = |program: &String| {
        let call = recorded.programs.get(program.as_str());
        (*call.unwrap_or_else(|| panic!("{program} was executed without a decision"))).to_owned()
    };
    let executed: BTreeSet<String> = programs.iter().map(call).collect();
    assert_eq!(executed.len(), programs.len(), "a call was executed twice");
    executed
}

/// What was handed out was executed, and the record says so.
fn assert_told_is_true(told: &Told, executed: &BTreeSet<String>, recorded: &Recorded<'_>) {
    for call in told.done.lock().unwrap().iter() {
        assert_eq!(recorded.outcomes[call.as_str()], ["ok"], "{call} was answered");
        assert!(executed.contains(call), "{call} was answered and not executed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_kills_lose_and_repeat_nothing() {
    let house = House::new();
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
    assert!(served.verify());
    let records = served.ledger();
    served.stop();
    assert_eq!(containers(&house.instance), 0, "a container is left");

    let recorded = Recorded::of(&records);
    let executed = assert_executed_once(&house.witness.executed(), &recorded);
    recorded.assert_each_ended_once();
    assert_told_is_true(&house.told, &executed, &recorded);
    let approvals = recorded.assert_approvals_are_spent_once();
    house.questions.assert_recorded(&recorded);

    let interrupted = recorded.outcomes.values().filter(|ends| ends[0] == "interrupted").count();
    println!(
        "{} calls permitted, {} executed, {interrupted} interrupted, {} seals; {approvals:?}, \
         {spent_late} spent after the last kill",
        recorded.permitted.len(),
        executed.len(),
        recorded.seals
    );
    assert!(interrupted > 0 && recorded.seals > 0 && executed.len() > KILLS);
    assert!(approvals.open > 0 && approvals.spent > 0, "{approvals:?}");
    house.questions.assert_many();
}
