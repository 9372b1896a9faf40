//! RSA (RFC 8017, FIPS 186-5): the operations with the private and with the public key, of which
//! signatures, encryption and their paddings are made elsewhere.
//!
//! The private operation uses the Chinese remainder theorem. Its two halves, one for each prime,
//! are in neighbouring lanes. The result is then raised to the public exponent, and is given out
//! only if that yields the input.

mod blinding;
mod constants;
mod error;
mod info;
mod job;
mod key;
mod lanes;
mod outcome;
mod public;
#[cfg(test)]
mod tests;

pub use blinding::{RsaBlind, RsaBlinding, RsaBlindingError};
pub use constants::{RsaConstants, RsaModulus};
pub use error::{RsaError, RsaInputError, RsaKeyError};
pub use job::RsaJob;
pub use key::{RsaParts, RsaPrivateKey};
pub use lanes::RsaLanes;
pub use outcome::RsaOutcome;
pub use public::RsaPublicKey;

/// Lengths of moduli, in bits.
const SIZES: [usize; 4] = [1024, 2048, 3072, 4096];
