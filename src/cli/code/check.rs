//! `regate check`: the decision on each piece of code, and what they come to together.

use super::forms::{self, Checked};
use super::gather::{Found, Input, gather};
use super::{Told, judge, work};
use crate::call::Timestamp;
use crate::cli::Exit;
use crate::cli::args::{Check, CheckFormat, Format};
use crate::cli::output::Output;
use crate::cli::policy::load;
use crate::cli::serve::clock;
use crate::cli::show::{Page, Paint};
use crate::policy::{Policy, Ruling};

pub(in crate::cli) fn check(args: &Check, output: &mut Output) -> anyhow::Result<Exit> {
    let policy = load(&args.bundle)?;
    let inputs = gather(&args.files);
    let checking = Checking {
        args,
        policy: &policy,
        page: Output::page(args.colour.color),
        alone: inputs.len() == 1,
        now: clock(),
    };
    let form = if args.format == CheckFormat::Json { Format::Json } else { Format::Text };
    let mut tally = Tally::default();
    work::over(
        &inputs,
        |found| checking.one(found),
        |told: Told<Outcome>| {
            told.print(form, output);
            tally.count(told.outcome);
        },
    )?;
    if args.format == CheckFormat::Text && !checking.alone {
        output.line(tally.line(&checking.page));
    }
    Ok(tally.exit())
}

/// What all inputs are checked with.
struct Checking<'args> {
    args: &'args Check,
    policy: &'args Policy,
    page: Page,
    alone: bool,
    now: Timestamp,
}

/// What one input came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Permitted { complete: bool },
    Held { complete: bool },
    Denied { complete: bool },
    Unread,
}

impl Checking<'_> {
    fn one(&self, found: &Found) -> Told<Outcome> {
        match found {
            Ok(input) => self.input(input).unwrap_or_else(|error| self.unread(input.name(), error)),
            Err(error) => self.unread(String::new(), anyhow::anyhow!("{error:#}")),
        }
    }

    fn input(&self, input: &Input) -> anyhow::Result<Told<Outcome>> {
        let name = input.name();
        let source = judge::read(input, self.args.language.into())?;
        let code = judge::extract(&source, self.policy);
        let decision = judge::decide(self.policy, &source, &code, &self.args.tool, self.now);
        let complete = code.facts().complete();
        let outcome = match &decision.ruling {
            Ruling::Permitted(_) => Outcome::Permitted { complete },
            Ruling::Held(_) => Outcome::Held { complete },
            Ruling::Denied(_) => Outcome::Denied { complete },
        };
        let checked = Checked { name: &name, source: &source, code: &code, decision: &decision };
        let shown = match self.args.format {
            CheckFormat::Text
                if self.alone || outcome != (Outcome::Permitted { complete: true }) =>
            {
                let shown = forms::text(&self.page, &checked, self.args.findings_max);
                if self.alone { shown } else { shown + "\n" }
            }
            CheckFormat::Text => String::new(),
            CheckFormat::Concise => forms::concise(&checked),
            CheckFormat::Github => forms::github(&checked),
            CheckFormat::Json => forms::json(&checked)?,
        };
        Ok(Told { name, shown: Ok(shown), outcome })
    }

    fn unread(&self, name: String, error: anyhow::Error) -> Told<Outcome> {
        Told { name, shown: Err(error), outcome: Outcome::Unread }
    }
}

/// How many inputs came to what.
#[derive(Debug, Default)]
struct Tally {
    permitted: usize,
    held: usize,
    denied: usize,
    unread: usize,
    complete: usize,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        let (counter, complete) = match outcome {
            Outcome::Permitted { complete } => (&mut self.permitted, complete),
            Outcome::Held { complete } => (&mut self.held, complete),
            Outcome::Denied { complete } => (&mut self.denied, complete),
            Outcome::Unread => (&mut self.unread, false),
        };
        *counter += 1;
        self.complete += usize::from(complete);
    }

    fn line(&self, page: &Page) -> String {
        let files = self.permitted + self.held + self.denied + self.unread;
        let counts = [
            (self.permitted, "permitted", Paint::Good),
            (self.held, "held", Paint::Doubtful),
            (self.denied, "denied", Paint::Bad),
            (self.unread, "not read", Paint::Bad),
        ];
        let told: Vec<String> = counts
            .into_iter()
            .filter(|(count, _, _)| *count > 0)
            .map(|(count, word, paint)| page.paint(&format!("{count} {word}"), paint))
            .collect();
        format!(
            "{}: {}; coverage complete in {}",
            forms::files(files),
            told.join(", "),
            self.complete
        )
    }

    /// The worst of them: an input that could not be read, then denied, then held.
    const fn exit(&self) -> Exit {
        match (self.unread, self.denied, self.held) {
            (0, 0, 0) => Exit::Done,
            (0, 0, _) => Exit::Held,
            (0, _, _) => Exit::Denied,
            (_, _, _) => Exit::Unread,
        }
    }
}
