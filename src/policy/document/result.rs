//! What an effect yielded, as policy reads it: the beginning of each text, and what was found in
//! all of it.

use crate::facts::drift::Drift;
use crate::policy::engine::Document;
use crate::policy::{Yielded, YieldedFile, YieldedText};
use crate::redact::Counts;

pub(super) fn result(yielded: &Yielded<'_>, bytes_max: usize) -> Document {
    let Yielded { outcome, exit_code, truncated, texts, files, detected, drift } = yielded;
    Document::object([
        ("outcome", (*outcome).into()),
        ("exit_code", Document::or_null(*exit_code, Document::from)),
        ("truncated", (*truncated).into()),
        ("texts", Document::list(texts, |each| text(each, bytes_max))),
        ("files", Document::list(files, file)),
        ("detected", counts(detected)),
        ("drift", Document::list(*drift, strayed)),
    ])
}

fn strayed(drift: &Drift) -> Document {
    Document::object([
        ("capability", drift.capability.into()),
        ("event", (&*drift.event).into()),
        ("arguments", Document::list(&drift.arguments, |argument| (&**argument).into())),
        ("line", drift.line.into()),
    ])
}

fn text(YieldedText { name, text }: &YieldedText<'_>, bytes_max: usize) -> Document {
    let seen = text.get(..text.floor_char_boundary(bytes_max)).unwrap_or_default();
    Document::object([
        ("name", (*name).into()),
        ("text", seen.into()),
        ("bytes", u64::try_from(text.len()).unwrap_or(u64::MAX).into()),
        ("whole", (seen.len() == text.len()).into()),
    ])
}

fn file(file: &YieldedFile<'_>) -> Document {
    let YieldedFile { name, bytes, media_type, digest, detected } = file;
    Document::object([
        ("name", (*name).into()),
        ("bytes", (*bytes).into()),
        ("media_type", (*media_type).into()),
        ("digest", (*digest).into()),
        ("detected", counts(detected)),
    ])
}

fn counts(counts: &Counts) -> Document {
    counts.every().map(|(detector, count)| (detector.as_str(), count.into())).collect()
}
