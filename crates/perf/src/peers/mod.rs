//! Providers that other people wrote, found at run time. One of the two places with `unsafe`.
//!
//! Nothing here is needed to build: a library that is not installed is a sentence in the report.

pub mod ipsec_layout;
pub mod ipsec_mb;
pub mod openssl;

use std::fmt;

use libloading::Library;

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

/// Opens the first of `names` that the loader finds.
fn open(peer: Peer, names: &[&str]) -> Result<Library, Absent> {
    let mut last = None;
    for name in names {
        // SAFETY: the names are those of well-known libraries whose initialisers prepare only
        // themselves and may run on any thread.
        match unsafe { Library::new(*name) } {
            Ok(library) => return Ok(library),
            Err(error) => last = Some(error),
        }
    }
    let reason = last.map_or_else(|| "no library name is known".to_owned(), |e| e.to_string());
    Err(Absent::because(peer, reason))
}

/// Declares a struct of function pointers and how to find them all in a library.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident { $($field:ident = $symbol:literal: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        struct $name {
            $($field: $type),+
        }

        impl $name {
            fn find(peer: Peer, library: &Library) -> Result<$name, Absent> {
                Ok($name {
                    $($field: {
                        // SAFETY: the type is that of the function in the library's own header,
                        // whose major version the file name fixes.
                        let symbol = unsafe { library.get::<$type>($symbol) };
                        *symbol.map_err(|error| Absent::because(peer, error))?
                    }),+
                })
            }
        }
    };
}
use functions;
