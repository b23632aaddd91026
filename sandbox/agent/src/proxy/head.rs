//! What a program asks its proxy for.
//!
//! Must never be taken for a judgement: the gateway reads all of it again.

use httparse::{EMPTY_HEADER, Request, Status};
use regate_agent::{Refused, Way};

/// How long the head of a message may be.
pub(crate) const HEAD_BYTES_MAX: usize = 16 << 10;

const HEADERS_MAX: usize = 64;
const HTTP_PORT: u16 = 80;

/// The connection that a head asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) way: Way,
    /// How much of what was read was said to the proxy and goes no further.
    pub(crate) head_bytes: usize,
}

/// Reads a head; nothing where more of it has to come.
///
/// # Errors
/// Where it is none that a proxy takes.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Wanted>, Refused> {
    let mut headers = [EMPTY_HEADER; HEADERS_MAX];
    let mut request = Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(Status::Partial) | Err(_) => return Err(Refused::Message),
    };
    let target = request.path.ok_or(Refused::Message)?;
    if request.method == Some("CONNECT") {
        let (host, port) = target.rsplit_once(':').ok_or(Refused::Message)?;
        return wanted(host, Some(port), Way::Tunnel, length).map(Some);
    }
    let scheme = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let rest = scheme.and_then(|_| target.get(7..)).ok_or(Refused::Message)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    };
    wanted(host, port, Way::Plain, 0).map(Some)
}

fn wanted(host: &str, port: Option<&str>, way: Way, head_bytes: usize) -> Result<Wanted, Refused> {
    let digits = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
    let port = match port {
        None => HTTP_PORT,
        Some(port) => {
            Some(port).filter(digits).and_then(|port| port.parse().ok()).ok_or(Refused::Message)?
        }
    };
    if host.is_empty() {
        return Err(Refused::Message);
    }
    Ok(Wanted { host: host.to_owned(), port, way, head_bytes })
}
