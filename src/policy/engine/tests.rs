//! The evaluator contained.

use super::{Document, Engine, contained};
use crate::policy::Fault;

#[test]
fn a_panic_of_the_evaluator_ends_one_evaluation() {
    assert_eq!(contained(|| panic!("an evaluator panics")), Err::<(), _>(Fault::Panic));
    assert_eq!(contained(|| 1), Ok(1));
}

#[test]
fn an_undefined_rule_is_a_fault() {
    let mut engine = Engine::new(1_000);
    engine.add_policy("a.rego", "package a\n\nx := 1 if input.y").unwrap();
    let given = Document::object([("y", true.into())]);
    assert!(engine.evaluate("data.a.x", given).is_ok());
    let empty = Document::object([]);
    assert_eq!(engine.evaluate("data.a.x", empty), Err(Fault::Undefined));
}

#[test]
fn a_rule_that_does_not_exist_is_a_fault() {
    let engine = Engine::new(1_000);
    assert_eq!(engine.evaluate("data.a.x", Document::NULL), Err(Fault::Error));
}
