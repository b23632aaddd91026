//! Every parameter that may name a resource is known to the catalogue, or was looked at and
//! found harmless.

use super::bench::{Bench, program};
use regate::facts::Catalogue;
use regate::policy::{BundleFile, Policy, Settings};
use regate::sandbox::End;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Parameters that name no resource, with the functions that have them and the reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Harmless {
    parameters: Vec<String>,
    /// What the functions' names begin with.
    of: Vec<String>,
    #[serde(rename = "reason")]
    _reason: String,
}

impl Harmless {
    fn has(&self, function: &str, parameter: &str) -> bool {
        self.parameters.iter().any(|each| each == parameter)
            && self.of.iter().any(|start| function.starts_with(start.as_str()))
    }
}

const HARMLESS: &str = include_str!("../../fixtures/sandbox/catalogue/harmless.json");
const IMAGE: &str = include_str!("../../policies/image/python.json");

/// The line that gives the program the public members of every module.
fn modules() -> String {
    let image: serde_json::Value = serde_json::from_str(IMAGE).unwrap();
    let modules = image.get("modules").unwrap().as_object().unwrap();
    let public: BTreeMap<&String, &str> = modules
        .iter()
        .filter_map(|(name, holds)| Some((name, holds.get("public")?.as_str()?)))
        .collect();
    format!("MODULES = {}", serde_json::to_string(&Vec::from_iter(public)).unwrap())
}

/// Whether the catalogue speaks of a function, by its name, by what it stands in, or as a method;
/// or of the parameter, as a property that a method of the same name sets.
fn speaks(catalogue: &Catalogue, function: &str, parameter: &str) -> bool {
    let root = function.split('.').next().unwrap();
    let around = function.match_indices('.').map(|(end, _)| function.split_at(end).0);
    let has_method = |word: &str| {
        let methods = catalogue.methods.get(word).map_or(&[][..], Vec::as_slice);
        methods.iter().any(|method| method.of.iter().any(|module| **module == *root))
    };
    catalogue.names.contains_key(function)
        || around.chain([function]).any(|name| catalogue.prefixes.contains_key(name))
        || has_method(function.rsplit('.').next().unwrap())
        || has_method(parameter)
}

fn bundle() -> Vec<BundleFile> {
    regate::config::bundle(None).unwrap()
}

#[tokio::test]
async fn every_parameter_that_may_name_a_resource_was_looked_at() {
    let mut bench = Bench::new();
    bench.profile.memory_bytes = 512 << 20;
    bench.profile.output_bytes_max = 1 << 20;
    let program = format!("{}\n{}", modules(), program!("catalogue/parameters"));
    let run = bench.run(&program).await;
    assert_eq!((run.end, run.truncated), (End::Exited(0), false), "{}", run.stderr);

    let policy = Policy::load(&bundle(), &Settings::default()).unwrap();
    let harmless: Vec<Harmless> = serde_json::from_str(HARMLESS).unwrap();
    let (mut unknown, mut used) = (Vec::new(), BTreeSet::new());
    for line in run.stdout.lines() {
        let (function, parameter) = line.split_once(' ').unwrap();
        if speaks(policy.catalogue(), function, parameter) {
            continue;
        }
        match harmless.iter().position(|each| each.has(function, parameter)) {
            Some(which) => drop(used.insert(which)),
            None => unknown.push(line),
        }
    }
    assert!(run.stdout.lines().count() > 500, "only a few parameters were found");
    assert!(unknown.is_empty(), "neither known nor harmless:\n{}", unknown.join("\n"));
    let unused = (0..harmless.len()).filter(|which| !used.contains(which));
    let unused: Vec<_> = unused.map(|which| &harmless[which]).collect();
    assert!(unused.is_empty(), "harmless, and not in the image: {unused:#?}");
    bench.leaves_nothing().await;
}
