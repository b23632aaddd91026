//! A call that a person has to see, through REST and MCP, answered by whoever may, with the
//! gateway killed in between.

use crate::bundle;
use crate::served::{Asked, Served, With, regate};
use regate::policy::BundleFile;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

pub(crate) const AGENT: &str = "rgt_agent";
pub(crate) const EVE: &str = "rgt_eve";

pub(crate) const PAYS: &str = "\
with open('payments.csv', 'w') as file:
    print(file.write('a,1'))
";

fn settings(more: &str) -> String {
    let key = |text: &str, subject: &str, roles: &str| {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        format!(
            "[[keys]]\nhash = \"blake3:{hash}\"\nsubject = \"{subject}\"\ntenant = \"acme\"\n\
             roles = [{roles}]\n"
        )
    };
    let keys = [key(AGENT, "agent", "\"security\""), key(EVE, "eve", "\"security\"")].concat();
    format!("{keys}[approvals]\nwait_ms_max = 100\n{more}")
}

pub(crate) struct House {
    pub(crate) served: Served,
    bundle: tempfile::TempDir,
    pub(crate) data: tempfile::TempDir,
    more: String,
}

fn serve(bundle: &Path, data: &Path, more: &str) -> Served {
    let settings = settings(more);
    Served::start(&With {
        policies: Some(bundle),
        data: Some(data),
        settings: &settings,
        ..With::default()
    })
}

/// Writes files of a bundle into a folder.
fn lay(files: &[BundleFile], folder: &Path) {
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
}

impl House {
    fn open() -> Self {
        Self::open_with("")
    }

    /// One with more lines of settings, from the table `approvals` on.
    pub(crate) fn open_with(more: &str) -> Self {
        let (bundle, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        lay(&[bundle::shipped(), bundle::read("fixtures/bundles/asking")].concat(), bundle.path());
        let served = serve(bundle.path(), data.path(), more);
        Self { served, bundle, data, more: more.to_owned() }
    }

    /// Kills it as a loss of power would, and starts it again.
    pub(crate) fn killed_and_restarted(self) -> Self {
        let Self { served, bundle, data, more } = self;
        served.signal("KILL");
        drop(served);
        Self { served: serve(bundle.path(), data.path(), &more), bundle, data, more }
    }

    pub(crate) async fn rest(&self, code: &str) -> Value {
        self.served.rest(&Asked { key: AGENT, session: None, code }).await
    }

    pub(crate) async fn mcp(&self, code: &str) -> Value {
        self.served.mcp(&Asked { key: AGENT, session: None, code }).await
    }

    pub(crate) async fn answer(&self, key: &str, id: &Value, word: &str) -> (u16, Value) {
        let path = format!("/v1/approvals/{}", id.as_str().unwrap());
        self.served.post_as(key, &path, &json!({"answer": word, "note": "seen"})).await
    }

    pub(crate) fn approvals(&self, words: &[&str]) -> Output {
        let data = self.data.path();
        let url = &self.served.url;
        let mut command = regate();
        command.env_remove("REGATE_KEY").arg("approvals").args(words);
        command.args(["--url", url, "--data"]).arg(data).output().unwrap()
    }

    /// How many runs the ledger knows.
    fn runs(&self) -> usize {
        self.served.ledger().iter().filter(|record| record["kind"] == "outcome").count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_for_one_call_and_survives_a_kill() {
    let house = House::open();
    let held = house.rest(PAYS).await;
    assert_eq!((&held["decision"], &held["retryable"]), (&"held".into(), &true.into()), "{held}");
    let id = held["approval"].clone();
    assert_eq!(house.mcp(PAYS).await["approval"], id);

    let house = house.killed_and_restarted();
    assert_eq!(house.rest(PAYS).await["approval"], id);
    assert_eq!(house.answer(AGENT, &id, "approve").await.0, 403);
    let (status, answered) = house.answer(EVE, &id, "approve").await;
    assert_eq!((status, &answered["state"]), (200, &"approved".into()), "{answered}");
    assert_eq!(house.answer(EVE, &id, "refuse").await.0, 409);

    let house = house.killed_and_restarted();
    let changed = house.rest(&PAYS.replace("a,1", "a,2")).await;
    assert_eq!(changed["decision"], "held", "{changed}");
    assert_ne!(changed["approval"], id);
    let done = house.mcp(PAYS).await;
    assert_eq!(
        (&done["decision"], &done["result"]["stdout"]),
        (&"permitted".into(), &"3\n".into())
    );
    let again = house.rest(PAYS).await;
    assert_eq!(again["decision"], "held", "{again}");
    assert_ne!(again["approval"], id);
    assert_eq!(house.runs(), 1);
    assert!(house.served.verify());
    let spent = ["state=\"spent\""];
    assert_eq!(house.served.metric("regate_holds_total", &spent).await, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_answers_from_the_command_line() {
    let house = House::open();
    let id = house.rest(PAYS).await["approval"].as_str().unwrap().to_owned();
    let listed = house.approvals(&["list"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(&id) && listed.contains("acme/agent"), "{listed}");
    let shown = String::from_utf8(house.approvals(&["show", &id]).stdout).unwrap();
    assert!(shown.contains("payments are written") && shown.contains("file.write"), "{shown}");
    let refused = house.approvals(&["refuse", &id, "--note", "not today"]);
    assert_eq!(refused.status.code(), Some(0), "{refused:?}");
    let reply = house.rest(PAYS).await;
    assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"approval".into()));
    assert!(reply["findings"][0]["message"].as_str().unwrap().contains("not today"), "{reply}");
    let late = house.approvals(&["approve", &id]);
    assert_eq!(late.status.code(), Some(2));
    assert!(String::from_utf8(late.stderr).unwrap().contains("Too late"));
    let listed = house.approvals(&["list"]);
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "nothing waits\n");
    assert_eq!(house.runs(), 0);
}

/// The operator answers, and is nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn the_operators_key_calls_no_tool() {
    let house = House::open();
    let file = house.data.path().join("operator.key");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let key = std::fs::read_to_string(&file).unwrap();
    let body = json!({"tool": "run_python", "arguments": {"code": "print(1)"}});
    assert_eq!(house.served.post_as(&key, "/v1/calls", &body).await.0, 401);
    assert_eq!(house.served.post_as("rgt_other", "/v1/approvals/x", &json!({})).await.0, 401);
    let unknown =
        house.served.post_as(&key, "/v1/approvals/x", &json!({"answer": "approve"})).await;
    assert_eq!(unknown.0, 404);
    for wrong in [json!({}), json!({"answer": "yes"}), json!({"answer": "approve", "by": "eve"})] {
        assert_eq!(house.served.post_as(&key, "/v1/approvals/x", &wrong).await.0, 400, "{wrong}");
    }
}

/// Whatever the ledger keeps: who answers sees what is asked for, but for secrets, and only for as
/// long as it is asked.
#[tokio::test(flavor = "multi_thread")]
async fn who_answers_sees_what_is_asked_for() {
    let password = "s".repeat(12);
    let code = format!("{PAYS}# postgres://joe:{password}@db.example.com/x\n");
    for kept in ["whole", "masked", "digest"] {
        let house = House::open_with(&format!("[ledger]\narguments = \"{kept}\"\n"));
        let id = house.rest(&code).await["approval"].as_str().unwrap().to_owned();
        let seen = async || {
            let (status, seen) = house.served.get_as(EVE, &format!("/v1/approvals/{id}")).await;
            assert_eq!(status, 200, "{seen}");
            seen
        };
        let asked = seen().await;
        let shown = asked["arguments"]["code"].as_str().unwrap();
        assert!(shown.starts_with(PAYS) && shown.contains("[redacted: url_password]"), "{asked}");
        assert!(!asked["arguments"].to_string().contains(&password), "{asked}");
        let text = String::from_utf8(house.approvals(&["show", &id]).stdout).unwrap();
        assert!(text.contains("payments.csv"), "{text}");
        let file = &asked["facts"]["resources"][0];
        assert_eq!((&file["name"], &file["line"]), (&"payments.csv".into(), &1.into()), "{asked}");
        assert!(text.contains("names file payments.csv: write, line 1"), "{text}");

        let house = house.killed_and_restarted();
        assert_eq!(house.answer(EVE, &Value::from(id.clone()), "approve").await.0, 200);
        assert_eq!(house.rest(&code).await["result"]["stdout"], "3\n");
        let (_, over) = house.served.get_as(EVE, &format!("/v1/approvals/{id}")).await;
        assert_eq!((&over["state"], &over["arguments"]), (&"spent".into(), &Value::Null));
        assert_eq!(over["facts"], Value::Null);
        assert_eq!(over["recorded"]["arguments"]["code"] == code, kept == "whole");
    }
}

/// A bundle that only says the same in other words does not take over what another asked for.
#[tokio::test(flavor = "multi_thread")]
async fn another_bundle_asks_for_itself() {
    let house = House::open();
    let id = house.rest(PAYS).await["approval"].clone();
    assert_eq!(house.answer(EVE, &id, "approve").await.0, 200);
    let labels = house.bundle.path().join("data/labels.json");
    let text = std::fs::read_to_string(&labels).unwrap();
    std::fs::write(&labels, format!("{text}\n")).unwrap();
    house.served.reloaded().await;
    let held = house.mcp(PAYS).await;
    assert_eq!(held["decision"], "held", "{held}");
    assert_ne!(held["approval"], id);
}

/// What was begun and not seen to its end may have been done: the ledger says so, and the grant is
/// gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_leaves_a_grant_spent_and_never_runs_it_again() {
    let house = House::open();
    let code = format!("{PAYS}import time; time.sleep(60)\n");
    let id = house.rest(&code).await["approval"].clone();
    assert_eq!(house.answer(EVE, &id, "approve").await.0, 200);
    let url = format!("{}/v1/calls", house.served.url);
    let body = json!({"tool": "run_python", "arguments": {"code": code}});
    let call = reqwest::Client::new().post(url).bearer_auth(AGENT).json(&body).send();
    let cut_off = tokio::spawn(call);
    let spent = |house: &House| {
        let records = house.served.ledger();
        records.into_iter().find(|record| record["body"]["approval"]["does"] == "spends")
    };
    let spent = loop {
        match spent(&house) {
            Some(record) => break record,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let house = house.killed_and_restarted();
    assert!(cut_off.await.unwrap().is_err(), "it was to be cut off");
    let records = house.served.ledger();
    let outcomes: Vec<_> = records.iter().filter(|record| record["kind"] == "outcome").collect();
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    assert_eq!(outcomes[0]["body"]["outcome"], "interrupted");
    assert_eq!(outcomes[0]["call"], spent["call"]);
    let path = format!("/v1/approvals/{}", id.as_str().unwrap());
    assert_eq!(house.served.get_as(EVE, &path).await.1["state"], "spent");
    let anew = house.rest(&code).await;
    assert_eq!(anew["decision"], "held", "{anew}");
    assert_ne!(anew["approval"], id);
    assert!(house.served.verify());
}
