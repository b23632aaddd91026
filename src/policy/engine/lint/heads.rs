//! Heads that the interpreter gets wrong: one whose value is undefined for a later element
//! wipes what the body had collected before.

use super::{Problem, tree};
use regorus::unstable::{Expr, Module, Rule, RuleHead, Span};
use std::collections::BTreeSet;

pub(super) fn problems(module: &Module) -> Vec<Problem> {
    let mut problems: Vec<_> = module.policy.iter().flat_map(|rule| of_rule(rule)).collect();
    problems.extend(repeated_defaults(module));
    problems
}

fn of_rule(rule: &Rule) -> Vec<Problem> {
    let mut problems = Vec::new();
    let span = rule.span();
    if tree::variable(tree::head_name(rule)).is_none() {
        problems.push(Problem::at(span, "a rule is named by one word, not by a reference"));
    }
    match rule {
        Rule::Default { args, .. } => {
            if !args.is_empty() {
                problems.push(Problem::at(span, "a function has no default"));
            }
        }
        Rule::Spec { head, bodies, .. } => {
            if bodies.iter().any(|body| body.is_else) {
                problems.push(Problem::at(span, "`else` is not used: write a rule for each case"));
            }
            if !bodies.is_empty() {
                problems.extend(computed(head).map(|span| {
                    Problem::at(
                        span,
                        "a head holds only variables that the body has bound, so that it cannot \
                         be undefined",
                    )
                }));
            }
        }
    }
    problems
}

/// Where a head computes something.
fn computed(head: &RuleHead) -> Option<&Span> {
    let yielded = match head {
        RuleHead::Set { key, .. } => key.as_ref(),
        RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => {
            assign.as_ref().map(|assign| &assign.value)
        }
    };
    yielded.and_then(|expr| {
        tree::within(expr).into_iter().find(|part| !is_plain(part)).map(Expr::span)
    })
}

fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Array { .. }
        | Expr::Set { .. }
        | Expr::Object { .. } => true,
        Expr::Var { .. } => tree::variable(expr) != Some("_"),
        Expr::ArrayCompr { .. }
        | Expr::SetCompr { .. }
        | Expr::ObjectCompr { .. }
        | Expr::Call { .. }
        | Expr::UnaryExpr { .. }
        | Expr::RefDot { .. }
        | Expr::RefBrack { .. }
        | Expr::BinExpr { .. }
        | Expr::BoolExpr { .. }
        | Expr::ArithExpr { .. }
        | Expr::AssignExpr { .. }
        | Expr::Membership { .. } => false,
    }
}

fn repeated_defaults(module: &Module) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let defaults = module.policy.iter().filter_map(|rule| match &**rule {
        Rule::Default { refr, span, .. } => Some((refr.span().text(), span)),
        Rule::Spec { .. } => None,
    });
    defaults
        .filter(|(name, _)| !seen.insert(*name))
        .map(|(_, span)| Problem::at(span, "the rule has a default already"))
        .collect()
}
