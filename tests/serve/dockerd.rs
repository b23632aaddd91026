//! A Docker engine of the test's own, which it may stop: the machine's is everybody's.

#![expect(clippy::disallowed_methods, reason = "a test starts its engine, and ends it")]

use crate::disk::as_root;
use crate::engine::containers_at;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const IMAGE: &str = "regate-sandbox:latest";

/// An engine that has the sandbox's image, and ends with the test.
pub(crate) struct Dockerd {
    child: Option<Child>,
    /// What it keeps: on a disk, since what is in memory cannot be laid over.
    data: TempDir,
    /// Its sockets, whose paths have to be short.
    run: TempDir,
}

impl Dockerd {
    /// Starts one and gives it the image of the machine's own.
    pub(crate) fn with_image() -> Self {
        let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let run = tempfile::tempdir().unwrap();
        let mut dockerd = Self { child: None, data, run };
        dockerd.start();
        let mut saving =
            Command::new("docker").args(["save", IMAGE]).stdout(Stdio::piped()).spawn().unwrap();
        let image = saving.stdout.take().unwrap();
        let loaded = dockerd.docker(&["load"]).stdin(image).output().unwrap();
        assert!(saving.wait().unwrap().success() && loaded.status.success(), "{loaded:?}");
        dockerd
    }

    /// Where it listens.
    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", self.run.path().join("docker.sock").display())
    }

    /// How many containers of a gateway it has, running or not.
    pub(crate) fn containers(&self, instance: &str) -> usize {
        containers_at(&self.endpoint(), instance)
    }

    /// Starts it and waits until it answers.
    pub(crate) fn start(&mut self) {
        let (run, data) = (self.run.path(), self.data.path());
        if !self.config().exists() {
            std::fs::write(self.config(), "{}").unwrap();
        }
        // Neither it nor its containers have a network. In one of its own, since an engine without a
        // bridge removes the one that the machine's has made.
        let mut child = as_root("unshare")
            .args(["--net", "dockerd"])
            .args(["--bridge", "none", "--iptables=false", "--ip6tables=false"])
            .args(["--ip-forward=false", "--ip-masq=false"])
            .args(["--containerd-namespace", &self.name()])
            .args(["--containerd-plugins-namespace", &format!("{}-plugins", self.name())])
            .args(["--host", &self.endpoint(), "--pidfile"])
            .arg(self.pid_file())
            .arg("--config-file")
            .arg(self.config())
            .arg("--exec-root")
            .arg(run.join("exec"))
            .arg("--data-root")
            .arg(data.join("data"))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(run.join("log")).unwrap())
            .spawn()
            .unwrap();
        while !self.docker(&["version"]).output().unwrap().status.success() {
            let log = || std::fs::read_to_string(run.join("log")).unwrap();
            assert!(child.try_wait().unwrap().is_none(), "{}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
        self.child = Some(child);
    }

    /// Stops it as an operator would: it ends its containers first.
    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            self.signal("TERM");
            child.wait().unwrap();
        }
    }

    /// Has gVisor among its runtimes from now on, as `sandbox/engine` sees to it.
    pub(crate) fn learn_gvisor(&self) {
        let settings = std::fs::read("/etc/docker/daemon.json").unwrap();
        let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
        let runtimes = serde_json::json!({ "runtimes": settings["runtimes"] });
        std::fs::write(self.config(), runtimes.to_string()).unwrap();
        self.signal("HUP");
    }

    fn config(&self) -> PathBuf {
        self.run.path().join("daemon.json")
    }

    /// From now on it answers nothing, and breaks off nothing.
    pub(crate) fn hang(&self) {
        self.signal("STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    /// Other engines that share its containerd know it by another name.
    fn name(&self) -> String {
        format!("regate-test-{}", std::process::id())
    }

    fn pid_file(&self) -> PathBuf {
        self.run.path().join("pid")
    }

    fn docker(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(["--host", &self.endpoint()]).args(arguments);
        command
    }

    fn signal(&self, name: &str) {
        let id = std::fs::read_to_string(self.pid_file()).unwrap();
        assert!(as_root("kill").args(["-s", name, id.trim()]).status().unwrap().success());
    }
}

impl Drop for Dockerd {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.go_on();
            self.stop();
        }
        // What it keeps is root's.
        let _ = as_root("rm").arg("-rf").arg(self.data.path().join("data")).status();
        let _ = as_root("rm").arg("-rf").arg(self.run.path().join("exec")).status();
    }
}
