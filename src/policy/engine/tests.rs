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

#[test]
fn an_undefined_element_loses_nothing_of_what_was_collected() {
    let mut engine = Engine::new(1_000);
    let text = include_str!("../../../fixtures/engine/undefined_elements.rego");
    engine.add_policy("undefined_elements.rego", text).unwrap();
    let value = |rule: &str| {
        let path = format!("data.engine.undefined_elements.{rule}");
        engine.evaluate(&path, Document::NULL).unwrap().to_json()
    };
    for rule in ["by_variable", "by_function", "by_object", "by_set", "by_list", "by_members"] {
        assert_eq!(value(rule), value("expected"), "{rule}");
    }
    assert_eq!(value("by_absence"), "[{}]");
}
