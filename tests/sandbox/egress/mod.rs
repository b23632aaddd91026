//! Connections out of real containers, to hosts of a network of the test's own.

#![expect(clippy::disallowed_methods, reason = "a test reads what its network is made of")]

mod bounds;
mod ends;
mod gate;
mod reaching;
mod refusing;

use super::bench::{self, Bench, permit_of};
use crate::bundle;
use crate::network::Network;
use gate::Recorder;
use regate::call::{Language, Source};
use regate::policy::{Policy, Runtime};
use regate::sandbox::egress::{Ended, Gate, Limits, Refused};
use regate::sandbox::{Program, Run, Settings};
use std::sync::{Arc, LazyLock};

/// A program of `fixtures/egress`.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../fixtures/egress/", $name, ".py"))
    };
}
use fixture;

/// A bundle that permits everything, with the hosts of the tests open.
fn policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| {
        let needed =
            ["main.rego", "data/sandbox.json", "data/capabilities.json", "image/python.json"];
        let files: Vec<_> = bundle::shipped()
            .into_iter()
            .filter(|file| needed.contains(&file.path.as_str()))
            .chain(bundle::read("fixtures/bundles/permit_all"))
            .chain(bundle::read("fixtures/bundles/connecting"))
            .collect();
        Policy::load(&files, &regate::policy::Settings::default()).unwrap()
    });
    &POLICY
}

/// A program of `fixtures/egress` with its words put in; it trusts the host's certificate.
fn program(network: &Network, text: &str, words: &[(&str, &str)]) -> String {
    let certificate = std::fs::read_to_string(network.path("cert.pem")).unwrap();
    let text = text.replace("CERTIFICATE", &certificate);
    words.iter().fold(text, |text, (word, put)| text.replace(word, put))
}

/// Programs that may reach hosts, and what their gate was asked and told.
struct Outside {
    bench: Bench,
    gate: Arc<Recorder>,
}

impl Outside {
    fn new() -> Self {
        Self::within(Limits::default())
    }

    fn within(connections: Limits) -> Self {
        let bench = Bench::with(Settings { connections, ..Bench::new().settings });
        Self { bench, gate: Arc::new(Recorder::default()) }
    }

    /// The same under another runtime.
    fn of(runtime: Runtime) -> Self {
        let outside = Self::new();
        let profile = Bench::of(runtime).profile;
        Self { bench: Bench { profile, ..outside.bench }, ..outside }
    }

    /// The same with a gate that refuses.
    fn refusing(self, refused: Refused) -> Self {
        Self { gate: Arc::new(Recorder::refusing(refused)), ..self }
    }

    async fn run(&self, text: &str) -> Run {
        let source = Source::new(Language::Python, text.as_bytes());
        let gate: Arc<dyn Gate> = Arc::<Recorder>::clone(&self.gate);
        let watch = bench::policy().watch();
        let program = Program { watch, gate: Some(&gate), ..Program::alone(&source) };
        let permit = permit_of(policy());
        self.bench.sandbox.run(permit, &self.bench.profile, program).await.unwrap()
    }

    /// What a program printed, and how its connections ended.
    async fn told(&self, text: &str) -> (String, Vec<Ended>) {
        let run = self.run(text).await;
        assert_eq!(run.stderr, "", "{text}");
        (run.stdout, self.gate.take())
    }

    /// The same, where all that matters of an end is its word.
    async fn words(&self, text: &str) -> (String, Vec<&'static str>) {
        let (stdout, ended) = self.told(text).await;
        (stdout, ended.iter().map(|one| one.how.as_str()).collect())
    }
}
