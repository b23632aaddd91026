//! Calls that a person has to see, where nobody does, and where what waits cannot be kept.

use super::assert_denied;
use crate::disk::Immutable;
use crate::served::{Asked, Served, With, lay_asking_bundle};
use serde_json::{Value, json};

const PAYS: &str = "\
with open('payments.csv', 'w') as file:
    print(file.write('a,1'))
";

struct House {
    served: Served,
    data: tempfile::TempDir,
    _bundle: tempfile::TempDir,
}

impl House {
    fn open(settings: &str) -> Self {
        // A disk, not memory: there nothing is immutable.
        let data = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let bundle = tempfile::tempdir().unwrap();
        lay_asking_bundle(bundle.path());
        let with = With {
            policies: Some(bundle.path()),
            data: Some(data.path()),
            settings,
            ..With::default()
        };
        Self { served: Served::start(&with), data, _bundle: bundle }
    }

    /// The operator's answer.
    async fn answer(&self, id: &Value, word: &str) -> u16 {
        let key = std::fs::read_to_string(self.data.path().join("operator.key")).unwrap();
        let path = format!("/v1/approvals/{}", id.as_str().unwrap());
        self.served.post_as(key.trim(), &path, &json!({ "answer": word })).await.0
    }

    fn runs(&self) -> usize {
        self.served.ledger().iter().filter(|record| record["kind"] == "outcome").count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_answers_the_call_is_denied_and_the_record_says_expired() {
    let mut house = House::open("[approvals]\nwait_ms_max = 50\npending_ms_max = 0\n");
    let replies = house.served.both("run_python", PAYS).await;
    assert_denied(&mut house.served, &replies, "approval").await;
    for reply in &replies {
        assert!(reply["findings"].to_string().contains("is over"), "{reply}");
    }
    let records = house.served.ledger();
    let expired = records.iter().filter(|record| record["body"]["approval"]["said"] == "expired");
    assert_eq!(expired.count(), 2);
    assert_eq!(house.served.metric("regate_holds_total", &["state=\"expired\""]).await, 2.0);
    assert_eq!(house.runs(), 0);
    // What nobody has to see goes on.
    assert_eq!(house.served.call("print(1)").await["result"]["stdout"], "1\n");
}

/// Several wait for one answer, at both doors, and it is for one of them.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_that_another_call_used_is_none() {
    let mut house = House::open("[approvals]\nwait_ms_max = 600000\n");
    let approving = async {
        loop {
            let records = house.served.ledger();
            let held: Vec<_> =
                records.iter().filter(|record| record["body"]["decision"] == "held").collect();
            if held.len() == 2 {
                let asked =
                    held.iter().find_map(|record| record["body"]["approval"]["id"].as_str());
                return house.answer(&asked.unwrap().into(), "approve").await;
            }
            tokio::task::yield_now().await;
        }
    };
    let asked = Asked { key: "any", session: None, code: PAYS };
    let (rest, mcp, status) =
        tokio::join!(house.served.rest(&asked), house.served.mcp(&asked), approving);
    assert_eq!(status, 200);
    let (ran, denied): (Vec<_>, Vec<_>) =
        [rest, mcp].into_iter().partition(|reply| reply["decision"] == "permitted");
    assert_eq!((ran.len(), denied.len(), house.runs()), (1, 1, 1), "{denied:?}");
    assert_eq!(ran[0]["result"]["stdout"], "3\n", "{ran:?}");
    assert_eq!(denied[0]["cause"], "approval", "{denied:?}");
    assert!(denied[0]["findings"].to_string().contains("another was first"), "{denied:?}");
    super::assert_counted(&mut house.served, "approval").await;
}

/// What waits for a person is kept in the ledger: where that takes nothing, nobody is asked and
/// no approval is spent.
#[tokio::test(flavor = "multi_thread")]
async fn approvals_that_cannot_be_kept_are_denials() {
    let mut house = House::open("[approvals]\nwait_ms_max = 0\n");
    let held = house.served.call(PAYS).await;
    assert_eq!(held["decision"], "held", "{held}");
    assert_eq!(house.answer(&held["approval"], "approve").await, 200);
    let other = PAYS.replace("a,1", "a,2");

    let files = ["ledger.db", "ledger.db-wal"];
    let shut = files.map(|name| Immutable::new(house.data.path().join(name)));
    for code in [PAYS, &other] {
        for reply in house.served.both("run_python", code).await {
            let told = (&reply["decision"], &reply["cause"]);
            assert_eq!(told, (&"denied".into(), &"ledger".into()), "{reply}");
            assert_eq!((&reply["approval"], &reply["result"]), (&Value::Null, &Value::Null));
        }
    }
    assert_ne!(house.answer(&held["approval"], "refuse").await, 200);
    super::assert_counted(&mut house.served, "ledger").await;
    assert!(house.served.metric("regate_ledger_errors_total", &[]).await >= 4.0);
    drop(shut);

    assert_eq!(house.runs(), 0);
    let [first, second] = house.served.both("run_python", PAYS).await;
    let ran = [&first, &second].map(|reply| reply["decision"] == "permitted");
    assert_eq!(ran.iter().filter(|ran| **ran).count(), 1, "{first} {second}");
    assert_eq!(house.runs(), 1);
    assert!(house.served.verify());
}
