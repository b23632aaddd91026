//! Metrics and the dashboard agree, and no caller can make a label.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use regate::telemetry::{ALL, Metrics, OnHost, State};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const NOW: Duration = Duration::from_secs(1_000);

/// Metrics each of which was observed once, so that every one is shown.
fn observed() -> Arc<Metrics> {
    let metrics = Metrics::new().unwrap();
    metrics.known_rules(&["process/spawn"]);
    metrics.call("rest", "run_python", "denied", "rule");
    metrics.message_refused("key");
    metrics.finding("process/spawn");
    metrics.decision_stage("facts", Duration::from_micros(80));
    metrics.sandbox.stage("run", Duration::from_millis(40));
    metrics.sandbox.outcome("ok");
    metrics.coverage("true");
    metrics.limit("calls_at_once");
    metrics.files("kept", 2);
    metrics.redactions("github_token", 2);
    metrics.quotas_error("timeout");
    metrics.sandbox.waiting(1);
    metrics.drift("fs.read");
    metrics.connection("denied", "unlisted");
    metrics.sandbox.pool([(["docker", "pandas", "ready"], 1)]);
    let now = OnHost { runs: 1, containers: 3 };
    metrics.sandbox.host("docker", &[("healthy", true), ("away", false)], now);
    metrics.sandbox.profiles([("strict", "ready")]);
    metrics.usage(10, 20);
    metrics.indeterminate("timeout");
    metrics.hold("pending");
    metrics.holds_open(1);
    metrics.notice("delivered");
    metrics.ledger_error("full");
    metrics.ledger_size(1, 1);
    metrics.interrupted(1);
    metrics.bundle("digest-1", Duration::from_secs(400));
    metrics.bundle_reload_failed();
    metrics.ready("ledger", State::Ready);
    metrics.started(Duration::from_secs(100));
    metrics
}

/// The kind of each metric that is shown, by name: `counter`, `gauge` or `histogram`.
fn kinds(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()))
        .collect()
}

fn value(text: &str, series: &str) -> Option<f64> {
    text.lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))
        .and_then(|value| value.parse().ok())
}

fn series(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with('#')).count()
}

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../dashboards/regate.json")).unwrap()
}

/// Every query of the dashboard: what its panels draw.
fn expressions(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("expr", Value::String(text)) => vec![text.clone()],
                _ => expressions(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(expressions).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// What PromQL is made of, as far as it takes to tell a metric from everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Mark(char),
}

/// Tokens outside of strings, of label matchers `{…}` and of ranges `[…]`.
fn tokens(expression: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = expression.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '"' => while rest.next().is_some_and(|inner| inner != '"') {},
            '[' => while rest.next().is_some_and(|inner| inner != ']') {},
            '{' => {
                let mut quoted = false;
                while let Some(inner) = rest.next_if(|inner| quoted || *inner != '}') {
                    quoted ^= inner == '"';
                }
                rest.next();
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => {
                let mut word = String::from(letter);
                while let Some(inner) =
                    rest.next_if(|inner| inner.is_ascii_alphanumeric() || "_:".contains(*inner))
                {
                    word.push(inner);
                }
                tokens.push(Token::Word(word));
            }
            digit if digit.is_ascii_digit() => {
                let number = |inner: &char| inner.is_ascii_alphanumeric() || *inner == '.';
                while rest.next_if(number).is_some() {}
            }
            space if space.is_whitespace() => {}
            mark => tokens.push(Token::Mark(mark)),
        }
    }
    tokens
}

/// The metrics that a query names: words that are no function, operator or grouping label.
fn metrics_of(expression: &str) -> BTreeSet<String> {
    const LISTS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
    const OPERATORS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];
    let tokens = tokens(expression);
    let mut names = BTreeSet::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let Token::Word(word) = token else { continue };
        let opens = tokens.get(at) == Some(&Token::Mark('('));
        if LISTS.contains(&word.as_str()) {
            while opens && tokens.get(at).is_some_and(|inner| *inner != Token::Mark(')')) {
                at += 1;
            }
            continue;
        }
        // An aggregation may have its grouping before its argument: `sum by (x) (y)`.
        let aggregates = matches!(tokens.get(at), Some(Token::Word(next)) if LISTS[..2].contains(&next.as_str()));
        if !opens && !aggregates && !OPERATORS.contains(&word.as_str()) {
            names.insert(word.clone());
        }
    }
    names
}

/// The metric that a series belongs to: a histogram has three.
fn family(series: &str, kinds: &BTreeMap<String, String>) -> Option<String> {
    let histogram = ["_bucket", "_sum", "_count"]
        .iter()
        .filter_map(|suffix| series.strip_suffix(suffix))
        .find(|name| kinds.get(*name).is_some_and(|kind| kind == "histogram"));
    match (histogram, kinds.get(series).map(String::as_str)) {
        (Some(name), _) => Some(name.to_owned()),
        // The bare name of a histogram is no series.
        (None, Some("counter" | "gauge")) => Some(series.to_owned()),
        (None, _) => None,
    }
}

#[test]
fn queries_are_read_properly() {
    let hard = "sum by (le, stage) (rate(a_bucket{x=\"b}\", y=~\"$c\"}[$__rate_interval])) \
                / on (d) group_left (e) f > bool 0.5e3 or time() - g offset 5m";
    let names: Vec<_> = metrics_of(hard).into_iter().collect();
    assert_eq!(names, ["a_bucket", "f", "g"]);
    let names: Vec<_> =
        metrics_of("count without (h) (i) + sum(j{k=\"l\"}) by (m)").into_iter().collect();
    assert_eq!(names, ["i", "j"]);
}

#[test]
fn every_query_names_metrics_that_exist() {
    let kinds = kinds(&observed().render(NOW));
    let expressions = expressions(&dashboard());
    assert!(expressions.len() > 10);
    for expression in &expressions {
        let names = metrics_of(expression);
        assert!(!names.is_empty(), "no metric in `{expression}`");
        for name in names {
            let known = family(&name, &kinds).is_some();
            assert!(known, "`{name}` in `{expression}`");
        }
    }
}

#[test]
fn every_metric_is_on_the_dashboard() {
    let kinds = kinds(&observed().render(NOW));
    let shown: BTreeSet<_> = expressions(&dashboard())
        .iter()
        .flat_map(|expression| metrics_of(expression))
        .filter_map(|name| family(&name, &kinds))
        .collect();
    let exist: BTreeSet<_> = ALL.iter().map(|metric| metric.name.to_owned()).collect();
    assert_eq!(shown, exist);
}

#[test]
fn the_dashboard_has_a_fixed_identity_and_asks_a_chosen_source() {
    let dashboard = dashboard();
    assert_eq!(dashboard["uid"], "regate");
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let title = panel["title"].as_str().unwrap();
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
        let described = !panel["description"].as_str().unwrap().is_empty();
        assert!(described, "{title}");
    }
}

#[test]
fn every_choice_is_among_the_labels_of_a_metric_that_exists() {
    let dashboard = dashboard();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let asked = variables.iter().filter(|choice| choice["type"] == "query");
    let asked: Vec<_> = asked.map(|choice| choice["definition"].as_str()).collect();
    assert!(!asked.is_empty());
    for definition in asked {
        let inner = definition.and_then(|text| text.strip_prefix("label_values("));
        let (name, label) = inner.unwrap().split_once(", ").unwrap();
        let metric = ALL.iter().find(|metric| metric.name == name).unwrap();
        let label = label.strip_suffix(')').unwrap();
        assert!(metric.labels.contains(&label), "{name}: {label}");
    }
}

#[test]
fn every_metric_is_described_and_shown() {
    let text = observed().render(NOW);
    let kinds = kinds(&text);
    let exist: BTreeSet<_> = ALL.iter().map(|metric| metric.name).collect();
    assert_eq!(exist.len(), ALL.len());
    let shown: BTreeSet<_> = kinds.keys().map(String::as_str).collect();
    assert_eq!(shown, exist);
    for metric in ALL {
        assert!(metric.name.starts_with("regate_"), "{}", metric.name);
        let help = format!("# HELP {} {}", metric.name, metric.help);
        assert!(metric.help.ends_with('.'), "{}", metric.name);
        assert!(text.contains(&help), "{}", metric.name);
    }
    for (name, kind) in kinds {
        assert_eq!(name.ends_with("_total"), kind == "counter", "{name}");
    }
}

#[test]
fn a_hostile_name_never_becomes_a_label() {
    let metrics = observed();
    let before = series(&metrics.render(NOW));
    for number in 0..100_000 {
        metrics.finding(&format!("process/spawn{number}\n\"}} 1"));
    }
    let text = metrics.render(NOW);
    assert_eq!(series(&text), before);
    let findings = |rule: &str| value(&text, &format!("regate_findings_total{{rule=\"{rule}\"}}"));
    assert_eq!(findings("other"), Some(100_000.0));
    assert_eq!(findings("process/spawn"), Some(1.0));
}

#[test]
fn reloads_leave_no_series_behind() {
    let metrics = observed();
    let before = series(&metrics.render(NOW));
    for number in 0..1_000 {
        let rule = format!("area/rule{number}");
        metrics.known_rules(&[&rule]);
        metrics.finding(&rule);
        metrics.bundle(&format!("digest-{number}"), NOW);
    }
    let text = metrics.render(NOW);
    assert_eq!(series(&text), before);
    let last = [
        "regate_bundle_info{digest=\"digest-999\"}",
        "regate_findings_total{rule=\"area/rule999\"}",
    ];
    assert_eq!(last.map(|series| value(&text, series)), [Some(1.0); 2]);
}

#[test]
fn a_reload_keeps_the_counts_of_rules_that_stay() {
    let metrics = observed();
    metrics.known_rules(&["net/connect", "process/spawn"]);
    let text = metrics.render(NOW);
    let findings = |rule: &str| value(&text, &format!("regate_findings_total{{rule=\"{rule}\"}}"));
    assert_eq!(findings("process/spawn"), Some(1.0));
    assert_eq!(findings("net/connect"), Some(0.0));
}

#[test]
fn the_age_is_that_of_the_scrape() {
    let metrics = observed();
    let age = |now: Duration| value(&metrics.render(now), "regate_bundle_age_seconds");
    assert_eq!(age(NOW), Some(600.0));
    assert_eq!(age(Duration::from_millis(1_000_500)), Some(600.5));
    // A clock that was set back is no reason for a negative age.
    assert_eq!(age(Duration::from_secs(1)), Some(0.0));
    metrics.bundle("digest-2", Duration::from_secs(990));
    assert_eq!(age(NOW), Some(10.0));
}

#[test]
fn a_call_is_in_flight_until_it_is_dropped() {
    let metrics = observed();
    let in_flight = || value(&metrics.render(NOW), "regate_calls_in_flight");
    let first = metrics.call_begins();
    let second = metrics.call_begins();
    drop(first);
    assert_eq!(in_flight(), Some(1.0));
    drop(second);
    assert_eq!(in_flight(), Some(0.0));
}

#[test]
fn times_fall_into_buckets_that_tell_them_apart() {
    let text = observed().render(NOW);
    let bucket =
        |series: &str, bound: &str| value(&text, &format!("regate_{series},le=\"{bound}\"}}"));
    let facts = "decision_seconds_bucket{stage=\"facts\"";
    assert_eq!(bucket(facts, "0.00005"), Some(0.0));
    assert_eq!(bucket(facts, "0.0001"), Some(1.0));
    assert_eq!(bucket(facts, "1"), Some(1.0));
    let run = "sandbox_seconds_bucket{stage=\"run\"";
    assert_eq!(bucket(run, "0.025"), Some(0.0));
    assert_eq!(bucket(run, "0.05"), Some(1.0));
    assert_eq!(bucket(run, "60"), Some(1.0));
}

#[test]
fn two_sets_of_metrics_share_nothing() {
    let (one, other) = (observed(), observed());
    one.limit("calls_at_once");
    let count = |metrics: &Metrics| {
        let series = "regate_limits_total{limit=\"calls_at_once\"}";
        value(&metrics.render(NOW), series)
    };
    assert_eq!(count(&one), Some(2.0));
    assert_eq!(count(&other), Some(1.0));
}
