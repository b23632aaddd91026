//! A guard with everything real behind it but the effect.

use crate::bundle;
use crate::overlay::over_the_smallest;
use regate::approval;
use regate::call::{
    Authentication, CallId, Door, Json, Language, Source, Subject, Timestamp, Tool, ToolCall,
};
use regate::enforce::{
    Answer, Done, Effect, Grounds, Guard, Keeper, Lost, Nothing, Outcome, Parts, Settings, Shown,
    ShownText, Unopened, Wanted,
};
use regate::facts::drift::{Drift, Kind};
use regate::ledger::reader::{Reader, Selection};
use regate::ledger::{self, Ledger};
use regate::limits::quotas::Quotas;
use regate::limits::{self, Limits, Ticks};
use regate::policy::{Cause, Obligations, Permit, Policy};
use regate::redact::Ending;
use regate::telemetry::Metrics;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A guard with a ledger of its own.
pub(crate) struct House {
    pub(crate) guard: Arc<Guard>,
    pub(crate) ledger: Ledger,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) folder: TempDir,
    pub(crate) runs: Arc<AtomicUsize>,
}

pub(crate) fn clock() -> Timestamp {
    Timestamp::from_unix_ms(1_767_225_600_000)
}

/// The shipped bundle, or that of a case.
pub(crate) fn policy(case: Option<&str>) -> Arc<Policy> {
    let files = case.map_or_else(bundle::shipped, over_the_smallest);
    Arc::new(Policy::load(&files, &Default::default()).unwrap())
}

/// Nobody is waited for.
pub(crate) fn unhurried() -> approval::Settings {
    approval::Settings { wait_ms_max: 0, ..Default::default() }
}

impl House {
    pub(crate) async fn open(case: Option<&str>) -> Self {
        Self::open_with(case, &limits::Settings::default()).await
    }

    pub(crate) async fn open_with(case: Option<&str>, limits: &limits::Settings) -> Self {
        Self::build(case, limits, unhurried(), TempDir::new().unwrap()).await
    }

    /// One that asks people so.
    pub(crate) async fn asking(case: &str, approvals: approval::Settings) -> Self {
        let folder = TempDir::new().unwrap();
        Self::build(Some(case), &limits::Settings::default(), approvals, folder).await
    }

    /// The same house after a restart.
    pub(crate) async fn reopened(self, case: &str) -> Self {
        self.ledger.close().await;
        Self::build(Some(case), &limits::Settings::default(), unhurried(), self.folder).await
    }

    async fn build(
        case: Option<&str>,
        limits: &limits::Settings,
        approvals: approval::Settings,
        folder: TempDir,
    ) -> Self {
        let ledger = Ledger::open(&ledger::Settings::in_directory(folder.path())).await.unwrap();
        let metrics = Metrics::new().unwrap();
        let parts = Parts {
            policy: policy(case),
            limits: Limits::new(limits, Ticks::new(|| Duration::ZERO)),
            quotas: Quotas::none(),
            ledger: ledger.clone(),
            metrics: Arc::clone(&metrics),
            approvals,
            notices: approval::Notices::none(),
            clock,
        };
        let guard = Guard::new(parts, &Settings::default());
        Self { guard, ledger, metrics, folder, runs: Arc::default() }
    }

    pub(crate) fn effect(&self, end: End) -> Counted {
        Counted { runs: Arc::clone(&self.runs), end }
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    /// What the ledger keeps of the last outcome.
    pub(crate) async fn last_summary(&self) -> serde_json::Value {
        let bodies = self.bodies().await;
        bodies.last().unwrap().1.get("summary").unwrap().clone()
    }

    /// Kind and decision or outcome of every record, in order.
    pub(crate) async fn records(&self) -> Vec<(String, String)> {
        let word = |(kind, body): (String, serde_json::Value)| {
            let said = body.pointer("/approval/said");
            let word = body.get("decision").or_else(|| body.get("outcome")).or(said).unwrap();
            (kind, word.as_str().unwrap().to_owned())
        };
        self.bodies().await.into_iter().map(word).collect()
    }

    /// Kind and body of every record, in order.
    pub(crate) async fn bodies(&self) -> Vec<(String, serde_json::Value)> {
        let file = ledger::Settings::in_directory(self.folder.path()).file;
        let mut reader = Reader::open(&file).await.unwrap();
        let mut told = Vec::new();
        let all = Selection { limit: 100, ..Selection::default() };
        let each = |record: regate::ledger::reader::Record| {
            told.push((record.kind, serde_json::from_str(&record.body).unwrap()));
            std::ops::ControlFlow::Continue(())
        };
        reader.show(&all, each).await.unwrap();
        told
    }
}

/// What the caller sees of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Output {
    Whole,
    /// What it wrote to stdout and to stderr.
    Said([String; 2]),
    Withheld,
}

/// An effect that counts how often it was had.
pub(crate) struct Counted {
    pub(crate) runs: Arc<AtomicUsize>,
    pub(crate) end: End,
}

pub(crate) enum End {
    Well,
    Unavailable,
    Interrupted,
    Panic,
    After(oneshot::Receiver<()>),
    Badly,
    Says([String; 2]),
    ClosesTheLedger(Ledger),
    Strays,
    /// Asks for these connections, one after the other, and tells what it heard.
    Connects(Vec<Wanted>, oneshot::Sender<Vec<Result<(), Unopened>>>),
    /// The same with a ledger that is closed by then.
    ConnectsWithout(Ledger, Wanted, oneshot::Sender<Vec<Result<(), Unopened>>>),
}

/// Something that no facts of these calls foretell.
fn strayed() -> Drift {
    let capability = Kind::Process.capability();
    Drift { capability, event: "os.system".into(), arguments: Vec::new(), line: 3 }
}

impl Effect for Counted {
    type Output = Output;

    fn fulfils(&self, obligations: &Obligations, _policy: &Policy) -> Result<(), &'static str> {
        if obligations.connect.is_empty() { Ok(()) } else { Err("connect") }
    }

    async fn run(self, permit: Permit, grounds: Grounds<'_>) -> Result<Done<Output>, Lost> {
        assert_eq!(permit.policy(), grounds.policy.digest(), "not the bundle that decided");
        self.runs.fetch_add(1, Ordering::SeqCst);
        let (mut outcome, mut output) = (Outcome::Ok, Output::Whole);
        let mut drift = Vec::new();
        match self.end {
            End::Well => {}
            End::Badly => outcome = Outcome::Failed,
            End::Unavailable => return Err(Lost::Unavailable("no engine".to_owned())),
            End::Interrupted => return Err(Lost::Interrupted("the engine died".to_owned())),
            End::Panic => panic!("an effect that panics"),
            End::After(signal) => signal.await.unwrap(),
            End::Says(texts) => output = Output::Said(texts),
            End::ClosesTheLedger(ledger) => ledger.close().await,
            End::Strays => drift.push(strayed()),
            End::Connects(wanted, heard) => {
                let mut answers = Vec::new();
                for one in &wanted {
                    answers.push(grounds.connecting.decide(one).await);
                }
                heard.send(answers).unwrap();
            }
            End::ConnectsWithout(ledger, wanted, heard) => {
                ledger.close().await;
                heard.send(vec![grounds.connecting.decide(&wanted).await]).unwrap();
            }
        }
        Ok(Done { outcome, cpu_ms: 0, drift, output })
    }

    fn show(output: &mut Output) -> Shown<'_> {
        let texts = match output {
            Output::Said(texts) => ["stdout", "stderr"]
                .into_iter()
                .zip(texts)
                .map(|(name, text)| ShownText { name, text, ending: Ending::Whole })
                .collect(),
            Output::Whole | Output::Withheld => Vec::new(),
        };
        Shown { exit_code: None, truncated: false, texts, files: Vec::new() }
    }

    fn bar(_: &mut Output, places: &[usize]) {
        assert!(places.is_empty(), "it has no files");
    }

    fn keeper(&self) -> impl Keeper<Output> {
        Nothing
    }

    fn summary(output: &Output) -> Json {
        Json::Object(vec![("seen".into(), Json::String(format!("{output:?}").into()))])
    }

    fn withhold(_: Output) -> Output {
        Output::Withheld
    }
}

pub(crate) fn call(code: &str) -> ToolCall {
    ToolCall {
        id: CallId::new(format!("call-{}", blake3::hash(code.as_bytes()).to_hex())),
        door: Door::Rest,
        subject: Subject {
            id: "agent-7".into(),
            tenant: "acme".into(),
            roles: Vec::new(),
            authentication: Authentication::ApiKey,
        },
        session: None,
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: Json::Object(vec![("code".into(), Json::String(code.into()))]),
        source: Some(Source::new(Language::Python, code.as_bytes())),
        received: clock(),
    }
}

/// A call of the tool that the bundles in `fixtures/bundles` are about.
pub(crate) fn trigger() -> ToolCall {
    ToolCall { tool: Tool::builtin("trigger"), ..call("print(1)") }
}

pub(crate) fn told<T>(answer: &Answer<T>) -> (&'static str, Cause) {
    (answer.conclusion.as_str(), answer.cause)
}

pub(crate) fn pairs(records: &[(&str, &str)]) -> Vec<(String, String)> {
    records.iter().map(|(kind, word)| ((*kind).to_owned(), (*word).to_owned())).collect()
}
