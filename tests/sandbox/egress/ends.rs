//! Whoever ends first: program, host, gateway.

use super::{Outside, fixture, program};
use crate::network;
use std::time::Duration;

#[tokio::test]
async fn either_side_may_end_first() {
    let Some(network) = network::enter("egress::ends::either_side_may_end_first") else { return };
    let outside = Outside::new();
    let (stdout, ended) = outside.words(&program(&network, fixture!("half_closed"), &[])).await;
    assert_eq!((&*stdout, &*ended), ("after the end\n", &["closed"][..]));
    let reset = program(&network, fixture!("download"), &[("PATH", "reset")]);
    let (stdout, ended) = outside.words(&reset).await;
    assert!(stdout.starts_with("broken"), "{stdout}");
    assert_eq!(ended, ["broken"]);
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_program_that_ends_takes_its_connections_with_it() {
    let name = "egress::ends::a_program_that_ends_takes_its_connections_with_it";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let (stdout, ended) = outside.words(&program(&network, fixture!("left_open"), &[])).await;
    assert_eq!(stdout, "HTTP/1.1 200 OK\n");
    // Whether something was left unread is up to the host's pace.
    assert!(["run", "broken", "closed"].contains(&ended[0]) && ended.len() == 1, "{ended:?}");
    network.await_heard(|heard| heard.contains("80 broken"));
    outside.bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_run_that_is_given_up_takes_its_connections_with_it() {
    let name = "egress::ends::a_run_that_is_given_up_takes_its_connections_with_it";
    let Some(network) = network::enter(name) else { return };
    let outside = Outside::new();
    let slow = program(&network, fixture!("download"), &[("PATH", "slow")]);
    let begun = async {
        while !network.has_heard("GET /slow") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        run = outside.run(&slow) => panic!("{run:?}"),
        () = begun => {}
    }
    network.await_heard(|heard| heard.contains("80 broken"));
    let ended: Vec<_> = outside.gate.take().iter().map(|one| one.how.as_str()).collect();
    assert_eq!(ended, ["run"]);
    outside.bench.leaves_nothing().await;
}
