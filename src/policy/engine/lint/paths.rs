//! Paths into the request document and into the bundle's data: a rule that reads a key that is
//! never there is silent for ever, and nobody sees it.

use super::{Bundle, Problem, tree};
use crate::policy::engine::Document;
use regorus::unstable::{Expr, Literal, LiteralStmt, Module, Rule};
use std::collections::BTreeMap;

/// Below which all rules of a bundle lie.
const BUNDLE: &str = "data.regate";
/// The area of the rules that speak at the point `result`. `main.rego` asks for it by name, and
/// a bundle without such rules hands out no result.
const RESULTS: &str = "data.regate.rules.results";

/// What is known of local variables: the part of the specimen that they stand for. `None` for
/// one that stands for different things in different places.
type Types<'a> = BTreeMap<&'a str, Option<Document>>;

pub(super) fn problems(module: &Module, bundle: &Bundle<'_>) -> Vec<Problem> {
    module
        .policy
        .iter()
        .flat_map(|rule| of_rule(rule, bundle).into_iter().chain(no_rules(module, rule, bundle)))
        .collect()
}

/// References to rules that the bundle does not have.
fn no_rules(module: &Module, rule: &Rule, bundle: &Bundle<'_>) -> Vec<Problem> {
    tree::references(rule)
        .into_iter()
        .filter_map(|reference| {
            let target = tree::target(module, reference)?.join(".");
            let known = bundle.rules.iter().any(|name| tree::overlap(name, &target));
            let of_bundle = tree::within_path(&target, BUNDLE) && target != RESULTS;
            (of_bundle && !known).then(|| {
                Problem::at(
                    reference.span(),
                    format!("`{}`: the bundle has no such rule", reference.span().text()),
                )
            })
        })
        .collect()
}

fn of_rule(rule: &Rule, bundle: &Bundle<'_>) -> Vec<Problem> {
    let types = types(rule, bundle);
    tree::references(rule)
        .into_iter()
        .filter_map(|reference| match reached(reference, &types) {
            Reached::Nowhere(step) => Some(nowhere(reference, &step)),
            Reached::Part(_) | Reached::Unknown => None,
        })
        .collect()
}

fn nowhere(reference: &Expr, step: &str) -> Problem {
    let place = match tree::variable(tree::chain(reference).root) {
        Some("data") => "the bundle's data",
        Some(_) | None => "the request document",
    };
    let text = reference.span().text();
    Problem::at(reference.span(), format!("`{text}`: {place} has no `{step}` there"))
}

/// Variables are typed in the order in which they depend on each other, which is seldom more
/// than a few deep.
const ROUNDS: usize = 4;

fn types<'a>(rule: &'a Rule, bundle: &Bundle<'_>) -> Types<'a> {
    let roots = || {
        Types::from([("input", Some(bundle.specimen.clone())), ("data", Some(bundle.data.clone()))])
    };
    let statements = tree::statements(rule);
    let mut types = roots();
    for _ in 0..ROUNDS {
        let mut next = roots();
        for (name, part) in statements.iter().filter_map(|each| typed(each, &types)) {
            next.entry(name)
                .and_modify(|known| {
                    if *known != part {
                        *known = None;
                    }
                })
                .or_insert(part);
        }
        types = next;
    }
    types
}

fn typed<'a>(statement: &'a LiteralStmt, types: &Types<'_>) -> Option<(&'a str, Option<Document>)> {
    match &statement.literal {
        Literal::SomeIn { value, collection, .. } => {
            let name = tree::variable(value)?;
            Some((name, part(collection, types).and_then(|part| part.any())))
        }
        Literal::Expr { expr, .. } => match &**expr {
            Expr::AssignExpr { lhs, rhs, .. } => Some((tree::variable(lhs)?, part(rhs, types))),
            _ => None,
        },
        Literal::Every { value, domain, .. } => {
            Some((value.text(), part(domain, types).and_then(|part| part.any())))
        }
        Literal::SomeVars { .. } | Literal::NotExpr { .. } => None,
    }
}

fn part(expr: &Expr, types: &Types<'_>) -> Option<Document> {
    match reached(expr, types) {
        Reached::Part(part) => Some(part),
        Reached::Nowhere(_) | Reached::Unknown => None,
    }
}

/// Where a reference leads in the specimen.
enum Reached {
    /// To this part of it.
    Part(Document),
    /// Past this step, which is not there.
    Nowhere(String),
    /// It is not about the request document, or about a part that callers fill as they like.
    Unknown,
}

fn reached(expr: &Expr, types: &Types<'_>) -> Reached {
    let chain = tree::chain(expr);
    let root = tree::variable(chain.root).and_then(|name| types.get(name));
    let Some(Some(root)) = root else {
        return Reached::Unknown;
    };
    let mut part = root.clone();
    for step in chain.steps {
        let next = match &step {
            tree::Step::Index(_) => part.any(),
            tree::Step::Name(_) if part.is_open() => return Reached::Unknown,
            tree::Step::Name(name) => match part.member(name) {
                Some(member) => Some(member),
                None => return Reached::Nowhere(name.clone()),
            },
        };
        match next {
            Some(next) => part = next,
            None => return Reached::Unknown,
        }
    }
    Reached::Part(part)
}
