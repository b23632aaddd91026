//! What the Docker engine itself says of containers, whatever the gateway says.

use std::process::Command;

fn label(instance: &str) -> String {
    format!("label=regate.instance={instance}")
}

/// How many containers of a gateway there are, running or not.
pub(crate) fn containers(instance: &str) -> usize {
    containers_at("unix:///var/run/docker.sock", instance)
}

/// The same at another engine.
pub(crate) fn containers_at(endpoint: &str, instance: &str) -> usize {
    let filter = label(instance);
    let listed = Command::new("docker")
        .args(["--host", endpoint, "ps", "-aq", "--filter", &filter])
        .output()
        .unwrap();
    assert!(listed.status.success(), "Docker is needed");
    String::from_utf8(listed.stdout).unwrap().lines().count()
}
