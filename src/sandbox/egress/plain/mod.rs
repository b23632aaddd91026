//! The one message of a connection without TLS: read whole, and written anew.
//!
//! Must never hand on a byte as it came that a server might read as another message.

#[cfg(test)]
mod tests;

use super::Target;
use httparse::{EMPTY_HEADER, Header, Request, Status};

/// How long the head of a message may be.
pub(super) const HEAD_BYTES_MAX: usize = 16 << 10;

const HEADERS_MAX: usize = 64;
const HTTP_PORT: u16 = 80;
/// Between the program and its proxy alone. What `Connection` names goes with them.
const OWN: [&str; 7] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "host",
];
/// After these the message would end elsewhere, or the connection become something else.
const REFUSED: [&str; 3] = ["transfer-encoding", "upgrade", "expect"];

/// A message whose head was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// The head as it is sent on.
    pub(super) head: Vec<u8>,
    /// How long the head was as it came.
    pub(super) read_bytes: usize,
    /// How many bytes follow it, and no more.
    pub(super) body_bytes: u64,
}

/// Why a message is not sent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotSent;

/// Reads the head of a message to this host; nothing where more of it has to come.
///
/// # Errors
/// Where it is none, names another host, or does not say plainly where it ends.
pub(super) fn read(bytes: &[u8], target: &Target) -> Result<Option<Message>, NotSent> {
    let mut headers = [EMPTY_HEADER; HEADERS_MAX];
    let mut request = Request::new(&mut headers);
    let read_bytes = match request.parse(bytes) {
        Ok(Status::Complete(length)) if length <= HEAD_BYTES_MAX => length,
        Ok(Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(_) | Err(_) => return Err(NotSent),
    };
    let (Some(method), Some(url)) = (request.method, request.path) else { return Err(NotSent) };
    if ["CONNECT", "TRACE"].iter().any(|refused| method.eq_ignore_ascii_case(refused)) {
        return Err(NotSent);
    }
    let headers = &*request.headers;
    let hosts = values(headers, "host");
    let [host] = &*hosts else { return Err(NotSent) };
    let refused = REFUSED.iter().any(|name| !values(headers, name).is_empty());
    if refused || !is_of(host.trim(), target) {
        return Err(NotSent);
    }
    let body_bytes = body_bytes(headers)?;
    let path = path(url, target).ok_or(NotSent)?;
    let head = written(&format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n"), headers);
    Ok(Some(Message { head, read_bytes, body_bytes }))
}

/// The values of a header, which are texts.
fn values<'a>(headers: &[Header<'a>], name: &str) -> Vec<&'a str> {
    let named = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    // What is no text is no host and no length.
    named.map(|header| std::str::from_utf8(header.value).unwrap_or("?")).collect()
}

/// Whether an authority is the target's, where no port is that of HTTP.
fn is_of(authority: &str, target: &Target) -> bool {
    let alone = || Target::new(authority, HTTP_PORT);
    Target::read(authority).or_else(alone).as_ref() == Some(target)
}

fn body_bytes(headers: &[Header<'_>]) -> Result<u64, NotSent> {
    match *values(headers, "content-length") {
        [] => Ok(0),
        [length] if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map_err(|_| NotSent)
        }
        _ => Err(NotSent),
    }
}

/// The path of an absolute URL on the target.
fn path(url: &str, target: &Target) -> Option<String> {
    let scheme = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let rest = scheme.and_then(|_| url.get(7..)).filter(|rest| !rest.contains('#'))?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (_, path) = rest.split_at_checked(end).filter(|(of, _)| is_of(of, target))?;
    Some(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
}

fn written(beginning: &str, headers: &[Header<'_>]) -> Vec<u8> {
    let connection = values(headers, "connection");
    let named: Vec<&str> =
        connection.iter().flat_map(|value| value.split(',')).map(str::trim).collect();
    let stays = |header: &&Header<'_>| {
        let is = |name: &&str| header.name.eq_ignore_ascii_case(name);
        // Its length is what tells a message's end, whoever names it.
        !OWN.iter().any(is) && (!named.iter().any(is) || is(&"content-length"))
    };
    let mut head = beginning.as_bytes().to_vec();
    for header in headers.iter().filter(stays) {
        let line = [header.name.as_bytes(), b": ", header.value, b"\r\n"];
        line.into_iter().for_each(|part| head.extend_from_slice(part));
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}
