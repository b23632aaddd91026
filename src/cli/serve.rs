//! `regate serve`: puts the parts together and keeps them going until told to stop.

use super::Exit;
use super::approvals::operator;
use super::args::Serve;
use super::output::Output;
use crate::approval::Notices;
use crate::call::Timestamp;
use crate::config::{self, Settings};
use crate::enforce::{Guard, Parts};
use crate::gateway::{self, Gateway};
use crate::ledger::{self, Ledger};
use crate::limits::quotas::Quotas;
use crate::limits::{Limits, Ticks};
use crate::policy::Policy;
use crate::sandbox::workspace::Workspaces;
use crate::sandbox::{self, Sandbox};
use crate::telemetry::{self, Metrics};
use anyhow::{Context, bail};
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// How long calls and containers may take to end when the doors are shut, and how long records
/// may take to be written after that.
const CLOSE_MAX: Duration = Duration::from_secs(10);
/// How often to look for containers that nobody waits for, and how soon again while Docker is down.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
const SWEEP_AGAIN: Duration = Duration::from_secs(5);
/// How often to ask for containers in stock: soon enough after a reload of the bundle.
const PREPARE_EVERY: Duration = Duration::from_secs(5);
/// How often to look for questions whose time is over.
const EXPIRE_EVERY: Duration = Duration::from_secs(5);

pub(super) fn serve(args: Serve, output: &mut Output) -> anyhow::Result<Exit> {
    let settings = settings(args)?;
    let _logs =
        telemetry::init(&telemetry::Settings { colour: Output::colour(), ..settings.log.clone() })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(&settings, output))?;
    Ok(Exit::Done)
}

/// The settings file, and what the command line says instead.
fn settings(args: Serve) -> anyhow::Result<Settings> {
    let mut settings = config::load(args.config.as_deref())?;
    if let Some(listen) = args.listen {
        settings.listen = listen;
    }
    if let Some(policies) = args.bundle.policies {
        settings.policies = Some(policies);
    }
    if let Some(data) = args.data {
        settings = settings.with_data(data);
    }
    check(&settings)?;
    Ok(settings)
}

/// What each part would say of its settings when it is put together.
pub(super) fn check(settings: &Settings) -> anyhow::Result<()> {
    if settings.gateway.keys.is_empty() && !settings.listen.ip().is_loopback() {
        bail!(
            "no key is configured, so only a loopback address can be served, not {}; \
             make a key with `regate key new`",
            settings.listen
        );
    }
    settings.log.check()?;
    Sandbox::new(&settings.sandbox)?;
    Ok(())
}

async fn run(settings: &Settings, output: &mut Output) -> anyhow::Result<()> {
    // Before anything else, so that no signal is lost or ends it half-way.
    let (mut stops, hangups) = (Stops::listen()?, signal(SignalKind::hangup())?);
    let policy = load_policy(settings).context("without a policy nothing is served")?;
    let ledger = Ledger::open(&settings.ledger).await?;
    let quotas = Quotas::open(&settings.quotas).await?;
    quotas.put_in_force(policy.allowances());
    quotas.check().await?;
    let workspaces = Workspaces::open(&settings.files).await.context("no place for files")?;
    let gateway = gateway(settings, policy, (ledger.clone(), quotas), workspaces)?;
    note_interrupted(&gateway, &ledger).await?;
    let doors = gateway::Settings {
        operator: Some(operator::make(&settings.data)?),
        ..settings.gateway.clone()
    };

    let listener = TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("cannot listen on {}", settings.listen))?;
    greet(settings, listener.local_addr()?, output);
    tokio::spawn(sweep(Arc::clone(&gateway.sandbox)));
    let stock = tokio::spawn(keep_stock(gateway.clone()));
    tokio::spawn(expire(Arc::clone(&gateway.guard)));
    tokio::spawn(tidy(Arc::clone(&gateway.workspaces)));
    tokio::spawn(reload_on(hangups, Arc::clone(&gateway.guard), settings.clone()));

    let (stop, stopped) = oneshot::channel();
    let served = async {
        let stopped = stopped.map(drop);
        gateway::serve(gateway.clone(), &doors, listener, stopped).await?;
        stock.abort();
        close(&gateway, &ledger).await;
        Ok(())
    };
    tokio::select! {
        served = served => served,
        () = stops.twice(stop) => bail!("stopped at once: calls in flight were cut off"),
    }
}

fn gateway(
    settings: &Settings,
    policy: Arc<Policy>,
    (ledger, quotas): (Ledger, Quotas),
    workspaces: Workspaces,
) -> anyhow::Result<Gateway> {
    let metrics = Metrics::new()?;
    metrics.started(clock().since_epoch());
    let notices = match &settings.approvals.webhook {
        Some(webhook) => Notices::begin(webhook, Arc::clone(&metrics), clock)?,
        None => Notices::none(),
    };
    let started = Instant::now();
    let limits = Limits::new(&settings.limits, Ticks::new(move || started.elapsed()));
    let instance = settings.instance.clone().unwrap_or_else(|| Arc::clone(ledger.id()));
    let parts = Parts {
        policy,
        limits,
        quotas,
        ledger,
        metrics: Arc::clone(&metrics),
        approvals: settings.approvals.clone(),
        notices,
        clock,
    };
    Ok(Gateway {
        guard: Guard::new(parts, &settings.enforce),
        sandbox: Arc::new(Sandbox::new(&sandbox::Settings {
            instance,
            ..settings.sandbox.clone()
        })?),
        workspaces: Arc::new(workspaces),
        metrics,
    })
}

/// What an earlier life began and did not record the end of may have been done: the ledger is
/// to say so before anything else is begun.
async fn note_interrupted(gateway: &Gateway, ledger: &Ledger) -> anyhow::Result<()> {
    let count = ledger.interrupt(clock()).await?;
    if count > 0 {
        tracing::warn!(count, "effects were interrupted: what became of them is not known");
    }
    gateway.metrics.interrupted(count);
    Ok(())
}

/// Waits for the calls that still have their effect and the containers that are being removed;
/// then, come what may, for the records that are being written.
async fn close(gateway: &Gateway, ledger: &Ledger) {
    let settled = async { tokio::join!(gateway.guard.settle(), gateway.sandbox.drain()) };
    wait_for("calls and containers", settled).await;
    wait_for("records", ledger.close()).await;
}

async fn wait_for(what: &'static str, end: impl Future) {
    if tokio::time::timeout(CLOSE_MAX, end).await.is_err() {
        tracing::error!(what, "stopped though not all had come to its end");
    }
}

fn greet(settings: &Settings, address: std::net::SocketAddr, output: &mut Output) {
    output.line(format!("regate listens on http://{address}"));
    if settings.gateway.keys.is_empty() {
        output.line("no key is configured: open to this machine only, as subject `local`");
    }
}

/// The bundle that the settings name.
pub(super) fn load_policy(settings: &Settings) -> anyhow::Result<Arc<Policy>> {
    let files = config::bundle(settings.policies.as_deref())?;
    Ok(Arc::new(Policy::load(&files, &settings.policy)?))
}

/// Keeps containers ready for the profile that most calls run under, which a reload may change.
async fn keep_stock(gateway: Gateway) {
    let ask = async {
        loop {
            gateway.prepare().await;
            tokio::time::sleep(PREPARE_EVERY).await;
        }
    };
    tokio::join!(ask, gateway.sandbox.tend());
}

/// Removes what an earlier life left as soon as Docker answers, and looks again now and then.
async fn sweep(sandbox: Arc<Sandbox>) {
    loop {
        let swept = sandbox.sweep().await;
        tokio::time::sleep(told(&swept)).await;
    }
}

/// Logs what a sweep found, and answers when to sweep again.
fn told(swept: &Result<usize, sandbox::Error>) -> Duration {
    match swept {
        Ok(removed) => {
            tell_removed(*removed);
            SWEEP_EVERY
        }
        Err(error) => {
            tracing::warn!(%error, "Docker does not answer; calls that need it are denied");
            SWEEP_AGAIN
        }
    }
}

fn tell_removed(removed: usize) {
    if removed > 0 {
        tracing::info!(removed, "removed containers that were left over");
    }
}

/// Tells of questions that are open, and closes those that nobody answers.
async fn expire(guard: Arc<Guard>) {
    note_failure(guard.tell_open_questions().await);
    loop {
        note_failure(guard.expire_questions().await);
        tokio::time::sleep(EXPIRE_EVERY).await;
    }
}

fn note_failure<T>(looked: Result<T, ledger::Error>) {
    if let Err(error) = looked {
        tracing::error!(%error, "the approvals cannot be read or written");
    }
}

/// Forgets files whose time is over, and removes bytes that nobody refers to.
async fn tidy(workspaces: Arc<Workspaces>) {
    loop {
        if let Err(error) = workspaces.sweep(clock()).await {
            tracing::error!(%error, "files cannot be swept");
        }
        tokio::time::sleep(SWEEP_EVERY).await;
    }
}

/// On SIGHUP the bundle is read again.
async fn reload_on(mut hangups: Signal, guard: Arc<Guard>, settings: Settings) {
    while hangups.recv().await.is_some() {
        let settings = settings.clone();
        let loaded = tokio::task::spawn_blocking(move || load_policy(&settings)).await;
        reload(&guard, loaded.map_err(anyhow::Error::from).flatten());
    }
}

/// A bundle that does not load leaves the last good one in force.
fn reload(guard: &Guard, loaded: anyhow::Result<Arc<Policy>>) {
    match loaded {
        Ok(policy) => guard.replace_policy(policy),
        Err(error) => guard.keep_policy(format!("{error:#}")),
    }
}

/// SIGINT and SIGTERM.
struct Stops {
    interrupts: Signal,
    terminations: Signal,
}

impl Stops {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupts: signal(SignalKind::interrupt())?,
            terminations: signal(SignalKind::terminate())?,
        })
    }

    /// Passes the first one on, and ends at the second: whoever asks twice does not want to wait.
    async fn twice(&mut self, stop: oneshot::Sender<()>) {
        self.next().await;
        tracing::info!("stopping: calls in flight are finished first; once more stops at once");
        // Where nobody is told any more, the doors are shut already.
        let _ = stop.send(());
        self.next().await;
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupts.recv() => {}
            _ = self.terminations.recv() => {}
        }
    }
}

pub(super) fn clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
