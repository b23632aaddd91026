//! New connections to an engine.
//!
//! Must never wait without a limit, nor hold small frames back to send them together.

use super::Credentials;
use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpStream, UnixStream};
use tower_service::Service;

/// When the other machine of a silent connection is asked whether it is still there, how often
/// again, and how often in all.
const PROBE_AFTER: Duration = Duration::from_secs(15);
const PROBE_EVERY: Duration = Duration::from_secs(5);
const PROBES_MAX: u32 = 3;

type Connecting<S, E> = Pin<Box<dyn Future<Output = Result<S, E>> + Send>>;
type BoxError = Box<dyn Error + Send + Sync>;

/// Connects to a socket of this machine.
#[derive(Debug, Clone)]
pub(super) struct ToSocket {
    path: Arc<Path>,
}

impl ToSocket {
    pub(super) fn new(path: &Arc<Path>) -> Self {
        Self { path: Arc::clone(path) }
    }
}

impl Service<Uri> for ToSocket {
    type Response = TokioIo<UnixStream>;
    type Error = io::Error;
    type Future = Connecting<Self::Response, io::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let path = Arc::clone(&self.path);
        Box::pin(async move { UnixStream::connect(path).await.map(TokioIo::new) })
    }
}

/// Connects to a port with TLS.
#[derive(Debug, Clone)]
pub(super) struct ToPort {
    tcp: HttpConnector,
    credentials: Arc<Credentials>,
}

impl ToPort {
    pub(super) fn new(credentials: Arc<Credentials>, patience: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(patience));
        tcp.set_keepalive(Some(PROBE_AFTER));
        tcp.set_keepalive_interval(Some(PROBE_EVERY));
        tcp.set_keepalive_retries(Some(PROBES_MAX));
        Self { tcp, credentials }
    }
}

impl Service<Uri> for ToPort {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = Connecting<Self::Response, BoxError>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (tcp, credentials) = (self.tcp.clone(), Arc::clone(&self.credentials));
        Box::pin(async move {
            let settings = tokio::task::spawn_blocking(move || credentials.current()).await?;
            HttpsConnector::from((tcp, settings)).call(uri).await
        })
    }
}
