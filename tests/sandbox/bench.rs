//! The workbench: a sandbox of a test's own, permits, and programs from files.

use regate::call::{
    Authentication, CallId, Door, Json, Language, Session, Source, Subject, Timestamp, Tool,
    ToolCall,
};
use regate::policy::{BundleFile, Context, Permit, Policy, Profile, Ruling, Runtime};
use regate::sandbox::workspace::{self, Given};
use regate::sandbox::{Error, Program, Run, Sandbox, Settings};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The text of a program in `fixtures/sandbox/`.
macro_rules! program {
    ($path:literal) => {
        include_str!(concat!("../../fixtures/sandbox/", $path, ".py"))
    };
}
pub(crate) use program;

/// A sandbox whose containers are told from those of every other test.
pub(crate) struct Bench {
    pub(crate) settings: Settings,
    pub(crate) sandbox: Sandbox,
    pub(crate) profile: Profile,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let settings = Settings {
            instance: unique("test").into(),
            // Two cores may be running the rest of the tests: patience is no part of them.
            engine_ms_max: 60_000,
            wait_ms_max: 120_000,
            ..Settings::default().without_stock()
        };
        Self::with(settings)
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let sandbox = Sandbox::new(&settings).unwrap();
        let profile = Profile {
            memory_bytes: 256 * 1024 * 1024,
            cpu_milli: 1000,
            pids_max: 64,
            wall_ms: 60_000,
            output_bytes_max: 100_000,
            writable_bytes_max: 16 * 1024 * 1024,
            files_max: Some(4096),
            runtime: Runtime::Runc,
            image: "python".into(),
        };
        Self { settings, sandbox, profile }
    }

    /// One that runs programs under a profile of the shipped bundle.
    pub(crate) fn under(profile: &str) -> Self {
        let profile = policy().profile(profile).unwrap().clone();
        Self { profile, ..Self::new() }
    }

    /// One with the same limits as any other, as far as another runtime can hold them.
    pub(crate) fn of(runtime: Runtime) -> Self {
        let bench = Self::new();
        let profile = match runtime {
            Runtime::Runc => bench.profile,
            Runtime::Runsc => {
                Profile { runtime, memory_bytes: 512 << 20, files_max: None, ..bench.profile }
            }
        };
        Self { profile, ..bench }
    }

    /// The same bench with this much time for each program.
    pub(crate) fn wall_ms(mut self, wall_ms: u64) -> Self {
        self.profile.wall_ms = wall_ms;
        self
    }

    pub(crate) async fn run(&self, program: &str) -> Run {
        self.try_run(program.as_bytes()).await.unwrap()
    }

    pub(crate) async fn try_run(&self, program: &[u8]) -> Result<Run, Error> {
        let source = Source::new(Language::Python, program);
        self.sandbox.run(permit(), &self.profile, alone(&source)).await
    }

    /// Runs a program that finds these files.
    pub(crate) async fn run_with(&self, files: &[Given], program: &str) -> Run {
        self.try_run_with(files, program).await.unwrap()
    }

    pub(crate) async fn try_run_with(&self, files: &[Given], program: &str) -> Result<Run, Error> {
        let source = Source::new(Language::Python, program.as_bytes());
        let program = Program { files, ..alone(&source) };
        self.sandbox.run(permit(), &self.profile, program).await
    }

    /// Runs a program and has it observed, as the shipped bundle says.
    pub(crate) async fn run_observed(&self, program: &str) -> Run {
        let source = Source::new(Language::Python, program.as_bytes());
        let watch = policy().events().unwrap().watch();
        let program = Program { watch: &watch, ..alone(&source) };
        self.sandbox.run(permit(), &self.profile, program).await.unwrap()
    }

    /// Runs a program as one that imports these modules.
    pub(crate) async fn run_importing(&self, program: &str, imported: &[&str]) -> Run {
        let source = Source::new(Language::Python, program.as_bytes());
        let program = Program { imported, ..alone(&source) };
        self.sandbox.run(permit(), &self.profile, program).await.unwrap()
    }

    /// Waits until the containers of all runs are gone, and sees that none is left of this
    /// instance. A test that ends without it would stop its own removals.
    pub(crate) async fn leaves_nothing(&self) {
        self.sandbox.drain().await;
        assert!(self.sandbox.hosts().iter().all(|host| host.containers == 0));
        assert_eq!(self.sweep_anew().await, 0);
    }

    /// Sweeps as a gateway of the same instance would that starts anew.
    pub(crate) async fn sweep_anew(&self) -> usize {
        Sandbox::new(&self.settings).unwrap().sweep().await.unwrap()
    }
}

/// A program of which nothing is known or observed.
fn alone(source: &Source) -> Program<'_> {
    let files_max = workspace::Settings::in_directory(Path::new("")).of_a_run();
    Program { source, imported: &[], watch: "", files: &[], files_max, gate: None }
}

/// A permit, got as every permit is: from policy, which here permits everything.
fn permit() -> Permit {
    permit_of(policy())
}

/// A permit of a bundle that permits everything.
pub(crate) fn permit_of(policy: &Policy) -> Permit {
    let now = Timestamp::from_unix_ms(0);
    let call = ToolCall {
        id: CallId::new(unique("call")),
        door: Door::Cli,
        subject: Subject {
            id: "agent".into(),
            tenant: "acme".into(),
            roles: Vec::new(),
            authentication: Authentication::Local,
        },
        session: None,
        tool: Tool::builtin(Tool::RUN_PYTHON),
        arguments: Json::Object(Vec::new()),
        source: None,
        received: now,
    };
    let session = Session::beginning("session", now);
    match policy.decide(&call, None, &Context::new(now, session)).ruling {
        Ruling::Permitted(permit) => permit,
        Ruling::Held(_) | Ruling::Denied(_) => panic!("the bundle permits every call"),
    }
}

/// A bundle that permits everything.
pub(crate) fn policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| {
        let files = [
            ("main.rego", include_str!("../../policies/main.rego")),
            ("data/capabilities.json", include_str!("../../policies/data/capabilities.json")),
            ("image/python.json", include_str!("../../policies/image/python.json")),
            ("image/python_events.json", include_str!("../../policies/image/python_events.json")),
            ("data/sandbox.json", include_str!("../../policies/data/sandbox.json")),
            (
                "rules/tools/any/any.rego",
                include_str!("../../fixtures/bundles/permit_all/rules/tools/any/any.rego"),
            ),
        ]
        .map(|(path, text)| BundleFile { path: path.to_owned(), text: text.to_owned() });
        Policy::load(&files, &regate::policy::Settings::default()).unwrap()
    });
    &POLICY
}

/// A name that no other test has, on this machine or in this process.
pub(crate) fn unique(prefix: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{prefix}-{}-{count}", std::process::id())
}
