//! The first message of TLS: whom a program wants to speak to.
//!
//! Must never let a byte pass before the whole message was read, nor a message that names its
//! server in any way but the one that is read here.

#[cfg(test)]
mod tests;

use super::Target;
use tls_parser::{TlsExtension, TlsExtensionType};
use tls_parser::{
    TlsMessage, TlsMessageHandshake, parse_tls_extension_unknown, parse_tls_message_handshake,
};

/// How many bytes may come before the message is whole.
pub(super) const HELLO_BYTES_MAX: usize = 32 << 10;

const HANDSHAKE: u8 = 22;
const MAJOR_VERSION: u8 = 3;
const RECORD_BYTES_MAX: usize = 1 << 14;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;
/// Where the true name of the server may be hidden: the encrypted client hello, its drafts and
/// what came before it.
const HIDING: [u16; 7] = [0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xfe0d, 0xffce];

/// What TLS says to who is refused: `access_denied`, as a fatal alert.
pub(super) const ALERT: [u8; 7] = [21, 3, 3, 0, 2, 2, 49];

/// Why what a program sent is not TLS to the host that it asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotTls;

/// Whether the message is whole and names this host; `false` where more of it has to come.
///
/// # Errors
/// Where it is none, hides its server's name, has none or another one.
pub(super) fn names(bytes: &[u8], target: &Target) -> Result<bool, NotTls> {
    let handshake = handshake(bytes)?;
    let Some(([_, length @ ..], body)) = handshake.split_first_chunk::<4>() else {
        return bounded(bytes);
    };
    let [high, middle, low] = length.map(usize::from);
    let length = high << 16 | middle << 8 | low;
    if body.len() < length && length <= HELLO_BYTES_MAX {
        return bounded(bytes);
    }
    let name = server_name(&handshake).ok_or(NotTls)?;
    let same = !name.ends_with('.') && Target::new(&name, target.port()).as_ref() == Some(target);
    if same { Ok(true) } else { Err(NotTls) }
}

fn bounded(bytes: &[u8]) -> Result<bool, NotTls> {
    if bytes.len() < HELLO_BYTES_MAX { Ok(false) } else { Err(NotTls) }
}

/// What the records carry, the last of which may be lacking something.
fn handshake(bytes: &[u8]) -> Result<Vec<u8>, NotTls> {
    let (mut carried, mut rest) = (Vec::new(), bytes);
    while let Some(([kind, major, _minor, length @ ..], after)) = rest.split_first_chunk::<5>() {
        let length = usize::from(u16::from_be_bytes(*length));
        let is_record = (*kind, *major) == (HANDSHAKE, MAJOR_VERSION);
        if !is_record || length == 0 || length > RECORD_BYTES_MAX {
            return Err(NotTls);
        }
        let (record, after) = after.split_at_checked(length).unwrap_or((after, &[]));
        carried.extend_from_slice(record);
        rest = after;
    }
    // What is no record is known by its first byte.
    if rest.first().is_some_and(|kind| *kind != HANDSHAKE) { Err(NotTls) } else { Ok(carried) }
}

/// The one name of its server that the message has, where nothing comes after the message.
fn server_name(handshake: &[u8]) -> Option<String> {
    let (after, message) = parse_tls_message_handshake(handshake).ok()?;
    let TlsMessage::Handshake(TlsMessageHandshake::ClientHello(hello)) = message else {
        return None;
    };
    if !after.is_empty() {
        return None;
    }
    let mut rest = hello.ext?;
    let mut name = None;
    while !rest.is_empty() {
        let (after, extension) = parse_tls_extension_unknown(rest).ok()?;
        let TlsExtension::Unknown(TlsExtensionType(kind), data) = extension else { return None };
        if HIDING.contains(&kind) {
            return None;
        }
        if kind == SERVER_NAME && name.replace(host_name(data)?).is_some() {
            return None;
        }
        rest = after;
    }
    name
}

/// The name in a list of one.
fn host_name(data: &[u8]) -> Option<String> {
    let (list, name) = data.split_first_chunk::<5>()?;
    let [a, b, kind, c, d] = *list;
    let lengths = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])].map(usize::from);
    let one = kind == HOST_NAME && lengths == [name.len() + 3, name.len()];
    String::from_utf8(name.to_vec()).ok().filter(|_| one)
}
