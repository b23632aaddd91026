//! Stands between a gateway and the Docker engine, and notes each program that is let go in a
//! container, before the container hears of it.

use regate_agent::{Decoder, Kind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

/// The programs of Regate's own, which look around in a container before any of a caller's.
const OWN: [&str; 2] = [
    include_str!("../../src/sandbox/probing/look.py"),
    include_str!("../../src/sandbox/probing/crowd.py"),
];

/// What callers' programs were let go, over all lives of the gateway.
pub(crate) struct Witness {
    folder: TempDir,
    executed: Arc<Mutex<Vec<String>>>,
}

impl Witness {
    /// Listens as the engine behind this socket does, and passes everything on to it.
    pub(crate) fn before(engine: PathBuf) -> Self {
        let witness = Self { folder: tempfile::tempdir().unwrap(), executed: Arc::default() };
        let listener = UnixListener::bind(witness.socket()).unwrap();
        let executed = Arc::clone(&witness.executed);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, engine.clone(), Arc::clone(&executed)));
            }
        });
        witness
    }

    /// Where it listens.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("engine.sock")
    }

    /// The programs that were let go, in their order.
    pub(crate) fn executed(&self) -> Vec<String> {
        self.executed.lock().unwrap().clone()
    }
}

/// One connection. Where it is the stream of a container, what follows the head of the message is
/// what the gateway says to the agent.
async fn pass_on(
    client: UnixStream,
    engine: PathBuf,
    executed: Arc<Mutex<Vec<String>>>,
) -> std::io::Result<()> {
    let engine = UnixStream::connect(engine).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_engine, mut to_engine) = engine.into_split();
    let there = async move {
        pass_messages_on(&mut from_client, &mut to_engine, &executed).await?;
        to_engine.shutdown().await
    };
    // Where the engine dies, the gateway is to see it.
    let back = async move {
        tokio::io::copy(&mut from_engine, &mut to_client).await?;
        to_client.shutdown().await
    };
    let (there, back) = tokio::join!(there, back);
    there.and(back)
}

/// One message after the other, until one takes the connection over for a container's streams.
async fn pass_messages_on(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    executed: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    while let Ok(head) = head(from).await {
        to.write_all(&head).await?;
        if head.starts_with(b"POST ") && target(&head).ends_with("/attach") {
            return watch(from, to, executed).await;
        }
        tokio::io::copy(&mut from.take(body_bytes(&head)), to).await?;
    }
    Ok(())
}

/// The head of a message, with the empty line behind it.
async fn head(from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(from.read_u8().await?);
    }
    Ok(head)
}

/// How long the body behind a head is.
fn body_bytes(head: &[u8]) -> u64 {
    let head = String::from_utf8_lossy(head).to_lowercase();
    assert!(!head.contains("\r\ntransfer-encoding:"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    length.map_or(0, |length| length.trim().parse().unwrap())
}

/// The path that a message names, without its query.
fn target(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head);
    let target = head.split(' ').nth(1).unwrap_or_default();
    target.split('?').next().unwrap_or_default().to_owned()
}

/// Passes frames on, and notes the program before the order to go.
async fn watch(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    executed: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let (mut frames, mut source, mut bytes) = (Decoder::default(), Vec::new(), vec![0; 1 << 16]);
    loop {
        let count = from.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        frames.push(&bytes[..count]);
        while let Some(frame) = frames.next_frame().unwrap() {
            if frame.kind == Kind::Source {
                source.extend(frame.payload);
            } else if frame.kind == Kind::Go {
                let program = String::from_utf8(std::mem::take(&mut source)).unwrap();
                if !OWN.iter().any(|own| program.ends_with(own)) {
                    executed.lock().unwrap().push(program);
                }
            }
        }
        to.write_all(&bytes[..count]).await?;
    }
}
