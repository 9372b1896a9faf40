//! The SHA extensions of AArch64.
//!
//! The instruction of four rounds takes four cycles (that of two rounds of SHA-512: two) and one can start
//! every cycle, but each waits for the one before (Arm's optimisation guides for Neoverse N1 and V1).
//! Even one buffer at a time is hashed faster than four in the lanes of plain NEON, so these kernels
//! serve few buffers and many.

mod sha1;
mod sha256;
mod sha512;

pub(crate) use sha1::{SHA1, wide_sha1};
pub(crate) use sha256::{SHA256, wide_sha256};
pub(crate) use sha512::{SHA512, wide_sha512};
