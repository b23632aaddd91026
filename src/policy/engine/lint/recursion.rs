//! Recursion: the interpreter does not refuse it, and a stack that overflows ends the process.

use super::{Bundle, Problem, tree};
use regorus::unstable::{Module, Rule, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What the rules of one name refer to, and where the first of them stands.
struct Node<'a> {
    span: &'a Span,
    uses: BTreeSet<&'a str>,
}

pub(super) fn problems<'a>(
    modules: impl Iterator<Item = &'a Module>,
    bundle: &'a Bundle<'_>,
) -> Vec<Problem> {
    let mut graph: BTreeMap<String, Node<'a>> = BTreeMap::new();
    for module in modules {
        for rule in &module.policy {
            let name = super::full_name(module, tree::head_name(rule));
            graph
                .entry(name)
                .or_insert_with(|| Node { span: rule.span(), uses: BTreeSet::new() })
                .uses
                .extend(uses(module, rule, bundle));
        }
    }
    graph
        .iter()
        .filter(|(name, _)| reaches_itself(name, &graph))
        .map(|(name, node)| {
            Problem::at(node.span, format!("`{name}` uses itself, directly or through others"))
        })
        .collect()
}

/// The rules that a rule refers to. A reference with a computed step reaches all that lies
/// below its known ones; a local variable with the name of a rule counts as that rule.
fn uses<'a>(module: &Module, rule: &Rule, bundle: &'a Bundle<'_>) -> BTreeSet<&'a str> {
    let targets: BTreeSet<String> = tree::references(rule)
        .into_iter()
        .filter_map(|reference| tree::target(module, reference))
        .map(|target| target.join("."))
        .collect();
    bundle
        .rules
        .iter()
        .filter(|name| targets.iter().any(|target| tree::overlap(name, target)))
        .map(String::as_str)
        .collect()
}

fn reaches_itself(start: &str, graph: &BTreeMap<String, Node<'_>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = vec![start];
    while let Some(name) = open.pop() {
        for used in graph.get(name).iter().flat_map(|node| &node.uses) {
            if *used == start {
                return true;
            }
            if seen.insert(*used) {
                open.push(used);
            }
        }
    }
    false
}
