//! Calls that a person has to see, over all lives of the gateway: what was asked, and what was
//! answered, as far as those who asked and answered know.

use super::dice::Dice;
use super::records::Recorded;
use super::{Told, call};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a person said, and whether the gateway answered that it took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Perhaps(&'static str),
    Surely(&'static str),
}

#[derive(Debug, Clone)]
struct Question {
    code: String,
    said: Said,
}

/// Every question that was heard of, by its id.
#[derive(Default)]
pub(super) struct Questions {
    known: Mutex<BTreeMap<String, Question>>,
    asked: AtomicUsize,
}

/// Whoever asks and whoever answers, in one life of the gateway.
pub(super) struct People {
    client: reqwest::Client,
    url: String,
    key: String,
}

impl People {
    /// With the operator's key of this life.
    pub(super) fn new(url: &str, data: &Path) -> Self {
        let key = std::fs::read_to_string(data.join("operator.key")).unwrap();
        Self { client: reqwest::Client::new(), url: url.to_owned(), key: key.trim().to_owned() }
    }

    async fn call(&self, code: &str) -> Option<Value> {
        call(&self.client, &self.url, code).await
    }

    /// Whether the answer was taken; nothing where nobody says so.
    async fn answer(&self, id: &str, word: &str) -> Option<()> {
        let message = self.client.post(format!("{}/v1/approvals/{id}", self.url));
        let sent = message.bearer_auth(&self.key).json(&json!({ "answer": word })).send().await;
        let status = sent.ok()?.status();
        assert_eq!(status, 200, "{word} for {id}");
        Some(())
    }

    /// The ids of all that waits.
    async fn open(&self) -> BTreeSet<String> {
        let message = self.client.get(format!("{}/v1/approvals", self.url));
        let sent = message.bearer_auth(&self.key).send().await.unwrap();
        let listed: Value = sent.json().await.unwrap();
        let listed = listed["approvals"].as_array().unwrap();
        assert!(listed.len() < 1_000, "more waits than is listed");
        listed.iter().map(|open| open["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// A program that no other one is the same as.
fn pays(number: usize) -> String {
    format!("with open('payments.csv', 'w') as file:\n    print(file.write('{number}'))\n")
}

impl Questions {
    /// Asks, answers some of it and uses some of the answers, until nobody answers.
    pub(super) async fn keep_asking(&self, people: &People, mut dice: Dice, told: &Told) {
        while self.ask_once(people, &mut dice, told).await.is_some() {}
    }

    async fn ask_once(&self, people: &People, dice: &mut Dice, told: &Told) -> Option<()> {
        let code = pays(self.asked.fetch_add(1, Ordering::SeqCst));
        let held = people.call(&code).await?;
        told.note(&held);
        let id = held["approval"].as_str().unwrap_or_else(|| panic!("{held}")).to_owned();
        self.note(&id, &code, Said::Nothing);
        let word = match dice.below(4) {
            0 => return Some(()),
            1 => "refuse",
            _ => "approve",
        };
        self.note(&id, &code, Said::Perhaps(word));
        people.answer(&id, word).await?;
        self.note(&id, &code, Said::Surely(word));
        if dice.below(3) > 0 {
            told.note(&people.call(&code).await?);
        }
        Some(())
    }

    fn note(&self, id: &str, code: &str, said: Said) {
        let question = Question { code: code.to_owned(), said };
        self.known.lock().unwrap().insert(id.to_owned(), question);
    }

    fn known(&self) -> BTreeMap<String, Question> {
        self.known.lock().unwrap().clone()
    }

    /// What nobody answered still waits, and what was answered does not.
    pub(super) async fn assert_stand(&self, people: &People) {
        let open = people.open().await;
        for (id, question) in self.known() {
            match question.said {
                Said::Nothing => assert!(open.contains(&id), "{id} waits no longer: {question:?}"),
                Said::Perhaps(_) => {}
                Said::Surely(_) => assert!(!open.contains(&id), "{id} waits again: {question:?}"),
            }
        }
        // Some were asked, and who asked did not live to hear of it.
        let mut known = self.known.lock().unwrap();
        for id in open {
            let unheard = Question { code: String::new(), said: Said::Nothing };
            known.entry(id).or_insert(unheard);
        }
    }

    /// Calls again what was approved and, as the record says, not used: each runs, and only once.
    /// Answers how many there were.
    pub(super) async fn use_what_is_left(&self, people: &People, recorded: &Recorded<'_>) -> usize {
        let known = self.known();
        let left: Vec<_> = known
            .iter()
            .filter(|(id, question)| recorded.is_left(id) && !question.code.is_empty())
            .collect();
        for (id, Question { code, .. }) in &left {
            let ran = people.call(code).await.unwrap();
            assert!(ran["result"]["stdout"].is_string(), "{id}: {ran}");
            let again = people.call(code).await.unwrap();
            assert_eq!(again["decision"], "held", "{id}: {again}");
            assert_ne!(again["approval"], **id, "{id} was spent twice");
        }
        left.len()
    }

    /// The record has every answer that was taken, and none that was not given.
    pub(super) fn assert_recorded(&self, recorded: &Recorded<'_>) {
        for (id, question) in self.known() {
            let written = recorded.said(&id);
            let past = |word| match word {
                "approve" => "approved",
                _ => "refused",
            };
            match question.said {
                Said::Nothing => assert_eq!(written, None, "{id}"),
                Said::Perhaps(word) => {
                    assert!(written.is_none_or(|said| said == past(word)), "{id}")
                }
                Said::Surely(word) => assert_eq!(written, Some(past(word)), "{id}"),
            }
        }
    }

    /// There was enough of everything for this to show something.
    pub(super) fn assert_many(&self) {
        let known = self.known();
        let count = |said| known.values().filter(|question| question.said == said).count();
        let (open, refused) = (count(Said::Nothing), count(Said::Surely("refuse")));
        let approved = count(Said::Surely("approve"));
        println!("{open} unanswered, {refused} refused, {approved} approved");
        assert!(open > 5 && refused > 5 && approved > 10, "{open} {refused} {approved}");
    }
}
