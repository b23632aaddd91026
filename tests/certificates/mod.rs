//! Certificates of an authority of the test's own.

use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer};
use rcgen::{KeyPair, KeyUsagePurpose};
use std::path::Path;

/// Who signs.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = named(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Writes what `DOCKER_CERT_PATH` has into a folder: whom to trust, and a new certificate with
    /// its key for whoever has these names, as a server and as a client.
    pub(crate) fn issue(&self, names: &[&str], folder: &Path) {
        let key = KeyPair::generate().unwrap();
        let mut params = named("test", names);
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        let files = [("cert.pem", certificate), ("key.pem", key.serialize_pem())];
        for (name, pem) in [("ca.pem", self.pem.clone())].into_iter().chain(files) {
            std::fs::write(folder.join(name), pem).unwrap();
        }
    }
}

fn named(name: &str, names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
