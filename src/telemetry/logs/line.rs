//! A line of the log as one flat JSON object.
//!
//! Must never let a field take the place of the line's time, level or origin.

use serde_json::{Map, Value};
use std::fmt;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Keys that say when, how grave and whence; a field of such a name gives way.
const RESERVED: [&str; 3] = ["timestamp", "level", "target"];

/// Writes `timestamp`, `level`, `target`, then the fields of the spans from the outermost to the
/// innermost, then the line's own; of two fields of one name the later stands.
pub(super) struct JsonLine;

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        let mut line = Line(Map::new());
        let metadata = event.metadata();
        let [when, level, target] = RESERVED;
        line.0.insert(when.to_owned(), timestamp.into());
        line.0.insert(level.to_owned(), metadata.level().as_str().into());
        line.0.insert(target.to_owned(), metadata.target().into());
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(fields) = span.extensions().get::<FormattedFields<N>>() {
                line.add_formatted(&fields.fields);
            }
        }
        event.record(&mut line);
        writeln!(writer, "{}", Value::Object(line.0))
    }
}

struct Line(Map<String, Value>);

impl Line {
    fn add(&mut self, name: &str, value: Value) {
        if !RESERVED.contains(&name) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Adds a span's fields, which its layer keeps as the text of a JSON object.
    fn add_formatted(&mut self, fields: &str) {
        if let Ok(Value::Object(fields)) = serde_json::from_str(fields) {
            for (name, value) in fields {
                self.add(&name, value);
            }
        }
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field.name(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), value.into());
    }
}
