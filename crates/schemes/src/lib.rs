//! The parts of public-key schemes that are not arithmetic.
//!
//! A scheme makes a number of a message, has it raised to a power or a point multiplied by it, and
//! makes a signature, a message or a verdict of the result. The arithmetic differs between
//! providers: lanes of the CPU, a GPU. Everything else is the same, and is here:
//!
//! - [`rsa`]: paddings (RFC 8017), blinds, and messages in place of wrong ones;
//! - [`ecdsa`]: nonces (RFC 6979), and signatures in DER;
//! - [`Hasher`]: digests of many messages at a time, which both of them need;
//! - [`prehash`]: the hashes whose digests ML-DSA and SLH-DSA sign;
//! - [`random`]: random bytes of the system.
//!
//! No branch and no address depends on a secret, and what is secret is wiped after its use.

#![forbid(unsafe_code)]

pub mod ecdsa;
mod hasher;
mod prehash;
pub mod random;
pub mod rsa;

pub use hasher::{HASHES, Hasher, digest_of};
pub use prehash::prehash;
