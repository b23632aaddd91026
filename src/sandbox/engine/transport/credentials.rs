//! The certificates by which an engine and Regate know each other, as `DOCKER_CERT_PATH` has them.
//!
//! Must never be shown, in a log or anywhere, nor trust anybody whom the given authority does not.

use crate::sandbox::Error;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Whom to trust, who one is, and what proves it.
const FILES: [&str; 3] = ["ca.pem", "cert.pem", "key.pem"];

/// A folder of certificates, read again for each new connection: they are renewed in it.
pub(in crate::sandbox) struct Credentials {
    folder: PathBuf,
    last: Mutex<Read>,
}

/// What was read, and what was made of it: it remembers TLS sessions for as long as the files
/// stay the same.
#[derive(Clone)]
struct Read {
    texts: [Vec<u8>; 3],
    settings: Arc<ClientConfig>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Credentials").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Credentials {
    /// Reads the files of a folder.
    ///
    /// # Errors
    /// Where one of them cannot be read, or they cannot be used together.
    pub(in crate::sandbox) fn read(folder: &Path) -> Result<Self, Error> {
        let last = Mutex::new(Read::new(folder, texts(folder)?)?);
        Ok(Self { folder: folder.to_owned(), last })
    }

    /// What a new connection is made with. Where the files are in the middle of being changed, or
    /// were spoilt, that is what they were before.
    pub(super) fn current(&self) -> Arc<ClientConfig> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match self.renewed(&last) {
            Ok(None) => {}
            Ok(Some(read)) => *last = read,
            Err(error) => tracing::warn!(%error, "an engine's certificates stay as they were"),
        }
        Arc::clone(&last.settings)
    }

    fn renewed(&self, last: &Read) -> Result<Option<Read>, Error> {
        let texts = texts(&self.folder)?;
        if texts == last.texts { Ok(None) } else { Read::new(&self.folder, texts).map(Some) }
    }
}

impl Read {
    fn new(folder: &Path, texts: [Vec<u8>; 3]) -> Result<Self, Error> {
        let settings = Arc::new(settings(folder, &texts)?);
        Ok(Self { texts, settings })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "certificates are renewed on disk, and read where a connection is made with them"
)]
fn texts(folder: &Path) -> Result<[Vec<u8>; 3], Error> {
    let [authority, certificate, key] = FILES.map(|name| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| unusable(path, error))
    });
    Ok([authority?, certificate?, key?])
}

fn settings(folder: &Path, texts: &[Vec<u8>; 3]) -> Result<ClientConfig, Error> {
    let paths = FILES.map(|name| folder.join(name));
    let ([authority, certificate, key], [in_authority, in_certificate, in_key]) = (texts, paths);
    let mut roots = RootCertStore::empty();
    for root in certificates(authority, &in_authority)? {
        roots.add(root).map_err(|error| unusable(in_authority.clone(), error))?;
    }
    let chain = certificates(certificate, &in_certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|_| unusable(in_key.clone(), "it has no private key that can be read"))?;
    ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_root_certificates(roots).with_client_auth_cert(chain, key))
        .map_err(|error| unusable(in_key, error))
}

/// All of a file, at least one.
fn certificates(text: &[u8], path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    found
        .ok()
        .filter(|found| !found.is_empty())
        .ok_or_else(|| unusable(path.to_owned(), "it has no certificate that can be read"))
}

fn unusable(path: PathBuf, reason: impl std::fmt::Display) -> Error {
    Error::Certificates { path, reason: reason.to_string() }
}
