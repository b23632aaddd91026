//! One thing that the interpreter saw a program do.

use crate::call::Text;

/// An audit event of the interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The interpreter's name for it, such as `open`.
    pub name: Text,
    /// Its first arguments as texts, cut to bounded lengths.
    pub arguments: Vec<Text>,
    /// Where the files lie that are named, links followed; empty for one that is open already.
    pub places: Vec<Text>,
    /// The files of the libraries between the event and the program, innermost first.
    pub chain: Vec<Text>,
    /// The line of the program; 0 where no line of it was at work.
    pub line: u32,
}

/// What kind of thing an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A process is started or signalled.
    Process,
    /// Something is asked of the network.
    Network,
    /// A file or folder is read.
    Read,
    /// A file or folder is made, changed or removed.
    Write,
    /// Code is made or loaded at run time.
    Dynamic,
    /// The interpreter's own objects are looked into.
    Introspection,
    /// A module is imported.
    Module,
    /// Native code is loaded or called.
    Native,
    /// The environment is read or changed.
    Environment,
    /// The table does not know it.
    Unlisted,
}

impl Kind {
    /// What it takes, in the words of facts where they have one.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Process => "process.spawn",
            Self::Network => "net",
            Self::Read => "fs.read",
            Self::Write => "fs.write",
            Self::Dynamic => "code.dynamic",
            Self::Introspection => "introspect",
            Self::Module => "import",
            Self::Native => "native",
            Self::Environment => "env",
            Self::Unlisted => "unlisted",
        }
    }
}
