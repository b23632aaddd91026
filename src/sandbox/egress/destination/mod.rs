//! A host and a port, in the one spelling in which they are compared.
//!
//! Must never take an address for a name: what a number means is up to who reads it.

#[cfg(test)]
mod tests;

use crate::call::Text;
use std::fmt;

const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// Where a program may connect to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    host: Text,
    port: u16,
}

impl Target {
    /// A host by its plain name, in whatever case, with or without a last dot. `None` for an
    /// address in any spelling, and for letters that are not those of hosts in ASCII.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let host = host.strip_suffix('.').unwrap_or(host);
        let plain = host.len() <= NAME_BYTES_MAX && host.split('.').all(is_label);
        let named = host.rsplit('.').next().is_some_and(|last| !is_number(last));
        let target = || Self { host: host.to_ascii_lowercase().into(), port };
        (plain && named && port != 0).then(target)
    }

    /// A target as an obligation names it: `host:port`.
    pub fn read(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        Self::new(host, port.parse().ok().filter(|_| digits)?)
    }

    /// The host's name, in small letters.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

fn is_label(label: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=LABEL_BYTES_MAX).contains(&label.len())
        && label.bytes().all(letters)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether a resolver may take what ends so for an address: digits of any base.
fn is_number(last: &str) -> bool {
    let hexadecimal = last.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"));
    hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit())
}
