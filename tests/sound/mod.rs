//! What holds of the facts of any source, whatever its bytes are.

use regate::facts::{Facts, Limits, ParseStatus, Span};

/// Bytes of the longest text that a fact may carry: a value of 2,048, or a name that was
/// joined of two.
const TEXT_BYTES_MAX: usize = 2_048;

/// Holds the facts of a source to what is true of all facts.
pub(crate) fn check(bytes: &[u8], facts: &Facts, limits: &Limits) {
    let places = Places::new(bytes);
    for span in spans(facts) {
        places.hold(span);
    }
    bounded(facts, limits);
    assert_eq!(facts.parse.bytes, bytes.len() as u64, "the facts are of other bytes");
}

/// What holds of facts whose source is not at hand too: those of code inside of code.
fn bounded(facts: &Facts, limits: &Limits) {
    for list in lists(facts) {
        assert!(list.is_sorted_by_key(|span| span.byte), "a list is not in source order");
    }
    for span in spans(facts) {
        let (start, end) = span.byte;
        assert!(start <= end, "{span:?} ends before it begins");
        assert!((span.line, span.column) <= (span.end_line, span.end_column), "{span:?}");
        assert!(u64::from(end) <= facts.parse.bytes, "{span:?} leaves the source");
    }
    let told = spans(facts).len() - facts.capabilities.len() + facts.scopes.len();
    assert!(told <= limits.facts_max as usize + 1, "{told} facts");
    for text in texts(facts) {
        assert!(text.len() <= TEXT_BYTES_MAX, "a fact carries {} bytes", text.len());
    }
    let unread = facts.parse.status != ParseStatus::Ok || facts.parse.truncated;
    assert!(!unread || !facts.complete(), "coverage claims what was not read");
    assert!(!unread || !facts.gaps.is_empty(), "something was not read, and no gap says so");
    for fact in &facts.dynamic {
        if let Some(nested) = &fact.nested {
            bounded(nested, limits);
        }
    }
}

/// The spans of each list that is in source order.
fn lists(facts: &Facts) -> Vec<Vec<Span>> {
    macro_rules! spans {
        ($($list:expr),+ $(,)?) => { vec![$($list.iter().map(|fact| fact.span).collect()),+] };
    }
    spans![
        facts.gaps,
        facts.parse.anomalies,
        facts.imports,
        facts.modules,
        facts.calls,
        facts.references,
        facts.dynamic,
        facts.reflection,
        facts.resources,
        facts.bindings,
        facts.hooks,
        facts.strings,
    ]
}

fn spans(facts: &Facts) -> Vec<Span> {
    let capabilities = facts.capabilities.iter().map(|fact| fact.span);
    lists(facts)
        .into_iter()
        .flatten()
        .chain(facts.parse.errors.iter().copied())
        .chain(capabilities)
        .collect()
}

fn texts(facts: &Facts) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    for call in &facts.calls {
        texts.push(&call.text);
        texts.extend(call.arguments.iter().filter_map(|argument| argument.value.text.as_deref()));
    }
    texts.extend(facts.strings.iter().filter_map(|fact| fact.value.text.as_deref()));
    texts.extend(facts.strings.iter().filter_map(|fact| fact.value.prefix.as_deref()));
    texts.extend(facts.resources.iter().filter_map(|fact| fact.value.text.as_deref()));
    texts.extend(facts.dynamic.iter().filter_map(|fact| fact.value.text.as_deref()));
    texts.extend(facts.gaps.iter().filter_map(|gap| gap.on.as_deref()));
    texts.extend(facts.reflection.iter().filter_map(|fact| fact.on.as_deref()));
    texts
}

/// Lines and columns of every byte, counted in the plainest way.
struct Places<'source> {
    bytes: &'source [u8],
    /// Where the text stands in UTF-8.
    text: Option<&'source str>,
    positions: Vec<(u32, u32)>,
}

impl<'source> Places<'source> {
    fn new(bytes: &'source [u8]) -> Self {
        let mut positions = Vec::with_capacity(bytes.len() + 1);
        let (mut line, mut column) = (1, 0);
        for byte in bytes {
            positions.push((line, column));
            match byte {
                b'\n' => (line, column) = (line + 1, 0),
                0x80..=0xBF => {}
                _ => column += 1,
            }
        }
        positions.push((line, column));
        Self { bytes, text: std::str::from_utf8(bytes).ok(), positions }
    }

    fn hold(&self, span: Span) {
        let (start, end) = (span.byte.0 as usize, span.byte.1 as usize);
        assert!(end <= self.bytes.len(), "{span:?} leaves the source");
        if let Some(text) = self.text {
            let whole = text.is_char_boundary(start) && text.is_char_boundary(end);
            assert!(whole, "{span:?} cuts a character");
        }
        let told = [(span.line, span.column), (span.end_line, span.end_column)];
        let counted = [start, end].map(|at| self.positions.get(at).copied());
        assert_eq!(told.map(Some), counted, "{span:?} has another line or column");
    }
}
