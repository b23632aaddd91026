//! The words on the command line.

use super::approvals::ApprovalsCommand;
use crate::config::NAME_BYTES_MAX;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A policy-as-code guardrail gateway between LLM agents and their tools.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 done or permitted, 1 denied or failed, 3 held, 2 anything else."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open the doors and serve calls until told to stop.
    Serve(Serve),
    /// Decide on pieces of code without running them.
    Check(Check),
    /// Show what was read in pieces of code.
    Facts(Facts),
    /// Work on a policy bundle.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Describe the sandbox image for a policy bundle.
    #[command(subcommand)]
    Catalogue(CatalogueCommand),
    /// Read the record of decisions and outcomes.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// See and answer what waits for a person.
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Work on the settings file.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Make API keys.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "SIGHUP reads the bundle anew. SIGINT and SIGTERM finish the calls in \
    flight and stop; a second one stops at once.")]
pub(super) struct Serve {
    /// The settings file; without it every setting has its default.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Where the doors open [default: 127.0.0.1:8181]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<SocketAddr>,
    /// The folder that all state lives in [default: regate-data]
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    #[command(flatten)]
    pub(super) bundle: Bundle,
}

#[derive(Debug, Args)]
pub(super) struct Bundle {
    /// The folder of the policy bundle [default: the bundle that ships with Regate]
    #[arg(long, value_name = "DIR")]
    pub(super) policies: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 all permitted, 1 some denied, 3 some held and none denied, 2 anything else, such as
a file that cannot be read; the others are checked all the same.

Examples:
  regate check program.py                    the findings under the lines that they are about
  regate check agents/ tools/*.py            every .py file below a folder, and some files
  agent | regate check -                     what another program writes
  regate check --format json program.py      the reply of the gateway, for programs
  regate check --format github .             annotations of a pull request
  regate check --policies team/ program.py   by another bundle")]
pub(super) struct Check {
    /// Files, folders or `-` for standard input. Of a folder every .py file below it is read, but
    /// none through links, in folders whose names begin with a dot, or in __pycache__,
    /// node_modules and virtual environments.
    #[arg(value_name = "PATH", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// What the code is written in.
    #[arg(long, value_enum, default_value_t)]
    pub(super) language: LanguageName,
    /// The tool that the code is meant for.
    #[arg(long, default_value = crate::call::Tool::RUN_PYTHON)]
    pub(super) tool: String,
    /// What is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: CheckFormat,
    /// How many findings of a file are shown as text; 0 shows all.
    #[arg(long = "max-findings", value_name = "N", default_value_t = 20)]
    pub(super) findings_max: usize,
    #[command(flatten)]
    pub(super) colour: Colouring,
    #[command(flatten)]
    pub(super) bundle: Bundle,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 done, 2 anything else, such as a file that cannot be read.

Examples:
  regate facts program.py                                 an overview, and the places in the source
  regate facts program.py | jq .capabilities              all that was read, for programs
  regate facts src/ | jq -c '[.file, .coverage.complete]'")]
pub(super) struct Facts {
    /// Files, folders or `-` for standard input, as `regate check` takes them.
    #[arg(value_name = "PATH", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// What the code is written in.
    #[arg(long, value_enum, default_value_t)]
    pub(super) language: LanguageName,
    /// What is printed; JSON is one document a file, each on a line of its own in a pipe
    /// [default: text on a terminal, json in a pipe]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// How many places of a file are shown as text; 0 shows all.
    #[arg(long = "max-places", value_name = "N", default_value_t = 40)]
    pub(super) places_max: usize,
    #[command(flatten)]
    pub(super) colour: Colouring,
    #[command(flatten)]
    pub(super) bundle: Bundle,
}

#[derive(Debug, Args)]
pub(super) struct Colouring {
    /// When text is coloured; `auto` heeds NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) color: ColourWhen,
}

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Load a bundle as the gateway would, and say what is wrong with it.
    Check(PolicyArgs),
    /// Run the `test_…` rules of a bundle's `*_test.rego` files.
    Test(PolicyArgs),
    /// Print what each rule is for, as Markdown.
    Docs(Bundle),
}

#[derive(Debug, Args)]
pub(super) struct PolicyArgs {
    #[command(flatten)]
    pub(super) bundle: Bundle,
    /// What is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Debug, Subcommand)]
pub(super) enum CatalogueCommand {
    /// Ask the image what its modules hold, and write it into a bundle as image/python.json.
    Generate(CatalogueGenerate),
}

#[derive(Debug, Args)]
#[command(after_help = "The bundle's data/imports.json says which modules are described. The \
    program that describes them runs in the sandbox, like any other.")]
pub(super) struct CatalogueGenerate {
    /// The folder of the policy bundle.
    #[arg(long, value_name = "DIR")]
    pub(super) policies: PathBuf,
    /// The sandbox image.
    #[arg(long, value_name = "IMAGE", default_value_t = sandbox_image())]
    pub(super) image: String,
}

fn sandbox_image() -> String {
    crate::sandbox::IMAGE_DEFAULT.to_owned()
}

#[derive(Debug, Subcommand)]
pub(super) enum LedgerCommand {
    /// Show records, the oldest first.
    Show(Box<LedgerShow>),
    /// Walk the whole chain and say whether it holds, or where it breaks.
    Verify(LedgerVerify),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Moments are RFC 3339, such as 2026-01-31T08:00:00Z, or a span before now: 90s, 15m, 2h, 1d, 3w.

Examples:
  regate ledger show --decision denied --since 1d        what was refused since yesterday
  regate ledger show --session run-7 --limit 1000        all of one run of an agent
  regate ledger show --follow                            what is recorded from now on
  regate ledger show --since 1h --limit 100000 --format opa > decisions.jsonl")]
pub(super) struct LedgerShow {
    /// Only the records of this call.
    #[arg(long, value_name = "ID")]
    pub(super) call: Option<String>,
    /// Only records of sessions with this id.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Only records of subjects with this id.
    #[arg(long, value_name = "ID")]
    pub(super) subject: Option<String>,
    /// Only records of this tenant.
    #[arg(long, value_name = "NAME")]
    pub(super) tenant: Option<String>,
    /// Only records of this tool.
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// Only such decisions: permitted, held or denied.
    #[arg(long, value_name = "WORD")]
    pub(super) decision: Option<String>,
    /// Only decisions for this cause, such as rule, coverage, limit or indeterminate.
    #[arg(long, value_name = "WORD")]
    pub(super) cause: Option<String>,
    /// Only such records: decision, outcome, answer, usage, seal, continues.
    #[arg(long, value_name = "WORD")]
    pub(super) kind: Option<String>,
    /// Only records from this moment on.
    #[arg(long, value_name = "MOMENT")]
    pub(super) since: Option<String>,
    /// Only records before this moment.
    #[arg(long, value_name = "MOMENT")]
    pub(super) until: Option<String>,
    /// Only records after this sequence number; without it, the last ones.
    #[arg(long, value_name = "SEQ")]
    pub(super) after: Option<u64>,
    /// How many records.
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub(super) limit: u32,
    /// Then wait for further records and show them, until interrupted.
    #[arg(long, short = 'f')]
    pub(super) follow: bool,
    /// What is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: LedgerFormat,
    #[command(flatten)]
    pub(super) colour: Colouring,
    #[command(flatten)]
    pub(super) data: Data,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 the chain holds, 1 it is broken, 2 anything else. Keep the head that is printed
elsewhere: a ledger that was written anew as a whole holds as well.")]
pub(super) struct LedgerVerify {
    /// Begin with the oldest file that is there: older ones were moved elsewhere on purpose.
    #[arg(long)]
    pub(super) archived: bool,
    /// What is printed.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) data: Data,
}

#[derive(Debug, Args)]
pub(super) struct Data {
    /// The folder that the gateway's state lives in.
    #[arg(long, value_name = "DIR", default_value = crate::config::DATA_DEFAULT)]
    pub(super) data: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Read a settings file and the bundle that it names, and say what is wrong with them.
    Check {
        /// The settings file.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// What is printed.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Make a key: its text is shown once on standard error, its hash as lines for the settings
    /// file.
    New {
        /// Who presents the key.
        #[arg(long, value_parser = name)]
        subject: String,
        /// The tenant that the subject belongs to.
        #[arg(long, value_parser = name)]
        tenant: String,
        /// A role of the subject; may be given several times.
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<String>,
    },
}

/// A name as the settings file takes it.
fn name(text: &str) -> Result<String, String> {
    if (1..=NAME_BYTES_MAX).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err(format!("must have 1 to {NAME_BYTES_MAX} bytes"))
    }
}

/// What a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// What `regate ledger show` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum LedgerFormat {
    /// For people: a line a record.
    #[default]
    Text,
    /// For programs: a record a line, with its hash.
    Json,
    /// For whatever reads the decision logs of the Open Policy Agent: a decision a line.
    Opa,
}

/// What `regate check` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum CheckFormat {
    /// For people: the findings in the source, the decision, a summary.
    #[default]
    Text,
    /// A line a finding, for editors and grep.
    Concise,
    /// Annotations of a workflow on GitHub.
    Github,
    /// For programs: the gateway's reply to each file on a line of its own.
    Json,
}

/// When text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ColourWhen {
    /// On a terminal.
    #[default]
    Auto,
    /// Whatever it is printed to.
    Always,
    /// Never.
    Never,
}

/// A language that Regate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum LanguageName {
    /// Python 3
    #[default]
    Python,
}

impl From<LanguageName> for crate::call::Language {
    fn from(name: LanguageName) -> Self {
        match name {
            LanguageName::Python => Self::Python,
        }
    }
}
