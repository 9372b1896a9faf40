//! Keys of RSA, as the lanes have them.

use broadloom_engine::provider::{AnyKey, ProviderError};
use broadloom_engine::{PrivateKey, PublicKey, RsaPrivateKey, RsaPublicKey, Transform};
use broadloom_public_key::RsaParts;

/// A key, as the lanes have it.
pub enum RsaKey {
    /// A private key.
    Private(broadloom_public_key::RsaPrivateKey),
    /// A public key.
    Public(Box<broadloom_public_key::RsaPublicKey>),
}

impl RsaKey {
    /// Makes the key of a transform.
    ///
    /// # Errors
    /// It is none of RSA, or its numbers break a rule, which the error names.
    pub fn new(transform: &Transform) -> Result<RsaKey, ProviderError> {
        match transform.asymmetric().map(|asymmetric| &asymmetric.key) {
            Some(AnyKey::Private(PrivateKey::Rsa(key))) => Ok(RsaKey::Private(private(key)?)),
            Some(AnyKey::Public(PublicKey::Rsa(key))) => Ok(RsaKey::Public(Box::new(public(key)?))),
            _ => Err(ProviderError::new("the key is none of RSA")),
        }
    }

    /// Returns the public key, or that of the private one.
    pub fn public(&self) -> &broadloom_public_key::RsaPublicKey {
        match self {
            RsaKey::Private(key) => key.public(),
            RsaKey::Public(key) => key,
        }
    }
}

fn private(key: &RsaPrivateKey) -> Result<broadloom_public_key::RsaPrivateKey, ProviderError> {
    let parts = RsaParts {
        modulus: key.public().modulus(),
        public_exponent: key.public().exponent(),
        primes: [key.p(), key.q()],
        exponents: [key.dp(), key.dq()],
        coefficient: key.qinv(),
    };
    broadloom_public_key::RsaPrivateKey::new(&parts).map_err(refused)
}

fn public(key: &RsaPublicKey) -> Result<broadloom_public_key::RsaPublicKey, ProviderError> {
    broadloom_public_key::RsaPublicKey::new(key.modulus(), key.exponent()).map_err(refused)
}

/// Returns an error of the lanes as the engine has it.
fn refused(error: impl std::error::Error) -> ProviderError {
    ProviderError::new(error.to_string())
}
