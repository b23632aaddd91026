//! What a rule says to the verdict: `deny`, `hold` and `oblige` are sets, `permit` is true or
//! nothing. A `deny` that is no set would be read by nobody.

use super::{Problem, tree};
use regorus::unstable::{Module, Rule, RuleHead};

/// Below which package the rules lie.
const RULES: &str = "regate.rules.";

const SETS: [&str; 3] = ["deny", "hold", "oblige"];
const PERMIT: &str = "permit";

pub(super) fn problems(module: &Module) -> Vec<Problem> {
    if !tree::package(module).starts_with(RULES) {
        return Vec::new();
    }
    let said: Vec<_> = module
        .policy
        .iter()
        .map(|rule| (tree::head_name(rule).span().text(), &**rule))
        .filter(|(name, _)| SETS.contains(name) || *name == PERMIT)
        .collect();
    if said.is_empty() {
        return vec![Problem::at(
            &module.package.span,
            "a rule says `permit`, `deny`, `hold` or `oblige`",
        )];
    }
    said.into_iter()
        .filter_map(|(name, rule)| {
            let text = wrong(name, rule)?;
            Some(Problem::at(rule.span(), format!("`{name}` {text}")))
        })
        .collect()
}

fn wrong(name: &str, rule: &Rule) -> Option<&'static str> {
    match rule {
        Rule::Spec { head: RuleHead::Set { .. }, .. } => {
            (name == PERMIT).then_some("is true or nothing: `permit if { … }`")
        }
        Rule::Spec { head: RuleHead::Compr { assign: None, .. }, .. } if name == PERMIT => None,
        Rule::Spec { .. } | Rule::Default { .. } => Some(match name {
            PERMIT => "is true or nothing: `permit if { … }`",
            _ => "is a set: `… contains finding if { … }`",
        }),
    }
}
