//! Objects: attributes, the key that they are, and the engine's sessions for the key.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use broadloom::public_key::{Padding, PrivateKey, PublicKey, PublicKeyAlgorithm, Scheme};
use broadloom::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, HashAlgorithm, MacAlgorithm, Registry, Session,
    Transform,
};
use cryptoki_sys::*;

use crate::attribute::Attributes;
use crate::key::{self, Key};
use crate::memory::{Outcome, wipe_deep_stack};

/// Where an object lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In memory, until a session is closed.
    Session(CK_SESSION_HANDLE),
    /// In a file of the token.
    Token(String),
}

/// An object. It never changes: a change puts another one in its place.
pub struct Object {
    pub attributes: Attributes,
    pub place: Place,
    key: Option<Key>,
    /// Sessions that were opened with the key. The engine expands a key once for each.
    sessions: Mutex<HashMap<Purpose, Opened>>,
}

/// A session of the engine, and another that does a job faster where the job is alone.
#[derive(Clone)]
pub struct Opened {
    pub session: Session,
    pub alone: Option<Session>,
}

/// What the engine does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    Sign(Scheme),
    Verify(Scheme),
    Encrypt(Scheme),
    Decrypt(Scheme),
    Agree,
    Encapsulate,
    Decapsulate,
    Mac { algorithm: MacAlgorithm, tag_len: usize, verifies: bool },
    Cipher { algorithm: CipherAlgorithm, encrypts: bool },
    Aead { algorithm: AeadAlgorithm, tag_len: usize, seals: bool },
}

impl Object {
    /// An object of attributes that an application has given, or that come from a file.
    ///
    /// # Errors
    /// As [`key::of_attributes`].
    pub fn new(mut attributes: Attributes, place: Place) -> Outcome<Object> {
        let key = key::of_attributes(&mut attributes)?;
        Ok(Object { attributes, place, key, sessions: Mutex::default() })
    }

    /// The key; of an object that is none, an error.
    ///
    /// # Errors
    /// `CKR_KEY_HANDLE_INVALID`.
    pub fn key(&self) -> Outcome<&Key> {
        self.key.as_ref().ok_or(CKR_KEY_HANDLE_INVALID)
    }

    /// Returns `true` if the object is in a token.
    pub fn is_in_token(&self) -> bool {
        matches!(self.place, Place::Token(_))
    }

    /// Checks the point of a public key of ECDSA: only the engine knows whether it is on its curve.
    ///
    /// # Errors
    /// `CKR_ATTRIBUTE_VALUE_INVALID`.
    pub fn check_point(&self, registry: &Registry) -> Outcome {
        let Some(Key::Public(PublicKey::Ec(key))) = &self.key else { return Ok(()) };
        let algorithm = Algorithm::PublicKey(PublicKeyAlgorithm::Ecdsa(key.curve()));
        if !registry.default_providers().any(|provider| provider.supports(algorithm)) {
            return Ok(());
        }
        let verifies = Purpose::Verify(Scheme::new(HashAlgorithm::Sha256));
        self.open(registry, verifies).map(drop).map_err(|_| CKR_ATTRIBUTE_VALUE_INVALID)
    }

    /// Checks that a private key of ML-KEM or ML-DSA is that of the seed beside it: only the engine
    /// makes keys of seeds.
    ///
    /// # Errors
    /// `CKR_TEMPLATE_INCONSISTENT`.
    pub fn check_seed(&self, registry: &Registry) -> Outcome {
        let (algorithm, seed, purpose) = match &self.key {
            Some(Key::Private(PrivateKey::MlKem(key))) => {
                (PublicKeyAlgorithm::MlKem(key.set()), key.seed(), Purpose::Decapsulate)
            }
            Some(Key::Private(PrivateKey::MlDsa(key))) => {
                let signs = Purpose::Sign(Scheme::default());
                (PublicKeyAlgorithm::MlDsa(key.set()), key.seed(), signs)
            }
            _ => return Ok(()),
        };
        let algorithm = Algorithm::PublicKey(algorithm);
        let is_known = registry.default_providers().any(|provider| provider.supports(algorithm));
        if seed.is_none() || !is_known {
            return Ok(());
        }
        let opened = self.open(registry, purpose);
        opened.map(drop).map_err(|_| CKR_TEMPLATE_INCONSISTENT)
    }

    /// Opens the engine's session for signatures under a context string. It is not kept: there are
    /// as many contexts as a caller thinks of.
    ///
    /// # Errors
    /// As [`open`](Object::open).
    pub fn open_under(
        &self,
        registry: &Registry,
        purpose: Purpose,
        context: &[u8],
    ) -> Outcome<Opened> {
        if context.is_empty() {
            return self.open(registry, purpose);
        }
        let transform = purpose.transform(self.key()?)?.context(context);
        let opened = open(registry, &transform.map_err(|_| CKR_MECHANISM_PARAM_INVALID)?);
        wipe_deep_stack();
        opened
    }

    /// The engine's session for a purpose.
    ///
    /// # Errors
    /// `CKR_KEY_TYPE_INCONSISTENT`, `CKR_KEY_SIZE_RANGE`, `CKR_MECHANISM_INVALID` where no provider
    /// has it.
    pub fn open(&self, registry: &Registry, purpose: Purpose) -> Outcome<Opened> {
        let found = lock(&self.sessions).get(&purpose).cloned();
        if let Some(session) = found {
            return Ok(session);
        }
        // Not under the lock: a provider is foreign code. Of two threads, one opens it in vain.
        let key = self.key()?;
        let transform = purpose.transform(key)?;
        let mut opened = open(registry, &transform)?;
        if purpose.is_faster_apart(key) && opened.session.provider() == "native" {
            opened.alone = registry.open_at("openssl", &transform).ok();
        }
        wipe_deep_stack();
        lock(&self.sessions).insert(purpose, opened.clone());
        Ok(opened)
    }
}

/// Opens a session at the first provider that can.
///
/// # Errors
/// `CKR_MECHANISM_INVALID`.
pub fn open(registry: &Registry, transform: &Transform) -> Outcome<Opened> {
    let session = registry.open(transform).map_err(|_| CKR_MECHANISM_INVALID)?;
    Ok(Opened { session, alone: None })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Purpose {
    /// Returns `true` if libcrypto does one job faster than lanes of which most are empty: private
    /// operations of RSA. Lanes take as long for one as for several.
    fn is_faster_apart(self, key: &Key) -> bool {
        let is_rsa = matches!(key, Key::Private(PrivateKey::Rsa(_)));
        match self {
            Purpose::Sign(_) => is_rsa,
            // What comes of a wrong padding is the provider's own choice. If it changed from one
            // call to the next, it would tell that the padding is wrong.
            Purpose::Decrypt(scheme) => is_rsa && scheme.of_rsa() != Padding::Pkcs1v15,
            _ => false,
        }
    }

    fn transform(self, key: &Key) -> Outcome<Transform> {
        let transform = match (self, key) {
            (Purpose::Sign(scheme), Key::Private(key)) => Transform::sign(key, scheme),
            (Purpose::Decrypt(scheme), Key::Private(key)) => Transform::rsa_decrypt(key, scheme),
            (Purpose::Agree, Key::Private(key)) => Transform::agree(key),
            (Purpose::Encapsulate, Key::Public(PublicKey::MlKem(key))) => {
                Transform::encapsulate(PublicKeyAlgorithm::MlKem(key.set()))
            }
            (Purpose::Decapsulate, Key::Private(key)) => Transform::decapsulate(key),
            (Purpose::Verify(scheme), Key::Public(key)) => Transform::verify(key, scheme),
            (Purpose::Encrypt(scheme), Key::Public(key)) => Transform::rsa_encrypt(key, scheme),
            (Purpose::Mac { algorithm, tag_len, verifies }, Key::Secret(key)) => {
                let builder = Transform::mac(algorithm, key).tag_len(tag_len);
                if verifies { builder.verify() } else { builder.generate() }
            }
            (Purpose::Cipher { algorithm, encrypts }, Key::Secret(key)) => {
                let builder = Transform::cipher(algorithm, key);
                if encrypts { builder.encrypt() } else { builder.decrypt() }
            }
            (Purpose::Aead { algorithm, tag_len, seals }, Key::Secret(key)) => {
                let builder = Transform::aead(algorithm, key).tag_len(tag_len);
                if seals { builder.seal() } else { builder.open() }
            }
            _ => return Err(CKR_KEY_TYPE_INCONSISTENT),
        };
        transform.map_err(|_| CKR_KEY_SIZE_RANGE)
    }
}
