//! P-256 (SP 800-186, 3.2.1.3): ECDSA and ECDH.
//!
//! Each multiplication of a point has a lane. Numbers modulo the order are computed with on
//! integers, as are inverses, of which a group shares one.

mod key;
pub(crate) mod multiply;
pub(crate) mod points;
mod tasks;

pub use key::{P256KeyError, P256PrivateKey, P256PublicKey};
pub(super) use tasks::{agree, sign, verify};
