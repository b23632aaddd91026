//! What the settings mean: checked values with their defaults, for each module its own.

use super::raw::{
    Raw, RawArguments, RawFacts, RawGateway, RawKey, RawLedger, RawLog, RawLogFormat, RawSessions,
};
use super::{DATA_DEFAULT, Error, NAME_BYTES_MAX};
use crate::approval;
use crate::call::Text;
use crate::enforce;
use crate::facts;
use crate::gateway;
use crate::ledger;
use crate::limits::{self, quotas};
use crate::policy;
use crate::sandbox;
use crate::sandbox::workspace;
use crate::telemetry;
use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};

/// Everything that the gateway is told at its start.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the doors open.
    pub listen: SocketAddr,
    /// The folder that all state lives in.
    pub data: PathBuf,
    /// The folder of the bundle; `None` is the one that ships with Regate.
    pub policies: Option<PathBuf>,
    /// The doors.
    pub gateway: gateway::Settings,
    /// Reading code.
    pub enforce: enforce::Settings,
    /// Evaluation.
    pub policy: policy::Settings,
    /// Admission.
    pub limits: limits::Settings,
    /// Asking people.
    pub approvals: approval::Settings,
    /// What may be used in a day.
    pub quotas: quotas::Settings,
    /// The Docker engine and what it runs. Without an instance of its own in the file, the
    /// ledger's id is the instance.
    pub sandbox: sandbox::Settings,
    /// What tells this gateway's containers from another's, where the file says it.
    pub instance: Option<Text>,
    /// The files of sessions.
    pub files: workspace::Settings,
    /// The record.
    pub ledger: ledger::Settings,
    /// Logs.
    pub log: telemetry::Settings,
}

impl Settings {
    /// Gives raw values their meaning; relative paths start at `folder`, the settings file's own.
    pub(super) fn from_raw(raw: Raw, folder: &Path) -> Result<Self, Error> {
        let data = folder.join(raw.data.unwrap_or_else(|| DATA_DEFAULT.into()));
        let policy = policy::Settings::default();
        let (limits, quotas) = super::limits::limits(&raw.limits, folder, &data);
        Ok(Self {
            listen: listen(raw.listen.as_deref())?,
            policies: raw.policies.map(|path| folder.join(path)),
            gateway: gateway(raw.gateway, raw.keys, &raw.ledger)?,
            enforce: enforce(&raw.facts),
            policy: policy::Settings {
                evaluation_ms_max: raw.policy.evaluation_ms_max.unwrap_or(policy.evaluation_ms_max),
                findings_max: raw.policy.findings_max.unwrap_or(policy.findings_max),
                result_bytes_max: raw.policy.result_bytes_max.unwrap_or(policy.result_bytes_max),
            },
            limits,
            quotas,
            instance: raw.sandbox.instance.clone().map(Text::from),
            approvals: super::approvals::approvals(raw.approvals, folder)?,
            sandbox: super::sandbox::sandbox(raw.sandbox, folder)?,
            files: super::files::files(&raw.files, &data)?,
            ledger: ledger(&raw.ledger, &raw.sessions, &data),
            log: log(raw.log),
            data,
        })
    }

    /// Moves all state to another folder, but for quotas that have a place of their own.
    #[must_use]
    pub fn with_data(self, data: PathBuf) -> Self {
        let ledger =
            ledger::Settings { file: ledger::Settings::in_directory(&data).file, ..self.ledger };
        let folder = workspace::Settings::in_directory(&data).folder;
        let files = workspace::Settings { folder, ..self.files };
        let in_data = |data: &Path| quotas::Settings::in_directory(data).file;
        let mut quotas = self.quotas;
        if quotas.file == in_data(&self.data) {
            quotas.file = in_data(&data);
        }
        Self { data, ledger, quotas, files, ..self }
    }
}

fn listen(text: Option<&str>) -> Result<SocketAddr, Error> {
    let Some(text) = text else {
        return Ok(SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8181)));
    };
    text.parse().map_err(|_| value("listen", "not an address with a port, like 127.0.0.1:8181"))
}

/// The deepest JSON that every reader on a call's way takes, with room for what is put around it.
const JSON_DEPTH_MAX: usize = 100;

fn gateway(
    raw: RawGateway,
    keys: Vec<RawKey>,
    ledger: &RawLedger,
) -> Result<gateway::Settings, Error> {
    let default = gateway::Settings::default();
    let settings = gateway::Settings {
        body_bytes_max: raw.body_bytes_max.unwrap_or(default.body_bytes_max),
        body_ms_max: raw.body_ms_max.unwrap_or(default.body_ms_max),
        header_ms_max: raw.header_ms_max.unwrap_or(default.header_ms_max),
        write_ms_max: raw.write_ms_max.unwrap_or(default.write_ms_max),
        json_depth_max: raw.json_depth_max.unwrap_or(default.json_depth_max),
        connections_max: raw.connections_max.unwrap_or(default.connections_max),
        mcp_sessions_max: raw.mcp_sessions_max.unwrap_or(default.mcp_sessions_max),
        mcp_idle_ms_max: raw.mcp_idle_ms_max.unwrap_or(default.mcp_idle_ms_max),
        shutdown_ms_max: raw.shutdown_ms_max.unwrap_or(default.shutdown_ms_max),
        reader_role: ledger.reader_role.as_deref().map_or(default.reader_role, Text::from),
        reader_all_role: ledger
            .reader_all_role
            .as_deref()
            .map_or(default.reader_all_role, Text::from),
        hosts: texts(raw.hosts),
        origins: texts(raw.origins),
        keys: keys.into_iter().enumerate().map(key).collect::<Result<_, _>>()?,
        operator: default.operator,
    };
    check_gateway(&settings)?;
    Ok(settings)
}

/// What would leave the doors shut, or open to something else than was meant.
fn check_gateway(settings: &gateway::Settings) -> Result<(), Error> {
    if settings.json_depth_max > JSON_DEPTH_MAX {
        return Err(value("gateway.json_depth_max", &format!("at most {JSON_DEPTH_MAX}")));
    }
    if settings.connections_max == 0 {
        return Err(value("gateway.connections_max", "without a connection nobody is served"));
    }
    if settings.hosts.iter().any(|host| host.contains(['/', '@']) || has_port(host)) {
        return Err(value("gateway.hosts", "a name or an address alone, like regate.example.com"));
    }
    if settings.origins.iter().any(|origin| !origin.contains("://") || origin.ends_with('/')) {
        return Err(value("gateway.origins", "scheme and host, like https://console.example.com"));
    }
    let mut hashes = HashSet::new();
    match settings.keys.iter().position(|key| !hashes.insert(key.hash)) {
        Some(index) => Err(value(&format!("keys[{index}].hash"), "stands at another key as well")),
        None => Ok(()),
    }
}

/// The address of IPv6 has its colons in brackets, and no port.
fn has_port(host: &str) -> bool {
    host.contains(':') && !host.ends_with(']')
}

fn key((index, raw): (usize, RawKey)) -> Result<gateway::Key, Error> {
    let hash = raw
        .hash
        .strip_prefix("blake3:")
        .and_then(|hex| blake3::Hash::from_hex(hex).ok())
        .ok_or_else(|| value(&format!("keys[{index}].hash"), "not `blake3:` and 64 hex digits"))?;
    for (name, text) in [("subject", &raw.subject), ("tenant", &raw.tenant)] {
        if !(1..=NAME_BYTES_MAX).contains(&text.len()) {
            let reason = format!("must have 1 to {NAME_BYTES_MAX} bytes");
            return Err(value(&format!("keys[{index}].{name}"), &reason));
        }
    }
    let mut roles = texts(raw.roles);
    roles.sort();
    roles.dedup();
    Ok(gateway::Key {
        hash: *hash.as_bytes(),
        subject: raw.subject.into(),
        tenant: raw.tenant.into(),
        roles,
    })
}

fn enforce(raw: &RawFacts) -> enforce::Settings {
    let default = enforce::Settings::default();
    enforce::Settings {
        facts: facts::Limits {
            source_bytes_max: raw.source_bytes_max.unwrap_or(default.facts.source_bytes_max),
            nodes_max: raw.nodes_max.unwrap_or(default.facts.nodes_max),
            depth_max: raw.depth_max.unwrap_or(default.facts.depth_max),
            facts_max: raw.facts_max.unwrap_or(default.facts.facts_max),
            ..default.facts
        },
        readings_bytes_max: raw.cache_bytes_max.unwrap_or(default.readings_bytes_max),
    }
}

fn ledger(raw: &RawLedger, sessions: &RawSessions, data: &Path) -> ledger::Settings {
    let default = ledger::Settings::in_directory(data);
    ledger::Settings {
        queue_max: raw.queue_max.unwrap_or(default.queue_max),
        append_ms_max: raw.append_ms_max.unwrap_or(default.append_ms_max),
        label_ms_max: sessions.label_ms_max.unwrap_or(default.label_ms_max),
        history_ms_max: sessions.history_ms_max.unwrap_or(default.history_ms_max),
        rotate_bytes_max: raw.rotate_bytes_max.unwrap_or(default.rotate_bytes_max),
        rotate_ms_max: raw.rotate_ms_max.unwrap_or(default.rotate_ms_max),
        total_bytes_max: raw.total_bytes_max.unwrap_or(default.total_bytes_max),
        arguments: raw.arguments.map_or(default.arguments, |arguments| match arguments {
            RawArguments::Whole => ledger::Arguments::Whole,
            RawArguments::Digest => ledger::Arguments::Digest,
            RawArguments::Masked => ledger::Arguments::Masked,
        }),
        ..default
    }
}

fn log(raw: RawLog) -> telemetry::Settings {
    let default = telemetry::Settings::default();
    telemetry::Settings {
        format: raw.format.map_or(default.format, |format| match format {
            RawLogFormat::Human => telemetry::Format::Human,
            RawLogFormat::Json => telemetry::Format::Json,
        }),
        filter: raw.filter.unwrap_or(default.filter),
        ..default
    }
}

fn texts(texts: Vec<String>) -> Vec<Text> {
    texts.into_iter().map(Text::from).collect()
}

pub(super) fn value(key: &str, reason: &str) -> Error {
    Error::Value { key: key.to_owned(), reason: reason.to_owned() }
}
