//! ECDSA and ECDH on P-256, P-384 and P-521 (SP 800-186, 3.2.1), and on secp256k1 (SEC 2, 2.4.1).
//!
//! Each multiplication of a point has a lane. Numbers modulo the order are computed with on
//! integers, as are inverses, of which a group shares one.

mod key;
mod operation;
mod tasks;

use crate::kernels::curves::weierstrass::p256::P256;
use crate::kernels::curves::weierstrass::p384::P384;
use crate::kernels::curves::weierstrass::p521::P521;
use crate::kernels::curves::weierstrass::secp256k1::Secp256k1;

#[cfg(test)]
pub(super) use key::{PrivateKey, PublicKey};
pub(super) use operation::PointOperation;
pub(super) use tasks::compute;

/// A private key on P-256, or a nonce.
pub type P256PrivateKey = key::PrivateKey<P256, 4>;

/// A public key on P-256.
pub type P256PublicKey = key::PublicKey<P256, 4>;

/// A private key on P-384, or a nonce.
pub type P384PrivateKey = key::PrivateKey<P384, 6>;

/// A public key on P-384.
pub type P384PublicKey = key::PublicKey<P384, 6>;

/// A private key on P-521, or a nonce.
pub type P521PrivateKey = key::PrivateKey<P521, 9>;

/// A public key on P-521.
pub type P521PublicKey = key::PublicKey<P521, 9>;

/// A private key on secp256k1, or a nonce.
pub type Secp256k1PrivateKey = key::PrivateKey<Secp256k1, 4>;

/// A public key on secp256k1.
pub type Secp256k1PublicKey = key::PublicKey<Secp256k1, 4>;
