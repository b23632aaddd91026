//! What the settings say of the Docker hosts that programs run on.
//!
//! Must never take a name that could not be a metric's label.

use super::Error;
use super::raw::RawHost;
use super::settings::value;
use crate::call::Text;
use crate::sandbox::Host;
use std::collections::HashSet;
use std::path::Path;

/// As many as anybody has, and as few as a metric may have labels for.
const HOSTS_MAX: usize = 64;

/// The longest name of a host, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The hosts in either of the two forms, `None` where there is neither; relative paths start at
/// `folder`.
pub(super) fn hosts(
    docker: Option<String>,
    raw: Vec<RawHost>,
    folder: &Path,
) -> Result<Option<Vec<Host>>, Error> {
    let hosts: Vec<Host> = raw.into_iter().map(|raw| host(raw, folder)).collect();
    match (docker, hosts.is_empty()) {
        (Some(_), false) => Err(value(
            "sandbox.docker",
            "names one host, as sandbox.hosts does: what is meant is either",
        )),
        (Some(docker), true) => Ok(Some(vec![Host::at(&docker)])),
        (None, true) => Ok(None),
        (None, false) => check(&hosts).map(|()| Some(hosts)),
    }
}

fn host(raw: RawHost, folder: &Path) -> Host {
    Host {
        name: raw.name.into(),
        endpoint: raw.endpoint.into(),
        certificates: raw.certificates.map(|path| folder.join(path)),
        runs_at_once_max: raw.runs_at_once_max,
        containers_max: raw.containers_max,
    }
}

fn check(hosts: &[Host]) -> Result<(), Error> {
    if hosts.len() > HOSTS_MAX {
        return Err(value("sandbox.hosts", &format!("at most {HOSTS_MAX}")));
    }
    for (index, host) in hosts.iter().enumerate() {
        if !is_name(&host.name) {
            let key = format!("sandbox.hosts[{index}].name");
            let reason = format!("1 to {NAME_BYTES_MAX} of a to z, 0 to 9, `-`, `_` and `.`");
            return Err(value(&key, &reason));
        }
    }
    let differ = |of: fn(&Host) -> &Text| {
        let mut seen = HashSet::new();
        hosts.iter().position(|host| !seen.insert(of(host)))
    };
    let twice = |name: &str, index: usize| {
        value(&format!("sandbox.hosts[{index}].{name}"), "stands at another host as well")
    };
    differ(|host| &host.name).map_or(Ok(()), |index| Err(twice("name", index)))?;
    // What one engine has would be counted and swept twice.
    differ(|host| &host.endpoint).map_or(Ok(()), |index| Err(twice("endpoint", index)))
}

fn is_name(name: &str) -> bool {
    let may = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.')
    };
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(may)
}
