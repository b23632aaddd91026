//! `regate key`: API keys.

use super::Exit;
use super::args::KeyCommand;
use super::output::Output;
use crate::gateway::Key;

pub(super) fn run(command: KeyCommand, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        KeyCommand::New { subject, tenant, roles } => {
            let (secret, hash) = Key::generate()?;
            // Apart from the lines, which may go straight to a file that must not hold it.
            Output::aside(&format!("the key, shown this once: {secret}"));
            output.line("[[keys]]");
            output.line(format!("hash = \"blake3:{hash}\""));
            output.line(format!("subject = {}", toml::Value::from(subject)));
            output.line(format!("tenant = {}", toml::Value::from(tenant)));
            output.line(format!("roles = {}", toml::Value::from(roles)));
            Ok(Exit::Done)
        }
    }
}
