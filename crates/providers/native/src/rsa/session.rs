//! Sessions of RSA: a key in the lanes, and its frame.

use broadloom_engine::provider::{AnyKey, ProviderError, ProviderSession};
use broadloom_engine::{PrivateKey, PublicKey, RsaPrivateKey, RsaPublicKey, Transform};
use broadloom_lanes::{Cpu, RsaParts};

use super::Rsa;
use super::frame::RsaFrame;
use crate::kind::{Opened, laned, refused};
use crate::kinds::Numbered;

/// A session of RSA.
pub(crate) struct RsaSession {
    pub key: RsaKey,
    pub frame: RsaFrame,
    kernel: String,
}

/// A key, as the lanes have it.
pub enum RsaKey {
    /// A private key.
    Private(broadloom_lanes::RsaPrivateKey),
    /// A public key.
    Public(Box<broadloom_lanes::RsaPublicKey>),
}

impl RsaKey {
    /// The key of a transform.
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

    /// The public key, or that of the private one.
    pub fn public(&self) -> &broadloom_lanes::RsaPublicKey {
        match self {
            RsaKey::Private(key) => key.public(),
            RsaKey::Public(key) => key,
        }
    }
}

/// Opens a session of RSA.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    Ok(Box::new(RsaSession {
        frame: RsaFrame::new(transform, cpu)?,
        key: RsaKey::new(transform)?,
        kernel: laned(cpu, "rsa"),
    }))
}

fn private(key: &RsaPrivateKey) -> Result<broadloom_lanes::RsaPrivateKey, ProviderError> {
    let parts = RsaParts {
        modulus: key.public().modulus(),
        public_exponent: key.public().exponent(),
        primes: [key.p(), key.q()],
        exponents: [key.dp(), key.dq()],
        coefficient: key.qinv(),
    };
    broadloom_lanes::RsaPrivateKey::new(&parts).map_err(refused)
}

fn public(key: &RsaPublicKey) -> Result<broadloom_lanes::RsaPublicKey, ProviderError> {
    broadloom_lanes::RsaPublicKey::new(key.modulus(), key.exponent()).map_err(refused)
}

impl ProviderSession for RsaSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn class(&self) -> u8 {
        Rsa::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        self.frame.bound()
    }
}
