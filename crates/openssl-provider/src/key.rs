//! Keys: libcrypto's, in the library context apart, and the lanes' own form of them.

mod management;
mod numbers;

use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom::public_key::{
    Curve, EcPrivateKey, PrivateKey, PublicKey, Scheme, Secret, SlhDsaSet,
};
use broadloom::{Session, Transform};
use zeroize::Zeroizing;

use crate::interface::{INTEGER, KEYMGMT_SELECT_KEYPAIR, OCTETS, Param, UNMODIFIED, UNSIGNED};
use crate::libcrypto::{Pkey, PkeyContext, apart, functions};
use crate::line::{Answer, Kind, ask};
use crate::provider::REGISTRY;
use crate::stack::{wipe, with_room};

pub use management::functions_of;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// RSA.
    Rsa,
    /// A curve of any name.
    Ec,
    /// X25519.
    X25519,
    /// Ed25519.
    Ed25519,
    /// SLH-DSA with a parameter set.
    SlhDsa(SlhDsaSet),
}

impl KeyType {
    /// All of them.
    pub const ALL: [KeyType; OTHERS + SlhDsaSet::ALL.len()] = {
        let mut all = [KeyType::Rsa; _];
        (all[1], all[2], all[3]) = (KeyType::Ec, KeyType::X25519, KeyType::Ed25519);
        let mut at = 0;
        while at < SlhDsaSet::ALL.len() {
            all[OTHERS + at] = KeyType::SlhDsa(SlhDsaSet::ALL[at]);
            at += 1;
        }
        all
    };

    /// Returns the place among [`ALL`](KeyType::ALL).
    pub const fn place(self) -> usize {
        match self {
            KeyType::Rsa => 0,
            KeyType::Ec => 1,
            KeyType::X25519 => 2,
            KeyType::Ed25519 => 3,
            KeyType::SlhDsa(set) => OTHERS + set as usize,
        }
    }

    /// libcrypto's name.
    pub fn name(self) -> &'static CStr {
        match self {
            KeyType::Rsa => c"RSA",
            KeyType::Ec => c"EC",
            KeyType::X25519 => c"X25519",
            KeyType::Ed25519 => c"ED25519",
            KeyType::SlhDsa(set) => SLH_DSA[set as usize],
        }
    }

    /// Returns the lanes that its operations share.
    pub fn kind(self) -> Kind {
        match self {
            KeyType::Rsa => Kind::Rsa,
            KeyType::Ec => Kind::Ec,
            KeyType::X25519 | KeyType::Ed25519 => Kind::Curve25519,
            KeyType::SlhDsa(_) => Kind::SlhDsa,
        }
    }
}

/// Types of keys beside those of SLH-DSA.
const OTHERS: usize = 4;

/// libcrypto's names of the sets of SLH-DSA, in the order of the sets.
const SLH_DSA: [&CStr; SlhDsaSet::ALL.len()] = [
    c"SLH-DSA-SHA2-128s",
    c"SLH-DSA-SHA2-128f",
    c"SLH-DSA-SHA2-192s",
    c"SLH-DSA-SHA2-192f",
    c"SLH-DSA-SHA2-256s",
    c"SLH-DSA-SHA2-256f",
    c"SLH-DSA-SHAKE-128s",
    c"SLH-DSA-SHAKE-128f",
    c"SLH-DSA-SHAKE-192s",
    c"SLH-DSA-SHAKE-192f",
    c"SLH-DSA-SHAKE-256s",
    c"SLH-DSA-SHAKE-256f",
];

/// What the lanes do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Sign.
    Sign(Scheme),
    /// Check signatures.
    Verify(Scheme),
    /// Decrypt with RSA.
    Decrypt(Scheme),
    /// Encrypt with RSA.
    Encrypt(Scheme),
    /// Agree on a secret.
    Agree,
    /// Decapsulate a secret.
    Decapsulate,
}

/// Sessions of a key, each of which is opened once.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<Vec<(Purpose, Option<Session>)>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Vec<(Purpose, Option<Session>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the session for a purpose, which is opened for a transform where it is not known;
    /// `None` where the lanes lack it.
    pub fn get(
        &self,
        purpose: Purpose,
        transform: impl FnOnce() -> Option<Transform>,
    ) -> Option<Session> {
        let mut sessions = self.lock();
        if let Some((_, session)) = sessions.iter().find(|(known, _)| *known == purpose) {
            return session.clone();
        }
        let session = open(transform);
        sessions.push((purpose, session.clone()));
        session
    }

    /// Adds a session that is open already.
    pub fn put(&self, purpose: Purpose, session: Option<Session>) {
        self.lock().push((purpose, session));
    }

    /// Closes all of them.
    pub fn forget(&self) {
        self.lock().clear();
    }
}

/// A key of libcrypto, in the library context apart, with the sessions of the lanes.
#[derive(Debug)]
pub struct Key {
    pub key_type: KeyType,
    /// Null until something is imported or made.
    pkey: AtomicPtr<Pkey>,
    sessions: Sessions,
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key is ours; null is allowed.
        unsafe { (functions().EVP_PKEY_free)(self.pkey()) };
        self.sessions.forget();
        wipe();
    }
}

impl Key {
    /// A key that takes possession of libcrypto's.
    fn new(key_type: KeyType, pkey: *mut Pkey) -> Key {
        Key { key_type, pkey: AtomicPtr::new(pkey), sessions: Sessions::default() }
    }

    /// A key of X25519 that the lanes make, together with those of other jobs; `None` where they do
    /// not.
    fn in_lanes() -> Option<Key> {
        let mut secret = Zeroizing::new([0; 32]);
        // SAFETY: the context is valid, and there is so much room.
        let drawn = unsafe {
            (functions().RAND_priv_bytes_ex)(apart(), secret.as_mut_ptr(), secret.len(), 0)
        };
        if drawn != 1 {
            return None;
        }
        // RFC 7748, 5.
        secret[0] &= 248;
        secret[31] = secret[31] & 127 | 64;
        let private = PrivateKey::X25519(Secret::from_slice(&secret[..]).ok()?);
        let session = open(|| Transform::agree(&private).ok())?;
        let mut base = [0; 32];
        base[0] = 9;
        let Answer::Done(Ok(mut public)) = ask(Kind::Curve25519, &session, &base, None) else {
            return None;
        };
        let key = Key::new(KeyType::X25519, ptr::null_mut());
        let list = [
            Param::room(c"priv", OCTETS, &mut *secret),
            Param::room(c"pub", OCTETS, &mut public),
            Param::END,
        ];
        // SAFETY: the list ends.
        unsafe { management::import(&key, KEYMGMT_SELECT_KEYPAIR, list.as_ptr()) }?;
        key.sessions.put(Purpose::Agree, Some(session));
        Some(key)
    }

    /// libcrypto's key; null where there is none yet.
    pub fn pkey(&self) -> *mut Pkey {
        self.pkey.load(Ordering::Acquire)
    }

    /// Takes possession of another key of libcrypto's.
    fn replace(&self, pkey: *mut Pkey) {
        let before = self.pkey.swap(pkey, Ordering::AcqRel);
        self.sessions.forget();
        // SAFETY: the key was ours; null is allowed.
        unsafe { (functions().EVP_PKEY_free)(before) };
    }

    /// A new context for operations with the key; null where libcrypto refuses.
    pub fn context(&self) -> *mut PkeyContext {
        let pkey = self.pkey();
        if pkey.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: both are valid, and the properties may be null.
        unsafe { (functions().EVP_PKEY_CTX_new_from_pkey)(apart(), pkey, ptr::null()) }
    }

    /// The session of the lanes for a purpose; `None` where the lanes lack it.
    pub fn session(&self, purpose: Purpose) -> Option<Session> {
        self.sessions.get(purpose, || self.transform(purpose))
    }

    /// Returns what a session of the lanes is opened for; `None` where the lanes lack it.
    pub fn transform(&self, purpose: Purpose) -> Option<Transform> {
        let transform = match purpose {
            Purpose::Sign(scheme) => Transform::sign(&self.private()?, scheme),
            Purpose::Verify(scheme) => Transform::verify(&self.public()?, scheme),
            Purpose::Decrypt(scheme) => Transform::rsa_decrypt(&self.private()?, scheme),
            Purpose::Encrypt(scheme) => Transform::rsa_encrypt(&self.public()?, scheme),
            Purpose::Agree => Transform::agree(&self.private()?),
            // Keys of KEMs are held elsewhere.
            Purpose::Decapsulate => return None,
        };
        transform.ok()
    }

    fn private(&self) -> Option<PrivateKey> {
        numbers::private(self.key_type, self.pkey())
    }

    fn public(&self) -> Option<PublicKey> {
        numbers::public(self.key_type, self.pkey())
    }

    /// Bytes of the public key of X25519, or of the point of a curve, as the lanes take them.
    pub fn public_bytes(&self) -> Option<Vec<u8>> {
        numbers::public_bytes(self.pkey())
    }

    /// Bytes of RSA's modulus, or of the longest signature.
    pub fn max_size(&self) -> usize {
        let mut size: c_int = 0;
        let mut list = [Param::number(c"max-size", INTEGER, &mut size), Param::END];
        // SAFETY: the key is valid, and the list ends.
        unsafe { (functions().EVP_PKEY_get_params)(self.pkey(), list.as_mut_ptr()) };
        size.try_into().unwrap_or(0)
    }

    /// Returns `true` if the key has its private part, or else its public part.
    fn has(&self, private: bool) -> bool {
        let (name, data_type) = match (self.key_type, private) {
            (KeyType::Rsa, true) => (c"d", UNSIGNED),
            (KeyType::Rsa, false) => (c"n", UNSIGNED),
            (KeyType::Ec, true) => (c"priv", UNSIGNED),
            (_, true) => (c"priv", OCTETS),
            (_, false) => (c"pub", OCTETS),
        };
        let mut room = Zeroizing::new([0; MAX_PART]);
        let mut list = [Param::room(name, data_type, &mut *room), Param::END];
        let pkey = self.pkey();
        // SAFETY: a key of libcrypto is not null, and the list ends.
        let asked = !pkey.is_null()
            && unsafe { (functions().EVP_PKEY_get_params)(pkey, list.as_mut_ptr()) } == 1;
        asked && list[0].return_size != UNMODIFIED
    }
}

/// Opens a session of a transform. Both are made on the thread's own stack, which is wiped before
/// the session is made: a session has gaps, which keep what was on the stack.
pub fn open(transform: impl FnOnce() -> Option<Transform>) -> Option<Session> {
    let transform = with_room(transform);
    wipe();
    let transform = transform?;
    let session = with_room(|| REGISTRY.open_at("native", &transform).ok());
    wipe();
    session
}

/// Bytes of the longest number of a key that libcrypto takes: 16384 bits.
const MAX_PART: usize = 2048;

/// Returns `true` if the lanes sign on P-256, and so on P-384 and P-521. A program may ask for the
/// first time inside a job, whose stack is too small to open a session on it.
pub fn lanes_have_curves() -> bool {
    let opens = || {
        let key = EcPrivateKey::new(Curve::P256, &[1]).ok()?;
        let transform = Transform::sign(&PrivateKey::Ec(key), Scheme::default()).ok()?;
        REGISTRY.open_at("native", &transform).ok()
    };
    with_room(|| opens().is_some())
}
