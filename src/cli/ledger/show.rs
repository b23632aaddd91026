//! `regate ledger show`: the selected records, and those that come after them.
//!
//! Must never hold all that it shows.

use super::super::Exit;
use super::super::args::LedgerShow;
use super::super::output::Output;
use super::super::serve::clock;
use super::forms::Form;
use super::open;
use crate::call::{CallId, Text, Timestamp};
use crate::ledger::reader::{Order, Reader, Record, Selection};
use anyhow::Context;
use std::ops::ControlFlow;
use std::time::Duration;

/// How often to look for further records.
const LOOK_EVERY: Duration = Duration::from_millis(300);

pub(super) async fn show(args: LedgerShow, output: &mut Output) -> anyhow::Result<Exit> {
    let mut reader = open(&args.data).await?;
    let (page, ledger) = (Output::page(args.colour.color), reader.id());
    let form = Form { page: &page, format: args.format, ledger: &ledger };
    let selection = selection(&args)?;
    let mut each = |record: Record| print(&form, &record, output);
    let end = match args.after {
        None => reader.tail(&selection, &mut each).await?,
        Some(_) => further(&mut reader, &selection, &mut each).await?,
    };
    if args.follow {
        follow(&mut reader, selection, end, each).await?;
    }
    Ok(Exit::Done)
}

fn print(form: &Form<'_>, record: &Record, output: &mut Output) -> ControlFlow<()> {
    if let Some(line) = form.line(record) {
        output.line(line);
    }
    if output.is_read() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

fn selection(args: &LedgerShow) -> anyhow::Result<Selection> {
    let text = |option: &Option<String>| option.as_deref().map(Text::from);
    Ok(Selection {
        after: args.after,
        order: Order::OldestFirst,
        limit: u64::from(args.limit),
        call: args.call.as_deref().map(CallId::new),
        tenant: text(&args.tenant),
        subject: text(&args.subject),
        session: text(&args.session),
        tool: text(&args.tool),
        decision: text(&args.decision),
        cause: text(&args.cause),
        kind: text(&args.kind),
        since: moment("--since", args.since.as_deref())?,
        until: moment("--until", args.until.as_deref())?,
    })
}

fn moment(name: &str, text: Option<&str>) -> anyhow::Result<Option<Timestamp>> {
    let told = |text: &str| {
        Timestamp::told(text, clock()).with_context(|| {
            format!("{name}: not a moment, like 2026-01-31T08:00:00Z, nor a span, like 2h")
        })
    };
    text.map(told).transpose()
}

/// Shows what is selected and answers the last record that was looked at.
async fn further(
    reader: &mut Reader,
    selection: &Selection,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> anyhow::Result<u64> {
    let mut seen = reader.last_seq().await?;
    let show = |record: Record| {
        seen = seen.max(record.seq);
        each(record)
    };
    let enough = reader.show(selection, show).await?;
    Ok(enough.unwrap_or(seen))
}

/// Shows what comes until nobody reads it any more, or until interrupted.
async fn follow(
    reader: &mut Reader,
    selection: Selection,
    mut end: u64,
    mut each: impl FnMut(Record) -> ControlFlow<()>,
) -> anyhow::Result<()> {
    let mut read = ControlFlow::Continue(());
    while read.is_continue() {
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                break;
            }
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let later = Selection { after: Some(end), limit: u64::MAX, ..selection.clone() };
        let show = |record: Record| {
            read = each(record);
            read
        };
        end = further(reader, &later, show).await?;
    }
    Ok(())
}
