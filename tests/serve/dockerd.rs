//! A Docker engine of the test's own, which it may stop: the machine's is everybody's.

#![expect(clippy::disallowed_methods, reason = "a test starts its engine, and ends it")]

use crate::disk::as_root;
use crate::engine::{containers_at, leave_container_at};
use crate::hosts::Port;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const IMAGE: &str = "regate-sandbox:latest";
const CONTAINERD_SOCKET: &str = "containerd.sock";

/// An engine that ends with the test.
pub(crate) struct Dockerd {
    child: Option<Child>,
    /// What its containers are known by to containerd and to their shims.
    name: String,
    /// Where it listens besides, for who shows a certificate.
    port: Option<Port>,
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
        Self::with(None).and_image()
    }

    /// Starts one that listens on a port as well, where there is one.
    pub(crate) fn with(port: Option<Port>) -> Self {
        let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let run = tempfile::tempdir().unwrap();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("regate-test-{}-{number}", std::process::id());
        let containerd = start_containerd(data.path(), run.path());
        let mut dockerd = Self { child: None, name, port, containerd, data, run };
        dockerd.start();
        dockerd
    }

    /// Gives it the image of the machine's own.
    pub(crate) fn and_image(self) -> Self {
        let mut saving =
            Command::new("docker").args(["save", IMAGE]).stdout(Stdio::piped()).spawn().unwrap();
        let image = saving.stdout.take().unwrap();
        let loaded = self.docker(&["load"]).stdin(image).output().unwrap();
        assert!(saving.wait().unwrap().success() && loaded.status.success(), "{loaded:?}");
        self
    }

    /// Makes a container that does not run, as a gateway of this instance would.
    pub(crate) fn leave_container(&self, instance: &str) {
        leave_container_at(&self.endpoint(), instance);
    }

    /// The file that it listens at.
    pub(crate) fn socket(&self) -> PathBuf {
        self.run.path().join("docker.sock")
    }

    /// Where it listens.
    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// CPU time that it has used itself, and who looks after its containers.
    pub(crate) fn cpu_ms(&self) -> u64 {
        [self.process(), self.containerd.id().to_string()].iter().map(|one| cpu_ms(one)).sum()
    }

    /// What is kept of its images and containers: a folder each, and what it holds of logs.
    pub(crate) fn layers(&self) -> BTreeSet<PathBuf> {
        let data = self.data.path().join("data");
        let below = |name: &str| std::fs::read_dir(data.join(name)).unwrap();
        below("overlay2").chain(below("containers")).map(|entry| entry.unwrap().path()).collect()
    }

    /// Gives its network, which leads nowhere, a way to itself.
    pub(crate) fn raise_loopback(&self) {
        let namespace = format!("--net=/proc/{}/ns/net", self.process());
        let up = ["ip", "link", "set", "lo", "up"];
        assert!(as_root("nsenter").arg(namespace).args(up).status().unwrap().success());
    }

    /// What was sent, or tried to be, in its network.
    pub(crate) fn packets(&self) -> u64 {
        let process = self.process();
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/net/{name}"));
        let devices = read("dev").unwrap();
        let sent = devices.lines().skip(2).filter_map(|line| line.split_whitespace().nth(10));
        let sent = sent.map(|count| count.parse::<u64>().unwrap()).sum::<u64>();
        sent + counted(&read("snmp").unwrap(), "Ip", "OutNoRoutes")
    }

    /// Sends something from a container that is in its network, as none of a gateway's is.
    pub(crate) fn send_from_its_network(&self) {
        let program = "import socket\n\
             socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))";
        let sent = self
            .docker(&["run", "--rm", "--network=host", "--entrypoint=python3", IMAGE])
            .args(["-c", program])
            .status();
        assert!(sent.unwrap().success());
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
        let mut child = self
            .command()
            .args(["--bridge", "none", "--iptables=false", "--ip6tables=false"])
            .args(["--ip-forward=false", "--ip-masq=false"])
            .arg("--containerd")
            .arg(run.join(CONTAINERD_SOCKET))
            .args(["--containerd-namespace", &self.name])
            .args(["--containerd-plugins-namespace", &format!("{}-plugins", self.name)])
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

    /// In a network of its own, since an engine without a bridge removes the one that the machine's
    /// has made.
    fn command(&self) -> Command {
        match &self.port {
            None => {
                let mut command = as_root("unshare");
                command.args(["--net", "dockerd"]);
                command
            }
            Some(port) => {
                let mut command = as_root("nsenter");
                command.arg(format!("--net={}", port.network.path())).arg("dockerd");
                command.args(port.arguments());
                command
            }
        }
    }

    fn pid_file(&self) -> PathBuf {
        self.run.path().join("pid")
    }

    fn docker(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(["--host", &self.endpoint()]).args(arguments);
        command
    }

    fn process(&self) -> String {
        std::fs::read_to_string(self.pid_file()).unwrap().trim().to_owned()
    }

    fn signal(&self, name: &str) {
        signal(name, &self.process());
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

/// CPU time that a process has used, without what it started.
fn cpu_ms(process: &str) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // After its name, which may hold anything: the state, and ten numbers before the time.
    let numbers = stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
    // In hundredths of a second.
    numbers.map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}

/// A number of the kernel's, which writes the names above the numbers.
fn counted(table: &str, what: &str, name: &str) -> u64 {
    let mut lines = table.lines().filter(|line| line.split(':').next() == Some(what));
    let (names, numbers) = (lines.next().unwrap(), lines.next().unwrap());
    let mut both = names.split(' ').zip(numbers.split(' '));
    both.find(|(one, _)| *one == name).unwrap().1.parse().unwrap()
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
        let shims = format!("containerd-shim.* -namespace {} ", self.name);
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
