//! Public-key algorithms: a context of `EVP_PKEY` for each session, copied as others are.

use broadloom_engine::provider::{AnyKey, Asymmetric, ProviderError, PublicKeyParts};
use broadloom_engine::{
    Algorithm, Direction, EcPublicKey, JobError, Padding, PublicKeyAlgorithm, Transform,
};
use zeroize::Zeroizing;

use crate::algorithms::digest_name;
use crate::contexts::{Contexts, Held, job_error};
use crate::evp::{DigestContext, EvpError, Key, KeyContext, KeyUse, Libcrypto, RsaPadding};
use crate::session::{OpenSslSession, Workshop};
use crate::slots::Number;

/// A session of a public-key algorithm.
pub(crate) struct PublicKey {
    library: &'static Libcrypto,
    algorithm: PublicKeyAlgorithm,
    key: Key,
    contexts: Contexts<Started>,
    /// What has to be hashed first.
    digest: Option<DigestContext>,
    digest_len: usize,
    what: KeyUse,
    padding: Padding,
    /// Room for what is made.
    pub output_len: usize,
}

/// A context that is started; Ed25519 starts one for each message.
pub(crate) enum Started {
    Key(KeyContext),
    Message,
}

impl crate::contexts::Duplicate for Started {
    fn duplicate(&self) -> Result<Self, EvpError> {
        match self {
            Started::Key(context) => Ok(Started::Key(context.duplicate()?)),
            Started::Message => Ok(Started::Message),
        }
    }
}

/// Returns `true` if libcrypto has a public-key algorithm.
pub(crate) fn supports(algorithm: PublicKeyAlgorithm) -> bool {
    matches!(
        algorithm,
        PublicKeyAlgorithm::Rsa(_)
            | PublicKeyAlgorithm::Ecdsa(_)
            | PublicKeyAlgorithm::Ecdh(_)
            | PublicKeyAlgorithm::X25519
            | PublicKeyAlgorithm::Ed25519
    )
}

impl Workshop<'_> {
    pub(crate) fn public_key(&self, transform: &Transform) -> Result<PublicKey, ProviderError> {
        let library = self.library;
        let (Algorithm::PublicKey(algorithm), Some(Asymmetric { key, scheme, .. })) =
            (transform.algorithm(), transform.asymmetric())
        else {
            return Err(ProviderError::new("a public-key algorithm needs a key"));
        };
        let refused = |error: EvpError| {
            ProviderError::new(format!("{} refuses the key: {error}", library.short_version()))
        };
        let key = match key {
            AnyKey::Private(key) => {
                let opened = Key::private(library, &key.to_der()).map_err(refused)?;
                // A key of RSA whose numbers do not belong together would give its primes away.
                opened.check().map_err(refused)?;
                opened
            }
            AnyKey::Public(key) => Key::public(library, &key.to_der()).map_err(refused)?,
            AnyKey::Hybrid(key) => {
                return Err(ProviderError::new(format!("openssl has no use for {key:?}")));
            }
        };
        let what = match transform.direction() {
            Direction::Sign => KeyUse::Sign,
            Direction::Verify => KeyUse::Verify,
            Direction::Encrypt => KeyUse::Encrypt,
            Direction::Decrypt => KeyUse::Decrypt,
            _ => KeyUse::Agree,
        };
        let padding = scheme.of_rsa();
        if what == KeyUse::Decrypt && padding == Padding::Pkcs1v15 && !library.rejects_implicitly()
        {
            return Err(ProviderError::new(format!(
                "{} tells a wrong PKCS #1 v1.5 padding by an error, which gives plaintexts away; \
                 OAEP, or libcrypto from version 3.2 on, does not",
                library.short_version()
            )));
        }
        let digest = self.algorithms.digest(scheme.hash())?;
        let rsa = match (algorithm, padding) {
            (PublicKeyAlgorithm::Rsa(_), Padding::Pss { salt_len }) => {
                Some((RsaPadding::Pss(Some(salt_len)), digest))
            }
            (PublicKeyAlgorithm::Rsa(_), Padding::PssAnySalt) => {
                Some((RsaPadding::Pss(None), digest))
            }
            (PublicKeyAlgorithm::Rsa(_), Padding::Oaep) => Some((RsaPadding::Oaep, digest)),
            (PublicKeyAlgorithm::Rsa(_), Padding::None) => Some((RsaPadding::None, digest)),
            (PublicKeyAlgorithm::Rsa(_), _) => Some((RsaPadding::Pkcs1v15, digest)),
            _ => None,
        };
        let started = match algorithm {
            PublicKeyAlgorithm::Ed25519 => Ok(Started::Message),
            _ => KeyContext::new(&key, what, rsa).map(Started::Key),
        };
        let signs = matches!(what, KeyUse::Sign | KeyUse::Verify);
        let hashes = signs && algorithm != PublicKeyAlgorithm::Ed25519 && !scheme.is_prehashed();
        let digest_len = scheme.hash().digest_len();
        let digest = match hashes {
            true => Some(DigestContext::new(digest).map_err(|error| self.failed(error))?),
            false => None,
        };
        let output_len = match what {
            KeyUse::Verify => 0,
            _ => key.output_len(),
        };
        let contexts = self.contexts(started)?;
        Ok(PublicKey {
            library,
            algorithm,
            key,
            contexts,
            digest,
            digest_len,
            what,
            padding,
            output_len,
        })
    }

    /// The algorithm and its hash, in words.
    pub(crate) fn public_key_name(transform: &Transform) -> String {
        let algorithm = transform.algorithm();
        let scheme = transform.asymmetric().map(|asymmetric| asymmetric.scheme);
        let signs = matches!(transform.direction(), Direction::Sign | Direction::Verify);
        match scheme {
            Some(scheme) if signs => {
                let hash = digest_name(scheme.hash());
                format!("{algorithm} {}", hash.to_string_lossy())
            }
            _ => algorithm.to_string(),
        }
    }
}

impl PublicKey {
    /// Does an operation's work. Returns the bytes of output.
    pub(crate) fn run(
        &self,
        number: &mut Number,
        parts: PublicKeyParts<'_, OpenSslSession>,
    ) -> Result<usize, JobError> {
        let PublicKeyParts { input, signature, output, .. } = parts;
        let mut digest = Zeroizing::new([0; broadloom_engine::MAX_TAG]);
        let hashed = self.hashed(input, &mut digest)?;
        let mut held = Held::Nothing;
        let context = match self.contexts.get(number, &mut held).map_err(job_error)? {
            Started::Key(context) => context,
            Started::Message => return self.run_ed25519(input, signature, output),
        };
        match self.what {
            KeyUse::Sign => context.sign(hashed, output).map_err(job_error),
            KeyUse::Verify if self.has_length(signature) && context.verify(hashed, signature) => {
                Ok(0)
            }
            KeyUse::Verify => Err(JobError::SignatureMismatch),
            KeyUse::Encrypt => {
                self.check_input(input)?;
                context.encrypt(input, output).map_err(|error| self.refused(error))
            }
            KeyUse::Decrypt => {
                self.check_input(input)?;
                context.decrypt(input, output).map_err(|error| self.refused(error))
            }
            KeyUse::Agree => {
                let other = self.other(input)?;
                context.agree(&other, output).map_err(|_| JobError::PublicKey)
            }
        }
    }

    /// The digest of a message; or the input, where it is not hashed here.
    fn hashed<'h>(
        &self,
        input: &'h [u8],
        room: &'h mut [u8; broadloom_engine::MAX_TAG],
    ) -> Result<&'h [u8], JobError> {
        let signs = matches!(self.what, KeyUse::Sign | KeyUse::Verify);
        let Some(context) = &self.digest else {
            let is_digest = input.len() == self.digest_len;
            if signs && !is_digest && self.algorithm != PublicKeyAlgorithm::Ed25519 {
                let (min, max) = (self.digest_len, self.digest_len);
                return Err(JobError::InputLength { len: input.len(), min, max });
            }
            return Ok(input);
        };
        let hash = |mut context: DigestContext| {
            context.update(input)?;
            context.finish(room.as_mut_slice())
        };
        context.duplicate().and_then(hash).map_err(job_error)?;
        Ok(&room[..self.digest_len])
    }

    /// Returns `true` if a signature is as long as all of this key's are: those of RSA are as long
    /// as the modulus (RFC 8017, 8.1.2 and 8.2.2). OpenSSL also takes a signature with PSS whose
    /// leading zeros are missing.
    fn has_length(&self, signature: &[u8]) -> bool {
        match self.algorithm {
            PublicKeyAlgorithm::Rsa(size) => signature.len() == size.modulus_len(),
            _ => true,
        }
    }

    /// That RSA takes data of this length.
    fn check_input(&self, input: &[u8]) -> Result<(), JobError> {
        let PublicKeyAlgorithm::Rsa(size) = self.algorithm else { return Ok(()) };
        let (len, modulus_len) = (input.len(), size.modulus_len());
        let (min, max) = match (self.what, self.padding) {
            (KeyUse::Decrypt, _) | (_, Padding::None) => (modulus_len, modulus_len),
            (_, Padding::Oaep) => (0, modulus_len - 2 * self.digest_len - 2),
            _ => (0, modulus_len - 11),
        };
        match (min..=max).contains(&len) {
            true => Ok(()),
            false => Err(JobError::InputLength { len, min, max }),
        }
    }

    /// Why RSA refuses data of the right length.
    fn refused(&self, error: EvpError) -> JobError {
        match (self.what, self.padding) {
            (_, Padding::None) => JobError::NotBelowModulus,
            (KeyUse::Decrypt, _) => JobError::Decryption,
            _ => job_error(error),
        }
    }

    fn run_ed25519(
        &self,
        message: &[u8],
        signature: &[u8],
        output: &mut [u8],
    ) -> Result<usize, JobError> {
        if self.what == KeyUse::Verify {
            let is_right = self.key.verify_message(message, signature).map_err(job_error)?;
            return if is_right { Ok(0) } else { Err(JobError::SignatureMismatch) };
        }
        let room = output.first_chunk_mut().ok_or(JobError::NotDone)?;
        self.key.sign_message(message, room).map_err(job_error)?;
        Ok(room.len())
    }

    /// The other side's public key.
    fn other(&self, bytes: &[u8]) -> Result<Key, JobError> {
        let wrong_length =
            |valid| JobError::InputLength { len: bytes.len(), min: valid, max: valid };
        let key = match self.algorithm {
            PublicKeyAlgorithm::X25519 => {
                let bytes = bytes.try_into().map_err(|_| wrong_length(32))?;
                Key::x25519(self.library, bytes)
            }
            PublicKeyAlgorithm::Ecdh(curve) if bytes.len() != curve.point_len() => {
                return Err(wrong_length(curve.point_len()));
            }
            PublicKeyAlgorithm::Ecdh(curve) => {
                let point = EcPublicKey::new(curve, bytes).map_err(|_| JobError::PublicKey)?;
                Key::public(self.library, &broadloom_engine::PublicKey::Ec(point).to_der())
            }
            _ => return Err(JobError::NotDone),
        };
        key.map_err(|_| JobError::PublicKey)
    }
}
