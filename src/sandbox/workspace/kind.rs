//! What a file is: told by its first bytes where these are an image's, else by its name.
//!
//! Must never take a file for an image on its name's word: models and people are shown images.

/// What a text is whose name says no more.
const TEXT: &str = "text/plain";
/// What anything else is.
const BYTES: &str = "application/octet-stream";

/// Endings of names, and what such files are where their bytes are text.
const TEXTS: [(&str, &str); 9] = [
    ("csv", "text/csv"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
];

/// First bytes, and what such files are.
const MAGIC: [(&[u8], &str); 4] = [
    (b"%PDF-", "application/pdf"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
];

/// All that a file may be.
const EVERY: [&str; 2] = [TEXT, BYTES];

/// What a file is.
pub(super) fn media_type(name: &str, content: &[u8]) -> &'static str {
    if let Some(image) = image(content) {
        return image;
    }
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| content.starts_with(magic)) {
        return kind;
    }
    if std::str::from_utf8(content).is_err() || content.contains(&0) {
        return BYTES;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let known = TEXTS.iter().find(|(known, _)| Some(*known) == ending.as_deref());
    known.map_or(TEXT, |(_, kind)| kind)
}

/// The kind of an image that models are shown, by its bytes.
pub(super) fn image(content: &[u8]) -> Option<&'static str> {
    const IMAGES: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
    ];
    let webp = content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP".as_slice());
    let found = IMAGES.iter().find(|(magic, _)| content.starts_with(magic));
    found.map(|(_, kind)| *kind).or_else(|| webp.then_some("image/webp"))
}

/// The same word as this module's own, so that no text of a database is handed out as one.
pub(super) fn known(media_type: &str) -> &'static str {
    let images = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let named = TEXTS.iter().map(|(_, kind)| *kind);
    let all = named.chain(MAGIC.iter().map(|(_, kind)| *kind)).chain(images).chain(EVERY);
    all.into_iter().find(|kind| *kind == media_type).unwrap_or(BYTES)
}
