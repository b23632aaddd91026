//! The Docker engine, with a bound on the time of every request to it.
//!
//! The only place that speaks to it. Must never wait without a limit: an engine that hangs must
//! not hang the gateway.

mod abilities;
mod collapse;

pub(super) use abilities::{Abilities, unenforceable};
pub(super) use collapse::Collapse;

use super::Error;
use super::container::INSTANCE_LABEL;
use bollard::container::AttachContainerResults;
use bollard::errors::Error as DockerError;
use bollard::models::{ContainerCreateBody, SystemInfo};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, ListContainersOptionsBuilder,
    RemoveContainerOptionsBuilder,
};
use bollard::{API_DEFAULT_VERSION, Docker};
use futures_util::{Stream as AsyncStream, StreamExt};
use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::AsyncWrite;

/// A connection to an engine whose version is known and whose limits were found to hold.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    docker: Docker,
    patience: Duration,
}

/// A container's standard streams, but for its standard error: nobody writes to that.
pub(super) struct Attached {
    /// What the agent reads.
    pub(super) stdin: Pin<Box<dyn AsyncWrite + Send>>,
    /// What it writes to its standard output, in pieces of any size.
    pub(super) output: Pin<Box<dyn AsyncStream<Item = Result<Vec<u8>, Error>> + Send>>,
}

impl std::fmt::Debug for Attached {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Attached")
    }
}

impl Engine {
    /// Greets the engine: agrees on a version of the protocol, and finds out what it cannot do.
    pub(super) async fn connect(endpoint: &str, patience: Duration) -> Result<Self, Error> {
        // bollard counts whole seconds; the bound that holds is this module's own.
        let seconds = patience.as_secs().saturating_add(1);
        let docker =
            Docker::connect_with_unix(endpoint, seconds, API_DEFAULT_VERSION).map_err(refused)?;
        let docker = within(patience, "version", docker.negotiate_version()).await?;
        let engine = Self { docker, patience };
        abilities::introduce(&engine.info().await?);
        Ok(engine)
    }

    /// What it can do now: it may have been started anew, with other runtimes.
    pub(super) async fn abilities(&self) -> Result<Abilities, Error> {
        Ok(Abilities::of(self.info().await?))
    }

    async fn info(&self) -> Result<SystemInfo, Error> {
        let info = within(self.patience, "info", self.docker.info()).await?;
        match unenforceable(&info) {
            Some(limit) => Err(Error::Unenforceable(limit)),
            None => Ok(info),
        }
    }

    /// Whether the image is there.
    pub(super) async fn find_image(&self, image: &str) -> Result<(), Error> {
        let found = self.docker.inspect_image(image);
        within(self.patience, "image", found).await.map(drop)
    }

    /// The names of all containers of this instance, running or not, sorted.
    pub(super) async fn containers(&self, instance: &str) -> Result<Vec<String>, Error> {
        let label = format!("{INSTANCE_LABEL}={instance}");
        let options = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&HashMap::from([("label", vec![label])]))
            .build();
        let listed = self.docker.list_containers(Some(options));
        let mut names: Vec<String> = within(self.patience, "list", listed)
            .await?
            .into_iter()
            .filter_map(|container| container.names?.into_iter().next())
            .map(|name| name.trim_start_matches('/').to_owned())
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Makes a container, which does not run yet.
    pub(super) async fn create(&self, name: &str, body: ContainerCreateBody) -> Result<(), Error> {
        let options = CreateContainerOptionsBuilder::new().name(name).build();
        let created = self.docker.create_container(Some(options), body);
        within(self.patience, "create", created).await.map(drop)
    }

    /// Takes hold of a container's standard streams.
    pub(super) async fn attach(&self, name: &str) -> Result<Attached, Error> {
        let options =
            AttachContainerOptionsBuilder::new().stream(true).stdin(true).stdout(true).build();
        let attached = self.docker.attach_container(name, Some(options));
        let AttachContainerResults { output, input } =
            within(self.patience, "attach", attached).await?;
        Ok(Attached {
            stdin: input,
            output: Box::pin(
                output.map(|piece| piece.map(|piece| piece.into_bytes().into()).map_err(refused)),
            ),
        })
    }

    /// Starts a container.
    pub(super) async fn start(&self, name: &str) -> Result<(), Error> {
        let started = self.docker.start_container(name, None);
        within(self.patience, "start", started).await
    }

    /// Kills all that runs in a container. One that has ended needs no killing.
    pub(super) async fn kill(&self, name: &str) -> Result<(), Error> {
        let killed = async { unless_gone(self.docker.kill_container(name, None).await) };
        within(self.patience, "kill", killed).await
    }

    /// How a container ended whose agent did not say so; nothing where that is not known.
    pub(super) async fn end(&self, name: &str) -> Result<Option<Collapse>, Error> {
        let inspected = self.docker.inspect_container(name, None);
        let container = within(self.patience, "inspect", inspected).await?;
        Ok(Collapse::of(&container))
    }

    /// Removes a container, whatever it is doing. One that is not there is removed already.
    pub(super) async fn remove(&self, name: &str) -> Result<(), Error> {
        let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
        let removed = self.docker.remove_container(name, Some(options));
        let removed = async { unless_gone(removed.await) };
        within(self.patience, "remove", removed).await
    }

    /// How long any answer may take.
    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// Waits as long as any answer may take.
    pub(super) async fn wait_patiently(&self) {
        tokio::time::sleep(self.patience).await;
    }
}

/// Not there, not running, or being removed by an earlier request: as good as done.
fn unless_gone(answer: Result<(), DockerError>) -> Result<(), DockerError> {
    match answer {
        Err(DockerError::DockerResponseServerError { status_code: 404 | 409, .. }) => Ok(()),
        other => other,
    }
}

async fn within<T>(
    patience: Duration,
    what: &'static str,
    answer: impl Future<Output = Result<T, DockerError>>,
) -> Result<T, Error> {
    match tokio::time::timeout(patience, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(DockerError::RequestTimeoutError)) | Err(_) => Err(Error::Timeout(what)),
        Ok(Err(error)) => Err(refused(error)),
    }
}

fn refused(error: DockerError) -> Error {
    Error::Engine(error.to_string())
}
