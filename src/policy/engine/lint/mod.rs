//! What a bundle may not say, because the engine would answer it wrongly or run away with it.
//!
//! Each pass holds one kind of trap of the interpreter. Must never let a policy load of which
//! it did not understand every expression.

mod calls;
mod heads;
mod paths;
mod recursion;
mod says;
mod scope;
mod tree;

use crate::policy::engine::Document;
use regorus::unstable::{Module, Rule, RuleHead, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The most problems that are told at once.
const PROBLEMS_MAX: usize = 50;

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    path: String,
    line: u32,
    text: String,
}

impl Problem {
    fn at(span: &Span, text: impl Into<String>) -> Self {
        Self { path: span.source.get_path().clone(), line: span.line, text: text.into() }
    }
}

/// What the passes have to know of the whole bundle.
struct Bundle<'a> {
    /// Full names of functions, such as `data.regate.lib.code.known`, with their arity.
    functions: BTreeMap<String, usize>,
    /// Full names of all rules.
    rules: BTreeSet<String>,
    /// A request document with one of everything in it.
    specimen: &'a Document,
    /// The bundle's data; its packages, which are no data, stand in it as an open object.
    data: &'a Document,
}

/// Checks modules, each of which belongs to the package that stands beside it. The error names
/// file and line of every problem, one on a line.
pub(super) fn check<'a>(
    modules: impl Iterator<Item = (&'a Module, &'a str)> + Clone,
    specimen: &Document,
    data: &Document,
) -> Result<(), String> {
    let bundle = Bundle {
        functions: modules.clone().flat_map(|(module, _)| functions(module)).collect(),
        rules: modules.clone().flat_map(|(module, _)| rule_names(module)).collect(),
        specimen,
        data,
    };
    let mut problems = Vec::new();
    for (module, package) in modules.clone() {
        problems.extend(misplaced(module, package));
        problems.extend(foreign_imports(module));
        problems.extend(heads::problems(module));
        problems.extend(calls::problems(module, &bundle));
        problems.extend(says::problems(module));
        problems.extend(scope::problems(module));
        problems.extend(paths::problems(module, &bundle));
    }
    problems.extend(recursion::problems(modules.map(|(module, _)| module), &bundle));
    told(problems)
}

/// The names of the rules of a file, with the line of the first rule of each name.
pub(super) fn rules_of<'a>(
    modules: impl Iterator<Item = &'a Module>,
    path: &str,
) -> Vec<(String, u32)> {
    let mut lines: BTreeMap<String, u32> = BTreeMap::new();
    let rules = modules
        .filter(|module| module.package.span.source.get_path() == path)
        .flat_map(|module| &module.policy);
    for rule in rules {
        let name = tree::head_name(rule).span().text().to_owned();
        lines.entry(name).or_insert(rule.span().line);
    }
    let mut names: Vec<_> = lines.into_iter().collect();
    names.sort_by_key(|(_, line)| *line);
    names
}

fn told(mut problems: Vec<Problem>) -> Result<(), String> {
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort();
    problems.dedup();
    let lines: Vec<String> = problems
        .into_iter()
        .take(PROBLEMS_MAX)
        .map(|problem| format!("{}:{}: {}", problem.path, problem.line, problem.text))
        .collect();
    Err(lines.join("\n"))
}

fn misplaced(module: &Module, package: &str) -> Option<Problem> {
    let said = tree::package(module);
    (said != package).then(|| {
        Problem::at(
            &module.package.span,
            format!("the package is `{said}`, and its folder wants `{package}`"),
        )
    })
}

/// What is read by way of an import of `input` or of data is not followed by the other passes.
fn foreign_imports(module: &Module) -> Vec<Problem> {
    let imports = module.imports.iter();
    imports
        .filter(|import| {
            let path = import.refr.span().text();
            !tree::within_path(path, "data.regate") && path != "rego.v1"
        })
        .map(|import| {
            Problem::at(
                &import.span,
                "only packages of the bundle are imported; `input` and data are written out",
            )
        })
        .collect()
}

fn functions(module: &Module) -> impl Iterator<Item = (String, usize)> {
    module.policy.iter().filter_map(|rule| match &**rule {
        Rule::Spec { head: RuleHead::Func { refr, args, .. }, .. } => {
            Some((full_name(module, refr), args.len()))
        }
        Rule::Spec { .. } | Rule::Default { .. } => None,
    })
}

fn rule_names(module: &Module) -> impl Iterator<Item = String> {
    module.policy.iter().map(|rule| full_name(module, tree::head_name(rule)))
}

fn full_name(module: &Module, name: &regorus::unstable::Expr) -> String {
    format!("data.{}.{}", tree::package(module), name.span().text())
}
