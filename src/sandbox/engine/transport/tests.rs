//! Connections are used again, but for those that a container's streams took over; certificates
//! that are renewed are taken, and others that are spoilt are not.

#![expect(clippy::disallowed_methods, reason = "a test writes the files that are read")]

use super::super::endpoint::Endpoint;
use super::Credentials;
use super::docker;
use crate::sandbox::Error;
use bollard::query_parameters::AttachContainerOptionsBuilder;
use futures_util::StreamExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

#[path = "../../../../tests/certificates/mod.rs"]
mod certificates;
use certificates::Authority;

const PATIENCE: Duration = Duration::from_secs(60);
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK";
const UPGRADED: &[u8] = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
/// A frame of the engine's, around three bytes of standard output.
const OUTPUT: &[u8] = b"\x01\0\0\0\0\0\0\x03out";

/// Answers as an engine does, and hands a connection over to whoever attaches.
async fn answer(mut client: UnixStream) -> std::io::Result<()> {
    let mut message = vec![0; 4096];
    loop {
        let length = client.read(&mut message).await?;
        let attaches = message[..length].windows(7).any(|part| part == b"/attach");
        client.write_all(if attaches { UPGRADED } else { OK }).await?;
        if length == 0 || attaches {
            break;
        }
    }
    client.write_all(OUTPUT).await?;
    // Whatever else comes is no message.
    let length = client.read(&mut message).await?;
    assert_eq!(&message[..length], b"in");
    Ok(())
}

fn engine(socket: &Path) -> Arc<AtomicUsize> {
    let (listener, count) = (UnixListener::bind(socket).unwrap(), Arc::new(AtomicUsize::new(0)));
    let connections = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(answer(client));
        }
    });
    count
}

#[tokio::test]
async fn a_connection_serves_many_messages_but_none_beside_a_container_s_streams() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("engine.sock");
    let connections = engine(&socket);
    let endpoint = Endpoint::new(&format!("unix://{}", socket.display()), None).unwrap();
    let docker = docker(&endpoint, PATIENCE).unwrap();
    for _ in 0..3 {
        docker.ping().await.unwrap();
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    let streams = || AttachContainerOptionsBuilder::new().stream(true).stdin(true).stdout(true);
    let mut held = Vec::new();
    for taken in 1..4 {
        let attached = docker.attach_container("name", Some(streams().build())).await.unwrap();
        held.push(attached);
        docker.ping().await.unwrap();
        assert_eq!(connections.load(Ordering::SeqCst), taken + 1);
    }
    for mut attached in held {
        attached.input.write_all(b"in").await.unwrap();
        let output = attached.output.next().await.unwrap().unwrap();
        assert_eq!(&*output.into_bytes(), b"out");
        assert!(attached.output.next().await.is_none());
    }
    docker.ping().await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 4);
}

#[test]
fn certificates_are_read_again_and_stay_as_they_were_where_they_are_spoilt() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new("ours"));
    authority.issue(&["gateway"], folder.path());
    let credentials = Credentials::read(folder.path()).unwrap();
    let first = credentials.current();
    assert!(Arc::ptr_eq(&first, &credentials.current()));
    authority.issue(&["gateway"], folder.path());
    let second = credentials.current();
    assert!(!Arc::ptr_eq(&first, &second));
    std::fs::remove_file(folder.path().join("key.pem")).unwrap();
    assert!(Arc::ptr_eq(&second, &credentials.current()));
    authority.issue(&["gateway"], folder.path());
    assert!(!Arc::ptr_eq(&second, &credentials.current()));
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new("ours"));
    authority.issue(&["gateway"], folder.path());
    let key = std::fs::read(folder.path().join("key.pem")).unwrap();
    authority.issue(&["gateway"], folder.path());
    std::fs::write(folder.path().join("key.pem"), key).unwrap();
    let refused = Credentials::read(folder.path());
    assert!(matches!(refused, Err(Error::Certificates { .. })), "{refused:?}");
}

#[test]
fn an_endpoint_is_a_socket_or_a_port_with_certificates() {
    let folder = tempfile::tempdir().unwrap();
    Authority::new("ours").issue(&["gateway"], folder.path());
    let with = |text: &str| Endpoint::new(text, Some(folder.path()));
    for text in ["tcp://docker.example.com:2376", "tcp://10.0.0.7:2376", "tcp://[::1]:2376"] {
        assert_eq!(with(text).unwrap().address(), text.replace("tcp", "https"));
        assert!(matches!(Endpoint::new(text, None), Err(Error::Clear(_))), "{text}");
    }
    assert!(Endpoint::new("unix:///var/run/docker.sock", None).is_ok());
    assert!(matches!(with("unix:///var/run/docker.sock"), Err(Error::Needless(_))));
    for text in [
        "",
        "/var/run/docker.sock",
        "unix://docker.sock",
        "http://docker.example.com:2375",
        "ssh://docker.example.com",
        "tcp://",
        "tcp://:2376",
        "tcp://docker.example.com",
        "tcp://user@docker.example.com:2376",
        "tcp://docker.example.com:2376/path",
        "tcp://docker.example.com:70000",
    ] {
        assert!(matches!(with(text), Err(Error::Endpoint(_))), "{text}");
    }
}
