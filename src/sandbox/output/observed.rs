//! What the observer tells: a line of JSON for each event.
//!
//! Must never pass over a line that it cannot read: the program runs beside the observer, and may
//! have written it.

use crate::call::Text;
use crate::facts::drift::Event;
use serde::Deserialize;

/// What stands for a line that is no event. No interpreter has an event of this name.
const UNREADABLE: &str = "observer.unreadable";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    event: Text,
    arguments: Vec<Text>,
    places: Vec<Text>,
    chain: Vec<Text>,
    line: u32,
}

/// Reads the lines, up to the first that is no event: that is told as one. The last line may have
/// been cut, and is left out then.
pub(super) fn read(lines: &[u8]) -> Vec<Event> {
    let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
    let whole = lines.get(..end).unwrap_or_default();
    let mut events = Vec::new();
    for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(line) => events.push(event(line)),
            Err(_) => {
                events.push(unreadable());
                break;
            }
        }
    }
    events
}

fn event(Line { event: name, arguments, places, chain, line }: Line) -> Event {
    Event { name, arguments, places, chain, line }
}

fn unreadable() -> Event {
    let (arguments, places, chain) = (Vec::new(), Vec::new(), Vec::new());
    Event { name: UNREADABLE.into(), arguments, places, chain, line: 0 }
}
