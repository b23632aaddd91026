//! A Docker engine of the test's own, which it may stop: the machine's is everybody's.

#![expect(clippy::disallowed_methods, reason = "a test starts its engine, and ends it")]

use crate::disk::as_root;
use crate::engine::containers_at;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const IMAGE: &str = "regate-sandbox:latest";
const CONTAINERD_SOCKET: &str = "containerd.sock";

/// An engine that has the sandbox's image, and ends with the test.
pub(crate) struct Dockerd {
    child: Option<Child>,
    /// What looks after its containers, a service of its own as it is on a server: it outlives
    /// the engine.
    containerd: Child,
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
        let containerd = start_containerd(data.path(), run.path());
        let mut dockerd = Self { child: None, containerd, data, run };
        dockerd.start();
        let mut saving =
            Command::new("docker").args(["save", IMAGE]).stdout(Stdio::piped()).spawn().unwrap();
        let image = saving.stdout.take().unwrap();
        let loaded = dockerd.docker(&["load"]).stdin(image).output().unwrap();
        assert!(saving.wait().unwrap().success() && loaded.status.success(), "{loaded:?}");
        dockerd
    }

    /// The file that it listens at.
    pub(crate) fn socket(&self) -> PathBuf {
        self.run.path().join("docker.sock")
    }

    /// Where it listens.
    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", self.socket().display())
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
            .arg("--containerd")
            .arg(run.join(CONTAINERD_SOCKET))
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

    /// Ends it with no time to end anything.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            self.signal("KILL");
            child.wait().unwrap();
        }
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
        signal(name, id.trim());
    }
}

fn start_containerd(data: &Path, run: &Path) -> Child {
    let config = run.join("containerd.toml");
    std::fs::write(&config, "version = 2\ndisabled_plugins = ['io.containerd.grpc.v1.cri']\n")
        .unwrap();
    let child = as_root("containerd")
        .arg("--config")
        .arg(config)
        .arg("--address")
        .arg(run.join(CONTAINERD_SOCKET))
        .arg("--root")
        .arg(data.join("containerd"))
        .arg("--state")
        .arg(run.join("containerd"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !run.join(CONTAINERD_SOCKET).exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

fn unmount_below(folder: &Path) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    for place in places.filter(|place| Path::new(place).starts_with(folder)) {
        let _ = as_root("umount").args(["--lazy", place]).status();
    }
}

fn signal(name: &str, process: &str) {
    assert!(as_root("kill").args(["-s", name, process]).status().unwrap().success());
}

impl Drop for Dockerd {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.go_on();
            self.stop();
        }
        signal("TERM", &self.containerd.id().to_string());
        self.containerd.wait().unwrap();
        // What it forgot when it was killed.
        let shims = format!("containerd-shim.* -namespace {} ", self.name());
        let _ = as_root("pkill").args(["-KILL", "-f", &shims]).status();
        unmount_below(self.data.path());
        // What it keeps is root's.
        for kept in [self.data.path().join("data"), self.data.path().join("containerd")] {
            let _ = as_root("rm").arg("-rf").arg(kept).status();
        }
        for kept in ["exec", "containerd"] {
            let _ = as_root("rm").arg("-rf").arg(self.run.path().join(kept)).status();
        }
    }
}
