//! Secrets that have no shape of their own, but a place: behind a name, in a URL, between lines.

use super::detector::Detector;
use super::scan::{CUT_BYTES_MIN, Left, Scan};
use super::{Hit, alphabet::Alphabet};

/// How many of these bytes there are from the beginning.
fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| fits(**byte)).count()
}

/// The password of `scheme://user:password@host`, whose first colon is here.
pub(super) fn url_password(scan: &Scan<'_>, at: usize) -> Option<Hit> {
    let scheme_ends = scan.before(at).last().is_some_and(u8::is_ascii_alphanumeric);
    let rest = scan.from(at).strip_prefix(b"://").filter(|_| scheme_ends)?;
    let start = at + "://".len();
    let authority = rest.get(..count(rest, |byte| !ends_authority(byte)))?;
    let cut = scan.is_cut(start + authority.len());
    let userinfo = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(end) if authority.get(end + 1..).is_some_and(|host| !host.is_empty()) || cut => end,
        None if cut => authority.len(),
        Some(_) | None => return None,
    };
    let user = authority.iter().position(|byte| *byte == b':')?;
    let password = authority.get(user + 1..userinfo)?;
    let is_port = userinfo == authority.len() && password.iter().all(u8::is_ascii_digit);
    (!is_port && !is_placeholder(password))
        .then(|| Hit { detector: Detector::UrlPassword, bytes: start + user + 1..start + userinfo })
}

const fn ends_authority(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_control()
        || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'\\' | b'`' | b'|')
}

/// What stands where a password would: nothing, a variable, asterisks, the very word.
fn is_placeholder(password: &[u8]) -> bool {
    let of_one = |byte: u8| password.iter().all(|other| *other == byte);
    let word = |words: &[&[u8]]| words.iter().any(|word| password.eq_ignore_ascii_case(word));
    match password.first() {
        None | Some(b'$' | b'{' | b'[' | b'%' | b'(') => true,
        Some(first) => {
            (matches!(first, b'*' | b'x' | b'X' | b'.') && of_one(*first))
                || word(&[b"password", b"pass", b"pwd", b"secret", b"token"])
        }
    }
}

/// By which names an AWS secret key goes, in small letters and without marks between words.
const NAMES: [&[u8]; 3] = [b"secretaccesskey", b"awssecretkey", b"awssecret"];
/// How far before a value its name is looked for.
const NAME_BYTES_MAX: usize = 32;
/// What may stand between a name and its value, beside the mark that is here.
const BETWEEN_BYTES_MAX: usize = 8;
/// How long an AWS secret key is; what stands behind its name and is longer is none to show either.
const VALUE_BYTES: usize = 40;

/// The AWS secret key behind a name, whose end is marked here by `=`, `:` or `>`.
pub(super) fn named(scan: &mut Scan<'_>, at: usize) -> Option<Hit> {
    if !is_named(scan.before(at)) {
        return None;
    }
    let rest = scan.from(at + 1);
    let between = count(rest.get(..BETWEEN_BYTES_MAX).unwrap_or(rest), |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'\\' | b'>')
    });
    let start = at + 1 + between;
    let end = scan.run(Alphabet::Base64, start);
    let bytes_min = if scan.is_cut(end) { CUT_BYTES_MIN } else { VALUE_BYTES };
    (end - start >= bytes_min)
        .then_some(Hit { detector: Detector::AwsSecretKey, bytes: start..end })
}

fn is_named(before: &[u8]) -> bool {
    let near = before.len().saturating_sub(NAME_BYTES_MAX);
    let letters = || {
        let near = before.get(near..).unwrap_or_default().iter().rev();
        let marks = |byte: &&u8| !matches!(byte, b'"' | b'\'' | b' ' | b'\\' | b'_' | b'-');
        near.filter(marks).map(u8::to_ascii_lowercase)
    };
    // A look at the last letter spares most texts the rest.
    let may_be = matches!(letters().next(), Some(b'y' | b't'));
    may_be
        && NAMES.iter().any(|name| {
            let mut told = letters();
            name.iter().rev().all(|letter| told.next() == Some(*letter))
        })
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The longest label between the dashes.
const LABEL_BYTES_MAX: usize = 40;
/// How much of a key must follow its first line.
const KEY_BYTES_MIN: usize = 16;

/// The private key whose first line begins here, to its last line; where that is missing, as far
/// as what follows can belong to a key.
pub(super) fn private_key(scan: &mut Scan<'_>, at: usize) -> Option<Hit> {
    let rest = scan.from(at).strip_prefix(BEGIN)?;
    let (label, rest) = rest.split_at_checked(label_bytes(rest))?;
    let private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    let body = rest.strip_prefix(DASHES).filter(|_| private)?;
    let start = at + BEGIN.len() + label.len() + DASHES.len();
    let next = body.windows(DASHES.len()).position(|window| window == DASHES);
    let until = body.get(..next.unwrap_or(body.len()))?;
    let last = next.and_then(|next| body.get(next..)).map_or(0, last_line);
    let key = if last == 0 { key_bytes(until) } else { until.len() };
    let letters = body.iter().take(key).filter(|byte| Alphabet::Base62.contains(**byte)).count();
    // What is glued to it goes with it.
    let end = scan.run(Alphabet::Dotted, start + key + last);
    (letters >= KEY_BYTES_MIN)
        .then_some(Hit { detector: Detector::PrivateKey, bytes: scan.start(at, Left::Mark)..end })
}

/// How long the label is that this begins with.
fn label_bytes(text: &[u8]) -> usize {
    count(text.get(..LABEL_BYTES_MAX).unwrap_or(text), |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    })
}

/// How much of this can belong to a key.
fn key_bytes(text: &[u8]) -> usize {
    let head = text.get(..count(text, may_be_of_key)).unwrap_or_default();
    head.trim_ascii_end().len()
}

const fn may_be_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte.is_ascii_whitespace()
        || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b':' | b',' | b'-' | b'.')
}

/// How long the last line of a key is; 0 where this begins with another.
fn last_line(rest: &[u8]) -> usize {
    let Some(label) = rest.strip_prefix(END) else { return 0 };
    let length = label_bytes(label);
    let dashes = count(label.get(length..).unwrap_or_default(), |byte| byte == b'-');
    END.len() + length + dashes.min(DASHES.len())
}
