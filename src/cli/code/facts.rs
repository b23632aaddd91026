//! `regate facts`: what was read in each piece of code.

use super::gather::{Found, Input, gather};
use super::{Told, forms, judge, work};
use crate::cli::Exit;
use crate::cli::args::{Facts, Format};
use crate::cli::output::Output;
use crate::cli::policy::load;
use crate::cli::show::{Evidence, Page, overview};
use crate::policy::Policy;

pub(in crate::cli) fn facts(args: &Facts, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(&args.bundle)?;
    let inputs = gather(&args.files);
    let page = Output::page(args.colour.color);
    let reading = Reading { args, policy: &policy, page };
    let mut tally = Tally::default();
    work::over(
        &inputs,
        |found| reading.one(found),
        |told: Told<Outcome>| {
            if reading.format() == Format::Text && tally.files > 0 {
                output.line("");
            }
            told.print(reading.format(), output);
            tally.count(told.outcome);
        },
    )?;
    if reading.format() == Format::Text && tally.files > 1 {
        output.line(format!("\n{}", tally.line()));
    }
    Ok(if tally.unread == 0 { Exit::Done } else { Exit::Unread })
}

struct Reading<'args> {
    args: &'args Facts,
    policy: &'args Policy,
    page: Page,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Complete,
    Gaps,
    Unread,
}

impl Reading<'_> {
    /// A person at a terminal gets an overview, a program everything.
    fn format(&self) -> Format {
        let usual = if Output::is_terminal() { Format::Text } else { Format::Json };
        self.args.format.unwrap_or(usual)
    }

    fn one(&self, found: &Found) -> Told<Outcome> {
        match found {
            Ok(input) => self.input(input).unwrap_or_else(|error| unread(input.name(), error)),
            Err(error) => unread(String::new(), anyhow::anyhow!("{error:#}")),
        }
    }

    fn input(&self, input: &Input) -> anyhow::Result<Told<Outcome>> {
        let name = input.name();
        let source = judge::read(input, self.args.language.into())?;
        let code = judge::extract(&source, self.policy);
        let shown = match self.format() {
            Format::Text => {
                let evidence = Evidence { facts: code.facts(), bytes: source.bytes() };
                overview(&self.page, &name, evidence, self.args.places_max)
            }
            Format::Json => {
                let facts = forms::with_file(&name, serde_json::from_str(&code.to_json())?);
                if Output::is_terminal() {
                    serde_json::to_string_pretty(&facts)?
                } else {
                    facts.to_string()
                }
            }
        };
        let outcome = if code.facts().complete() { Outcome::Complete } else { Outcome::Gaps };
        Ok(Told { name, shown: Ok(shown), outcome })
    }
}

fn unread(name: String, error: anyhow::Error) -> Told<Outcome> {
    Told { name, shown: Err(error), outcome: Outcome::Unread }
}

#[derive(Debug, Default)]
struct Tally {
    files: usize,
    complete: usize,
    unread: usize,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        self.files += 1;
        match outcome {
            Outcome::Complete => self.complete += 1,
            Outcome::Unread => self.unread += 1,
            Outcome::Gaps => {}
        }
    }

    fn line(&self) -> String {
        let unread =
            if self.unread > 0 { format!(", {} not read", self.unread) } else { String::new() };
        format!("{}: coverage complete in {}{unread}", forms::files(self.files), self.complete)
    }
}
