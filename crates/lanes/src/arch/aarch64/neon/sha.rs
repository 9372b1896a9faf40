//! The SHA extensions of AArch64.
//!
//! By Arm's optimisation guides (Neoverse N1, N2, V1) one of these instructions starts every cycle.
//! A group of rounds has four of them and takes four cycles in SHA-1, five in SHA-256 and six in
//! SHA-512 before the next can start; so one buffer nearly fills the unit and two do, at about one
//! cycle a byte, and four lanes of plain NEON would take twice as long. Four are interleaved where
//! that costs next to no spilled registers, for cores that have two such units; of SHA-512, with
//! twice the registers to a buffer, two.

mod sha1;
mod sha256;
mod sha512;

pub(crate) use sha1::{SHA1, wide_sha1};
pub(crate) use sha256::{SHA256, wide_sha256};
pub(crate) use sha512::{SHA512, wide_sha512};
