//! Keys, and the engine's sessions with them.

use broadloom::{AeadAlgorithm, CipherAlgorithm, Session, Transform};
use zeroize::Zeroizing;

use crate::provider::REGISTRY;
use crate::stack::{wipe, with_room};

/// What the engine does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Encrypt(CipherAlgorithm),
    Decrypt(CipherAlgorithm),
    /// With tags of so many bytes.
    Seal(AeadAlgorithm, usize),
    /// With tags of so many bytes.
    Open(AeadAlgorithm, usize),
}

/// So many bytes under a key pay for the making of a session.
const EARNED: usize = 16 << 10;

/// A key, of which the engine learns once it is used much.
#[derive(Clone)]
pub struct Keyed {
    /// In one place, however often its owner is moved; empty where there is none.
    key: Zeroizing<Box<[u8]>>,
    seen: usize,
    /// The last session that was asked for; without one where the engine refuses.
    opened: Option<(Purpose, Option<Session>)>,
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if self.opened.take().is_some() {
            wipe();
        }
    }
}

/// Bytes of the longest key: XTS's two of AES-256.
const MAX_KEY: usize = 64;

impl Keyed {
    /// No key yet.
    pub fn new() -> Keyed {
        Keyed { key: Zeroizing::default(), seen: 0, opened: None }
    }

    /// Takes another key. One that is too long is none.
    pub fn replace(&mut self, key: &[u8]) {
        if self.opened.is_none() && self.key.len() == key.len() {
            // In its place, without memory for another one.
            self.seen = 0;
            self.key.copy_from_slice(key);
            return;
        }
        *self = Keyed::new();
        if key.len() <= MAX_KEY {
            self.key = Zeroizing::new(key.into());
        }
    }

    /// Bytes of the key.
    pub fn key_len(&self) -> usize {
        self.key.len()
    }

    /// So many bytes come under the key.
    pub fn count(&mut self, len: usize) {
        self.seen = self.seen.saturating_add(len);
    }

    /// Tells that enough bytes will come for a session: the one that another context has opened
    /// with the same key, if there is one.
    pub fn earn(&mut self, other: Option<&Keyed>) {
        self.seen = EARNED;
        if let Some(other) = other.filter(|other| other.key == self.key) {
            self.opened = other.opened.clone();
        }
    }

    /// Returns `true` if enough bytes came for a session.
    pub fn is_earned(&self) -> bool {
        self.seen >= EARNED && !self.key.is_empty()
    }

    /// The session for a purpose; `None` until the key has earned one, and where the engine
    /// refuses.
    pub fn session(&mut self, purpose: Purpose) -> Option<&Session> {
        if !self.is_earned() {
            return None;
        }
        if self.opened.as_ref().is_none_or(|(known, _)| *known != purpose) {
            self.opened = Some((purpose, self.open(purpose)));
        }
        self.opened.as_ref()?.1.as_ref()
    }

    /// Opens a session.
    pub fn open(&self, purpose: Purpose) -> Option<Session> {
        let key = &*self.key;
        let session = with_room(|| {
            let transform = match purpose {
                Purpose::Encrypt(cipher) => Transform::cipher(cipher, key).encrypt(),
                Purpose::Decrypt(cipher) => Transform::cipher(cipher, key).decrypt(),
                Purpose::Seal(aead, len) => Transform::aead(aead, key).tag_len(len).seal(),
                Purpose::Open(aead, len) => Transform::aead(aead, key).tag_len(len).open(),
            };
            REGISTRY.open_at("native", &transform.ok()?).ok()
        });
        wipe();
        session
    }
}
