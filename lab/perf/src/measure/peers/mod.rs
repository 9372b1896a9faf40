//! Libraries that other people wrote, as their own users call them: no engine, no provider around
//! them.
//!
//! Nothing here is needed to build. OpenSSL and intel-ipsec-mb are found at run time, and one that
//! is not installed is a sentence in the report. The crates ring, aws-lc-rs and secp256k1 are
//! features of this crate.

#[cfg(feature = "aws-lc-rs")]
mod aws_lc;
pub mod buffers;
pub mod ipsec_mb;
#[cfg(any(feature = "ring", feature = "aws-lc-rs", feature = "secp256k1"))]
mod one_by_one;
pub mod openssl;
pub mod openssl_tls;
#[cfg(feature = "ring")]
mod ring;
#[cfg(feature = "secp256k1")]
mod secp256k1;
pub mod srtp2;

use std::fmt;

use broadloom_engine::{Algorithm, Direction};

use self::buffers::Buffers;
use crate::error::PerfError;
use crate::measure::contender::Contender;
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

/// A peer at work on [`Buffers`].
pub trait Bare: Contender {
    /// The call that is made, for buffers that are known together or come one by one.
    fn call(&self, one_by_one: bool) -> &'static str;

    /// Returns the buffers that it works on, and what it has made of them.
    fn buffers(&self) -> &Buffers<'_>;

    /// Puts the inputs back to where they are ciphered in place; due before every burst, and not
    /// timed.
    fn restore(&mut self);
}

/// A peer that is there.
pub enum Found {
    /// OpenSSL 3's libcrypto.
    OpenSsl(openssl::Api),
    /// intel-ipsec-mb.
    IpsecMb(ipsec_mb::Api),
    /// The crate ring.
    #[cfg(feature = "ring")]
    Ring,
    /// The crate aws-lc-rs.
    #[cfg(feature = "aws-lc-rs")]
    AwsLcRs,
    /// The crate secp256k1.
    #[cfg(feature = "secp256k1")]
    Secp256k1,
}

/// A peer at work, or why it takes no part in a comparison.
pub type Seat<'a> = Result<Box<dyn Bare + 'a>, Absent>;

impl Found {
    /// Finds a peer, or says why it is absent.
    ///
    /// # Errors
    /// [`PerfError::NotBuilt`]: it is a feature of this crate that was left out.
    pub fn find(peer: Peer) -> Result<Result<Found, Absent>, PerfError> {
        match peer {
            Peer::OpenSsl => Ok(openssl::Api::load().map(Found::OpenSsl)),
            Peer::IpsecMb => Ok(ipsec_mb::Api::load().map(Found::IpsecMb)),
            #[cfg(feature = "ring")]
            Peer::Ring => Ok(Ok(Found::Ring)),
            #[cfg(feature = "aws-lc-rs")]
            Peer::AwsLcRs => Ok(Ok(Found::AwsLcRs)),
            #[cfg(feature = "secp256k1")]
            Peer::Secp256k1 => Ok(Ok(Found::Secp256k1)),
            #[cfg(not(all(feature = "ring", feature = "aws-lc-rs", feature = "secp256k1")))]
            peer => Err(PerfError::NotBuilt { peer }),
        }
    }

    /// Returns the peer's name.
    pub fn peer(&self) -> Peer {
        match self {
            Found::OpenSsl(_) => Peer::OpenSsl,
            Found::IpsecMb(_) => Peer::IpsecMb,
            #[cfg(feature = "ring")]
            Found::Ring => Peer::Ring,
            #[cfg(feature = "aws-lc-rs")]
            Found::AwsLcRs => Peer::AwsLcRs,
            #[cfg(feature = "secp256k1")]
            Found::Secp256k1 => Peer::Secp256k1,
        }
    }

    /// Its own name for its version.
    pub fn version(&self) -> String {
        match self {
            Found::OpenSsl(api) => api.version(),
            Found::IpsecMb(api) => api.version(),
            #[cfg(feature = "ring")]
            Found::Ring => ring::VERSION.to_owned(),
            #[cfg(feature = "aws-lc-rs")]
            Found::AwsLcRs => aws_lc::VERSION.to_owned(),
            #[cfg(feature = "secp256k1")]
            Found::Secp256k1 => secp256k1::VERSION.to_owned(),
        }
    }

    /// The calls that are measured, in words.
    pub fn calls(&self) -> &'static str {
        match self {
            Found::OpenSsl(_) => "EVP with contexts kept",
            Found::IpsecMb(_) => "its direct, burst or job calls without checks",
            #[cfg(feature = "ring")]
            Found::Ring => "one call after the other",
            #[cfg(feature = "aws-lc-rs")]
            Found::AwsLcRs => "one call after the other",
            #[cfg(feature = "secp256k1")]
            Found::Secp256k1 => "one call after the other",
        }
    }

    /// Why it is not measured at an algorithm in a direction; `None` if it is.
    pub fn lacks(&self, algorithm: Algorithm, direction: Direction) -> Option<String> {
        match self {
            Found::OpenSsl(api) => api.lacks(algorithm, direction),
            Found::IpsecMb(_) => ipsec_mb::lacks(algorithm, direction),
            #[cfg(feature = "ring")]
            Found::Ring => ring::lacks(algorithm, direction),
            #[cfg(feature = "aws-lc-rs")]
            Found::AwsLcRs => aws_lc::lacks(algorithm, direction),
            #[cfg(feature = "secp256k1")]
            Found::Secp256k1 => secp256k1::lacks(algorithm, direction),
        }
    }

    /// Sets the peer up for work on these buffers: keys expanded, contexts made.
    ///
    /// # Errors
    /// The peer fails.
    pub fn seat<'a>(&'a self, buffers: Buffers<'a>) -> Result<Seat<'a>, PerfError> {
        fn boxed<'a>(made: Result<impl Bare + 'a, Absent>) -> Seat<'a> {
            made.map(|bare| -> Box<dyn Bare + 'a> { Box::new(bare) })
        }
        Ok(match self {
            Found::OpenSsl(api) => boxed(openssl::OpenSsl::new(api, buffers)?),
            Found::IpsecMb(api) => boxed(ipsec_mb::IpsecMb::new(api, buffers)?),
            #[cfg(feature = "ring")]
            Found::Ring => boxed(ring::new(buffers)),
            #[cfg(feature = "aws-lc-rs")]
            Found::AwsLcRs => boxed(aws_lc::new(buffers)),
            #[cfg(feature = "secp256k1")]
            Found::Secp256k1 => boxed(secp256k1::new(buffers)),
        })
    }
}

/// Finds a peer and asks for its version.
///
/// # Errors
/// It is not installed, not one that is known how to call, or was left out of this program.
pub fn version(peer: Peer) -> Result<String, Absent> {
    match Found::find(peer) {
        Ok(found) => found.map(|found| found.version()),
        Err(error) => Err(Absent::because(peer, error)),
    }
}
