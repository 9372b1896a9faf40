//! Providers that other people wrote, found at run time. One of the two places with `unsafe`.
//!
//! Nothing here is needed to build: a library that is not installed is a sentence in the report.

pub mod ipsec_mb;
pub mod openssl;

use std::fmt;

use crate::names::Peer;

/// Why a peer takes no part, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{peer} takes no part: {reason}")]
pub struct Absent {
    /// The peer.
    pub peer: Peer,
    /// The reason, such as what the loader said.
    pub reason: String,
}

impl Absent {
    pub(crate) fn because(peer: Peer, reason: impl fmt::Display) -> Absent {
        // The loader's text may span lines; a report has one for each peer.
        let reason = reason.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Absent { peer, reason }
    }
}

/// Finds a peer and asks for its version.
///
/// # Errors
/// It is not installed, or not one that is known how to call.
pub fn version(peer: Peer) -> Result<String, Absent> {
    match peer {
        Peer::OpenSsl => openssl::Api::load().map(|api| api.version()),
        Peer::IpsecMb => ipsec_mb::Api::load().map(|api| api.version()),
    }
}
