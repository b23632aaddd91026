//! Calls that a person has to see: asked once, answered by who may, executed once or not at all.

use crate::house::{Counted, End, House, Output, call, pairs, policy, told, trigger, unhurried};
use regate::approval::{self, Barred};
use regate::call::{Authentication, Json, Subject, Text, ToolCall};
use regate::enforce::{Answer, Unanswered};
use regate::ledger::{Said, Standing};
use regate::policy::Cause;

const HOLDING: &str = "holding";

fn somebody(id: &str, tenant: &str, role: &str) -> Subject {
    Subject {
        id: id.into(),
        tenant: tenant.into(),
        roles: vec![role.into()],
        authentication: Authentication::ApiKey,
    }
}

fn eve() -> Subject {
    somebody("eve", "acme", "security")
}

/// A call of the tool that is held, with these arguments.
fn with(arguments: &[(&str, &str)]) -> ToolCall {
    let member = |(key, text): &(&str, &str)| (Text::from(*key), Json::String((*text).into()));
    ToolCall { arguments: Json::Object(arguments.iter().map(member).collect()), ..trigger() }
}

impl House {
    fn well(&self) -> Counted {
        self.effect(End::Well)
    }

    async fn try_it(&self, call: ToolCall) -> Answer<Output> {
        self.guard.guard(call, self.well()).await
    }

    async fn say(&self, id: &Text, said: Said) -> Result<Standing, Unanswered> {
        self.guard.answer(&eve(), id, said, "looked at it".into()).await
    }
}

#[tokio::test]
async fn an_approved_call_is_had_once_and_then_asked_for_anew() {
    let house = House::asking(HOLDING, unhurried()).await;
    let first = house.try_it(trigger()).await;
    let id = first.approval.clone().unwrap();
    assert_eq!(told(&first), ("held", Cause::Rule));
    assert!(first.retryable());
    assert_eq!(house.try_it(trigger()).await.approval, Some(id.clone()));
    assert_eq!(house.runs(), 0);

    house.say(&id, Said::Approved).await.unwrap();
    let answer = house.try_it(trigger()).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule), "{:?}", answer.findings);
    assert_eq!((house.runs(), answer.approval), (1, None));
    let again = house.try_it(trigger()).await;
    assert_eq!(told(&again), ("held", Cause::Rule));
    assert!(again.approval.is_some() && again.approval != Some(id));
    assert_eq!(house.runs(), 1);
    let records = [
        ("decision", "held"),
        ("decision", "held"),
        ("answer", "approved"),
        ("decision", "permitted"),
        ("outcome", "ok"),
        ("decision", "held"),
    ];
    assert_eq!(house.records().await, pairs(&records));
}

#[tokio::test]
async fn an_approval_is_for_this_call_alone() {
    let house = House::asking(HOLDING, unhurried()).await;
    let asked = house.try_it(with(&[("a", "1"), ("b", "2")])).await.approval.unwrap();
    let reordered = house.try_it(with(&[("b", "2"), ("a", "1")])).await.approval.unwrap();
    assert_eq!(asked, reordered);
    house.say(&asked, Said::Approved).await.unwrap();

    let mut of_another = with(&[("a", "1"), ("b", "2")]);
    of_another.subject.id = "agent-8".into();
    for other in [with(&[("a", "1"), ("b", "3")]), with(&[("a", "1")]), of_another] {
        let answer = house.try_it(other).await;
        assert_eq!(told(&answer), ("held", Cause::Rule));
        assert_ne!(answer.approval, Some(asked.clone()));
    }
    assert_eq!(house.runs(), 0);
    let answer = house.try_it(with(&[("b", "2"), ("a", "1")])).await;
    assert_eq!((told(&answer).0, house.runs()), ("permitted", 1));
}

#[tokio::test]
async fn who_asks_and_who_has_not_the_role_does_not_answer() {
    let house = House::asking(HOLDING, unhurried()).await;
    let id = house.try_it(trigger()).await.approval.unwrap();
    let answer = async |subject: Subject| {
        house.guard.answer(&subject, &id, Said::Approved, "".into()).await.unwrap_err()
    };
    let requester = Subject { roles: vec!["security".into()], ..trigger().subject };
    assert!(matches!(answer(requester).await, Unanswered::Barred(Barred::Requester)));
    // Whom it does not concern does not even learn that there is a question.
    assert!(matches!(answer(somebody("bob", "acme", "finance")).await, Unanswered::Unknown));
    assert!(matches!(answer(somebody("eve", "umbrella", "security")).await, Unanswered::Unknown));
    assert_eq!(house.guard.questions(&eve()).await.unwrap().len(), 1);
    assert_eq!(house.guard.questions(&somebody("bob", "acme", "finance")).await.unwrap(), []);

    house.say(&id, Said::Approved).await.unwrap();
    assert!(matches!(house.say(&id, Said::Refused).await, Err(Unanswered::Closed)));
    assert_eq!(house.guard.questions(&eve()).await.unwrap(), []);
}

#[tokio::test]
async fn a_refused_call_hears_why() {
    let house = House::asking(HOLDING, unhurried()).await;
    let id = house.try_it(trigger()).await.approval.unwrap();
    house.say(&id, Said::Refused).await.unwrap();
    for _ in 0..2 {
        let answer = house.try_it(trigger()).await;
        assert_eq!(told(&answer), ("denied", Cause::Approval));
        assert!(answer.findings[0].message.contains("looked at it"), "{:?}", answer.findings);
        assert!(!answer.retryable());
    }
    assert_eq!(house.runs(), 0);
}

#[tokio::test]
async fn where_nobody_answers_it_ends_as_expired() {
    let settings = approval::Settings { pending_ms_max: 0, ..unhurried() };
    let house = House::asking(HOLDING, settings).await;
    let answer = house.try_it(trigger()).await;
    assert_eq!(told(&answer), ("denied", Cause::Approval));
    let records = [("decision", "held"), ("answer", "expired"), ("decision", "denied")];
    assert_eq!(house.records().await, pairs(&records));
    assert_eq!(house.guard.expire_questions().await.unwrap(), 0);
}

#[tokio::test]
async fn a_call_that_waits_hears_that_its_time_is_over() {
    let settings = approval::Settings { wait_ms_max: 50, pending_ms_max: 0, ..Default::default() };
    let house = House::asking(HOLDING, settings).await;
    let closing = async {
        while house.records().await.len() < 2 {
            house.guard.expire_questions().await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    let (answer, ()) = tokio::join!(house.try_it(trigger()), closing);
    assert_eq!(told(&answer), ("denied", Cause::Approval));
}

#[tokio::test]
async fn an_approval_that_nobody_came_for_is_over() {
    let settings = approval::Settings { grant_ms_max: 0, ..unhurried() };
    let house = House::asking(HOLDING, settings).await;
    let id = house.try_it(trigger()).await.approval.unwrap();
    house.say(&id, Said::Approved).await.unwrap();
    let answer = house.try_it(trigger()).await;
    assert_eq!((told(&answer), house.runs()), (("denied", Cause::Approval), 0));
    assert_eq!(told(&house.try_it(trigger()).await), ("held", Cause::Rule));
}

#[tokio::test]
async fn an_approval_ends_with_the_policy_that_asked_for_it() {
    let house = House::asking(HOLDING, unhurried()).await;
    let id = house.try_it(trigger()).await.approval.unwrap();
    house.say(&id, Said::Approved).await.unwrap();
    house.guard.replace_policy(policy(Some("denying")));
    assert_eq!(told(&house.try_it(trigger()).await).0, "denied");
    assert_eq!(house.runs(), 0);
}

#[tokio::test]
async fn of_two_at_once_one_is_had() {
    let house = House::asking(HOLDING, unhurried()).await;
    let id = house.try_it(trigger()).await.approval.unwrap();
    house.say(&id, Said::Approved).await.unwrap();
    let calls = (0..8).map(|_| house.try_it(trigger()));
    let answers = futures_util::future::join_all(calls).await;
    let permitted = answers.iter().filter(|answer| told(answer).0 == "permitted").count();
    assert_eq!((permitted, house.runs()), (1, 1));
}

#[tokio::test]
async fn asked_at_once_it_is_one_question() {
    let house = House::asking(HOLDING, unhurried()).await;
    let calls = (0..8).map(|_| house.try_it(trigger()));
    let answers = futures_util::future::join_all(calls).await;
    let first = answers[0].approval.clone();
    assert!(first.is_some() && answers.iter().all(|answer| answer.approval == first));
    assert_eq!(house.guard.questions(&eve()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_that_waits_hears_the_answer() {
    let settings = approval::Settings { wait_ms_max: 600_000, ..Default::default() };
    let house = House::asking(HOLDING, settings).await;
    let answering = async {
        loop {
            if let Some(open) = house.guard.questions(&eve()).await.unwrap().pop() {
                return house.say(&open.id, Said::Approved).await.unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let (answer, _) = tokio::join!(house.try_it(trigger()), answering);
    assert_eq!((told(&answer).0, house.runs()), ("permitted", 1));
}

#[tokio::test]
async fn of_those_that_wait_one_is_had_and_the_others_hear_that_it_was() {
    let settings = approval::Settings { wait_ms_max: 600_000, ..Default::default() };
    let house = House::asking(HOLDING, settings).await;
    let calls = futures_util::future::join_all((0..8).map(|_| house.try_it(trigger())));
    let answer = async {
        let asked = || async { house.guard.questions(&eve()).await.unwrap() };
        let mut open = asked().await;
        // All eight wait: each of them left its record.
        while open.is_empty() || house.records().await.len() < 8 {
            tokio::task::yield_now().await;
            open = asked().await;
        }
        house.say(&open[0].id, Said::Approved).await.unwrap();
    };
    let (answers, ()) = tokio::join!(calls, answer);
    let permitted = answers.iter().filter(|answer| told(answer).0 == "permitted").count();
    assert_eq!((permitted, house.runs()), (1, 1));
    let spent = answers.iter().filter(|answer| told(answer) == ("denied", Cause::Approval));
    assert_eq!(spent.count(), 7);
    assert!(answers.iter().all(|answer| answer.approval.is_none()));
}

#[tokio::test]
async fn questions_and_answers_survive_a_restart() {
    let house = House::asking(HOLDING, unhurried()).await;
    let open = house.try_it(trigger()).await.approval.unwrap();
    let house = house.reopened(HOLDING).await;
    assert_eq!(house.try_it(trigger()).await.approval, Some(open.clone()));
    house.say(&open, Said::Approved).await.unwrap();
    let house = house.reopened(HOLDING).await;
    assert_eq!(told(&house.try_it(trigger()).await).0, "permitted");
    let house = house.reopened(HOLDING).await;
    assert_eq!(told(&house.try_it(trigger()).await).0, "held");
}

#[tokio::test]
async fn too_many_questions_are_a_limit() {
    let settings = approval::Settings { pending_per_subject_max: 2, ..unhurried() };
    let house = House::asking(HOLDING, settings).await;
    for text in ["a", "b"] {
        assert_eq!(told(&house.try_it(with(&[("text", text)])).await).0, "held");
    }
    let answer = house.try_it(with(&[("text", "c")])).await;
    assert_eq!(told(&answer), ("denied", Cause::Limit));
    assert!(answer.findings[0].message.contains("`questions`"), "{:?}", answer.findings);
    assert_eq!(told(&house.try_it(with(&[("text", "a")])).await).0, "held");
}

#[tokio::test]
async fn advice_asks_nobody() {
    let house = House::asking(HOLDING, unhurried()).await;
    let answer = house.guard.advise(trigger(), house.well()).await;
    assert_eq!((told(&answer), answer.approval), (("held", Cause::Rule), None));
    assert_eq!(house.guard.questions(&eve()).await.unwrap(), []);
    // The same code that no rule holds is nobody's to see.
    assert_eq!(told(&house.try_it(call("print(1)")).await).0, "permitted");
}
