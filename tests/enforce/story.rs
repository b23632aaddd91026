//! Each way through the steps.

use crate::bundle;
use crate::house::{End, House, Output, call, pairs, told, trigger};
use regate::enforce::{Answer, Conclusion, Purpose};
use regate::limits::{self};
use regate::policy::{Cause, Fault, Finding, Policy, Severity};
use std::sync::Arc;
use tokio::sync::oneshot;

#[tokio::test]
async fn a_permitted_call_is_recorded_has_its_effect_once_and_is_recorded_again() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule), "{:?}", answer.findings);
    assert!(matches!(answer.conclusion, Conclusion::Permitted(Some(Output::Whole))));
    assert_eq!(house.runs(), 1);
    assert_eq!(house.records().await, pairs(&[("decision", "permitted"), ("outcome", "ok")]));
}

#[tokio::test]
async fn a_denied_call_has_no_effect() {
    let house = House::open(None).await;
    let code = "import os\nos.system('id')";
    let answer = house.guard.guard(call(code), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("denied", Cause::Rule));
    assert!(!answer.findings.is_empty());
    assert_eq!(house.runs(), 0);
    assert_eq!(house.records().await, pairs(&[("decision", "denied")]));
}

#[tokio::test]
async fn a_held_call_has_no_effect() {
    let house = House::open(Some("holding")).await;
    let answer = house.guard.guard(trigger(), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("held", Cause::Rule));
    assert!(answer.findings.iter().any(|finding| &*finding.rule == "regate/hold"));
    assert_eq!(house.runs(), 0);
    assert_eq!(house.records().await, pairs(&[("decision", "held")]));
}

#[tokio::test]
async fn advice_has_no_effect() {
    let house = House::open(None).await;
    let answer = house.guard.advise(call("print(1)"), house.effect(End::Well)).await;
    assert!(matches!(answer.conclusion, Conclusion::Permitted(None)));
    assert_eq!(house.runs(), 0);
    assert_eq!(house.records().await, pairs(&[("decision", "permitted")]));
}

#[tokio::test]
async fn an_obligation_that_the_effect_cannot_fulfil_is_a_denial() {
    let house = House::open(Some("failing/unfulfilled_obligation")).await;
    let answer = house.guard.guard(trigger(), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("denied", Cause::Obligation));
    assert_eq!(house.runs(), 0);
}

#[tokio::test]
async fn an_effect_that_is_not_available_is_a_denial_with_an_outcome() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Unavailable)).await;
    assert_eq!(told(&answer), ("denied", Cause::Sandbox));
    assert!(answer.retryable());
    let recorded = house.records().await;
    assert_eq!(recorded, pairs(&[("decision", "permitted"), ("outcome", "unavailable")]));
}

#[tokio::test]
async fn an_effect_that_broke_off_is_not_to_be_tried_again_unseen() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Interrupted)).await;
    assert_eq!(told(&answer), ("denied", Cause::Interrupted));
    assert!(!answer.retryable());
    let recorded = house.records().await;
    assert_eq!(recorded, pairs(&[("decision", "permitted"), ("outcome", "interrupted")]));
}

#[tokio::test]
async fn what_cannot_be_recorded_does_not_run() {
    let house = House::open(None).await;
    house.ledger.close().await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("denied", Cause::Ledger));
    assert_eq!(house.runs(), 0);
}

#[tokio::test]
async fn an_outcome_that_cannot_be_recorded_is_told_to_the_caller_and_to_the_operator() {
    let house = House::open(None).await;
    let effect = house.effect(End::ClosesTheLedger(house.ledger.clone()));
    let answer = house.guard.guard(call("print(1)"), effect).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule));
    assert_eq!(house.records().await, pairs(&[("decision", "permitted")]));
    let shown = house.metrics.render(std::time::Duration::ZERO);
    assert!(shown.contains("regate_ledger_errors_total{error=\"closed\"} 1"), "{shown}");
}

#[tokio::test]
async fn a_denial_without_a_rule_has_a_reason_all_the_same() {
    let house = House::open(Some("failing/undefined")).await;
    let answer = house.guard.guard(trigger(), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("denied", Cause::Indeterminate(Fault::Undefined)));
    let rules: Vec<&str> = answer.findings.iter().map(|finding| &*finding.rule).collect();
    assert_eq!(rules, ["regate/internal"]);
}

#[tokio::test]
async fn a_call_is_judged_and_run_under_one_bundle_though_another_came_into_force() {
    let house = House::open(Some("holding")).await;
    let effect = house.effect(End::Well);
    let shipped = Policy::load(&bundle::shipped(), &Default::default()).unwrap();
    house.guard.replace_policy(Arc::new(shipped));
    // The effect itself looks whether it is handed the bundle that permits it.
    let answer = house.guard.guard(call("print(1)"), effect).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule), "{:?}", answer.findings);
    assert_eq!(house.runs(), 1);
}

#[tokio::test]
async fn a_panic_in_an_effect_is_a_denial_and_the_guard_goes_on() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call("print(1)"), house.effect(End::Panic)).await;
    assert_eq!(told(&answer), ("denied", Cause::Indeterminate(Fault::Panic)));
    let recorded = house.records().await;
    assert_eq!(recorded, pairs(&[("decision", "permitted"), ("outcome", "failed")]));
    let answer = house.guard.guard(call("print(2)"), house.effect(End::Well)).await;
    assert_eq!(told(&answer), ("permitted", Cause::Rule));
}

#[tokio::test]
async fn a_limit_that_is_reached_says_when_to_try_again_and_gives_way_later() {
    let limits = limits::Settings { calls_at_once_max: 1, ..Default::default() };
    let house = House::open_with(None, &limits).await;
    let (finish, finished) = oneshot::channel();
    let first = tokio::spawn({
        let (guard, effect) = (Arc::clone(&house.guard), house.effect(End::After(finished)));
        async move { guard.guard(call("print(1)"), effect).await }
    });
    while house.runs() == 0 {
        tokio::task::yield_now().await;
    }
    let second = house.guard.guard(call("print(2)"), house.effect(End::Well)).await;
    assert_eq!(told(&second), ("denied", Cause::Limit));
    assert!(second.retry_after_ms.is_some());

    finish.send(()).unwrap();
    assert_eq!(told(&first.await.unwrap()), ("permitted", Cause::Rule));
    let third = house.guard.guard(call("print(3)"), house.effect(End::Well)).await;
    assert_eq!(told(&third), ("permitted", Cause::Rule));
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_story_half_told() {
    let house = House::open(None).await;
    let (finish, finished) = oneshot::channel();
    let caller = tokio::spawn({
        let (guard, effect) = (Arc::clone(&house.guard), house.effect(End::After(finished)));
        async move { guard.guard(call("print(1)"), effect).await }
    });
    while house.runs() == 0 {
        tokio::task::yield_now().await;
    }
    caller.abort();
    finish.send(()).unwrap();
    house.guard.settle().await;
    assert_eq!(house.records().await, pairs(&[("decision", "permitted"), ("outcome", "ok")]));
}

#[tokio::test]
async fn a_call_that_cannot_be_put_to_policy_is_recorded_and_refused() {
    let house = House::open(None).await;
    let finding = Finding {
        rule: "gateway/arguments".into(),
        span: None,
        message: "the tool takes no argument `shell`".into(),
        severity: Severity::Low,
        remedy: "".into(),
    };
    let answer: Answer<()> = house.guard.refuse(call("print(1)"), finding, Purpose::Act).await;
    assert_eq!(told(&answer), ("denied", Cause::Arguments));
    assert_eq!(house.records().await, pairs(&[("decision", "denied")]));
}

#[tokio::test]
async fn a_program_that_comes_again_is_judged_alike() {
    let house = House::open(None).await;
    let code = "import subprocess as s\ns.run(['id'])";
    let first = house.guard.advise(call(code), house.effect(End::Well)).await;
    let second = house.guard.advise(call(code), house.effect(End::Well)).await;
    assert_eq!(first.findings, second.findings);
    assert!(!first.findings.is_empty());
}

#[tokio::test]
async fn every_call_is_counted_once() {
    let house = House::open(None).await;
    for code in ["print(1)", "import os\nos.system('id')"] {
        house.guard.guard(call(code), house.effect(End::Well)).await;
    }
    let shown = house.metrics.render(std::time::Duration::ZERO);
    for decision in ["permitted", "denied"] {
        let line = format!(
            "regate_calls_total{{cause=\"rule\",decision=\"{decision}\",door=\"rest\",\
             tool=\"run_python\"}} 1"
        );
        assert!(shown.contains(&line), "{shown}");
    }
}
