//! Connections: accepted, bounded in number and time, let finish at the end.
//!
//! Must never know what a message means.

mod patience;

use super::Settings;
use crate::enforce::Guard;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use patience::Patient;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the listener rests after it failed, as it does when the process has no more files.
const REST_MS: u64 = 100;

/// What has to end before the connections can.
pub(super) struct Closing {
    /// Messages that were begun, and replies to them that are not yet sent.
    pub(super) in_flight: TaskTracker,
    /// Knows the calls whose callers went away.
    pub(super) guard: Arc<Guard>,
    /// Ends the streams that would stay open for ever.
    pub(super) streams: CancellationToken,
}

/// Serves connections until `shutdown` ends; then lets calls in flight finish.
pub(super) async fn run(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    shutdown: impl Future<Output = ()> + Send,
    closing: Closing,
) {
    let server = Server {
        places: Arc::new(Semaphore::new(settings.connections_max.min(Semaphore::MAX_PERMITS))),
        header: Duration::from_millis(settings.header_ms_max),
        write: Duration::from_millis(settings.write_ms_max),
        router,
        stop: CancellationToken::new(),
    };
    let mut connections = server.accept_until(shutdown, listener).await;
    server.stop.cancel();
    let limit = Duration::from_millis(settings.shutdown_ms_max);
    if tokio::time::timeout(limit, finish(&mut connections, closing)).await.is_err() {
        tracing::warn!(connections = connections.len(), "connections are cut off");
    }
    connections.shutdown().await;
}

async fn finish(connections: &mut JoinSet<()>, closing: Closing) {
    closing.in_flight.close();
    closing.in_flight.wait().await;
    closing.guard.settle().await;
    closing.streams.cancel();
    while connections.join_next().await.is_some() {}
}

#[derive(Clone)]
struct Server {
    places: Arc<Semaphore>,
    header: Duration,
    write: Duration,
    router: Router,
    stop: CancellationToken,
}

impl Server {
    /// Spawns connections until `shutdown` ends; answers those that are still open.
    async fn accept_until(
        &self,
        shutdown: impl Future<Output = ()> + Send,
        listener: TcpListener,
    ) -> JoinSet<()> {
        let mut connections = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => return connections,
                Some(_) = connections.join_next() => {}
                accepted = self.accept(&listener) => {
                    let Some((stream, place)) = accepted else { return connections };
                    connections.spawn(self.clone().serve(stream, place));
                }
            }
        }
    }

    /// The next connection and its place; `None` when there are no more places to come.
    async fn accept(&self, listener: &TcpListener) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        // The place first, so that what cannot be served waits outside.
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let stream = connection(listener).await;
        // Without it a small reply waits for the peer's delayed acknowledgement, some 40 ms.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        Some((stream, place))
    }

    async fn serve(self, stream: TcpStream, place: OwnedSemaphorePermit) {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header)
            .serve_connection(
                TokioIo::new(Patient::new(stream, self.write)),
                TowerToHyperService::new(self.router),
            );
        let mut connection = pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection broke off");
        }
        drop(place);
    }
}

/// The next connection. A listener that fails gets a rest: it recovers when others close theirs.
async fn connection(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => tracing::warn!(%error, "a connection could not be accepted"),
        }
        tokio::time::sleep(Duration::from_millis(REST_MS)).await;
    }
}
