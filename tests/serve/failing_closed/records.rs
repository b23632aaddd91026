//! What is had and cannot be recorded, and records that cannot be moved.

use super::{HARMLESS, assert_up};
use crate::disk::Immutable;
use crate::engine::containers;
use crate::served::{Asked, Served, With};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const SLOW: &str = "import time\nprint(1)\ntime.sleep(3)\n";
const SLOW_AND_LABELLED: &str = "\
import time
from pathlib import Path
Path('secret').mkdir()
with open('secret/pay.csv', 'w') as file:
    file.write('a,1')
with open('secret/pay.csv') as file:
    print(file.read())
time.sleep(3)
";

fn instance(test: &str) -> String {
    format!("{test}-test-{}", std::process::id())
}

fn start(data: &Path, instance: &str, settings: &str) -> Served {
    let settings = format!("[sandbox]\ninstance = '{instance}'\n{settings}");
    Served::start(&With { data: Some(data), settings: &settings, ..With::default() })
}

/// Runs a program, takes the ledger away once it runs, and gives it back when it was answered.
async fn run_without_ledger(served: &Served, data: &Path, instance: &str, code: &str) -> Value {
    let asked = Asked { key: "any", session: None, code };
    let taking = async {
        while containers(instance) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        ["ledger.db", "ledger.db-wal"].map(|name| Immutable::new(data.join(name)))
    };
    let (reply, _shut) = tokio::join!(served.mcp(&asked), taking);
    // Its container is gone before the next one is looked for.
    while containers(instance) > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    reply
}

fn outcomes(served: &Served, call: &Value) -> Vec<Value> {
    let records = served.ledger();
    let of_call = records.iter().filter(|record| record["kind"] == "outcome");
    let of_call = of_call.filter(|record| record["call"] == *call);
    of_call.map(|record| record["body"]["outcome"].clone()).collect()
}

/// What was had is told; what would have to be labelled first is not.
#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_that_cannot_be_recorded_is_told_unless_it_has_to_be_labelled() {
    // A disk, not memory: there nothing is immutable.
    let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let instance = instance("unrecorded");
    let mut served = start(data.path(), &instance, "");
    let told = run_without_ledger(&served, data.path(), &instance, SLOW).await;
    assert_eq!(told["decision"], "permitted", "{told}");
    assert_eq!(told["result"]["stdout"], "1\n", "{told}");
    assert!(served.log().contains("an outcome cannot be recorded"), "{}", served.log());
    let lacking = served.metric("regate_ledger_errors_total", &[]).await;
    assert!(lacking >= 1.0, "{lacking}");

    let withheld = run_without_ledger(&served, data.path(), &instance, SLOW_AND_LABELLED).await;
    let cause = (&withheld["decision"], &withheld["cause"]);
    assert_eq!(cause, (&"denied".into(), &"ledger".into()), "{withheld}");
    assert_eq!(withheld["result"], Value::Null, "{withheld}");
    assert_eq!(withheld["findings"][0]["rule"], "regate/withheld", "{withheld}");
    let labels = ["door=\"mcp\"", "denied", "cause=\"ledger\""];
    assert_eq!(served.metric("regate_calls_total", &labels).await, 1.0);
    assert_up(&mut served).await;
    assert_eq!(served.call(HARMLESS).await["result"]["stdout"], "1\n");
    assert!(outcomes(&served, &told["id"]).is_empty());

    // At the next start the record says what is not known.
    served.stop();
    let served = start(data.path(), &instance, "");
    for call in [&told["id"], &withheld["id"]] {
        assert_eq!(outcomes(&served, call), ["interrupted"]);
    }
    assert_eq!(served.metric("regate_outcomes_interrupted_total", &[]).await, 2.0);
    assert!(served.verify());
}

/// No file can be made in the folder, and those that are there can be written.
#[tokio::test(flavor = "multi_thread")]
async fn sealed_records_that_cannot_be_moved_stay_and_the_calls_go_on() {
    let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut served =
        start(data.path(), &instance("unmoved"), "[ledger]\nrotate_bytes_max = 8000\n");
    let sealed = async |served: &Served| {
        served.decide(HARMLESS).await;
        served.ledger().iter().filter(|record| record["kind"] == "seal").count()
    };
    let moved = || {
        let names = std::fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("ledger-")).count()
    };
    let shut = Immutable::new(data.path().to_owned());
    while sealed(&served).await == 0 {}
    for reply in served.both("run_python", HARMLESS).await {
        assert_eq!(reply["result"]["stdout"], "1\n", "{reply}");
    }
    while served.metric("regate_ledger_errors_total", &[]).await < 1.0
        && !served.log().contains("ERROR")
        && !served.log().contains("WARN")
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(moved(), 0);
    assert_up(&mut served).await;
    assert!(served.verify());
    drop(shut);
    while moved() == 0 {
        assert_eq!(served.decide(HARMLESS).await["decision"], "permitted");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(served.verify());
}
