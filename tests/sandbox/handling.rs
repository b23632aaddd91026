//! Every function of which the bundle says what it does with its arguments is in the image.

use super::bench::{Bench, program};
use regate::sandbox::End;
use serde::Deserialize;
use std::collections::BTreeMap;

const HANDLING: &str = include_str!("../../policies/data/handling.json");

#[derive(Deserialize)]
struct Data {
    groups: BTreeMap<String, Group>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
}

/// What is named in the bundle and stands for nothing in the image.
async fn absent(bench: &Bench, names: &[String]) -> String {
    let names = serde_json::to_string(names).unwrap();
    let run = bench.run(&format!("NAMES = {names}\n{}", program!("catalogue/handling"))).await;
    assert_eq!((run.end, run.truncated), (End::Exited(0), false), "{}", run.stderr);
    run.stdout
}

#[tokio::test]
async fn every_function_whose_handling_is_told_is_in_the_image() {
    let mut bench = Bench::new();
    bench.profile.memory_bytes = 512 << 20;
    let data: Data = serde_json::from_str(HANDLING).unwrap();
    let groups = data.groups.into_values();
    let named = |group: Group| [group.functions, group.modules, group.methods].concat();
    let names: Vec<String> = groups.flat_map(named).collect();
    assert!(names.len() > 150, "only {} names are told", names.len());
    assert_eq!(absent(&bench, &names).await, "");
    assert_eq!(absent(&bench, &["json.dumbs".to_owned()]).await, "json.dumbs\n");
    bench.leaves_nothing().await;
}
