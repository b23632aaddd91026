//! `Host` and `Origin`: what keeps a web page from reaching a gateway on somebody's machine.
//!
//! A page whose name is made to resolve to a loopback address sends its own name as `Host`, and
//! any page sends itself as `Origin`. Must never serve a name that is not known.

use super::Settings;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri, header};
use std::net::IpAddr;

/// Whether a message was meant for this gateway and comes from nowhere it must not.
///
/// # Errors
/// What is wrong with it.
pub(super) fn admit(uri: &Uri, headers: &HeaderMap, settings: &Settings) -> Result<(), Stray> {
    let host = sole(headers, header::HOST).ok_or(Stray::Host)?;
    let host = host.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
    let hosts = [host.as_ref(), uri.authority()];
    let served = |authority: &Authority| is_served(authority, settings);
    if host.is_none() || !hosts.into_iter().flatten().all(served) {
        return Err(Stray::Host);
    }
    if !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let origin = sole(headers, header::ORIGIN).and_then(|value| value.to_str().ok());
    match origin {
        Some(origin) if is_known(origin, settings) => Ok(()),
        Some(_) | None => Err(Stray::Origin),
    }
}

/// Why a message is sent away before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stray {
    /// It is meant for another host.
    Host,
    /// It comes from a page that is not known.
    Origin,
}

impl Stray {
    /// The word in metrics.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Origin => "origin",
        }
    }

    /// What to do about it.
    pub(super) const fn detail(self) -> &'static str {
        match self {
            Self::Host => "This Host is not served here. Configure its name to serve it.",
            Self::Origin => "This Origin is not served here. Configure it to serve it.",
        }
    }
}

fn sole(headers: &HeaderMap, name: header::HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

fn is_served(authority: &Authority, settings: &Settings) -> bool {
    // `user@host` is never a Host, and is how a name is made to look like another.
    if authority.as_str().contains('@') {
        return false;
    }
    let host = authority.host();
    is_loopback(host) || settings.hosts.iter().any(|served| served.eq_ignore_ascii_case(host))
}

fn is_known(origin: &str, settings: &Settings) -> bool {
    if settings.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let Some(("http" | "https", authority)) = origin.split_once("://") else {
        return false;
    };
    authority
        .parse::<Authority>()
        .is_ok_and(|authority| !origin.contains('@') && is_loopback(authority.host()))
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
