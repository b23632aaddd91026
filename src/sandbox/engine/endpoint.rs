//! Where an engine is, and what it takes to speak to it.
//!
//! Must never be a way to an engine on which others can listen, or which could be anybody's.

use super::transport::Credentials;
use crate::sandbox::Error;
use http::Uri;
use http::uri::{Authority, Scheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One engine's place.
#[derive(Debug, Clone)]
pub(in crate::sandbox) enum Endpoint {
    /// A socket of this machine.
    Socket(Arc<Path>),
    /// A port, behind TLS on which both sides show who they are.
    Port(Authority, Arc<Credentials>),
}

impl Endpoint {
    /// Reads it, and where it is a port, the certificates in their folder.
    ///
    /// # Errors
    /// Where it is no endpoint, one that would be spoken to in the clear, or where certificates
    /// cannot be used.
    pub(in crate::sandbox) fn new(text: &str, certificates: Option<&Path>) -> Result<Self, Error> {
        if let Some(path) = text.strip_prefix("unix://").filter(|path| path.starts_with('/')) {
            return match certificates {
                None => Ok(Self::Socket(PathBuf::from(path).into())),
                Some(_) => Err(Error::Needless(text.into())),
            };
        }
        let authority = text
            .strip_prefix("tcp://")
            .and_then(port)
            .ok_or_else(|| Error::Endpoint(text.into()))?;
        let certificates = certificates.ok_or_else(|| Error::Clear(text.into()))?;
        Ok(Self::Port(authority, Arc::new(Credentials::read(certificates)?)))
    }

    /// What messages to it are addressed to.
    pub(super) fn address(&self) -> String {
        match self {
            Self::Socket(_) => "http://engine".to_owned(),
            Self::Port(authority, _) => format!("{}://{authority}", Scheme::HTTPS),
        }
    }
}

/// A host and a port, and nothing else.
fn port(text: &str) -> Option<Authority> {
    let authority: Authority = text.parse().ok()?;
    let alone = !authority.as_str().contains('@') && authority.port_u16().is_some();
    // What a certificate can be for: neither empty nor a pattern.
    let uri = Uri::try_from(format!("https://{authority}/")).ok()?;
    (alone && uri.host().is_some_and(|host| !host.is_empty())).then_some(authority)
}
