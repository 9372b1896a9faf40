//! ECDSA: nonces that are made of the key and the message, and signatures in DER.

pub mod der;
pub mod nonce;

/// The most bytes of a scalar or of a coordinate.
pub const MAX_LEN: usize = 66;
