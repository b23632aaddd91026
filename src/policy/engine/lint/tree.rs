//! Ways through the engine's syntax tree.
//!
//! Must never skip a kind of expression: `children` names them all.

use regorus::Value;
use regorus::unstable::{Expr, Import, Literal, LiteralStmt, Module, Query, Rule, RuleHead};

/// The dotted package of a module, without `data`.
pub(super) fn package(module: &Module) -> String {
    let chain = chain(&module.package.refr);
    let mut names = vec![root_text(chain.root)];
    names.extend(chain.steps.iter().map(|step| match step {
        Step::Name(name) => name.clone(),
        Step::Index(index) => index.span().text().to_owned(),
    }));
    names.join(".")
}

fn root_text(root: &Expr) -> String {
    root.span().text().to_owned()
}

/// The expression that names a rule.
pub(super) fn head_name(rule: &Rule) -> &Expr {
    match rule {
        Rule::Default { refr, .. } => refr,
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { refr, .. }
            | RuleHead::Set { refr, .. }
            | RuleHead::Func { refr, .. } => refr,
        },
    }
}

/// The expressions in the head of a rule beside its name: arguments first, then what it yields.
pub(super) fn head_parts(rule: &Rule) -> Vec<&Expr> {
    match rule {
        Rule::Default { args, value, .. } => {
            args.iter().chain([value]).map(|part| &**part).collect()
        }
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { assign, .. } => assign.iter().map(|assign| &*assign.value).collect(),
            RuleHead::Set { key, .. } => key.iter().map(|key| &**key).collect(),
            RuleHead::Func { args, assign, .. } => args
                .iter()
                .chain(assign.iter().map(|assign| &assign.value))
                .map(|part| &**part)
                .collect(),
        },
    }
}

/// The bodies of a rule.
pub(super) fn bodies(rule: &Rule) -> Vec<&Query> {
    match rule {
        Rule::Default { .. } => Vec::new(),
        Rule::Spec { bodies, .. } => bodies.iter().map(|body| &*body.query).collect(),
    }
}

/// The name of a variable; `None` for other expressions.
pub(super) fn variable(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Var { value: Value::String(name), .. } => Some(name),
        _ => None,
    }
}

/// The text of a string constant; `None` for other expressions.
pub(super) fn constant(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::String { value: Value::String(text), .. }
        | Expr::RawString { value: Value::String(text), .. } => Some(text),
        _ => None,
    }
}

/// One step of a reference.
#[derive(Debug)]
pub(super) enum Step<'a> {
    /// A name that is known.
    Name(String),
    /// An index that is computed.
    Index(&'a Expr),
}

/// A reference, such as `data.regate.rules[area].deny`: its root and its steps.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    /// The innermost expression.
    pub(super) root: &'a Expr,
    /// What follows it.
    pub(super) steps: Vec<Step<'a>>,
}

/// Takes a reference apart. Any other expression is a chain without steps.
pub(super) fn chain(expr: &Expr) -> Chain<'_> {
    let mut steps = Vec::new();
    let mut root = expr;
    loop {
        match root {
            Expr::RefDot { refr, field, .. } => {
                steps.push(Step::Name(field.0.text().to_owned()));
                root = refr;
            }
            Expr::RefBrack { refr, index, .. } => {
                steps.push(match constant(index) {
                    Some(name) => Step::Name(name.to_owned()),
                    None => Step::Index(index),
                });
                root = refr;
            }
            _ => break,
        }
    }
    steps.reverse();
    Chain { root, steps }
}

/// The expressions directly in an expression, without those of a comprehension's query.
pub(super) fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => Vec::new(),
        Expr::Array { items, .. } | Expr::Set { items, .. } => {
            items.iter().map(|item| &**item).collect()
        }
        Expr::Object { fields, .. } => {
            fields.iter().flat_map(|(_, key, value)| [&**key, &**value]).collect()
        }
        Expr::ArrayCompr { term, .. } | Expr::SetCompr { term, .. } => vec![term],
        Expr::ObjectCompr { key, value, .. } => vec![key, value],
        Expr::Call { fcn, params, .. } => {
            [fcn].into_iter().chain(params).map(|part| &**part).collect()
        }
        Expr::UnaryExpr { expr, .. } => vec![expr],
        Expr::RefDot { refr, .. } => vec![refr],
        Expr::RefBrack { refr, index, .. } => vec![refr, index],
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => vec![lhs, rhs],
        Expr::Membership { key, value, collection, .. } => {
            key.iter().chain([value, collection]).map(|part| &**part).collect()
        }
    }
}

/// The query of a comprehension.
pub(super) fn query(expr: &Expr) -> Option<&Query> {
    match expr {
        Expr::ArrayCompr { query, .. }
        | Expr::SetCompr { query, .. }
        | Expr::ObjectCompr { query, .. } => Some(query),
        _ => None,
    }
}

/// The expressions directly in a statement, without those of the query of an `every`.
pub(super) fn expressions(statement: &LiteralStmt) -> Vec<&Expr> {
    match &statement.literal {
        Literal::SomeVars { .. } => Vec::new(),
        Literal::SomeIn { key, value, collection, .. } => {
            key.iter().chain([value, collection]).map(|part| &**part).collect()
        }
        Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => vec![expr],
        Literal::Every { domain, .. } => vec![domain],
    }
}

/// The query of an `every`.
pub(super) fn every(statement: &LiteralStmt) -> Option<&Query> {
    match &statement.literal {
        Literal::Every { query, .. } => Some(query),
        Literal::SomeVars { .. }
        | Literal::SomeIn { .. }
        | Literal::Expr { .. }
        | Literal::NotExpr { .. } => None,
    }
}

/// Every statement of a rule, those of inner queries included.
pub(super) fn statements(rule: &Rule) -> Vec<&LiteralStmt> {
    let mut found = Vec::new();
    let mut queries = bodies(rule);
    queries.extend(head_parts(rule).into_iter().flat_map(inner_queries));
    while let Some(query) = queries.pop() {
        for statement in &query.stmts {
            queries.extend(every(statement));
            queries.extend(expressions(statement).into_iter().flat_map(inner_queries));
            found.push(statement);
        }
    }
    found
}

/// Every expression of a rule, from the outside in.
pub(super) fn everything(rule: &Rule) -> Vec<&Expr> {
    let mut roots = head_parts(rule);
    roots.extend(statements(rule).into_iter().flat_map(expressions));
    roots.into_iter().flat_map(within).collect()
}

/// Every reference and variable of a rule, each at its full length.
pub(super) fn references(rule: &Rule) -> Vec<&Expr> {
    let mut open = head_parts(rule);
    open.extend(statements(rule).into_iter().flat_map(expressions));
    let mut found = Vec::new();
    while let Some(expr) = open.pop() {
        let chain = chain(expr);
        if variable(chain.root).is_some() {
            found.push(expr);
        } else {
            open.extend(children(chain.root));
        }
        open.extend(chain.steps.iter().filter_map(|step| match step {
            Step::Index(index) => Some(*index),
            Step::Name(_) => None,
        }));
    }
    found
}

/// An expression and all in it, without the queries of comprehensions.
pub(super) fn within(expr: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        found.push(expr);
        open.extend(children(expr));
    }
    found
}

fn inner_queries(expr: &Expr) -> impl Iterator<Item = &Query> {
    within(expr).into_iter().filter_map(query)
}

/// What a reference reaches in `data`, as far as its steps are known: through `data` itself, an
/// import, or the module's own package. `None` where it is rooted in something else.
pub(super) fn target(module: &Module, expr: &Expr) -> Option<Vec<String>> {
    let chain = chain(expr);
    let root = variable(chain.root)?;
    let mut path = match root {
        "data" => vec!["data".to_owned()],
        "input" => return None,
        name => imported(module, name).or_else(|| own(module, name))?,
    };
    path.extend(chain.steps.iter().map_while(|step| match step {
        Step::Name(name) => Some(name.clone()),
        Step::Index(_) => None,
    }));
    Some(path)
}

/// The path that an import gives a name to.
fn imported(module: &Module, name: &str) -> Option<Vec<String>> {
    let import = module.imports.iter().find(|import| alias(import) == Some(name.to_owned()))?;
    let chain = chain(&import.refr);
    let steps = chain.steps.iter().map(|step| match step {
        Step::Name(name) => name.clone(),
        Step::Index(index) => index.span().text().to_owned(),
    });
    Some([root_text(chain.root)].into_iter().chain(steps).collect())
}

/// The name that an import binds.
pub(super) fn alias(import: &Import) -> Option<String> {
    if let Some(alias) = &import.r#as {
        return Some(alias.text().to_owned());
    }
    match chain(&import.refr).steps.pop()? {
        Step::Name(name) => Some(name),
        Step::Index(_) => None,
    }
}

/// A rule of the module's own package. Rules of its other files are not seen: a package is one
/// file.
fn own(module: &Module, name: &str) -> Option<Vec<String>> {
    let is_rule = module.policy.iter().any(|rule| variable(head_name(rule)) == Some(name));
    is_rule.then(|| {
        ["data".to_owned()]
            .into_iter()
            .chain(package(module).split('.').map(str::to_owned))
            .chain([name.to_owned()])
            .collect()
    })
}

/// Whether one of two dotted paths lies within the other.
pub(super) fn overlap(left: &str, right: &str) -> bool {
    within_path(left, right) || within_path(right, left)
}

/// Whether a dotted path lies at or below another one.
pub(super) fn within_path(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
