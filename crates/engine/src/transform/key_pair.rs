//! What a transform of a public-key algorithm holds: its key, its scheme and its context.

use crate::keys::{HybridPrivateKey, PrivateKey, PublicKey};
use crate::scheme::Scheme;

/// What a transform of a [public-key algorithm](crate::PublicKeyAlgorithm) has in place of bytes of
/// a key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Asymmetric {
    /// The key.
    pub key: AnyKey,
    /// The hash and the padding.
    pub scheme: Scheme,
    /// The context string that messages are signed under; empty for most.
    pub context: Vec<u8>,
}

/// A private or a public key, or the private key of a hybrid.
#[derive(Debug, Clone)]
pub enum AnyKey {
    /// For signing, decrypting, agreeing and decapsulating.
    Private(PrivateKey),
    /// For verifying and encrypting.
    Public(PublicKey),
    /// For decapsulating with a hybrid.
    Hybrid(HybridPrivateKey),
}
