//! The policy point `connect`: a connection is opened where policy says so and the record has it.

use crate::house::{End, House, trigger};
use regate::enforce::{Unopened, Wanted};
use serde_json::{Value, json};
use tokio::sync::oneshot;

const TRIGGER: &str = "trigger.example.com";

fn wanted(host: &str, number: u32) -> Wanted {
    Wanted { number, host: host.into(), port: 443, way: "tunnel", refused: None }
}

/// What an effect hears that asks for these connections.
async fn heard(house: &House, wanted: Vec<Wanted>) -> Vec<Result<(), Unopened>> {
    let (sender, answers) = oneshot::channel();
    house.guard.guard(trigger(), house.effect(End::Connects(wanted, sender))).await;
    answers.await.unwrap()
}

/// The connections on record: host, decision, cause.
async fn recorded(house: &House) -> Vec<[Value; 3]> {
    let bodies = house.bodies().await;
    let connections = bodies.into_iter().filter(|(kind, _)| kind == "connection");
    let told = |(_, body): (String, Value)| {
        ["/connection/host", "/decision", "/cause"].map(|path| body.pointer(path).unwrap().clone())
    };
    connections.map(told).collect()
}

#[tokio::test]
async fn what_policy_does_not_plainly_permit_is_not_opened_and_all_is_recorded() {
    let rows = [
        ("opening", Ok(()), "permitted", "rule"),
        ("denying", Err(Unopened::Policy), "denied", "rule"),
        ("holding", Err(Unopened::Unavailable), "denied", "indeterminate"),
        ("erring", Err(Unopened::Unavailable), "denied", "indeterminate"),
        ("obliging", Err(Unopened::Unavailable), "denied", "obligation"),
    ];
    for (case, answer, decision, cause) in rows {
        let house = House::open(Some(&format!("connections/{case}"))).await;
        let answers = heard(&house, vec![wanted(TRIGGER, 1), wanted("other.example.com", 2)]).await;
        assert_eq!(answers, [answer, Ok(())], "{case}");
        let expected = [
            [json!(TRIGGER), json!(decision), json!(cause)],
            [json!("other.example.com"), json!("permitted"), json!("rule")],
        ];
        assert_eq!(recorded(&house).await, expected, "{case}");
    }
}

#[tokio::test]
async fn nothing_permits_a_connection_by_default() {
    let house = House::open(Some("results/permitting")).await;
    assert_eq!(heard(&house, vec![wanted(TRIGGER, 1)]).await, [Err(Unopened::Policy)]);
    assert_eq!(recorded(&house).await[0][2], "no_match");
}

#[tokio::test]
async fn policy_is_told_the_how_many_of_its_call_it_is() {
    let house = House::open(Some("connections/counting")).await;
    let answers = heard(&house, vec![wanted(TRIGGER, 1), wanted(TRIGGER, 2)]).await;
    assert_eq!(answers, [Ok(()), Err(Unopened::Policy)]);
}

#[tokio::test]
async fn what_the_effect_itself_refuses_is_recorded_and_nobody_is_asked() {
    let house = House::open(Some("connections/opening")).await;
    let refused = Wanted { refused: Some("name"), ..wanted("93.184.216.34", 1) };
    assert_eq!(heard(&house, vec![refused]).await, [Err(Unopened::Refused)]);
    let expected = [[json!("93.184.216.34"), json!("denied"), json!("name")]];
    assert_eq!(recorded(&house).await, expected);
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_opened() {
    let house = House::open(Some("connections/opening")).await;
    let (sender, answers) = oneshot::channel();
    let end = End::ConnectsWithout(house.ledger.clone(), wanted(TRIGGER, 1), sender);
    house.guard.guard(trigger(), house.effect(end)).await;
    assert_eq!(answers.await.unwrap(), [Err(Unopened::Unavailable)]);
}
