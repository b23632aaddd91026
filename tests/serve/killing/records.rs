//! What the ledger says when all is over.

use serde_json::Value;
use std::collections::BTreeMap;

/// The records, by what they are about.
#[derive(Default)]
pub(super) struct Recorded<'a> {
    /// The outcomes of each call.
    pub(super) outcomes: BTreeMap<&'a str, Vec<&'a str>>,
    /// The calls that were permitted, each with the approval that it spent.
    pub(super) permitted: BTreeMap<&'a str, Option<&'a str>>,
    /// Which call each program was permitted for.
    pub(super) programs: BTreeMap<&'a str, &'a str>,
    /// How often a part of the chain was sealed.
    pub(super) seals: usize,
    asked: BTreeMap<&'a str, usize>,
    said: BTreeMap<&'a str, Vec<&'a str>>,
    spent: BTreeMap<&'a str, usize>,
}

/// How many approvals stand how.
#[derive(Debug)]
#[expect(dead_code, reason = "it is printed")]
pub(super) struct Approvals {
    pub(super) open: usize,
    refused: usize,
    approved: usize,
    pub(super) spent: usize,
}

impl<'a> Recorded<'a> {
    pub(super) fn of(records: &'a [Value]) -> Self {
        let mut recorded = Self::default();
        for record in records {
            let body = &record["body"];
            match record["kind"].as_str().unwrap() {
                "decision" => recorded.decision(record["call"].as_str().unwrap(), body),
                "outcome" => {
                    let ends = recorded.outcomes.entry(record["call"].as_str().unwrap());
                    ends.or_default().push(body["outcome"].as_str().unwrap());
                }
                "answer" => {
                    let id = body["approval"]["id"].as_str().unwrap();
                    let said = body["approval"]["said"].as_str().unwrap();
                    recorded.said.entry(id).or_default().push(said);
                }
                "seal" => recorded.seals += 1,
                "continues" => {}
                other => panic!("{other}"),
            }
        }
        recorded
    }

    fn decision(&mut self, call: &'a str, body: &'a Value) {
        let id = body["approval"]["id"].as_str();
        if body["decision"] == "permitted" {
            assert!(self.permitted.insert(call, id).is_none(), "{call} was permitted twice");
            let program = body["arguments"]["code"].as_str().unwrap();
            let before = self.programs.insert(program, call);
            assert_eq!(before, None, "{program} was permitted for two calls");
        }
        match body["approval"]["does"].as_str() {
            Some("asks") => *self.asked.entry(id.unwrap()).or_default() += 1,
            Some("spends") => {
                assert_eq!(body["decision"], "permitted", "{body}");
                *self.spent.entry(id.unwrap()).or_default() += 1;
            }
            Some("waits") | None => {}
            Some(other) => panic!("{other}"),
        }
    }

    /// What the record says of each call that was permitted is one thing.
    pub(super) fn assert_each_ended_once(&self) {
        for call in self.permitted.keys() {
            let ends = self.outcomes.get(call).map(Vec::as_slice).unwrap_or_default();
            assert_eq!(ends.len(), 1, "{call} ended {ends:?}");
        }
    }

    /// Each was asked for once, answered once at most, and spent once at most where it was
    /// approved.
    pub(super) fn assert_approvals_are_spent_once(&self) -> Approvals {
        for (id, times) in &self.asked {
            assert_eq!(*times, 1, "{id} was asked for again");
        }
        for (id, said) in &self.said {
            assert!(self.asked.contains_key(id), "{id} was answered and not asked for");
            assert_eq!(said.len(), 1, "{id}: {said:?}");
        }
        for (id, times) in &self.spent {
            assert_eq!((*times, self.said(id)), (1, Some("approved")), "{id} was spent");
        }
        let count = |word| self.said.values().filter(|said| said[0] == word).count();
        Approvals {
            open: self.asked.len() - self.said.len(),
            refused: count("refused"),
            approved: count("approved"),
            spent: self.spent.len(),
        }
    }

    /// What was said of a question.
    pub(super) fn said(&self, id: &str) -> Option<&'a str> {
        self.said.get(id).map(|said| said[0])
    }

    /// Whether it was approved and not spent.
    pub(super) fn is_left(&self, id: &str) -> bool {
        self.said(id) == Some("approved") && !self.spent.contains_key(id)
    }
}
