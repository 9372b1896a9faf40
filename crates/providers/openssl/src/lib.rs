//! OpenSSL's libcrypto, found at run time, as a provider for Broadloom.
//!
//! [`OpenSsl`] is the provider. Nothing of OpenSSL is needed to build; where there is no libcrypto
//! of version 3, [`OpenSsl::load`] says why. [`evp`] is what it is built on: libcrypto's own
//! interface, safe.
//!
//! # Contexts
//!
//! An EVP context belongs to one thread at a time, a session to all. So a session has one context
//! with everything in it that is set once (implementation, key, direction, padding off), and each
//! queue makes its own copy of it when it first meets the session, and keeps it. After that an
//! operation sets an IV and works: it copies nothing, and writes nothing that another thread reads,
//! not even the reference counts that every copy of a context touches.
//!
//! The options, given to [`OpenSsl::load`]; the default, which is the first value, is the fastest:
//!
//! - `contexts`: `per-queue-pair` is the above. `ciphers-per-queue-pair` is the same for ciphers,
//!   AEADs and public keys, while hashes and MACs are as in `per-job`, which copies and frees a
//!   context for every job. With `locked`, all queues use the session's own context, behind a lock.
//! - `queue-pairs`: how many queues can be open at a time, 64 if it is not given. A session has a
//!   pointer for each. With 1 there are no copies: the only queue uses the session's own context.
//! - `keys`: `once` or `per-job`, which has every job of 3DES-CTR look up its cipher and set its
//!   key.
//! - `padding`: `once` or `per-job`, which has every job of a cipher switch padding off, twice.
//! - `ivs`: `chained` or `per-job`. CBC gets no IV while its messages continue one chain, whose
//!   first blocks are corrected; or every job sets its IV.
//!
//! The values that are no defaults do what DPDK's OpenSSL driver did before the patches of source
//! 002 (*OpenSSL PMD Optimisations*, 2024), so that their gain can be measured. One of its states
//! is not offered: AEADs shared one context among threads without a lock, so that messages of two
//! threads were mixed up. `locked` is that state made safe, and `queue-pairs=1` costs what it did.
//! Nor are contexts copied before they are needed: this costs memory for queues that never meet
//! the session, and gains nothing after the first job.
//!
//! # What is broken
//!
//! OpenSSL keeps RC4 and single DES in a module of its own, `legacy`, which it does not load by
//! itself. With the option `legacy=yes` this crate loads the module, in a library context of its own,
//! which the rest of the process does not see. Where the module is not installed, the provider
//! lacks these algorithms.

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod aead;
mod algorithms;
mod cbc;
mod contexts;
mod des_ctr;
mod direct;
pub mod evp;
mod generate;
mod hash;
mod mac;
mod options;
mod provider;
mod public_key;
mod queue;
mod session;
mod slots;
#[cfg(all(test, not(loom)))]
mod tests;

pub use generate::{GenerateError, generate_ec, generate_rsa};
pub use options::LoadError;
pub use provider::{OpenSsl, factory};
