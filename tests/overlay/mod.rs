//! Bundles of `fixtures/bundles`, each of which is a few files over the smallest one that loads.

use crate::bundle;
use regate::policy::BundleFile;

/// What every bundle has to have.
const NEEDED: [&str; 4] =
    ["main.rego", "data/sandbox.json", "data/capabilities.json", "image/python.json"];

/// The smallest bundle that loads, with the files of a case added to it or put in their place.
pub(crate) fn over_the_smallest(case: &str) -> Vec<BundleFile> {
    let added = bundle::read(&format!("fixtures/bundles/{case}"));
    bundle::shipped()
        .into_iter()
        .filter(|file| NEEDED.contains(&file.path.as_str()))
        .chain(bundle::read("fixtures/bundles/minimal"))
        .filter(|file| added.iter().all(|other| other.path != file.path))
        .chain(added.clone())
        .filter(|file| file.path != "expect.txt")
        .collect()
}
