//! The webhook: what it is told of approvals, how that is signed, and that calls go on whatever
//! becomes of it.

use crate::approving::{AGENT, EVE, House, PAYS};
use crate::served::Asked;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::sync::mpsc;

const SECRET: &[u8] = b"thirty-two bytes of a secret, ok";

/// A message as it came in.
struct Told {
    headers: HeaderMap,
    body: String,
}

impl Told {
    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// What it says, once its signature is found to be good.
    fn read(&self) -> Value {
        let signed = format!(
            "{}.{}.{}",
            self.header("webhook-id"),
            self.header("webhook-timestamp"),
            self.body
        );
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).unwrap();
        mac.update(signed.as_bytes());
        let signature = self.header("webhook-signature").strip_prefix("v1,").unwrap();
        mac.verify_slice(&BASE64.decode(signature.as_bytes()).unwrap()).unwrap();
        let sent: i64 = self.header("webhook-timestamp").parse().unwrap();
        assert!(sent > 1_700_000_000, "{sent}");
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What a listener does with what it is told.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Takes,
    /// Fails, but for each third message.
    Fails,
    /// Points somewhere else.
    Redirects,
    /// Never answers.
    Hangs,
}

struct Listener {
    url: String,
    told: mpsc::UnboundedReceiver<Told>,
}

impl Listener {
    async fn open(manner: Manner) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(1));
        let take = async move |State(tell): State<mpsc::UnboundedSender<Told>>,
                               headers: HeaderMap,
                               body: String| {
            tell.send(Told { headers, body }).unwrap();
            let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let elsewhere = [("location", "/elsewhere")];
            match manner {
                Manner::Takes => (StatusCode::NO_CONTENT, elsewhere),
                Manner::Fails if number.is_multiple_of(3) => (StatusCode::OK, elsewhere),
                Manner::Fails => (StatusCode::INTERNAL_SERVER_ERROR, elsewhere),
                Manner::Redirects => (StatusCode::TEMPORARY_REDIRECT, elsewhere),
                Manner::Hangs => std::future::pending().await,
            }
        };
        let (take, other) = (take.clone(), take);
        let router = Router::new()
            .route("/in", post(take))
            .route("/elsewhere", post(other))
            .with_state(tell);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/in", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { url, told }
    }

    async fn next(&mut self) -> Value {
        self.told.recv().await.unwrap().read()
    }
}

/// A gateway that tells a listener of approvals.
struct Scene {
    house: House,
    listener: Listener,
    _secret: tempfile::TempDir,
}

impl Scene {
    async fn open(manner: Manner, webhook: &str) -> Self {
        Self::with(manner, "", webhook).await
    }

    /// One with more lines in either table of settings.
    async fn with(manner: Manner, approvals: &str, webhook: &str) -> Self {
        let listener = Listener::open(manner).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("webhook.secret");
        std::fs::write(&file, format!("whsec_{}\n", BASE64.encode(SECRET))).unwrap();
        let settings = format!(
            "{approvals}page = \"https://console.example.com/{{id}}\"\n\
             [approvals.webhook]\nurl = \"{}\"\nsecret_file = \"{}\"\npause_ms = 1\n{webhook}",
            listener.url,
            file.display(),
        );
        Self { house: House::open_with(&settings), listener, _secret: folder }
    }

    async fn count(&self, outcome: &str) -> f64 {
        let label = format!("outcome=\"{outcome}\"");
        self.house.served.metric("regate_notices_total", &[&label]).await
    }

    async fn until(&self, outcome: &str, count: f64) {
        while self.count(outcome).await < count {
            tokio::task::yield_now().await;
        }
    }

    /// What a person is shown of the questions that are open.
    async fn listed(&self) -> Value {
        let listed = self.house.approvals(&["list", "--format", "json"]);
        serde_json::from_slice(&listed.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_and_answered_is_told_and_signed() {
    let mut scene = Scene::open(Manner::Takes, "").await;
    let held = scene.house.rest(PAYS).await;
    let id = &held["approval"];
    let told = scene.listener.next().await;
    assert_eq!(told["type"], "approval.pending", "{told}");
    let mut listed = scene.listed().await;
    // More of the call is for who asks for it.
    for more in ["arguments", "facts", "recorded"] {
        assert_eq!(listed.as_object_mut().unwrap().remove(more), Some(Value::Null));
    }
    assert_eq!(told["data"], listed);
    assert_eq!(told["data"]["id"], *id);
    let page = format!("https://console.example.com/{}", id.as_str().unwrap());
    assert_eq!(told["data"]["page"], page);
    assert!(!told.to_string().contains("payments.csv"), "{told}");

    // To come again asks nobody anew.
    scene.house.mcp(PAYS).await;
    assert_eq!(scene.house.answer(EVE, id, "refuse").await.0, 200);
    let told = scene.listener.next().await;
    assert_eq!((&told["type"], &told["data"]["id"]), (&"approval.refused".into(), id));
    let data = &told["data"];
    assert_eq!((&data["answered_by"], &data["note"]), (&"eve".into(), &"seen".into()));
    scene.until("delivered", 2.0).await;
    let log = scene.house.served.log();
    assert!(!log.contains("whsec_") && !log.contains(&scene.listener.url), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_answered_is_told() {
    let mut scene = Scene::with(Manner::Takes, "pending_ms_max = 0\n", "").await;
    assert_eq!(scene.house.rest(PAYS).await["cause"], "approval");
    // Two that are told at once may come in any order.
    let told = [scene.listener.next().await, scene.listener.next().await];
    let mut told = told.map(|told| told["type"].as_str().unwrap().to_owned());
    told.sort();
    assert_eq!(told, ["approval.expired", "approval.pending"]);
}

/// What an earlier life may not have told, the next one tells, and it is known by its id.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_told_again_after_a_kill() {
    let mut scene = Scene::open(Manner::Takes, "").await;
    scene.house.rest(PAYS).await;
    let first = scene.listener.told.recv().await.unwrap();
    let Scene { house, listener, _secret } = scene;
    let mut scene = Scene { house: house.killed_and_restarted(), listener, _secret };
    let again = scene.listener.told.recv().await.unwrap();
    assert_eq!(first.header("webhook-id"), again.header("webhook-id"));
    assert_eq!(first.read()["data"], again.read()["data"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_taken_is_tried_again_a_few_times() {
    let mut scene = Scene::open(Manner::Fails, "attempts_max = 3\n").await;
    scene.house.rest(PAYS).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let told = scene.listener.told.recv().await.unwrap();
        told.read();
        ids.push(told.header("webhook-id").to_owned());
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    scene.until("delivered", 1.0).await;
    assert_eq!(scene.count("failed").await, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_led_nowhere_else() {
    let mut scene = Scene::open(Manner::Redirects, "attempts_max = 2\n").await;
    scene.house.rest(PAYS).await;
    scene.until("failed", 1.0).await;
    for _ in 0..2 {
        scene.listener.told.recv().await.unwrap();
    }
    assert!(scene.listener.told.try_recv().is_err(), "it was sent elsewhere");
}

/// One that never answers: calls are held, answered and had all the same, and what has no room is
/// dropped and counted.
#[tokio::test(flavor = "multi_thread")]
async fn calls_go_on_where_nobody_takes_notices() {
    let bounds = "attempt_ms_max = 600000\nat_once_max = 1\nqueue_max = 1\n";
    let mut scene = Scene::open(Manner::Hangs, bounds).await;
    let id = scene.house.rest(PAYS).await["approval"].clone();
    scene.listener.told.recv().await.unwrap();
    assert_eq!(scene.house.answer(EVE, &id, "approve").await.0, 200);
    assert_eq!(scene.house.rest(PAYS).await["result"]["stdout"], "3\n");
    for number in 0..4 {
        let code = PAYS.replace("a,1", &format!("b,{number}"));
        let held = scene.house.served.rest(&Asked { key: AGENT, session: None, code: &code }).await;
        assert_eq!(held["decision"], "held", "{held}");
    }
    scene.until("dropped", 3.0).await;
    assert_eq!(scene.count("delivered").await, 0.0);
    // It does not hold up the end either.
    scene.house.served.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_without_a_secret_is_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("regate.toml");
    for (line, told) in [
        ("url = \"https://127.0.0.1/hunter2\"", "secret_file"),
        ("url = \"http://chat.example.com/hunter2\"\nsecret_variable = \"X\"", "webhook.url"),
        ("url = \"https://127.0.0.1/hunter2\"\nsecret_variable = \"NO_SUCH\"", "variable"),
    ] {
        std::fs::write(&file, format!("[approvals.webhook]\n{line}\n")).unwrap();
        let mut command = crate::served::regate();
        let checked = command.args(["config", "check"]).arg(&file).output().unwrap();
        let said = String::from_utf8(checked.stderr).unwrap();
        assert!(!checked.status.success() && said.contains(told), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
