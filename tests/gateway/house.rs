//! A gateway of one's own: everything real, on a port of its own.

use crate::bundle;
use regate::approval::Notices;
use regate::call::Timestamp;
use regate::enforce::{self, Guard, Parts};
use regate::gateway::{self, Gateway, Key};
use regate::ledger::reader::{Reader, Record, Selection};
use regate::ledger::{self, Ledger};
use regate::limits::quotas::Quotas;
use regate::limits::{self, Limits, Ticks};
use regate::policy::{self, BundleFile, Policy};
use regate::sandbox::workspace::{self, Workspaces};
use regate::sandbox::{self, Sandbox};
use regate::telemetry::Metrics;
use serde_json::Value;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Arc<Metrics>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
    data: TempDir,
}

pub(crate) fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

impl House {
    pub(crate) async fn open() -> Self {
        Self::with(&gateway::Settings::default()).await
    }

    pub(crate) async fn with(settings: &gateway::Settings) -> Self {
        Self::build(settings, &bundle::shipped()).await
    }

    /// With a bundle laid over the shipped one.
    pub(crate) async fn ruled_by(folder: &str) -> Self {
        let files = [bundle::shipped(), bundle::read(folder)].concat();
        Self::build(&gateway::Settings::default(), &files).await
    }

    async fn build(settings: &gateway::Settings, bundle: &[BundleFile]) -> Self {
        let data = TempDir::new().unwrap();
        let metrics = Metrics::new().unwrap();
        // A busy machine must not make a decision late: lateness has tests of its own.
        let unhurried = policy::Settings { evaluation_ms_max: 10_000, ..Default::default() };
        let policy = Policy::load(bundle, &unhurried).unwrap();
        let ledger = Ledger::open(&ledger::Settings::in_directory(data.path())).await.unwrap();
        let begun = Instant::now();
        let parts = Parts {
            policy: Arc::new(policy),
            limits: Limits::new(&limits::Settings::default(), Ticks::new(move || begun.elapsed())),
            quotas: Quotas::none(),
            ledger,
            metrics: Arc::clone(&metrics),
            approvals: Default::default(),
            notices: Notices::none(),
            clock: || {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                Timestamp::from_unix_ms(i64::try_from(now.as_millis()).unwrap())
            },
        };
        let gateway = Gateway {
            guard: Guard::new(parts, &enforce::Settings::default()),
            sandbox: Arc::new(Sandbox::new(&sandbox_settings(data.path())).unwrap()),
            workspaces: Arc::new(
                Workspaces::open(&workspace::Settings::in_directory(data.path())).await.unwrap(),
            ),
            metrics: Arc::clone(&metrics),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let settings = settings.clone();
        let served = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            gateway::serve(gateway, &settings, listener, shutdown).await
        });
        Self { address, metrics, stop: Some(stop), served, data }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Every record of the ledger, oldest first: its kind and its body.
    pub(crate) async fn ledger(&self) -> Vec<(String, Value)> {
        read(&self.data).await
    }

    /// Ends the gateway and answers the ledger as it left it.
    pub(crate) async fn stop_and_read(mut self) -> Vec<(String, Value)> {
        self.stop.take().unwrap().send(()).unwrap();
        self.served.await.unwrap().unwrap();
        read(&self.data).await
    }

    /// Begins the end, and answers what waits for it.
    pub(crate) fn stop(mut self) -> JoinHandle<std::io::Result<()>> {
        self.stop.take().unwrap().send(()).unwrap();
        self.served
    }
}

async fn read(data: &TempDir) -> Vec<(String, Value)> {
    let settings = ledger::Settings::in_directory(data.path());
    let mut reader = Reader::open(&settings.file).await.unwrap();
    let mut records = Vec::new();
    let selection = Selection { limit: 1_000_000, ..Selection::default() };
    let each = |record: Record| {
        records.push((record.kind, serde_json::from_str(&record.body).unwrap()));
        ControlFlow::Continue(())
    };
    reader.show(&selection, each).await.unwrap();
    records
}

/// A key of a subject of the tenant `acme`.
pub(crate) fn key(text: &str, subject: &str) -> Key {
    Key {
        hash: Key::hash(text),
        subject: subject.into(),
        tenant: "acme".into(),
        roles: vec!["analyst".into()],
    }
}

fn sandbox_settings(data: &Path) -> sandbox::Settings {
    sandbox::Settings {
        // The folder's name is random, so that no test removes another's containers.
        instance: data.file_name().unwrap().to_str().unwrap().trim_start_matches('.').into(),
        ..sandbox::Settings::default().without_stock()
    }
}
