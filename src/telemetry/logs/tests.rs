//! Every line carries its call's id, in both formats and under every filter.

use super::outlet::Outlet;
use super::{Colour, Format, Settings, call_span, subscriber};
use crate::telemetry::Error;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What `lines` logs under these settings.
fn logged(settings: &Settings, lines: impl FnOnce()) -> String {
    let sink = Sink::default();
    let writer = sink.clone();
    let subscriber = subscriber(settings, move || writer.clone()).unwrap();
    tracing::subscriber::with_default(subscriber, lines);
    String::from_utf8(sink.0.lock().unwrap().clone()).unwrap()
}

fn settings(format: Format, filter: &str) -> Settings {
    Settings { format, filter: filter.to_owned(), colour: Colour::Plain }
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn one_call() {
    let call = call_span("call-1").entered();
    tracing::info!(stage = "facts", took_ms = 3, "read");
    one_run();
    drop(call);
    tracing::info!("outside");
}

fn one_run() {
    let _run = tracing::info_span!("sandbox", profile = "strict").entered();
    tracing::warn!("slow");
}

#[test]
fn json_lines_are_flat_and_carry_the_call() {
    let text = logged(&settings(Format::Json, "info"), one_call);
    let lines = objects(&text);
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["call"], "call-1");
    assert_eq!(lines[0]["level"], "INFO");
    assert_eq!(lines[0]["message"], "read");
    assert_eq!(lines[0]["stage"], "facts");
    assert_eq!(lines[0]["took_ms"].as_i64(), Some(3));
    assert!(lines[0]["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(lines[1]["call"], "call-1");
    assert_eq!(lines[1]["profile"], "strict");
    assert!(lines[2].get("call").is_none());
}

#[test]
fn human_lines_carry_the_call_and_no_colour_unless_told() {
    let text = logged(&settings(Format::Human, "info"), one_call);
    let with_call = text.lines().filter(|line| line.contains("call-1")).count();
    assert_eq!(with_call, 2);
    assert!(!text.contains('\u{1b}'));
    let coloured = Settings { colour: Colour::Coloured, ..settings(Format::Human, "info") };
    assert!(logged(&coloured, one_call).contains('\u{1b}'));
}

#[test]
fn no_filter_hides_the_call() {
    let only_here = concat!(module_path!(), "=warn");
    for filter in ["warn", only_here, "off,regate=warn"] {
        let text = logged(&settings(Format::Json, filter), one_call);
        let lines = objects(&text);
        assert_eq!(lines.len(), 1, "{filter}: {text}");
        assert_eq!(lines[0]["call"], "call-1", "{filter}");
    }
    assert_eq!(logged(&settings(Format::Json, "off"), one_call), "");
}

#[test]
fn a_hostile_text_stays_inside_its_field() {
    let hostile = "x\",\"level\":\"ERROR\"}\n{\"call\":\"forged\"}\u{1b}[31m";
    let lines = || tracing::info!(tool = hostile, level = "FORGED", target = "forged", "said");
    let text = logged(&settings(Format::Json, "info"), lines);
    let lines = objects(&text);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["tool"], hostile);
    assert_eq!(lines[0]["level"], "INFO");
    assert_eq!(lines[0]["target"], module_path!());
}

#[test]
fn a_hostile_text_forges_no_line_for_people() {
    let hostile = "x\n2026-01-01T00:00:00Z ERROR regate: forged\u{1b}[31m";
    let text = logged(&settings(Format::Human, "info"), || {
        let _call = call_span(hostile).entered();
        tracing::info!(tool = hostile, "said");
    });
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_filter_that_does_not_parse_is_told() {
    let refused = subscriber(&settings(Format::Human, "regate=loud"), io::sink);
    let Err(Error::Filter { filter, reason }) = refused.map(drop) else {
        panic!("the filter was taken");
    };
    assert_eq!(filter, "regate=loud");
    assert!(!reason.is_empty());
}

/// Nobody reads, until somebody does.
#[test]
fn where_nobody_reads_lines_are_lost_and_nobody_waits() {
    let sink = Sink::default();
    let mut outlet = Outlet::to(sink.clone()).unwrap();
    let stuck = sink.0.lock().unwrap();
    let line = [b'x'; 1 << 16];
    for _ in 0..100 {
        outlet.write_all(&line).unwrap();
    }
    // No more than 64 of them may wait.
    drop(stuck);
    Outlet::flush(&outlet, Duration::MAX);
    assert_eq!(sink.0.lock().unwrap().len(), 64 << 16);
    outlet.write_all(b"once more\n").unwrap();
    Outlet::flush(&outlet, Duration::MAX);
    assert!(sink.0.lock().unwrap().ends_with(b"once more\n"));
}
