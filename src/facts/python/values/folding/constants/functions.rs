//! Functions of the builtins and the standard library that only make values of values.

use super::codecs::{self, canonical};
use super::sequences::{bytes, dictionary_of, range};
use super::{Constant, Given, texts};
use crate::facts::python::values::folding::paths;

/// What a name of the standard library stands for, where it is a constant.
pub(super) fn constant(name: &str) -> Option<Constant> {
    let text = match name {
        "string.ascii_lowercase" => "abcdefghijklmnopqrstuvwxyz",
        "string.ascii_uppercase" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.ascii_letters" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.digits" => "0123456789",
        "string.hexdigits" => "0123456789abcdefABCDEF",
        "string.punctuation" => "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
        "os.sep" | "os.path.sep" => "/",
        _ => return None,
    };
    Some(Constant::Text(text.to_owned()))
}

/// The functions that are known, by their canonical names, sorted.
const KNOWN: [&str; 48] = [
    "base64.b16decode",
    "base64.b32decode",
    "base64.b32encode",
    "base64.b64decode",
    "base64.b64encode",
    "base64.decodebytes",
    "base64.standard_b64decode",
    "base64.standard_b64encode",
    "base64.urlsafe_b64decode",
    "base64.urlsafe_b64encode",
    "bin",
    "binascii.a2b_base64",
    "binascii.a2b_hex",
    "binascii.b2a_hex",
    "binascii.hexlify",
    "binascii.unhexlify",
    "bytearray",
    "bytearray.fromhex",
    "bytes",
    "bytes.decode",
    "bytes.fromhex",
    "chr",
    "codecs.decode",
    "codecs.encode",
    "dict",
    "enumerate",
    "hex",
    "int",
    "iter",
    "len",
    "list",
    "oct",
    "ord",
    "os.path.join",
    "posixpath.join",
    "range",
    "reversed",
    "sorted",
    "str",
    "str.join",
    "str.lower",
    "str.maketrans",
    "str.upper",
    "tuple",
    "urllib.parse.quote",
    "urllib.parse.unquote",
    "urllib.parse.unquote_plus",
    "zip",
];

/// Whether calls of a function may be known whole.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.binary_search(&name).is_ok()
}

/// Whether what a function gives changes or ends as it is used, or is a collection that is
/// followed by its places.
pub(super) fn is_fleeting(name: &str) -> bool {
    matches!(
        name,
        "bytearray"
            | "bytearray.fromhex"
            | "dict"
            | "enumerate"
            | "iter"
            | "list"
            | "map"
            | "range"
            | "reversed"
            | "sorted"
            | "tuple"
            | "zip"
    )
}

/// Whether what a function gives can be walked once alone.
pub(super) fn is_iterator(name: &str) -> bool {
    matches!(name, "enumerate" | "iter" | "map" | "reversed" | "zip")
}

/// What a function gives. The name is canonical.
pub(in crate::facts::python::values::folding) fn call(
    name: &str,
    given: &Given,
) -> Option<Constant> {
    match name {
        "chr" | "ord" | "str" | "int" | "hex" | "oct" | "bin" | "len" | "bool" => {
            single(name, given)
        }
        "bytes" | "bytearray" => made_bytes(given),
        "list" | "tuple" | "iter" | "reversed" | "sorted" | "range" | "enumerate" | "zip"
        | "set" | "frozenset" | "dict" => gathered(name, given),
        "str.join" | "str.lower" | "str.upper" | "bytes.decode" => unbound(name, given),
        _ => library(name, given),
    }
}

/// A method that is taken from its class.
fn unbound(name: &str, given: &Given) -> Option<Constant> {
    let (base, positions) = given.positions.split_first()?;
    let given = Given { positions: positions.to_vec(), keywords: given.keywords.clone() };
    match (name.split_once('.')?, base) {
        (("str", method), Constant::Text(text)) => texts::method(text, method, &given),
        (("bytes", method), Constant::Bytes(octets)) => {
            super::bytes::method(octets, method, &given)
        }
        _ => None,
    }
}

fn single(name: &str, given: &Given) -> Option<Constant> {
    if name == "int" && given.is_within(2, &["base"]) && given.at(1, "base").is_some() {
        let base = u32::try_from(given.at(1, "base")?.whole()?).ok()?;
        return based(given.positions.first()?.text()?, base).map(Constant::Whole);
    }
    let [only] = given.positions.as_slice() else { return None };
    if !given.keywords.is_empty() {
        return None;
    }
    let text = |text: String| Some(Constant::Text(text));
    match (name, only) {
        ("chr", Constant::Whole(number)) => {
            text(char::from_u32(u32::try_from(*number).ok()?)?.to_string())
        }
        ("ord", Constant::Text(letter)) => {
            let mut letters = letter.chars();
            let (first, rest) = (letters.next()?, letters.next());
            rest.is_none().then(|| Constant::Whole(u32::from(first).into()))
        }
        ("ord", Constant::Bytes(bytes)) => match bytes.as_slice() {
            [only] => Some(Constant::Whole((*only).into())),
            _ => None,
        },
        ("str", Constant::Text(_)) | ("int", Constant::Whole(_)) => Some(only.clone()),
        ("str", Constant::Whole(number)) => text(number.to_string()),
        ("int", Constant::Text(digits)) => based(digits, 10).map(Constant::Whole),
        ("hex" | "oct" | "bin", Constant::Whole(number)) => {
            let sign = if *number < 0 { "-" } else { "" };
            let number = number.unsigned_abs();
            text(match name {
                "hex" => format!("{sign}{number:#x}"),
                "oct" => format!("{sign}{number:#o}"),
                _ => format!("{sign}{number:#b}"),
            })
        }
        ("len", _) => i128::try_from(only.elements()?.len()).ok().map(Constant::Whole),
        _ => None,
    }
}

/// A whole number written in a base.
fn based(text: &str, base: u32) -> Option<i128> {
    let text = text.trim().to_ascii_lowercase();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let digits = match base {
        16 => digits.strip_prefix("0x").unwrap_or(digits),
        8 => digits.strip_prefix("0o").unwrap_or(digits),
        2 => digits.strip_prefix("0b").unwrap_or(digits),
        _ => digits,
    };
    let plain = (2..=36).contains(&base) && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    i128::from_str_radix(digits, base.clamp(2, 36))
        .ok()
        .filter(|_| plain)
        .map(|number| sign * number)
}

fn made_bytes(given: &Given) -> Option<Constant> {
    let made = match given.positions.as_slice() {
        [] => Vec::new(),
        [Constant::Text(text), encoding] => codecs::encoded(text, encoding.text()?)?,
        [Constant::Bytes(bytes)] => bytes.clone(),
        [Constant::Sequence(elements)] => bytes(elements)?,
        _ => return None,
    };
    given.keywords.is_empty().then_some(Constant::Bytes(made))
}

/// What walks sequences or makes them.
fn gathered(name: &str, given: &Given) -> Option<Constant> {
    let backwards = given.keywords.iter().any(|(word, _)| name == "sorted" && word == "reverse");
    if !given.keywords.is_empty() || backwards {
        return None;
    }
    let positions = given.positions.as_slice();
    if name == "range" {
        let bounds: Vec<i128> = positions.iter().map(Constant::whole).collect::<Option<_>>()?;
        return range(&bounds).map(Constant::Sequence);
    }
    if name == "zip" {
        return zipped(positions);
    }
    let mut elements = match positions {
        [only] => only.elements()?,
        _ => return None,
    };
    match name {
        "reversed" => elements.reverse(),
        "sorted" => sort(&mut elements)?,
        "enumerate" => {
            let row = |(place, one): (i128, Constant)| {
                Constant::Sequence(vec![Constant::Whole(place), one])
            };
            elements = (0..).zip(elements).map(row).collect();
        }
        "dict" => {
            if let [pairs @ Constant::Pairs(_)] = positions {
                return Some(pairs.clone());
            }
            return dictionary_of(paired(elements)?).map(Constant::Pairs);
        }
        // Their order is not known.
        "set" | "frozenset" => return None,
        _ => {}
    }
    Some(Constant::Sequence(elements))
}

fn zipped(columns: &[Constant]) -> Option<Constant> {
    let columns: Vec<Vec<Constant>> =
        columns.iter().map(Constant::elements).collect::<Option<_>>()?;
    let length = columns.iter().map(Vec::len).min()?;
    let row = |at: usize| {
        let row = columns.iter().filter_map(|column| column.get(at).cloned());
        Constant::Sequence(row.collect())
    };
    Some(Constant::Sequence((0..length).map(row).collect()))
}

fn paired(rows: Vec<Constant>) -> Option<Vec<(Constant, Constant)>> {
    let pair = |row: Constant| match row.elements()?.as_slice() {
        [key, value] => Some((key.clone(), value.clone())),
        _ => None,
    };
    rows.into_iter().map(pair).collect()
}

/// Sorts texts alone or whole numbers alone.
fn sort(elements: &mut [Constant]) -> Option<()> {
    if elements.iter().all(|element| element.text().is_some()) {
        elements.sort_by(|left, right| left.text().cmp(&right.text()));
        return Some(());
    }
    let whole = elements.iter().all(|element| element.whole().is_some());
    elements.sort_by_key(Constant::whole);
    whole.then_some(())
}

/// Functions of the library: decoders, and what joins paths.
fn library(name: &str, given: &Given) -> Option<Constant> {
    let positions = given.positions.as_slice();
    if name.starts_with("codecs.") {
        return by_codec(name, given);
    }
    if name == "urllib.parse.quote" && given.is_within(2, &["safe"]) {
        let safe = given.at(1, "safe").map_or(Some("/"), Constant::text)?;
        return codecs::quoted(positions.first()?.text()?, safe).map(Constant::Text);
    }
    if !given.keywords.is_empty() {
        return None;
    }
    match (name, positions) {
        ("bytes.fromhex" | "bytearray.fromhex", [Constant::Text(text)]) => {
            let pairs: Vec<&str> = text.split_ascii_whitespace().collect();
            let even = pairs.iter().all(|pairs| pairs.len() % 2 == 0);
            let digits = pairs.concat();
            codecs::from_hex(digits.as_bytes()).filter(|_| even).map(Constant::Bytes)
        }
        ("str.maketrans", [from, to, rest @ ..]) => table(from.text()?, to.text()?, rest),
        ("str.maketrans", [Constant::Pairs(pairs)]) => {
            let key = |key: &Constant| {
                let letter = Given { positions: vec![key.clone()], keywords: Vec::new() };
                if key.text().is_some() { single("ord", &letter) } else { Some(key.clone()) }
            };
            let pairs = pairs.iter().map(|(from, to)| Some((key(from)?, to.clone())));
            dictionary_of(pairs.collect::<Option<Vec<_>>>()?).map(Constant::Pairs)
        }
        ("urllib.parse.unquote", [Constant::Text(text)]) => {
            codecs::unquoted(text).map(Constant::Text)
        }
        ("urllib.parse.unquote_plus", [Constant::Text(text)]) => {
            codecs::unquoted(&text.replace('+', " ")).map(Constant::Text)
        }
        ("os.path.join" | "posixpath.join", [first, rest @ ..]) => {
            let joined =
                |left: String, right: &Constant| Some(paths::join_texts(&left, right.text()?));
            rest.iter().try_fold(first.text()?.to_owned(), joined).map(Constant::Text)
        }
        (_, [only]) => transcoded(name, only.octets()?).map(Constant::Bytes),
        _ => None,
    }
}

/// The table that characters are replaced by.
fn table(from: &str, to: &str, rest: &[Constant]) -> Option<Constant> {
    let number = |letter: char| Constant::Whole(u32::from(letter).into());
    if from.chars().count() != to.chars().count() || !rest.is_empty() {
        return None;
    }
    let pairs = from.chars().zip(to.chars()).map(|(from, to)| (number(from), number(to)));
    dictionary_of(pairs).map(Constant::Pairs)
}

/// Bytes that other bytes stand for, or are written as.
fn transcoded(name: &str, octets: &[u8]) -> Option<Vec<u8>> {
    match name {
        "base64.b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "binascii.a2b_base64" => codecs::from_base64(octets),
        "base64.urlsafe_b64decode" => codecs::from_base64_url(octets),
        "base64.b32decode" => codecs::from_base32(octets),
        "base64.b16decode" => {
            let upper = !octets.iter().any(u8::is_ascii_lowercase);
            codecs::from_hex(octets).filter(|_| upper)
        }
        "binascii.unhexlify" | "binascii.a2b_hex" => codecs::from_hex(octets),
        "binascii.hexlify" | "binascii.b2a_hex" => codecs::as_text(octets, "hex"),
        "base64.b64encode" | "base64.standard_b64encode" => codecs::as_text(octets, "base64"),
        "base64.urlsafe_b64encode" => codecs::as_text(octets, "base64url"),
        "base64.b32encode" => codecs::as_text(octets, "base32"),
        _ => None,
    }
}

/// `codecs.decode` and `codecs.encode`.
fn by_codec(name: &str, given: &Given) -> Option<Constant> {
    if !given.is_within(2, &["encoding"]) {
        return None;
    }
    let encoding = given.at(1, "encoding").map_or(Some("utf-8"), Constant::text)?;
    let what = given.positions.first()?;
    let bytes = |bytes: Option<Vec<u8>>| bytes.map(Constant::Bytes);
    match (name, canonical(encoding).as_str(), what) {
        ("codecs.decode" | "codecs.encode", "rot13", Constant::Text(text)) => {
            Some(Constant::Text(codecs::rot13(text)))
        }
        ("codecs.decode", "hex" | "hexcodec", _) => bytes(codecs::from_hex(what.octets()?)),
        ("codecs.decode", "base64" | "base64codec", _) => {
            bytes(codecs::from_base64(what.octets()?))
        }
        ("codecs.decode", _, Constant::Bytes(octets)) => {
            codecs::decoded(octets, encoding).map(Constant::Text)
        }
        ("codecs.encode", _, Constant::Text(text)) => bytes(codecs::encoded(text, encoding)),
        ("codecs.encode", "hex" | "hexcodec", Constant::Bytes(octets)) => {
            bytes(codecs::as_text(octets, "hex"))
        }
        _ => None,
    }
}
