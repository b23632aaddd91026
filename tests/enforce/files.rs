//! Files of an effect: kept once their outcome is recorded and not before, and not those that
//! hold a secret.

use super::house::{House, call, told};
use regate::call::{Json, ToolCall};
use regate::enforce::{
    Conclusion, Done, Effect, Grounds, Keeper, Lost, Outcome, Shown, ShownFile, Unkept,
};
use regate::ledger::Ledger;
use regate::policy::{Cause, Obligations, Permit, Policy};
use std::sync::{Arc, Mutex};

/// A token in pieces, so that no scanner takes it for a leak.
const TOKEN: [&str; 3] = ["gh", "p_", "eGzMcNU77sVTUUJ596lLlGUriAX1Dy2gnX7Y"];

type Files = Vec<(String, Vec<u8>)>;

/// What becomes of files that are to be kept.
#[derive(Debug, Clone, Copy)]
enum Store {
    Works,
    IsFull,
    Fails,
}

/// An effect that leaves files, and may close the ledger behind itself.
struct Leaving {
    files: Files,
    closes: Option<Ledger>,
    store: Store,
    kept: Arc<Mutex<Vec<String>>>,
}

impl Leaving {
    fn new(files: &[(&str, &[u8])], store: Store) -> Self {
        let files = files.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec()));
        Self { files: files.collect(), closes: None, store, kept: Arc::default() }
    }
}

struct Shelf(Store, Arc<Mutex<Vec<String>>>);

impl Keeper<Files> for Shelf {
    fn keeps(&self, files: &Files) -> bool {
        !files.is_empty()
    }

    async fn keep(&self, _call: &ToolCall, files: &Files) -> Result<(), Unkept> {
        match self.0 {
            Store::Works => {}
            Store::IsFull => return Err(Unkept::Full("files.session_bytes_max")),
            Store::Fails => return Err(Unkept::Failed("a reason for the log".to_owned())),
        }
        self.1.lock().unwrap().extend(files.iter().map(|(name, _)| name.clone()));
        Ok(())
    }
}

impl Effect for Leaving {
    type Output = Files;

    fn fulfils(&self, _: &Obligations, _: &Policy) -> Result<(), &'static str> {
        Ok(())
    }

    async fn run(self, _: Permit, _: Grounds<'_>) -> Result<Done<Files>, Lost> {
        if let Some(ledger) = self.closes {
            ledger.close().await;
        }
        Ok(Done { outcome: Outcome::Ok, cpu_ms: 0, drift: Vec::new(), output: self.files })
    }

    fn show(files: &mut Files) -> Shown<'_> {
        let files = files.iter().map(|each| {
            let (name, content) = (each.0.as_str(), each.1.as_slice());
            ShownFile { name, media_type: "text/plain", digest: "", content }
        });
        Shown { exit_code: Some(0), truncated: false, texts: Vec::new(), files: files.collect() }
    }

    fn bar(files: &mut Files, places: &[usize]) {
        let mut place = 0..;
        files.retain(|_| !places.contains(&place.next().unwrap()));
    }

    fn keeper(&self) -> impl Keeper<Files> {
        Shelf(self.store, Arc::clone(&self.kept))
    }

    fn summary(files: &Files) -> Json {
        let names = files.iter().map(|(name, _)| Json::String(name.as_str().into()));
        Json::Object(vec![("files".into(), Json::Array(names.collect()))])
    }

    fn withhold(_: Files) -> Files {
        Vec::new()
    }
}

#[tokio::test]
async fn a_file_with_a_secret_is_left_out_everywhere_and_its_name_told_where_it_may_be() {
    let house = House::open(None).await;
    let token = TOKEN.concat();
    let wide: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let named = format!("{token}.txt");
    let effect = Leaving::new(
        &[
            ("first.txt", b"ghp_x"),
            ("told.txt", format!("it is {token}").as_bytes()),
            ("wide.txt", &wide),
            (&named, b"harmless"),
            ("last.bin", b"\0\xffghp_x"),
        ],
        Store::Works,
    );
    let kept = Arc::clone(&effect.kept);
    let answer = house.guard.guard(call("print(1)"), effect).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule));
    let messages: Vec<_> = answer.findings.iter().map(|finding| finding.message.clone()).collect();
    assert_eq!(messages.len(), 3);
    for (message, beginning) in
        messages.iter().zip(["the file `told.txt` ", "the file `wide.txt` ", "a file "])
    {
        assert!(message.starts_with(beginning) && message.ends_with("github_token"), "{message}");
    }
    let Conclusion::Permitted(Some(files)) = answer.conclusion else { panic!("nothing came") };
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first.txt", "last.bin"]);
    assert_eq!(*kept.lock().unwrap(), names);
    assert_eq!(house.last_summary().await["files"], serde_json::json!(names));
}

#[tokio::test]
async fn files_whose_outcome_cannot_be_recorded_are_not_kept() {
    let house = House::open(None).await;
    let effect = Leaving::new(&[("a", b"a")], Store::Works);
    let kept = Arc::clone(&effect.kept);
    let effect = Leaving { closes: Some(house.ledger.clone()), ..effect };
    let answer = house.guard.guard(call("print(1)"), effect).await;
    assert_eq!(told(&answer), ("denied", Cause::Ledger));
    assert_eq!(&*answer.findings[0].rule, "regate/withheld");
    assert_eq!(*kept.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_call_whose_files_are_not_kept_is_told_so_and_gets_nothing() {
    for (store, word) in [(Store::IsFull, "`files.session_bytes_max`"), (Store::Fails, "stored")] {
        let house = House::open(None).await;
        let effect = Leaving::new(&[("a", b"a")], store);
        let answer = house.guard.guard(call("print(1)"), effect).await;
        assert_eq!(told(&answer), ("denied", Cause::Files));
        assert!(!answer.retryable(), "it would run again");
        let finding = &answer.findings[0];
        assert!(finding.message.contains(word), "{}", finding.message);
        assert!(!finding.message.contains("a reason for the log"));
    }
}
