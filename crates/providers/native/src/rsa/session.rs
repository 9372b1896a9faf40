//! Sessions of RSA: a key, and how numbers are made of messages.

use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, ProviderSession};
use broadloom_engine::{
    Direction, HashAlgorithm, JobError, MAX_TAG, Padding, PrivateKey, PublicKey, RsaPrivateKey,
    RsaPublicKey, Scheme, Transform,
};
use broadloom_lanes::{Cpu, RsaInputError, RsaParts};
use subtle::ConstantTimeEq;

use super::rejection::Rejection;
use super::{Rsa, has_hash, padding};
use crate::hasher::Hasher;
use crate::kind::{Opened, laned, refused};
use crate::kinds::Numbered;

/// A session of RSA.
pub(crate) struct RsaSession {
    /// Which one it is: a queue keeps a blinding for each.
    pub id: u64,
    pub key: Key,
    scheme: Scheme,
    direction: Direction,
    rejection: Option<Rejection>,
    kernel: String,
}

/// The key, as the lanes have it.
pub(crate) enum Key {
    Private(broadloom_lanes::RsaPrivateKey),
    Public(Box<broadloom_lanes::RsaPublicKey>),
}

/// Opens a session of RSA.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let Some(Asymmetric { key, scheme, .. }) = transform.asymmetric() else {
        return Err(ProviderError::new("RSA needs a key"));
    };
    if !has_hash(scheme.hash()) {
        let hash = scheme.hash();
        return Err(ProviderError::new(format!("native has no RSA with {hash}")));
    }
    let needs_rejection =
        transform.direction() == Direction::Decrypt && scheme.of_rsa() == Padding::Pkcs1v15;
    let mut rejection = None;
    let key = match key {
        AnyKey::Private(PrivateKey::Rsa(key)) => {
            if needs_rejection {
                rejection = Some(Rejection::new(key.d(), &mut Hasher::new(cpu)));
            }
            Key::Private(private(key)?)
        }
        AnyKey::Public(PublicKey::Rsa(key)) => Key::Public(Box::new(public(key)?)),
        _ => return Err(ProviderError::new("the key is none of RSA")),
    };
    Ok(Box::new(RsaSession {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        key,
        scheme: *scheme,
        direction: transform.direction(),
        rejection,
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

impl RsaSession {
    /// Bytes of the modulus.
    pub fn len(&self) -> usize {
        match &self.key {
            Key::Private(key) => key.size(),
            Key::Public(key) => key.size(),
        }
    }

    fn signs(&self) -> bool {
        matches!(self.direction, Direction::Sign | Direction::Verify)
    }

    /// The hash of messages; `None` where there are no messages, or the caller has hashed them.
    pub fn hashes(&self) -> Option<HashAlgorithm> {
        (self.signs() && !self.scheme.is_prehashed()).then_some(self.scheme.hash())
    }

    /// The digest of a message, of which `digest` is what was hashed here.
    fn digest<'d>(&self, input: &'d [u8], digest: &'d [u8; MAX_TAG]) -> Result<&'d [u8], JobError> {
        let len = self.scheme.hash().digest_len();
        match self.scheme.is_prehashed() {
            false => Ok(&digest[..len]),
            true if input.len() == len => Ok(input),
            true => Err(JobError::InputLength { len: input.len(), min: len, max: len }),
        }
    }

    /// Makes the number that is raised to the exponent of the key, of the data and a signature.
    pub fn number(
        &self,
        (input, signature): (&[u8], &[u8]),
        digest: &[u8; MAX_TAG],
        hasher: &mut Hasher,
        number: &mut [u8],
    ) -> Result<(), JobError> {
        let (hash, len) = (self.scheme.hash(), number.len());
        let whole = |bytes: &[u8], number: &mut [u8]| match bytes.len() == len {
            true => {
                number.copy_from_slice(bytes);
                Ok(())
            }
            false => Err(JobError::InputLength { len: bytes.len(), min: len, max: len }),
        };
        match (self.direction, self.scheme.of_rsa()) {
            (Direction::Sign, Padding::Pss { salt_len }) => {
                let digest = self.digest(input, digest)?;
                padding::sign_pss(hash, digest, salt_len, hasher, number)
            }
            (Direction::Sign, _) => padding::sign_pkcs1(hash, self.digest(input, digest)?, number),
            (Direction::Verify, _) => {
                self.digest(input, digest)?;
                whole(signature, number).map_err(|_| JobError::SignatureMismatch)
            }
            (Direction::Encrypt, Padding::Oaep) => {
                padding::encrypt_oaep(hash, input, hasher, number)
            }
            (Direction::Encrypt, Padding::Pkcs1v15) => padding::encrypt_pkcs1(input, number),
            _ => whole(input, number),
        }
    }

    /// What a number that is not below the modulus means.
    pub fn too_large(&self, error: RsaInputError) -> JobError {
        match (error, self.direction, self.scheme.of_rsa()) {
            (RsaInputError::TooLarge, Direction::Verify, _) => JobError::SignatureMismatch,
            (RsaInputError::TooLarge, _, Padding::None) => JobError::NotBelowModulus,
            (RsaInputError::TooLarge, Direction::Decrypt, _) => JobError::Decryption,
            _ => JobError::NotDone,
        }
    }

    /// Makes the output of what came back from the lanes. Returns its length.
    pub fn result(
        &self,
        (number, input): (&[u8], &[u8]),
        digest: &[u8; MAX_TAG],
        hasher: &mut Hasher,
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let hash = self.scheme.hash();
        match (self.direction, self.scheme.of_rsa()) {
            (Direction::Verify, Padding::Pss { salt_len }) => {
                let digest = self.digest(input, digest)?;
                let is_right = padding::verify_pss(hash, digest, salt_len, hasher, number);
                if is_right { Ok(0) } else { Err(JobError::SignatureMismatch) }
            }
            (Direction::Verify, _) => {
                let mut expected = [0; super::MAX_LEN];
                let expected = &mut expected[..number.len()];
                padding::sign_pkcs1(hash, self.digest(input, digest)?, expected)?;
                let is_right = broadloom_lanes::public((*expected).ct_eq(number));
                if is_right { Ok(0) } else { Err(JobError::SignatureMismatch) }
            }
            (Direction::Decrypt, Padding::Oaep) => {
                padding::decrypt_oaep(hash, number, hasher, output)
            }
            (Direction::Decrypt, Padding::Pkcs1v15) => match &self.rejection {
                Some(rejection) => Ok(rejection.decrypt(number, input, hasher, output)),
                None => Err(JobError::NotDone),
            },
            _ => {
                output[..number.len()].copy_from_slice(number);
                Ok(number.len())
            }
        }
    }
}

impl ProviderSession for RsaSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn class(&self) -> u8 {
        Rsa::CLASS
    }

    fn bound(&self, _: usize) -> usize {
        match self.direction {
            Direction::Verify => 0,
            _ => self.len(),
        }
    }
}
