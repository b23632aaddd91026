//! A network of a test's own: hosts with public addresses, of which no packet leaves the machine.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test builds its network, and fails where it cannot"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;
use tempfile::TempDir;

/// What says that a process is inside.
const INSIDE: &str = "REGATE_TEST_NETWORK";
const ADDRESS: &str = "93.184.216.34";
const HOSTS: [(&str, &str); 7] = [
    ("127.0.0.1", "localhost"),
    (ADDRESS, "api.example.com"),
    (ADDRESS, "other.example.com"),
    ("10.0.0.1", "private.example.com"),
    (ADDRESS, "mixed.example.com"),
    ("10.0.0.1", "mixed.example.com"),
    (ADDRESS, "moving.example.com"),
];

/// The network that this process is in.
pub(crate) struct Network {
    folder: TempDir,
    server: Child,
}

/// The network, where this process is in it already. Where it is not, the test of this name is run
/// once more in a process of its own that is, and there is nothing left to do here.
pub(crate) fn enter(test: &str) -> Option<Network> {
    if std::env::var_os(INSIDE).is_some() {
        return Some(Network::begin());
    }
    let status = Command::new("unshare")
        .args(["--net", "--mount"])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its network");
    None
}

fn run(program: &str, words: &[&str]) {
    let output = Command::new(program).args(words).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Network {
    fn begin() -> Self {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        run("ip", &["link", "set", "lo", "up"]);
        run("ip", &["address", "add", &format!("{ADDRESS}/32"), "dev", "lo"]);
        write_hosts(&folder.path().join("hosts"), &HOSTS);
        run("mount", &["--bind", &at("hosts"), "/etc/hosts"]);
        std::fs::write(folder.path().join("resolv.conf"), "nameserver 127.0.0.1\n").unwrap();
        run("mount", &["--bind", &at("resolv.conf"), "/etc/resolv.conf"]);
        run(
            "openssl",
            &[
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=api.example.com",
                "-addext",
                "subjectAltName=DNS:api.example.com",
                "-keyout",
                &at("key.pem"),
                "-out",
                &at("cert.pem"),
            ],
        );
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/egress/server.py");
        let server =
            Command::new("python3").args([script, ADDRESS]).arg(folder.path()).spawn().unwrap();
        let network = Self { folder, server };
        network.await_heard(|heard| heard.contains("ready"));
        network
    }

    /// A file of the folder that it is kept in.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What reached the host since the last time.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.taken("heard.txt")
    }

    /// The names that a server of names was asked for since the last time.
    pub(crate) fn names_asked(&self) -> Vec<String> {
        self.taken("asked.txt")
    }

    /// Has a name stand for another address from now on.
    pub(crate) fn move_host(&self, host: &str, address: &str) {
        let hosts = std::fs::read_to_string(self.path("hosts")).unwrap();
        let moved = |line: &str| match line.split_once(' ') {
            Some((_, name)) if name == host => format!("{address} {name}\n"),
            Some(_) | None => format!("{line}\n"),
        };
        std::fs::write(self.path("hosts"), hosts.lines().map(moved).collect::<String>()).unwrap();
    }

    fn taken(&self, name: &str) -> Vec<String> {
        let path = self.path(name);
        let lines = std::fs::read_to_string(&path).unwrap();
        // The host appends.
        std::fs::write(&path, "").unwrap();
        lines.lines().map(str::to_owned).collect()
    }

    /// Waits until what reached the host is as it should be, and takes it.
    pub(crate) fn await_heard(&self, fits: impl Fn(&str) -> bool) {
        for _ in 0..1200 {
            let path = self.path("heard.txt");
            if std::fs::read_to_string(path).is_ok_and(|heard| fits(&heard)) {
                self.heard();
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{:?}", self.heard());
    }

    /// Whether this has reached the host.
    pub(crate) fn has_heard(&self, what: &str) -> bool {
        let heard = std::fs::read_to_string(self.path("heard.txt")).unwrap();
        heard.contains(what)
    }
}

/// Written in place: the file is mounted over another one.
fn write_hosts(path: &Path, hosts: &[(&str, &str)]) {
    let mut lines = String::new();
    for (address, name) in hosts {
        writeln!(lines, "{address} {name}").unwrap();
    }
    std::fs::write(path, lines).unwrap();
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
