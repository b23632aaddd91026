//! `regate catalogue`: what the modules of the sandbox image hold, told by the image itself.
//!
//! The program that is run is this module's own, in the sandbox that programs of agents run in
//! and by a permit like theirs. Must never run what anybody else wrote, and must never write a
//! file with which the bundle would not load.

use super::Exit;
use super::args::{CatalogueCommand, CatalogueGenerate};
use super::local;
use super::output::Output;
use crate::call::{Language, Source, Text, ToolCall};
use crate::config;
use crate::policy::{BundleFile, Permit, Policy, Profile, Ruling, Settings};
use crate::sandbox::{self, End, Program, Run, Sandbox};
use anyhow::{Context as _, bail};
use std::path::Path;

/// The program, after the line that gives it the bundle's list of modules.
const PROGRAM: &str = include_str!("describe.py");

/// The only rule that the program is held against.
const RULE: &str = include_str!("describe_image.rego");
const RULE_PATH: &str = "rules/tools/describe_image/describe_image.rego";
const TOOL: &str = "describe_image";

/// The list of modules that the bundle allows, and the file that is made.
const IMPORTS: &str = "data/imports.json";
const IMAGE: &str = "image/python.json";

/// Apart from the containers of a gateway, whose sweep leaves these alone.
const INSTANCE: &str = "regate-catalogue";

pub(super) fn run(command: CatalogueCommand, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        CatalogueCommand::Generate(args) => generate(&args, output),
    }
}

fn generate(args: &CatalogueGenerate, output: &mut Output) -> anyhow::Result<Exit> {
    let mut files = config::bundle(Some(&args.policies))?;
    let imports = files.iter().find(|file| file.path == IMPORTS);
    let imports = imports.with_context(|| format!("the bundle lacks {IMPORTS}"))?;
    let text = describe(&program(&imports.text)?, &args.image)?;
    let was = files.iter().find(|file| file.path == IMAGE).map(|file| file.text == text);
    files.retain(|file| file.path != IMAGE);
    files.push(BundleFile { path: IMAGE.to_owned(), text: text.clone() });
    let policy = Policy::load(&files, &Settings::default())?;
    if was != Some(true) {
        write(&args.policies.join(IMAGE), &text)?;
    }
    let state = if was == Some(true) { "is as it was" } else { "was made anew" };
    let modules = policy.catalogue().modules.len();
    output.line(format!("{IMAGE} {state}: {modules} modules"));
    Ok(Exit::Done)
}

/// The list is put before the program, because standard input is taken by the program itself.
fn program(imports: &str) -> anyhow::Result<Source> {
    // A JSON text in ASCII is a text of Python too.
    let list: serde_json::Value = serde_json::from_str(imports).context(IMPORTS)?;
    let list = serde_json::to_string(&list.to_string())?;
    let text = format!("IMPORTS = {list}\n{PROGRAM}");
    Ok(Source::new(Language::Python, text.into_bytes()))
}

fn describe(program: &Source, image: &str) -> anyhow::Result<String> {
    let call = local::call(program, TOOL, super::serve::clock());
    let (permit, profile) = permitted(&call)?;
    let settings = sandbox::Settings {
        images: [(Text::clone(&profile.image), image.into())].into(),
        instance: INSTANCE.into(),
        ..sandbox::Settings::default().without_stock()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ran = runtime.block_on(async {
        let sandbox = Sandbox::new(&settings)?;
        let ran = sandbox.run(permit, &profile, Program::alone(program)).await;
        sandbox.drain().await;
        ran
    })?;
    told(ran)
}

/// A permit by the shipped bundle, with the one rule in the place of its own.
fn permitted(call: &ToolCall) -> anyhow::Result<(Permit, Profile)> {
    let mut files = config::bundle(None)?;
    files.retain(|file| !file.path.starts_with("rules/") && !file.path.starts_with("lib/"));
    files.push(BundleFile { path: RULE_PATH.to_owned(), text: RULE.to_owned() });
    let policy = Policy::load(&files, &Settings::default())?;
    let decision = policy.decide(call, None, &local::context(call.received));
    let Ruling::Permitted(permit) = decision.ruling else {
        bail!("the program is not permitted: {}", decision.ruling.cause().as_str());
    };
    let name = permit.obligations().sandbox.clone().unwrap_or_default().profile;
    let profile = policy.profile(&name).with_context(|| format!("no sandbox profile `{name}`"))?;
    Ok((permit, profile.clone()))
}

fn told(run: Run) -> anyhow::Result<String> {
    if run.end != End::Exited(0) || run.truncated {
        bail!("the program did not come to its end ({:?}): {}", run.end, run.stderr.trim_end());
    }
    Ok(run.stdout)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = path.display();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{shown}"))?;
    }
    std::fs::write(path, text).with_context(|| format!("{shown}"))
}
