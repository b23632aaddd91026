//! `regate config check`: whether the gateway would start with these settings.

use super::Exit;
use super::args::{ConfigCommand, Format};
use super::output::Output;
use super::serve;
use crate::config;

pub(super) fn run(command: ConfigCommand, output: &mut Output) -> anyhow::Result<Exit> {
    let ConfigCommand::Check { file, format } = command;
    let settings = config::load(file.as_deref())?;
    serve::check(&settings)?;
    let policy = serve::load_policy(&settings)?;
    match format {
        Format::Json => output.line(
            serde_json::json!({
                "listen": settings.listen.to_string(),
                // JSON is Unicode, and a path need not be.
                "data": settings.data.to_string_lossy(),
                "keys": settings.gateway.keys.len(),
                "policy": &**policy.digest(),
            })
            .to_string(),
        ),
        Format::Text => output.line(format!(
            "the settings are sound: {} with {} keys, state in {}, bundle {}",
            settings.listen,
            settings.gateway.keys.len(),
            settings.data.display(),
            policy.digest(),
        )),
    }
    Ok(Exit::Done)
}
