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
//! Two options, given to [`OpenSsl::load`]:
//!
//! - `contexts`: `per-queue-pair` is the above. `per-job` copies and frees a context for every
//!   buffer, to be measured against.
//! - `queue-pairs`: how many queues can be open at a time, 64 if it is not given. A session has a
//!   pointer for each. With 1 there are no copies: the only queue uses the session's own context.
//!
//! # What is broken
//!
//! OpenSSL keeps RC4 and single DES in a module of its own, `legacy`, which it does not load by
//! itself. With the feature `legacy` this crate loads the module, in a library context of its own,
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
