//! What operators look at: liveness, readiness, metrics. Open to whoever reaches the port.
//!
//! Must never show a secret, a subject or an argument.

use super::Gateway;
use super::router::Doors;
use super::tools::PROFILE_DEFAULT;
use crate::call::Text;
use crate::policy::Profile;
use crate::sandbox::{self, HostState, Standing};
use crate::telemetry::{self, OnHost};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::Serialize;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;
use utoipa::ToSchema;

/// Whether the process answers.
#[utoipa::path(get, path = "/healthz", responses((status = 200, description = "It lives.")))]
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// The metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", responses((status = 200, description = "The metrics.")))]
pub(super) async fn metrics(State(doors): State<Doors>) -> Response {
    let gateway = &doors.gateway;
    match gateway.guard.ledger().size() {
        Ok(size) => gateway.metrics.ledger_size(size.bytes, size.sealed_files),
        Err(error) => tracing::warn!(%error, "the size of the ledger cannot be read"),
    }
    look_at_sandbox(gateway);
    let text = gateway.metrics.render(gateway.guard.now().since_epoch());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// What is there now of what is not counted when it happens.
fn look_at_sandbox(gateway: &Gateway) {
    let (sandbox, metrics) = (&gateway.sandbox, &gateway.metrics.sandbox);
    metrics.waiting(sandbox.waiting());
    metrics.pool(sandbox.stock().iter().flat_map(|kind| {
        let counts = [("ready", kind.ready), ("coming", kind.coming), ("wanted", kind.target)];
        counts.map(|(state, count)| ([&*kind.host, &*kind.modules, state], count))
    }));
    for host in sandbox.hosts() {
        let states = sandbox::State::ALL.map(|state| (state.as_str(), state == host.state));
        let now = OnHost { runs: host.running, containers: host.containers };
        metrics.host(&host.name, &states, now);
    }
    metrics.profiles(profiles(gateway).iter().map(|profile| (&*profile.name, profile.state)));
}

/// Whether calls can be decided, recorded and run.
#[utoipa::path(
    get,
    path = "/readyz",
    responses(
        (status = 200, description = "All is there.", body = Readyz),
        (status = 503, description = "Something is down.", body = Readyz),
    ),
)]
pub(super) async fn readyz(State(doors): State<Doors>) -> Response {
    let readyz = doors.readiness.look(&doors.gateway).await;
    let status = if readyz.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, axum::Json(readyz)).into_response()
}

/// What a call needs, and whether it is there.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Readyz {
    /// Whether all is there.
    ready: bool,
    /// The policy bundle.
    bundle: BundleState,
    /// The Docker engines and the image.
    docker: Docker,
    /// The ledger.
    ledger: Component,
    /// The database of what is used in a day; fit where nothing is capped.
    quotas: Component,
    /// The sandbox profiles of the bundle.
    profiles: Vec<ProfileState>,
}

/// A sandbox profile.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ProfileState {
    /// Its name.
    name: String,
    /// `ready`, `refused`, or `unknown` where it was not looked at yet, or Docker is down.
    state: &'static str,
    /// Why it is refused.
    reasons: Vec<String>,
}

/// The bundle in force.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct BundleState {
    /// Whether there is one; a gateway without one does not start.
    ok: bool,
    /// Its digest.
    digest: String,
    /// When it was loaded.
    loaded: String,
    /// Why the last attempt to replace it failed, and where; `null` where it did not.
    error: Option<String>,
}

/// The Docker hosts that programs run on.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Docker {
    /// Whether programs can be run: with several hosts, on one of them at least.
    ok: bool,
    /// Each of them.
    hosts: Vec<Host>,
}

/// One host.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Host {
    /// Its name in the settings.
    name: String,
    /// `healthy`, or `away`: it failed and is not used until it is well again.
    state: &'static str,
    /// Since when.
    since: String,
}

/// One component.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Component {
    /// Whether it answers.
    ok: bool,
}

/// How long one look is good for: whoever asks more often learns no more, and costs no more.
const LOOK_MS: u64 = 1000;

/// The last look at what calls need.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    last: Mutex<Option<(Instant, Readyz)>>,
}

impl Readiness {
    async fn look(&self, gateway: &Gateway) -> Readyz {
        let mut last = self.last.lock().await;
        if let Some((at, readyz)) = &*last
            && at.elapsed() < Duration::from_millis(LOOK_MS)
        {
            return readyz.clone();
        }
        let readyz = check(gateway).await;
        *last = Some((Instant::now(), readyz.clone()));
        readyz
    }
}

/// The place and the reason without the lines of a policy that an engine quotes between them:
/// whoever reaches the port may read this.
fn without_source(error: &str) -> String {
    let is_quoted = |line: &str| {
        line.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit())
            .starts_with('|')
    };
    error.lines().filter(|line| !is_quoted(line)).collect::<Vec<_>>().join("\n")
}

fn hosts(gateway: &Gateway) -> Vec<Host> {
    let since = |lasted: Duration| {
        let lasted_ms = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
        gateway.guard.now().before(lasted_ms).to_string()
    };
    let hosts = gateway.sandbox.hosts().into_iter();
    let host = |host: HostState| Host {
        name: host.name.to_string(),
        state: host.state.as_str(),
        since: since(host.lasted),
    };
    hosts.map(host).collect()
}

async fn check(gateway: &Gateway) -> Readyz {
    let (guard, docker) = tokio::join!(gateway.guard.check(), check_docker(gateway));
    if let Err(error) = &docker {
        tracing::warn!(%error, "the sandbox is not available");
    }
    let components = [
        ("bundle", true),
        ("docker", docker.is_ok()),
        ("ledger", guard.ledger),
        ("quotas", guard.quotas),
    ];
    for (component, ok) in components {
        gateway
            .metrics
            .ready(component, if ok { telemetry::State::Ready } else { telemetry::State::Unready });
    }
    let profiles = profiles(gateway);
    let refused =
        |profile: &ProfileState| profile.name == PROFILE_DEFAULT && !profile.reasons.is_empty();
    Readyz {
        ready: guard.ledger && guard.quotas && docker.is_ok() && !profiles.iter().any(refused),
        bundle: BundleState {
            ok: true,
            digest: guard.bundle.to_string(),
            loaded: guard.bundle_loaded.to_string(),
            error: guard.bundle_error.as_deref().map(without_source),
        },
        docker: Docker { ok: docker.is_ok(), hosts: hosts(gateway) },
        ledger: Component { ok: guard.ledger },
        quotas: Component { ok: guard.quotas },
        profiles,
    }
}

/// The engine, and the image of the usual profile.
async fn check_docker(gateway: &Gateway) -> Result<(), sandbox::Error> {
    let policy = gateway.guard.policy();
    gateway.sandbox.check(policy.profile(PROFILE_DEFAULT)).await
}

/// What is known of each profile, sorted by name.
fn profiles(gateway: &Gateway) -> Vec<ProfileState> {
    let policy = gateway.guard.policy();
    let state = |(name, profile): (&Text, &Profile)| {
        let standing = gateway.sandbox.standing(profile);
        let state = standing.as_str();
        let reasons = match standing {
            Standing::Refused(reasons) => reasons,
            Standing::Ready | Standing::Unknown => Vec::new(),
        };
        ProfileState { name: name.to_string(), state, reasons }
    };
    policy.profiles().iter().map(state).collect()
}
