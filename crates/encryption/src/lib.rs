//! Encryption of inputs of any size into formats that other tools read, on all cores, and back.
//!
//! [`age`] is the format of age-encryption.org/v1, which authenticates. [`openssl`] is what
//! `openssl enc` reads and writes, which does not.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod age;
mod chunks;
mod ends;
mod error;
pub mod openssl;
mod random;

pub use chunks::Report;
pub use ends::{Input, Output, ReadAt, WriteAt};
pub use error::EncryptionError;
