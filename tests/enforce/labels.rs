//! What a call puts on its subject, and what the caller then sees.

use crate::house::{End, House, Output, call, clock, told};
use regate::enforce::{Answer, Conclusion};
use regate::policy::Cause;

/// Code whose file the shipped bundle labels, and what the answer shows of its output.
const LABELLED: &str = "open('secret/a.csv').read()";

fn shown(answer: &Answer<Output>) -> Option<Output> {
    match &answer.conclusion {
        Conclusion::Permitted(output) => output.clone(),
        Conclusion::Withheld | Conclusion::Held | Conclusion::Denied => None,
    }
}

async fn labels(house: &House) -> Vec<String> {
    let (subject, session) = (call("").subject, "default".into());
    let session = house.ledger.session(&subject, &session, clock()).await.unwrap();
    session.labels.iter().map(|label| label.name.to_string()).collect()
}

#[tokio::test]
async fn a_successful_call_puts_its_labels_on_and_is_shown() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call(LABELLED), house.effect(End::Well)).await;
    assert_eq!(shown(&answer), Some(Output::Whole), "{:?}", answer.findings);
    assert_eq!(labels(&house).await, ["secret"]);
    let step = house.ledger.session(&call("").subject, &"default".into(), clock()).await.unwrap();
    assert_eq!(*step.history[0].labels, ["secret".into()]);
}

#[tokio::test]
async fn a_call_that_failed_puts_none_on_and_is_not_shown() {
    let house = House::open(None).await;
    let answer = house.guard.guard(call(LABELLED), house.effect(End::Badly)).await;
    assert_eq!(shown(&answer), Some(Output::Withheld));
    assert_eq!(labels(&house).await, Vec::<String>::new());
    let unlabelled = house.guard.guard(call("1 / 0"), house.effect(End::Badly)).await;
    assert_eq!(shown(&unlabelled), Some(Output::Whole));
}

#[tokio::test]
async fn what_cannot_be_labelled_is_not_shown() {
    let house = House::open(None).await;
    let end = || End::ClosesTheLedger(house.ledger.clone());
    let answer = house.guard.guard(call(LABELLED), house.effect(end())).await;
    assert_eq!(told(&answer), ("denied", Cause::Ledger));
    assert_eq!(&*answer.findings[0].rule, "regate/withheld");
}
