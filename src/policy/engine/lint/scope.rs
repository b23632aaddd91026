//! Variables that nothing binds: under `not` the interpreter takes them for "no such thing",
//! and a rule that should fire stays silent.

use super::calls::WALK;
use super::{Problem, tree};
use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module, Query, Rule, RuleHead};
use std::collections::BTreeSet;

type Names<'a> = BTreeSet<&'a str>;

pub(super) fn problems(module: &Module) -> Vec<Problem> {
    let imports: Vec<String> = module.imports.iter().filter_map(tree::alias).collect();
    let rules = module.policy.iter().filter_map(|rule| tree::variable(tree::head_name(rule)));
    let known: Names<'_> = ["data", "input", "_"]
        .into_iter()
        .chain(imports.iter().map(String::as_str))
        .chain(rules)
        .collect();
    module.policy.iter().flat_map(|rule| of_rule(rule, &known)).collect()
}

fn of_rule(rule: &Rule, known: &Names<'_>) -> Vec<Problem> {
    let mut outer = known.clone();
    outer.extend(arguments(rule).into_iter().flat_map(pattern));
    let bodies = tree::bodies(rule);
    let mut problems = Vec::new();
    if bodies.is_empty() {
        problems.extend(tree::head_parts(rule).into_iter().flat_map(|part| unbound(part, &outer)));
    }
    for body in bodies {
        let inner = with_bound(body, &outer);
        problems.extend(of_query(body, &outer));
        problems.extend(tree::head_parts(rule).into_iter().flat_map(|part| unbound(part, &inner)));
    }
    problems
}

fn arguments(rule: &Rule) -> Vec<&Expr> {
    match rule {
        Rule::Spec { head: RuleHead::Func { args, .. }, .. } | Rule::Default { args, .. } => {
            args.iter().map(|argument| &**argument).collect()
        }
        Rule::Spec { .. } => Vec::new(),
    }
}

fn of_query(query: &Query, outer: &Names<'_>) -> Vec<Problem> {
    let names = with_bound(query, outer);
    query.stmts.iter().flat_map(|statement| of_statement(statement, &names)).collect()
}

fn of_statement(statement: &LiteralStmt, names: &Names<'_>) -> Vec<Problem> {
    let mut problems: Vec<Problem> =
        tree::expressions(statement).into_iter().flat_map(|expr| unbound(expr, names)).collect();
    if let Literal::Every { key, value, query, .. } = &statement.literal {
        let mut inner = names.clone();
        inner.extend(key.iter().chain([value]).map(|span| span.text()));
        problems.extend(of_query(query, &inner));
    }
    problems
}

fn unbound(expr: &Expr, names: &Names<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if let Some(query) = tree::query(expr) {
            let inner = with_bound(query, names);
            problems.extend(of_query(query, names));
            problems
                .extend(tree::children(expr).into_iter().flat_map(|term| unbound(term, &inner)));
        } else if let Expr::Call { params, .. } = expr {
            // What is called has a pass of its own.
            open.extend(params.iter().map(|param| &**param));
        } else {
            open.extend(tree::children(expr));
        }
        problems.extend(
            tree::variable(expr)
                .filter(|name| !names.contains(name))
                .map(|name| Problem::at(expr.span(), format!("nothing binds `{name}`"))),
        );
    }
    problems
}

fn with_bound<'a>(query: &'a Query, outer: &Names<'a>) -> Names<'a> {
    let mut names = outer.clone();
    names.extend(query.stmts.iter().flat_map(bound));
    names
}

/// The variables that a statement binds. A negated one binds nothing, and `some x` alone
/// declares without binding.
fn bound(statement: &LiteralStmt) -> Vec<&str> {
    match &statement.literal {
        Literal::SomeVars { .. } | Literal::NotExpr { .. } | Literal::Every { .. } => Vec::new(),
        Literal::SomeIn { key, value, collection, .. } => key
            .iter()
            .chain([value])
            .flat_map(|part| pattern(part))
            .chain(indices(collection))
            .collect(),
        Literal::Expr { expr, .. } => bound_by(expr),
    }
}

fn bound_by(expr: &Expr) -> Vec<&str> {
    let mut names = indices(expr);
    match expr {
        Expr::AssignExpr { op: AssignOp::ColEq, lhs, .. } => names.extend(pattern(lhs)),
        Expr::AssignExpr { op: AssignOp::Eq, lhs, rhs, .. } => {
            names.extend(pattern(lhs).into_iter().chain(pattern(rhs)))
        }
        Expr::Call { fcn, params, .. } if fcn.span().text() == WALK => {
            names.extend(params.iter().skip(1).flat_map(|param| pattern(param)));
        }
        _ => {}
    }
    names
}

/// Variables that stand as an index: `data.regate.rules[area]` binds `area`.
fn indices(expr: &Expr) -> Vec<&str> {
    tree::within(expr)
        .into_iter()
        .filter_map(|part| match part {
            Expr::RefBrack { index, .. } => tree::variable(index),
            _ => None,
        })
        .collect()
}

/// The variables of a pattern.
fn pattern(expr: &Expr) -> Vec<&str> {
    match expr {
        Expr::Array { items, .. } => items.iter().flat_map(|item| pattern(item)).collect(),
        Expr::Object { fields, .. } => {
            fields.iter().flat_map(|(_, _, value)| pattern(value)).collect()
        }
        _ => tree::variable(expr).into_iter().collect(),
    }
}
