//! A way to the Docker engine that can be cut off and laid again, as if the engine were stopped
//! and started.

use std::path::{Path, PathBuf};
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

const ENGINE: &str = "/var/run/docker.sock";

pub(crate) struct Proxy {
    path: PathBuf,
    serving: Option<JoinHandle<()>>,
}

impl Proxy {
    pub(crate) fn at(path: &Path) -> Self {
        let mut proxy = Self { path: path.to_owned(), serving: None };
        proxy.start();
        proxy
    }

    pub(crate) fn start(&mut self) {
        let listener = UnixListener::bind(&self.path).unwrap();
        self.serving = Some(tokio::spawn(serve(listener)));
    }

    /// Ends every connection, and takes no more.
    pub(crate) async fn stop(&mut self) {
        let serving = self.serving.take().unwrap();
        serving.abort();
        // It was cut off.
        let _ = serving.await;
        std::fs::remove_file(&self.path).unwrap();
    }
}

async fn serve(listener: UnixListener) {
    // Dropped with this task, and the connections with it.
    let mut connections = JoinSet::new();
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        connections.spawn(async move {
            let mut engine = UnixStream::connect(ENGINE).await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut engine).await;
        });
    }
}
