//! What the Docker engine itself says of containers, whatever the gateway says.

use std::process::Command;

const ENGINE: &str = "unix:///var/run/docker.sock";

fn label(instance: &str) -> String {
    format!("label=regate.instance={instance}")
}

/// How many containers of a gateway there are, running or not.
pub(crate) fn containers(instance: &str) -> usize {
    containers_at(ENGINE, instance)
}

/// The same at another engine.
pub(crate) fn containers_at(endpoint: &str, instance: &str) -> usize {
    ids(endpoint, instance).len()
}

fn ids(endpoint: &str, instance: &str) -> Vec<String> {
    let filter = label(instance);
    let listed = Command::new("docker")
        .args(["--host", endpoint, "ps", "-aq", "--filter", &filter])
        .output()
        .unwrap();
    assert!(listed.status.success(), "Docker is needed");
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Makes a container that does not run, as a gateway of this instance would.
pub(crate) fn leave_container(instance: &str) {
    leave_container_at(ENGINE, instance);
}

/// The same at another engine.
pub(crate) fn leave_container_at(endpoint: &str, instance: &str) {
    let made = Command::new("docker")
        .args(["--host", endpoint, "create", "--network=none", "--label"])
        .args([&format!("regate.instance={instance}"), "regate-sandbox:latest"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}

/// Removes what was left so.
pub(crate) fn remove_containers(instance: &str) {
    let removed = Command::new("docker").arg("rm").args(ids(ENGINE, instance)).output().unwrap();
    assert!(removed.status.success(), "{removed:?}");
}
