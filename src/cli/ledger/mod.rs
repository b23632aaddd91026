//! `regate ledger`: the record shown and verified, while a gateway writes it or none does.

mod forms;
mod show;

use super::Exit;
use super::args::{Data, Format, LedgerCommand, LedgerVerify};
use super::output::Output;
use crate::ledger::Settings;
use crate::ledger::reader::{Reader, Start, Verification};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(super) fn run(command: LedgerCommand, output: &mut Output) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match command {
        LedgerCommand::Show(args) => runtime.block_on(show::show(*args, output)),
        LedgerCommand::Verify(args) => runtime.block_on(verify(args, output)),
    }
}

async fn open(data: &Data) -> anyhow::Result<Reader> {
    Ok(Reader::open(&Settings::in_directory(&data.data).file).await?)
}

async fn verify(args: LedgerVerify, output: &mut Output) -> anyhow::Result<Exit> {
    let mut reader = open(&args.data).await?;
    let bar = progress_bar()?;
    let start = if args.archived { Start::Oldest } else { Start::Beginning };
    let verification = reader
        .verify(start, |read, total| {
            bar.set_length(total);
            bar.set_position(read);
        })
        .await?;
    bar.finish_and_clear();
    output.line(verdict(&verification, args.format));
    Ok(if verification.flaw.is_none() { Exit::Done } else { Exit::Denied })
}

fn verdict(verification: &Verification, format: Format) -> String {
    let Verification { after, count, head, flaw } = verification;
    let from = if *after == 0 { String::new() } else { format!(" after record {after}") };
    match format {
        Format::Json => serde_json::json!({
            "sound": flaw.is_none(), "after": after, "count": count, "head": head,
            "flaw": flaw.as_ref().map(|flaw| {
                serde_json::json!({"seq": flaw.seq, "reason": flaw.to_string()})
            }),
        })
        .to_string(),
        Format::Text => match flaw {
            None => format!("the chain holds: {count} records{from}, head {head}"),
            Some(flaw) => {
                format!("the chain is broken: {flaw}; {count} records{from} before it hold")
            }
        },
    }
}

/// Shown on a terminal only.
fn progress_bar() -> anyhow::Result<ProgressBar> {
    let target =
        if Output::watched() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("verifying {wide_bar} {pos}/{len} records {eta}")?;
    Ok(ProgressBar::with_draw_target(None, target).with_style(style))
}
