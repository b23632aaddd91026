//! What programs use up does not show in the engine that runs them: neither in its CPU time nor on
//! its disk.

use crate::abuses::abuses;
use crate::dockerd::Dockerd;
use crate::served::{Served, With};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Beyond what one call costs that does nothing. A flood, a bomb and a leak go on for seconds.
const CPU_MS_MAX: u64 = 400;
/// What is kept of a container's settings.
const DISK_BYTES_MAX: u64 = 200_000;
const ROUNDS: u64 = 3;

fn served(dockerd: &Dockerd) -> Served {
    let settings = format!(
        "[sandbox]\ndocker = '{}'\nengine_ms_max = 60000\n\
         [sandbox.ceilings]\nwall_ms_max = 4000\n",
        dockerd.endpoint()
    );
    Served::start(&With { case: Some("permit_all"), settings: &settings, ..With::default() })
}

/// What is kept there that was not before.
fn added_bytes(dockerd: &Dockerd, before: &BTreeSet<PathBuf>) -> u64 {
    let layers = dockerd.layers();
    let entries = layers.difference(before).flat_map(|layer| {
        // The image is seen through it.
        let walk = walkdir::WalkDir::new(layer).into_iter();
        walk.filter_entry(|entry| entry.file_name() != "merged").filter_map(Result::ok)
    });
    entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
}

/// CPU time of the engine for a call, and the most that it kept meanwhile.
async fn cost(dockerd: &Dockerd, served: &Served, code: &str) -> (u64, u64) {
    let (before, layers) = (dockerd.cpu_ms(), dockerd.layers());
    let mut most = 0;
    let watch = async {
        loop {
            most = added_bytes(dockerd, &layers).max(most);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let call = async {
        let reply = served.call(code).await;
        assert_eq!(reply["decision"], "permitted", "{reply}");
        while dockerd.layers() != layers {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        never = watch => never,
        () = call => {}
    }
    (dockerd.cpu_ms() - before, most)
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_bombs_and_leaks_do_not_show_in_the_engine() {
    let dockerd = Dockerd::with_image();
    let served = served(&dockerd);
    let mut idle = 0;
    for round in 0..ROUNDS {
        let sleeps = format!("import time\ntime.sleep(1)\n# {round}");
        idle += cost(&dockerd, &served, &sleeps).await.0;
    }
    let idle = idle / ROUNDS;
    let mut complaints = Vec::new();
    for path in abuses("exhaust") {
        let code = std::fs::read_to_string(&path).unwrap();
        let (cpu_ms, disk) = cost(&dockerd, &served, &code).await;
        println!("{}: {cpu_ms} ms, {disk} bytes, {idle} ms idle", path.display());
        if cpu_ms > idle + CPU_MS_MAX || disk > DISK_BYTES_MAX {
            complaints.push(format!("{}: {cpu_ms} ms, {disk} bytes", path.display()));
        }
    }
    assert!(complaints.is_empty(), "{idle} ms idle; {complaints:?}");
}
