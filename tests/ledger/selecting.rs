//! Which records are shown: an outcome is found by whose call it was.

use crate::{START_MS, decision, moment, open, outcome, settings, shown, subject};
use regate::call::{CallId, Timestamp, Tool};
use regate::ledger::reader::{Order, Reader, Selection};
use regate::ledger::{DecisionRecord, OutcomeRecord, Owner};
use regate::policy::Cause;

#[tokio::test]
async fn each_filter_selects() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path()).await;
    ledger.decision(decision(1)).await.unwrap();
    let other = DecisionRecord {
        session: "t".into(),
        tool: Tool::builtin("other"),
        decision: "permitted",
        cause: Cause::Limit,
        subject: regate::call::Subject { tenant: "umbrella".into(), ..subject("agent-8") },
        ..decision(2)
    };
    ledger.decision(other).await.unwrap();
    ledger.outcome(outcome(1)).await.unwrap();
    let owner = Owner { subject: "agent-8".into(), tenant: "umbrella".into() };
    let (session, tool) = ("t".into(), Tool::builtin("other"));
    ledger.outcome(OutcomeRecord { owner, session, tool, ..outcome(2) }).await.unwrap();
    ledger.close().await;

    let all = Selection { limit: 10, ..Selection::default() };
    let cases: [(Selection, &[u64]); 14] = [
        (all.clone(), &[1, 2, 3, 4]),
        (Selection { limit: 3, ..all.clone() }, &[1, 2, 3]),
        (Selection { limit: 0, ..all.clone() }, &[]),
        (Selection { order: Order::NewestFirst, after: Some(3), ..all.clone() }, &[2, 1]),
        (Selection { call: Some(CallId::new("call-2")), ..all.clone() }, &[2, 4]),
        (Selection { session: Some("s".into()), ..all.clone() }, &[1, 3]),
        (Selection { tenant: Some("umbrella".into()), ..all.clone() }, &[2, 4]),
        (Selection { subject: Some("agent-7".into()), ..all.clone() }, &[1, 3]),
        (Selection { tool: Some("other".into()), ..all.clone() }, &[2, 4]),
        (Selection { decision: Some("denied".into()), ..all.clone() }, &[1]),
        (Selection { cause: Some("limit".into()), ..all.clone() }, &[2]),
        (Selection { kind: Some("outcome".into()), ..all.clone() }, &[3, 4]),
        (Selection { since: Some(moment(2)), ..all.clone() }, &[2, 4]),
        (Selection { until: Some(moment(2)), ..all.clone() }, &[1, 3]),
    ];
    let mut reader = Reader::open(&settings(directory.path()).file).await.unwrap();
    for (selection, expected) in cases {
        let (seqs, _) = shown(&mut reader, &selection).await;
        assert_eq!(seqs, expected, "{selection:?}");
    }
    let hostile = Selection { session: Some("' OR 1 = 1 --".into()), ..all };
    assert_eq!(shown(&mut reader, &hostile).await, (Vec::new(), None));
}

#[test]
fn moments_are_told_in_two_ways() {
    let now = Timestamp::from_unix_ms(START_MS);
    let before = |ms| Some(Timestamp::from_unix_ms(START_MS - ms));
    let told = [
        ("2026-01-01T00:00:00Z", before(0)),
        ("2025-12-31T23:00:00-01:00", before(0)),
        ("2026-01-01T00:00:00.250Z", before(-250)),
        ("90s", before(90_000)),
        ("15m", before(900_000)),
        ("2h", before(7_200_000)),
        ("1d", before(86_400_000)),
        ("2w", before(1_209_600_000)),
        ("", None),
        ("h", None),
        ("-1h", None),
        ("1.5h", None),
        ("2é", None),
        ("yesterday", None),
        ("2026-01-01", None),
        ("99999999999999999999d", None),
    ];
    for (text, expected) in told {
        assert_eq!(Timestamp::told(text, now), expected, "{text}");
    }
}
