//! The names that the command line and the JSON share.
//!
//! Every type here prints as its name and parses from it; a wrong name is an error that lists the
//! right ones.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::PerfError;

/// The order in which a manager gives jobs back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// The order of submission.
    InOrder,
    /// The order in which they complete.
    OutOfOrder,
}

/// Where the buffers are when the clock starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cache {
    /// As the run before left them: in the nearest cache that holds them.
    Warm,
    /// In memory: every line of the input buffers was evicted. Keys and code stay warm.
    Cold,
}

/// How jobs are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// A whole burst at once, all of it complete at the end.
    Burst,
    /// One job a call, in a stream that never pauses; what is left is flushed at its end.
    Stream,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Buffers in a given time.
    Throughput,
    /// Time from handing a job over to having it back.
    Latency,
    /// Whether results are right; nothing is timed.
    Verify,
    /// The bytes that a session takes; nothing is timed.
    Memory,
}

/// Which of the engine's interfaces jobs go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// Enqueued in bursts, dequeued as they complete.
    QueuePair,
    /// A burst a call, complete on return.
    ProcessMany,
    /// Enqueued one by one, dequeued as they complete, and flushed after each burst.
    Stream,
}

/// Whether the cores at work share a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sharing {
    /// One session for all.
    Shared,
    /// A session for each.
    PerCore,
}

/// The library that does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// Broadloom's own lanes.
    Native,
    /// OpenSSL 3's libcrypto.
    OpenSsl,
    /// Intel's multi-buffer library for IPsec.
    IpsecMb,
    /// The crate ring.
    Ring,
    /// The crate aws-lc-rs.
    AwsLcRs,
    /// The crate secp256k1.
    Secp256k1,
}

/// A provider to measure against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// OpenSSL 3's libcrypto.
    OpenSsl,
    /// Intel's multi-buffer library for IPsec.
    IpsecMb,
    /// The crate ring.
    Ring,
    /// The crate aws-lc-rs.
    AwsLcRs,
    /// The crate secp256k1.
    Secp256k1,
}

impl Peer {
    /// The peers that are libraries found at run time.
    pub const LIBRARIES: [Peer; 2] = [Peer::OpenSsl, Peer::IpsecMb];

    /// Returns the peers that this program was built with: the libraries, and crates by feature.
    pub fn built() -> Vec<Peer> {
        let is_built = |peer: &Peer| match peer {
            Peer::OpenSsl | Peer::IpsecMb => true,
            Peer::Ring => cfg!(feature = "ring"),
            Peer::AwsLcRs => cfg!(feature = "aws-lc-rs"),
            Peer::Secp256k1 => cfg!(feature = "secp256k1"),
        };
        Peer::ALL.into_iter().filter(is_built).collect()
    }
}

impl From<Peer> for Provider {
    fn from(peer: Peer) -> Provider {
        match peer {
            Peer::OpenSsl => Provider::OpenSsl,
            Peer::IpsecMb => Provider::IpsecMb,
            Peer::Ring => Provider::Ring,
            Peer::AwsLcRs => Provider::AwsLcRs,
            Peer::Secp256k1 => Provider::Secp256k1,
        }
    }
}

/// Finds the value that prints as `name`, or lists them all in an error.
pub(crate) fn parse<T: fmt::Display>(
    what: &'static str,
    name: &str,
    all: impl IntoIterator<Item = T>,
) -> Result<T, PerfError> {
    let mut valid = Vec::new();
    for value in all {
        let text = value.to_string();
        if text == name {
            return Ok(value);
        }
        valid.push(text);
    }
    Err(PerfError::Name { what, name: name.to_owned(), valid: valid.join(", ") })
}

/// Gives a plain enum its names, and what follows from them.
macro_rules! named {
    ($type:ident, $what:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in the order in which errors list them.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name, as the command line and the JSON have it.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::PerfError;

            fn from_str(name: &str) -> Result<Self, $crate::PerfError> {
                $crate::names::parse($what, name, $type::ALL)
            }
        }
    };
}

pub(crate) use named;

named!(Order, "order", { InOrder => "in-order", OutOfOrder => "out-of-order" });
named!(Cache, "cache state", { Warm => "warm", Cold => "cold" });
named!(Mode, "mode", { Burst => "burst", Stream => "stream" });
named!(Kind, "kind", {
    Throughput => "throughput",
    Latency => "latency",
    Verify => "verify",
    Memory => "memory",
});
named!(Call, "call", {
    QueuePair => "queue-pair",
    ProcessMany => "process-many",
    Stream => "stream",
});
named!(Sharing, "session", { Shared => "shared", PerCore => "per-core" });
named!(Provider, "provider", {
    Native => "native",
    OpenSsl => "openssl",
    IpsecMb => "ipsec-mb",
    Ring => "ring",
    AwsLcRs => "aws-lc-rs",
    Secp256k1 => "secp256k1",
});
named!(Peer, "peer", {
    OpenSsl => "openssl",
    IpsecMb => "ipsec-mb",
    Ring => "ring",
    AwsLcRs => "aws-lc-rs",
    Secp256k1 => "secp256k1",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_peer_is_told_the_right_ones() {
        let error = "openssl3".parse::<Peer>().unwrap_err().to_string();
        assert!(error.contains("\"openssl3\""), "{error}");
        assert!(error.contains("openssl, ipsec-mb, ring, aws-lc-rs, secp256k1"), "{error}");
    }
}
