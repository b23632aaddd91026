//! `regate policy`: a bundle checked, tested and told.

use super::Exit;
use super::args::{Bundle, Format, PolicyArgs, PolicyCommand};
use super::output::Output;
use super::show::plain;
use crate::config;
use crate::policy::testing::{self, TestOutcome, TestRun};
use crate::policy::{Limit, LimitInfo, Policy, Settings};

pub(super) fn run(command: PolicyCommand, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        PolicyCommand::Check(args) => check(&args, output),
        PolicyCommand::Test(args) => test(&args, output),
        PolicyCommand::Docs(bundle) => docs(&bundle, output),
    }
}

/// The bundle that a command names, loaded as the gateway would.
pub(super) fn load(bundle: &Bundle) -> anyhow::Result<Policy> {
    let files = config::bundle(bundle.policies.as_deref())?;
    Ok(Policy::load(&files, &Settings::default())?)
}

fn check(args: &PolicyArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(&args.bundle)?;
    let (digest, rules) = (&**policy.digest(), policy.rules().len());
    match args.format {
        Format::Json => {
            output.line(serde_json::json!({"digest": digest, "rules": rules}).to_string());
        }
        Format::Text => output.line(format!("the bundle is sound: {rules} rules, digest {digest}")),
    }
    Ok(Exit::Done)
}

fn test(args: &PolicyArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let runs = testing::run(&config::bundle(args.bundle.policies.as_deref())?)?;
    let passed = runs.iter().filter(|run| run.outcome == TestOutcome::Passed).count();
    let failed = runs.len() - passed;
    match args.format {
        Format::Json => output.line(serde_json::to_string(&report(&runs))?),
        Format::Text => {
            for run in &runs {
                show(run, output);
            }
            output.line(format!("{passed} passed, {failed} failed"));
        }
    }
    // A bundle without a single test has proved nothing.
    Ok(if failed == 0 && passed > 0 { Exit::Done } else { Exit::Denied })
}

fn report(runs: &[TestRun]) -> Vec<serde_json::Value> {
    let told = |run: &TestRun| {
        let (outcome, error) = match &run.outcome {
            TestOutcome::Passed => ("passed", None),
            TestOutcome::Failed => ("failed", None),
            TestOutcome::Errored(error) => ("errored", Some(error)),
        };
        serde_json::json!({
            "path": &*run.path, "line": run.line, "name": &*run.name,
            "outcome": outcome, "error": error,
        })
    };
    runs.iter().map(told).collect()
}

/// Failures only: a test that passes has nothing to say.
fn show(run: &TestRun, output: &mut Output) {
    let place = format!("{}:{}: {}", plain(&run.path), run.line, plain(&run.name));
    match &run.outcome {
        TestOutcome::Passed => {}
        TestOutcome::Failed => output.line(format!("{place}: failed")),
        TestOutcome::Errored(error) => output.line(format!("{place}: {}", plain(error))),
    }
}

fn docs(bundle: &Bundle, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(bundle)?;
    output.line("# Rules");
    for rule in policy.rules() {
        output.line(format!("\n## {}\n\n{}\n", rule.id, rule.title));
        output.line(format!("{}\n", rule.description));
        output.line(format!("**Why:** {}\n", rule.why));
        output.line(format!("**Known gaps:** {}\n", rule.known_gaps));
        for reference in &rule.references {
            output.line(format!("- {reference}"));
        }
    }
    docs_of_limits(&policy, output);
    docs_of_profiles(&policy, output);
    Ok(Exit::Done)
}

fn docs_of_profiles(policy: &Policy, output: &mut Output) {
    output.line("\n# Sandbox profiles\n");
    output.line("Decisions and the settings' ceilings may make each limit smaller.\n");
    let names = Limit::ALL.map(|limit| format!("`{}`", limit.as_str())).join(" | ");
    output.line(format!("| Profile | Runtime | Image | {names} |"));
    output.line(format!("|{}", "---|".repeat(Limit::ALL.len().saturating_add(3))));
    for (name, profile) in policy.profiles() {
        let value =
            |limit| profile.value(limit).map_or("none".to_owned(), |value| value.to_string());
        let values = Limit::ALL.map(value).join(" | ");
        let (runtime, image) = (profile.runtime.as_str(), plain(&profile.image));
        output.line(format!("| {} | {runtime} | {image} | {values} |", plain(name)));
    }
}

fn docs_of_limits(policy: &Policy, output: &mut Output) {
    output.line("\n# Limits\n");
    if policy.limits().is_empty() {
        output.line("The bundle sets none: those of the settings hold.");
        return;
    }
    output.line("Of these and those of the settings the stricter hold.\n");
    output.line("| Whose | Limit | Value | Reason |\n|---|---|---|---|");
    for limit in policy.limits() {
        let LimitInfo { whose, name, value, reason } = limit;
        let reason = reason.replace('|', "\\|");
        output.line(format!("| {whose} | `{name}` | {value} | {} |", plain(&reason)));
    }
}
