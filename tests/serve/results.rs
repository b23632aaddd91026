//! What a program printed reaches the caller without its secrets, at each door alike, or not at
//! all where a rule withholds it.

use crate::bundle;
use crate::served::{Asked, Served, With, copy, root};
use serde_json::{Value, json};
use std::path::Path;

const IN_STDERR: &str = include_str!("../../fixtures/results/in_stderr.py");
const BESIDE: &str = include_str!("../../fixtures/results/beside.py");
const HARMLESS: &str = include_str!("../../fixtures/results/harmless.py");
const CUT: &str = include_str!("../../fixtures/results/cut.py");
const CUT_TWIN: &str = include_str!("../../fixtures/results/cut_twin.py");
const INTERNAL: &str = include_str!("../../fixtures/results/internal.py");

const COMMIT: &str = "9fceb02d0ae598e95dc970b74767f19372d61af8";
const ID: &str = "123e4567-e89b-12d3-a456-426614174000";

/// The token that the programs print.
fn secret() -> String {
    let file: Value =
        serde_json::from_str(include_str!("../../fixtures/redact/shapes.json")).unwrap();
    let rows = file["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["detector"] == "github_token").unwrap();
    row["secret"].as_array().unwrap().iter().map(|piece| piece.as_str().unwrap()).collect()
}

/// What one program comes to at each door: the reply through REST, that through MCP, and the
/// text there.
struct Told {
    replies: [Value; 2],
    text: String,
    is_error: bool,
}

async fn told(served: &Served, code: &str) -> Told {
    let asked = Asked { key: "any", session: None, code };
    let rest = served.rest(&asked).await;
    let result = served.mcp_result(&asked).await;
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    let mcp = result["structuredContent"].clone();
    Told { replies: [rest, mcp], text, is_error: result["isError"] == true }
}

fn field<'a>(reply: &'a Value, name: &str) -> &'a str {
    reply["result"][name].as_str().unwrap_or_else(|| panic!("{reply}"))
}

/// No secret is anywhere: in no reply, no record, no log.
fn assert_nowhere(served: &Served, told: &Told) {
    let secret = secret();
    let beginning = secret.get(..16).unwrap();
    for reply in &told.replies {
        assert!(!reply.to_string().contains(beginning), "{reply}");
    }
    assert!(!told.text.contains(beginning), "{}", told.text);
    for record in served.ledger() {
        assert!(!record.to_string().contains(&secret), "{record}");
    }
    assert!(!served.log().contains(beginning));
}

fn last_summary(served: &Served) -> Value {
    let records = served.ledger();
    let outcome = records.iter().rfind(|record| record["kind"] == "outcome").unwrap();
    outcome["body"]["summary"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_stderr_alone_is_taken_out() {
    let served = Served::start(&With::default());
    let told = told(&served, IN_STDERR).await;
    for reply in &told.replies {
        assert_eq!(field(reply, "stdout"), "nothing to see\n");
        assert_eq!(field(reply, "stderr"), "the token is [redacted: github_token]\n");
        let redactions = json!([{"detector": "github_token", "count": 1}]);
        assert_eq!(reply["result"]["redactions"], redactions);
    }
    assert!(told.text.contains("the token is [redacted: github_token]"), "{}", told.text);
    assert!(told.text.contains("Taken out of the output"), "{}", told.text);
    assert!(!told.is_error);
    assert_nowhere(&served, &told);
    assert_eq!(last_summary(&served)["redactions"], json!({"github_token": 1}));
    let counted = served.metric("regate_redactions_total", &["github_token"]).await;
    assert!((counted - 2.0).abs() < 0.1, "{counted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_beside_a_secret_is_left_as_it_is() {
    let served = Served::start(&With::default());
    let told = told(&served, BESIDE).await;
    let image = HARMLESS.split('"').find(|text| text.contains("base64,")).unwrap();
    for reply in &told.replies {
        let stdout = format!(
            "commit {COMMIT}\nid {ID} [redacted: github_token] x\n{image}\n\
             'first line\\n[redacted: github_token]'\n"
        );
        assert_eq!(field(reply, "stdout"), stdout);
        assert!(told.text.contains(stdout.trim_end()), "{}", told.text);
    }
    assert_nowhere(&served, &told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_without_secrets_is_whole() {
    let served = Served::start(&With::default());
    let told = told(&served, HARMLESS).await;
    for reply in &told.replies {
        let stdout = field(reply, "stdout");
        assert!(!stdout.contains("redacted") && stdout.contains(COMMIT), "{stdout}");
        assert_eq!(stdout.lines().count(), 4);
        assert_eq!(reply["result"]["redactions"], json!([]));
    }
    assert!(!told.text.contains("Taken out"), "{}", told.text);
    assert_eq!(served.metric("regate_redactions_total", &[]).await, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_is_cut_with_the_output_is_taken_out_as_far_as_it_stands() {
    let served = Served::start(&With::default());
    let told_cut = told(&served, CUT).await;
    for reply in &told_cut.replies {
        assert_eq!(reply["result"]["truncated"], true);
        assert!(field(reply, "stdout").ends_with(". [redacted: github_token]"));
    }
    assert_nowhere(&served, &told_cut);
    let twin = told(&served, CUT_TWIN).await;
    for reply in &twin.replies {
        assert!(field(reply, "stdout").ends_with(". commit 9fceb02d0ae59"));
    }
}

/// Serves the shipped bundle with a team's rule beside it.
fn serve_with(rule: &str, folder: &Path) -> Served {
    copy(&root("policies"), folder);
    for file in bundle::read(&format!("fixtures/bundles/results/{rule}")) {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    Served::start(&With { policies: Some(folder), ..With::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_may_withhold_results() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = serve_with("denying", folder.path());
    let told_internal = told(&served, INTERNAL).await;
    for reply in &told_internal.replies {
        assert_eq!((&reply["decision"], &reply["cause"]), (&"permitted".into(), &"rule".into()));
        assert_eq!(reply["result"], Value::Null, "{reply}");
        assert_eq!(reply["findings"][0]["rule"], "results/case");
        assert_eq!(reply["findings"][1]["rule"], "regate/withheld");
        assert_eq!(reply["retryable"], false);
    }
    assert!(told_internal.is_error);
    assert!(told_internal.text.starts_with("Withheld: the call ran"), "{}", told_internal.text);
    assert!(told_internal.text.contains("something internal is in stdout"));
    let summary = last_summary(&served);
    assert_eq!((&summary["withheld"]["cause"], &summary["exit_code"]), (&"rule".into(), &0.into()));

    let twin = told(&served, HARMLESS).await;
    assert!(field(&twin.replies[0], "stdout").contains(COMMIT));
    assert!(served.verify() && served.is_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_on_which_policy_gives_no_proper_answer_is_withheld() {
    for (rule, cause) in [("erring", "indeterminate"), ("too_late", "obligation")] {
        let folder = tempfile::tempdir().unwrap();
        let mut served = serve_with(rule, folder.path());
        let told = told(&served, INTERNAL).await;
        for reply in &told.replies {
            assert_eq!((&reply["decision"], &reply["cause"]), (&"permitted".into(), &cause.into()));
            assert_eq!(reply["result"], Value::Null, "{reply}");
            assert_eq!(reply["findings"][0]["rule"], "regate/withheld", "{reply}");
        }
        assert_eq!(last_summary(&served)["withheld"]["cause"], cause);
        let labels = ["decision=\"permitted\"", &format!("cause=\"{cause}\"")];
        assert!(served.metric("regate_calls_total", &labels).await >= 2.0, "{rule}");
        assert!(served.is_up());
    }
}

#[tokio::test]
async fn what_is_taken_out_stands_in_the_description_of_the_door() {
    let served = Served::start(&With::default());
    let described: Value = serde_json::from_str(&served.get("/openapi.json").await).unwrap();
    let properties = &described["components"]["schemas"]["RunReply"]["properties"];
    assert!(properties["redactions"].is_object(), "{properties}");
    assert!(described["components"]["schemas"]["RedactionReply"].is_object());
}
