//! The ids of the findings that are Regate's own, beside those of a bundle's rules.
//!
//! A closed set: each is a label of the findings' metric.

use crate::approval;

/// A limit was reached.
pub const LIMIT: &str = "regate/limit";
/// What is used cannot be counted.
pub const QUOTAS: &str = "regate/quotas";
/// The call cannot be recorded.
pub const LEDGER: &str = "regate/ledger";
/// What would carry out the call is not available.
pub const EFFECT: &str = "regate/effect";
/// Policy asks for something that the tool cannot fulfil.
pub const OBLIGATION: &str = "regate/obligation";
/// The call could not be judged.
pub const INTERNAL: &str = "regate/internal";
/// A door could not read the message.
pub const MALFORMED: &str = "regate/malformed";
/// A door could read the message, which contradicts itself or its protocol.
pub const PROTOCOL: &str = "regate/protocol";
/// The tool does not take these arguments.
pub const ARGUMENTS: &str = "regate/arguments";

/// A file of the call is not kept or not handed out.
pub const FILES: &str = "regate/files";

/// What came of the call is not shown.
pub const WITHHELD: &str = "regate/withheld";

/// All of them.
pub(super) const ALL: [&str; 12] = [
    LIMIT,
    QUOTAS,
    LEDGER,
    EFFECT,
    OBLIGATION,
    INTERNAL,
    MALFORMED,
    PROTOCOL,
    ARGUMENTS,
    FILES,
    WITHHELD,
    approval::RULE,
];
