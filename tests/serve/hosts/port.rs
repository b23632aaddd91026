//! The port of an engine that is on a machine of its own, and who may speak to it.

use super::network::Network;
use crate::certificates::Authority;
use std::path::Path;
use tempfile::TempDir;

const PORT: u16 = 2376;

/// A port, and the certificates that are shown there.
pub(crate) struct Port {
    pub(crate) network: Network,
    shown: TempDir,
}

impl Port {
    /// One whose certificate is of this authority, and for the first of its addresses alone.
    pub(crate) fn new(authority: &Authority) -> Self {
        let (network, shown) = (Network::new(), tempfile::tempdir().unwrap());
        let [address, _] = network.addresses();
        authority.issue(&[&address], shown.path());
        Self { network, shown }
    }

    /// What the engine is started with.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let file = |name: &str| self.shown.path().join(name).display().to_string();
        let listens = self.endpoints().into_iter().map(|endpoint| format!("--host={endpoint}"));
        let shows = [
            "--tlsverify".to_owned(),
            format!("--tlscacert={}", file("ca.pem")),
            format!("--tlscert={}", file("cert.pem")),
            format!("--tlskey={}", file("key.pem")),
        ];
        listens.chain(shows).collect()
    }

    /// Where it is, and where it is too but not by its certificate.
    pub(crate) fn endpoints(&self) -> [String; 2] {
        self.network.addresses().map(|address| format!("tcp://{address}:{PORT}"))
    }
}

/// Lines of the settings file: a host.
pub(crate) fn host(name: &str, endpoint: &str, certificates: Option<&Path>) -> String {
    let certificates = certificates
        .map(|path| format!("certificates = '{}'\n", path.display()))
        .unwrap_or_default();
    format!("[[sandbox.hosts]]\nname = '{name}'\nendpoint = '{endpoint}'\n{certificates}")
}
