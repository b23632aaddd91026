//! Why a program does not get a connection, in words that it can act upon.
//!
//! Must never tell more than the program could have known.

use serde::{Deserialize, Serialize};

/// Why there is no connection. A closed set: it stands in the ledger and in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// What was sent is no message that a proxy takes.
    Message,
    /// The host is no plain name: an address, or letters that no host's name has.
    Name,
    /// The host and port are not among those that the call may reach.
    Unlisted,
    /// A rule refuses it, or none permits it.
    Policy,
    /// Nobody knows the host's address.
    Unresolved,
    /// One of the host's addresses is not a public one.
    Address,
    /// It did not answer in time, or at all.
    Unreachable,
    /// What was sent does not begin as TLS to this very host.
    Tls,
    /// As many connections were made as may be.
    Busy,
    /// Regate could not decide or record it.
    Unavailable,
}

impl Refused {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Message,
        Self::Name,
        Self::Unlisted,
        Self::Policy,
        Self::Unresolved,
        Self::Address,
        Self::Unreachable,
        Self::Tls,
        Self::Busy,
        Self::Unavailable,
    ];

    /// The word in the ledger and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Name => "name",
            Self::Unlisted => "unlisted",
            Self::Policy => "policy",
            Self::Unresolved => "unresolved",
            Self::Address => "address",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Busy => "busy",
            Self::Unavailable => "unavailable",
        }
    }

    /// The answer of a proxy that refuses for this reason.
    pub fn response(self) -> Vec<u8> {
        let (status, said) = (self.status(), self.said());
        let length = said.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{said}\n"
        )
        .into_bytes()
    }

    /// Clients show this line, and seldom what follows it.
    const fn status(self) -> &'static str {
        match self {
            Self::Message => "400 Not a message for this proxy",
            Self::Name => "403 Hosts are named by their plain name",
            Self::Unlisted => "403 This host and port are not open to this call",
            Self::Policy => "403 Policy refuses this connection",
            Self::Unresolved => "502 The host is not known",
            Self::Address => "403 The host is not a public one",
            Self::Unreachable => "504 The host does not answer",
            Self::Tls => "403 Not TLS to this host",
            Self::Busy => "429 Too many connections",
            Self::Unavailable => "503 No connections now",
        }
    }

    const fn said(self) -> &'static str {
        match self {
            Self::Message => {
                "Send one message of HTTP/1.1 for each connection, with the Host that its URL \
                 names and a Content-Length, or use https."
            }
            Self::Name => "Name the host as it is listed: no address, no other spelling.",
            Self::Unlisted => {
                "Only the hosts and ports that policy opens for this call are reached. Do not \
                 try others; work without this one or ask for another tool."
            }
            Self::Policy => {
                "What this session has done or read keeps it from this host. Finish without the \
                 network."
            }
            Self::Unresolved => "Look at the spelling of the host's name.",
            Self::Address => "Hosts of private networks are not reached from here.",
            Self::Unreachable => "Try again later, or go on without it.",
            Self::Tls => {
                "On a tunnel speak TLS, and name as the server the very host that was asked for."
            }
            Self::Busy => "Close connections when they are done with, and make fewer.",
            Self::Unavailable => "Try again later, or go on without the network.",
        }
    }
}
