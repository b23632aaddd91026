//! Calls: of a function of the bundle, or of a builtin that cannot run away, reach out or
//! answer differently tomorrow.

use super::{Bundle, Problem, tree};
use regorus::unstable::{Expr, Literal, Module};

/// The builtins that policies may use, with the most parameters of each. A limit on time does
/// not stop a single builtin, so those whose result can be far larger than what they are given
/// (`numbers.range`, `sprintf`, `replace`, `net.cidr_expand`, …) are not among them.
const BUILTINS: &[(&str, usize)] = &[
    ("abs", 1),
    ("array.concat", 2),
    ("array.reverse", 1),
    ("array.slice", 3),
    ("ceil", 1),
    ("concat", 2),
    ("contains", 2),
    ("count", 1),
    ("endswith", 2),
    ("floor", 1),
    ("format_int", 2),
    ("glob.match", 3),
    ("indexof", 2),
    ("intersection", 1),
    ("is_array", 1),
    ("is_boolean", 1),
    ("is_null", 1),
    ("is_number", 1),
    ("is_object", 1),
    ("is_set", 1),
    ("is_string", 1),
    ("lower", 1),
    ("max", 1),
    ("min", 1),
    ("net.cidr_contains", 2),
    ("net.cidr_is_valid", 1),
    ("object.filter", 2),
    ("object.get", 3),
    ("object.keys", 1),
    ("object.remove", 2),
    ("object.subset", 2),
    ("object.union", 2),
    ("regex.match", 2),
    ("round", 1),
    ("semver.compare", 2),
    ("semver.is_valid", 1),
    ("sort", 1),
    ("split", 2),
    ("startswith", 2),
    ("strings.any_prefix_match", 2),
    ("strings.any_suffix_match", 2),
    ("substring", 3),
    ("sum", 1),
    ("trim", 2),
    ("trim_left", 2),
    ("trim_prefix", 2),
    ("trim_right", 2),
    ("trim_space", 1),
    ("trim_suffix", 2),
    ("type_name", 1),
    ("union", 1),
    ("upper", 1),
    (WALK, 2),
];

/// Yields nothing where its result is destructured, so its result is a second parameter.
pub(super) const WALK: &str = "walk";

pub(super) fn problems(module: &Module, bundle: &Bundle<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rule in &module.policy {
        let calls = tree::everything(rule).into_iter().filter_map(|expr| match expr {
            Expr::Call { fcn, params, .. } => Some((&**fcn, params.len())),
            _ => None,
        });
        problems.extend(calls.filter_map(|(called, count)| {
            refusal(module, bundle, called, count).map(|text| Problem::at(called.span(), text))
        }));
        problems.extend(replaced(rule));
    }
    problems
}

fn refusal(module: &Module, bundle: &Bundle<'_>, called: &Expr, count: usize) -> Option<String> {
    let name = called.span().text();
    let Some(arity) = arity(module, bundle, called) else {
        return Some(format!(
            "`{name}` is neither a function of the bundle nor a builtin that policies may use"
        ));
    };
    (arity != count).then(|| match name {
        WALK => "the result of `walk` is written as a second parameter: `walk(x, [p, v])`".into(),
        _ => format!("`{name}` takes {arity} parameters, not {count}"),
    })
}

fn arity(module: &Module, bundle: &Bundle<'_>, called: &Expr) -> Option<usize> {
    let name = called.span().text();
    let of_bundle = tree::target(module, called)
        .and_then(|target| bundle.functions.get(&target.join(".")).copied());
    of_bundle
        .or_else(|| BUILTINS.iter().find(|(builtin, _)| *builtin == name).map(|(_, arity)| *arity))
}

/// `with` evaluates the bundle again, and is for tests.
fn replaced(rule: &regorus::unstable::Rule) -> Vec<Problem> {
    tree::statements(rule)
        .into_iter()
        .flat_map(|statement| &statement.with_mods)
        .map(|modifier| Problem::at(&modifier.span, "`with` is for tests"))
        .chain(text_membership(rule))
        .collect()
}

/// `some x in "text"` is an error only when it is reached.
fn text_membership(rule: &regorus::unstable::Rule) -> Vec<Problem> {
    tree::statements(rule)
        .into_iter()
        .filter_map(|statement| match &statement.literal {
            Literal::SomeIn { collection, .. } => tree::constant(collection).map(|_| collection),
            Literal::SomeVars { .. }
            | Literal::Expr { .. }
            | Literal::NotExpr { .. }
            | Literal::Every { .. } => None,
        })
        .map(|text| Problem::at(text.span(), "a text has no members"))
        .collect()
}
