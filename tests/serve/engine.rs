//! What the Docker engine itself says of containers, whatever the gateway says.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

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

/// Every start of a container of a gateway, from now on.
pub(crate) struct Starts {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Starts {
    pub(crate) fn of(instance: &str) -> Self {
        let mut child = Command::new("docker")
            .args(["events", "--since", "0s", "--filter", "event=start"])
            .args(["--filter", &label(instance)])
            .args(["--format", "{{index .Actor.Attributes \"regate.call\"}}"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The calls whose containers were started, up to the last one of these, in their order.
    pub(crate) fn until(mut self, last: &str) -> Vec<String> {
        let mut calls = Vec::new();
        while calls.last().is_none_or(|call| call != last) {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the events ended");
            calls.push(line.trim().to_owned());
        }
        calls
    }
}

impl Drop for Starts {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
