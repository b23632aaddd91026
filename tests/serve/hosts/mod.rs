//! Programs on two Docker hosts, each on a machine of its own as far as the network knows.

mod network;
mod port;
mod refusing;

pub(crate) use port::Port;

use crate::certificates::Authority;
use crate::dockerd::Dockerd;
use crate::failing_closed::HARMLESS;
use crate::served::{Asked, Served, With};
use port::host;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const NAMES: [&str; 2] = ["first", "second"];
const SLEEPS: &str = "import time\ntime.sleep(15)\nprint(1)";

/// Two engines with the image, and a certificate that both take.
struct Pair {
    hosts: [Dockerd; 2],
    endpoints: [String; 2],
    shown: TempDir,
}

impl Pair {
    fn new() -> Self {
        let authority = Authority::new("ours");
        let shown = tempfile::tempdir().unwrap();
        authority.issue(&["gateway"], shown.path());
        let ports = [(); 2].map(|()| Port::new(&authority));
        let endpoints = ports.each_ref().map(|port| port.endpoints()[0].clone());
        let hosts = ports.map(|port| Dockerd::with(Some(port)).and_image());
        Self { hosts, endpoints, shown }
    }

    /// A gateway before both, which keeps two containers on each.
    fn served(&self, instance: &str, data: &Path) -> Served {
        let [first, second] =
            [0, 1].map(|place| host(NAMES[place], &self.endpoints[place], Some(self.shown.path())));
        let settings = format!(
            "[sandbox]\ninstance = '{instance}'\nstock_max = 2\npreload = []\n\
             engine_ms_max = 20000\nwait_ms_max = 120000\nruns_at_once_max = 4\n{first}{second}"
        );
        Served::start(&With { settings: &settings, data: Some(data), ..With::default() })
    }

    fn containers(&self, instance: &str) -> [usize; 2] {
        self.hosts.each_ref().map(|host| host.containers(instance))
    }
}

impl Served {
    async fn readyz(&self) -> Value {
        serde_json::from_str(&self.get("/readyz").await).unwrap()
    }

    /// Waits until readiness tells these states of the two hosts.
    async fn until(&self, states: [&str; 2]) {
        loop {
            let hosts = self.readyz().await["docker"]["hosts"].clone();
            if [0, 1].map(|place| hosts[place]["state"].as_str() == Some(states[place]))
                == [true; 2]
            {
                let names = [0, 1].map(|place| hosts[place]["name"].clone());
                assert_eq!(names, NAMES);
                return;
            }
            pause().await;
        }
    }

    async fn until_stocked(&self, name: &str) {
        let host = format!("host=\"{name}\"");
        while self.metric("regate_sandbox_pool", &[&host, "ready"]).await < 2.0 {
            pause().await;
        }
        assert!(self.metric("regate_sandbox_containers", &[&host]).await >= 2.0);
    }

    async fn running(&self) -> [f64; 2] {
        let of = async |name| self.metric("regate_sandbox_runs", &[name]).await;
        [of(NAMES[0]).await, of(NAMES[1]).await]
    }

    async fn until_both_run(&self) {
        while self.running().await.contains(&0.0) {
            pause().await;
        }
    }

    async fn state(&self, name: &str, state: &str) -> f64 {
        self.metric("regate_sandbox_hosts", &[name, state]).await
    }

    /// Four calls at once that take their time, and what is done once some run on each host.
    async fn spread(&self, meanwhile: impl FnOnce()) -> Vec<Value> {
        let asked = Asked { key: "any", session: None, code: SLEEPS };
        let calls = futures_util::future::join_all((0..4).map(|_| self.rest(&asked)));
        let (replies, ()) = tokio::join!(calls, async {
            self.until_both_run().await;
            // All have begun, or are about to.
            tokio::time::sleep(Duration::from_millis(500)).await;
            meanwhile();
        });
        replies
    }

    async fn assert_runs(&self) {
        for reply in self.both("run_python", HARMLESS).await {
            assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
        }
    }

    /// Each of these calls has one outcome in the ledger.
    fn assert_told_once(&self, replies: &[Value]) {
        let records = self.ledger();
        for reply in replies {
            let of_call =
                |record: &&Value| record["kind"] == "outcome" && record["call"] == reply["id"];
            assert_eq!(records.iter().filter(of_call).count(), 1, "{reply}");
        }
    }
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

fn count(replies: &[Value], decision: &str, cause: Value) -> usize {
    replies.iter().filter(|reply| reply["decision"] == decision && reply["cause"] == cause).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_host_cannot_do_the_other_does() {
    let (mut pair, data) = (Pair::new(), tempfile::tempdir().unwrap());
    let ours = format!("hosts-test-{}", std::process::id());
    let others = format!("{ours}-other");
    for host in &pair.hosts {
        host.leave_container(&ours);
        host.leave_container(&others);
    }
    let served = pair.served(&ours, data.path());
    served.until(["healthy", "healthy"]).await;

    // Spread over both; those on the one that stops end once, and the others go on.
    for name in NAMES {
        served.until_stocked(name).await;
    }
    let replies = served.spread(|| pair.hosts[0].stop()).await;
    let broken_off = count(&replies, "denied", "interrupted".into());
    let done = count(&replies, "permitted", "rule".into());
    assert!(broken_off > 0 && done > 0 && broken_off + done == 4, "{replies:?}");
    served.assert_told_once(&replies);
    served.until(["away", "healthy"]).await;
    assert_eq!(served.readyz().await["ready"], true);
    assert_eq!(
        [served.state(NAMES[0], "away").await, served.state(NAMES[1], "away").await],
        [1.0, 0.0]
    );
    served.assert_runs().await;

    // It comes back by itself, and has its part of the calls again.
    pair.hosts[0].start();
    served.until(["healthy", "healthy"]).await;
    let replies = served.spread(|| ()).await;
    assert_eq!(count(&replies, "permitted", "rule".into()), 4, "{replies:?}");

    // One that hangs keeps nobody: what was not begun there is done by the other.
    pair.hosts[1].hang();
    served.assert_runs().await;
    served.until(["healthy", "away"]).await;
    served.assert_runs().await;
    pair.hosts[1].go_on();
    served.until(["healthy", "healthy"]).await;

    // Without either there is nothing to run on, and what runs nothing goes on.
    pair.hosts.iter_mut().for_each(Dockerd::stop);
    served.until(["away", "away"]).await;
    assert_eq!(served.readyz().await["docker"]["ok"], false);
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"sandbox".into()));
    }
    assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
    pair.hosts[1].start();
    served.until(["away", "healthy"]).await;
    served.assert_runs().await;
    pair.hosts[0].start();
    served.until(["healthy", "healthy"]).await;

    served.stop();
    assert!(served.verify());
    // Nothing of ours is left, and all that is another's.
    assert_eq!(pair.containers(&ours), [0, 0]);
    assert_eq!(pair.containers(&others), [1, 1]);
}
