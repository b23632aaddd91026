//! How messages get to an engine: over its socket, or over TCP with TLS on which both sides show
//! who they are.
//!
//! Connections are kept for the next message, and wait for nothing before they send. Must never
//! give one that a container's streams took over to another message, nor speak to an engine whose
//! certificate is not of the given authority and for the host that it was looked for at.

mod connecting;
mod credentials;
#[cfg(test)]
mod tests;

pub(super) use credentials::Credentials;

use super::endpoint::Endpoint;
use bollard::errors::Error as DockerError;
use bollard::{API_DEFAULT_VERSION, BollardRequest, Docker};
use connecting::{ToPort, ToSocket};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::Connect;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// How long a connection is kept that nothing is said on: less than what stands between drops it
/// after.
const IDLE_MAX: Duration = Duration::from_secs(50);

/// How many such are kept: as many as speak to an engine at once in the thick of things.
const IDLE_CONNECTIONS_MAX: usize = 16;

/// The engine at an endpoint. Nothing is said to it yet.
pub(super) fn docker(endpoint: &Endpoint, patience: Duration) -> Result<Docker, DockerError> {
    match endpoint {
        Endpoint::Socket(path) => over(ToSocket::new(path), endpoint, patience),
        Endpoint::Port(_, credentials) => {
            over(ToPort::new(Arc::clone(credentials), patience), endpoint, patience)
        }
    }
}

fn over<C>(connector: C, endpoint: &Endpoint, patience: Duration) -> Result<Docker, DockerError>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_MAX)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .build(connector);
    let transport = move |message: BollardRequest| {
        let answer = client.request(message);
        async move { answer.await.map_err(|error| std::io::Error::other(whole(&error)).into()) }
    };
    // bollard counts whole seconds; the bound that holds is the engine's own.
    let seconds = patience.as_secs().saturating_add(1);
    let address = Some(endpoint.address());
    Docker::connect_with_custom_transport(transport, address, seconds, API_DEFAULT_VERSION)
}

/// An error with what lies behind it: the first of them only says that there is no connection.
fn whole(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
