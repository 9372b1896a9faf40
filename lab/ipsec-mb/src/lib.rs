//! Intel's multi-buffer library for IPsec (libIPSec_MB 1.3 to 3.0), found at run time, as a
//! provider for Broadloom.
//!
//! The [releases](layout::RELEASES) whose layout is known are 1.3, 1.4, 1.5, 2.0 and 3.0. Another
//! version is refused by name.
//!
//! It is the peer that Broadloom's own lanes are measured against, behind the same traits; so it is
//! only used where it is asked for by name.
//!
//! ```no_run
//! use std::sync::Arc;
//! use broadloom_engine::{HashAlgorithm, Session, Transform};
//! use broadloom_ipsec_mb::IpsecMb;
//!
//! let provider = Arc::new(IpsecMb::load(&[])?);
//! let session = Session::open(provider, &Transform::hash(HashAlgorithm::Sha256))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it has
//!
//! | algorithms | how | longest text in bytes |
//! |---|---|---|
//! | SHA-1, SHA-224 to SHA-512; HMAC with these and MD5 | lanes | 65,534 |
//! | AES-CBC, encrypting | lanes | 65,520 |
//! | AES-CBC, decrypting | one after another | none |
//! | AES-CTR | one after another | 2^36 |
//! | AES-ECB | one after another | 65,520 |
//! | DES-CBC, 3DES-CBC | lanes on AVX-512, else one after another | 65,528 |
//! | KASUMI F8 | one after another | 2,500 |
//! | AES-CMAC with keys of 128 and 256 bits | lanes | 65,534 |
//! | AES-CCM-128 and -256, associated data of at most 46 bytes | lanes for the MAC | 65,534 |
//! | AES-GCM, AES-GMAC, ChaCha20-Poly1305 | one after another | those of the algorithm |
//!
//! Not in it: plain MD5, DES and 3DES in other modes, AES-192 in CMAC and CCM, AES-CFB, AES-OFB,
//! AES-XTS, AES-XCBC, ChaCha20 alone, XChaCha20-Poly1305, KASUMI F9 and RC4. A text that is longer
//! than the library can count fails with
//! [`JobError::TooLong`](broadloom_engine::JobError::TooLong), associated data with
//! [`JobError::AssociatedTooLong`](broadloom_engine::JobError::AssociatedTooLong).
//!
//! # Where it falls short of the engine, and what is done about it
//!
//! - It refuses to authenticate an empty message by HMAC: the tag of the empty message is made when
//!   the session is opened.
//! - It has no plain MD5, which HMAC-MD5 needs for keys of more than 64 bytes: the crate `md-5` is
//!   used where keys are prepared, and nowhere else.
//! - Its AES-CTR counts in the last 32 bits of the counter block alone: a buffer whose counter
//!   passes 2^32 is given to it in two parts.

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod bare;
pub mod keys;
pub mod layout;
pub mod library;

mod burst;
mod fill;
mod gcm;
pub mod packets;
mod provider;
mod queue;
mod rules;
mod session;
#[cfg(test)]
mod tests;

pub use provider::{IpsecMb, LoadError, factory};
