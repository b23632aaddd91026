//! Connections are bounded: how many, how much, how long.

use super::{Outside, fixture, program};
use crate::network;
use regate::sandbox::egress::Limits;

#[tokio::test]
async fn so_many_connections_and_no_more() {
    let Some(network) = network::enter("egress::bounds::so_many_connections_and_no_more") else {
        return;
    };
    let limits = Limits { at_once_max: 3, total_max: 8, ..Limits::default() };
    let outside = Outside::within(limits);
    let kept = program(
        &network,
        fixture!("many"),
        &[("COUNT", "6"), ("KEEP", "connections.append(connection)")],
    );
    let (stdout, ended) = outside.words(&kept).await;
    assert_eq!(stdout, "[('200', 3), ('429', 3)]\n");
    // Whether its sockets or its end is heard of first is up to the kernel.
    assert!(
        ended.len() == 3 && ended.iter().all(|how| ["run", "closed"].contains(how)),
        "{ended:?}"
    );
    let closed =
        program(&network, fixture!("many"), &[("COUNT", "10"), ("KEEP", "connection.close()")]);
    let (stdout, ended) = outside.words(&closed).await;
    assert_eq!(stdout, "[('200', 8), ('429', 2)]\n");
    assert_eq!(ended.len(), 8);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn so_many_bytes_and_no_more() {
    let Some(network) = network::enter("egress::bounds::so_many_bytes_and_no_more") else { return };
    let limits = Limits {
        sent_bytes_max: 100_000,
        received_bytes_max: 1_000_000,
        total_received_bytes_max: 1_500_000,
        ..Limits::default()
    };
    let outside = Outside::within(limits);
    let up = |count: &str| program(&network, fixture!("upload"), &[("COUNT", count)]);
    assert_eq!(outside.words(&up("90000")).await.1, ["closed"]);
    assert_eq!(outside.words(&up("300000")).await, ("broken\n".to_owned(), vec!["bytes"]));
    let down = |path: &str| program(&network, fixture!("download"), &[("PATH", path)]);
    let most = down("big=900000");
    assert_eq!(outside.words(&most).await, ("whole 900000\n".to_owned(), vec!["closed"]));
    let (stdout, ended) = outside.told(&down("big=3000000")).await;
    assert!(stdout.starts_with("broken") || stdout.starts_with("whole"), "{stdout}");
    assert_eq!(ended[0].how.as_str(), "bytes");
    assert!(ended[0].received_bytes <= 1_000_000);
    let twice = most.replace(
        "count = 0",
        "count = 0\nurllib.request.urlopen(\"http://api.example.com/big=900000\").read()",
    );
    assert_eq!(outside.words(&twice).await.1, ["closed", "bytes"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn so_long_and_no_longer() {
    let Some(network) = network::enter("egress::bounds::so_long_and_no_longer") else { return };
    let limits = Limits { open_ms_max: 1_500, ms_max: 1_500, ..Limits::default() };
    let outside = Outside::within(limits);
    let slow = program(&network, fixture!("download"), &[("PATH", "slow")]);
    assert_eq!(outside.words(&slow).await.1, ["time"]);
    let said = [("SAID", "[b'CONNECT api.example.com:443 HTTP/1.1\\r\\n\\r\\n']"), ("PAUSE", "60")];
    let silent = program(&network, fixture!("said"), &said);
    assert_eq!(outside.words(&silent).await.1, ["tls"]);
    outside.bench.leaves_nothing().await;
}
