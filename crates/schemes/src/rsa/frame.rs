//! How numbers are made of messages, and outputs of numbers.

use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError};
use broadloom_engine::{
    Direction, HashAlgorithm, JobError, MAX_TAG, Padding, PrivateKey, PublicKey, Scheme, Transform,
};
use broadloom_lanes::Cpu;
use broadloom_public_key::RsaInputError;
use subtle::ConstantTimeEq;

use super::rejection::Rejection;
use super::{MAX_LEN, padding};
use crate::hasher::{HASHES, Hasher, digest_of};

/// All of an RSA session but the powers: its hash and its padding.
///
/// With an [`RsaHost`](super::RsaHost), a provider that computes the powers needs no padding of its
/// own.
pub struct RsaFrame {
    /// Which one it is.
    pub(super) id: u64,
    len: usize,
    scheme: Scheme,
    direction: Direction,
    rejection: Option<Rejection>,
}

impl RsaFrame {
    /// Makes the frame of a transform.
    ///
    /// # Errors
    /// The transform is none of RSA, or its hash is not known.
    pub fn new(transform: &Transform, cpu: &Cpu) -> Result<RsaFrame, ProviderError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let Some(Asymmetric { key, scheme, .. }) = transform.asymmetric() else {
            return Err(ProviderError::new("RSA needs a key"));
        };
        if !HASHES.contains(&scheme.hash()) {
            let hash = scheme.hash();
            return Err(ProviderError::new(format!("there is no RSA with {hash}")));
        }
        let needs_rejection =
            transform.direction() == Direction::Decrypt && scheme.of_rsa() == Padding::Pkcs1v15;
        let mut rejection = None;
        let modulus = match key {
            AnyKey::Private(PrivateKey::Rsa(key)) => {
                if needs_rejection {
                    rejection = Some(Rejection::new(key.d(), &mut Hasher::new(cpu)));
                }
                key.public().modulus()
            }
            AnyKey::Public(PublicKey::Rsa(key)) => key.modulus(),
            _ => return Err(ProviderError::new("the key is none of RSA")),
        };
        Ok(RsaFrame {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            len: modulus.len(),
            scheme: *scheme,
            direction: transform.direction(),
            rejection,
        })
    }

    /// Returns the bytes of the modulus, and of each number.
    #[expect(clippy::len_without_is_empty, reason = "no modulus is empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the most bytes of an output.
    pub fn bound(&self) -> usize {
        match self.direction {
            Direction::Verify => 0,
            _ => self.len,
        }
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    fn signs(&self) -> bool {
        matches!(self.direction, Direction::Sign | Direction::Verify)
    }

    /// Returns the hash of messages; `None` where there are no messages, or the caller has hashed
    /// them.
    pub fn hashes(&self) -> Option<HashAlgorithm> {
        (self.signs() && !self.scheme.is_prehashed()).then_some(self.scheme.hash())
    }

    /// Makes the number that is raised to the exponent of the key, of the data and a signature.
    pub(super) fn number(
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
                let digest = digest_of(&self.scheme, input, digest)?;
                padding::sign_pss(hash, digest, salt_len, hasher, number)
            }
            (Direction::Sign, _) => {
                padding::sign_pkcs1(hash, digest_of(&self.scheme, input, digest)?, number)
            }
            (Direction::Verify, _) => {
                digest_of(&self.scheme, input, digest)?;
                whole(signature, number).map_err(|_| JobError::SignatureMismatch)
            }
            (Direction::Encrypt, Padding::Oaep) => {
                padding::encrypt_oaep(hash, input, hasher, number)
            }
            (Direction::Encrypt, Padding::Pkcs1v15) => padding::encrypt_pkcs1(input, number),
            _ => whole(input, number),
        }
    }

    /// Returns what the job is told whose number is not below the modulus.
    pub fn too_large(&self, error: RsaInputError) -> JobError {
        match (error, self.direction, self.scheme.of_rsa()) {
            (RsaInputError::TooLarge, Direction::Verify, _) => JobError::SignatureMismatch,
            (RsaInputError::TooLarge, _, Padding::None) => JobError::NotBelowModulus,
            (RsaInputError::TooLarge, Direction::Decrypt, _) => JobError::Decryption,
            _ => JobError::NotDone,
        }
    }

    /// Makes the output of the number that was raised to a power. Returns its length.
    pub(super) fn result(
        &self,
        (number, input): (&[u8], &[u8]),
        digest: &[u8; MAX_TAG],
        hasher: &mut Hasher,
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        let hash = self.scheme.hash();
        match (self.direction, self.scheme.of_rsa()) {
            (Direction::Verify, Padding::Pss { .. } | Padding::PssAnySalt) => {
                let salt_len = match self.scheme.of_rsa() {
                    Padding::Pss { salt_len } => Some(salt_len),
                    _ => None,
                };
                let digest = digest_of(&self.scheme, input, digest)?;
                let is_right = padding::verify_pss(hash, digest, salt_len, hasher, number);
                if is_right { Ok(0) } else { Err(JobError::SignatureMismatch) }
            }
            (Direction::Verify, _) => {
                let mut expected = [0; MAX_LEN];
                let expected = &mut expected[..number.len()];
                padding::sign_pkcs1(hash, digest_of(&self.scheme, input, digest)?, expected)?;
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
