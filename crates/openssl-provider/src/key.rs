//! Keys: the default provider's, and the lanes' own form of them.

mod management;
mod numbers;

use std::ffi::{CStr, c_int, c_void};
use std::mem;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use broadloom::public_key::{Curve, EcPrivateKey, PrivateKey, Scheme, Secret, SlhDsaSet};
use broadloom::{Session, Transform};
use zeroize::Zeroizing;

use crate::interface::{INTEGER, KEYMGMT_SELECT_KEYPAIR, OCTETS, OP_KEYMGMT, Param};
use crate::libcrypto::{apart, functions};
use crate::line::{Answer, Kind, ask};
use crate::provider::REGISTRY;
use crate::stack::{wipe, with_room};
use crate::theirs::{KeyFunctions, provider_context};

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

    /// Closes all of them. Returns `true` if there was one.
    pub fn forget(&self) -> bool {
        !mem::take(&mut *self.lock()).is_empty()
    }
}

/// A key of the default provider's, with the sessions of the lanes.
#[derive(Debug)]
pub struct Key {
    pub key_type: KeyType,
    functions: &'static KeyFunctions,
    /// The default provider's form of it.
    theirs: *mut c_void,
    sessions: Sessions,
}

// SAFETY: libcrypto's keys are for all threads.
unsafe impl Send for Key {}
// SAFETY: as above; libcrypto does not use a key while it is imported or its parameters are set.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key is ours.
        unsafe { (self.functions.free)(self.theirs) };
        if self.sessions.forget() {
            wipe();
        }
    }
}

/// The default provider's functions that manage keys of a type; `None` where it lacks the type.
pub fn functions_for(key_type: KeyType) -> Option<&'static KeyFunctions> {
    static ALL: [OnceLock<Option<KeyFunctions>>; KeyType::ALL.len()] =
        [const { OnceLock::new() }; _];
    let find = || KeyFunctions::find(OP_KEYMGMT, key_type.name());
    ALL[key_type.place()].get_or_init(find).as_ref()
}

impl Key {
    /// A key that takes possession of the default provider's; `None` for null.
    fn new(
        key_type: KeyType,
        functions: &'static KeyFunctions,
        theirs: *mut c_void,
    ) -> Option<Key> {
        let sessions = Sessions::default();
        (!theirs.is_null()).then_some(Key { key_type, functions, theirs, sessions })
    }

    /// A key without numbers yet; `None` where libcrypto has no memory for it.
    fn empty(key_type: KeyType) -> Option<Key> {
        let functions = functions_for(key_type)?;
        // SAFETY: the function is called with its provider's context.
        let theirs = unsafe { (functions.new)(provider_context()) };
        Key::new(key_type, functions, theirs)
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
        let key = Key::empty(KeyType::X25519)?;
        let list = [
            Param::room(c"priv", OCTETS, &mut *secret),
            Param::room(c"pub", OCTETS, &mut public),
            Param::END,
        ];
        // SAFETY: the key is new and ours, and the list ends.
        let taken =
            unsafe { (key.functions.import)(key.theirs, KEYMGMT_SELECT_KEYPAIR, list.as_ptr()) };
        key.sessions.put(Purpose::Agree, Some(session));
        (taken == 1).then_some(key)
    }

    /// The default provider's form of the key.
    pub fn theirs(&self) -> *mut c_void {
        self.theirs
    }

    /// Asks for parameters of the key.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub unsafe fn get(&self, list: *mut Param) -> bool {
        // SAFETY: the key is ours; the list is valid, by this function's contract.
        unsafe { (self.functions.get_params)(self.theirs, list) == 1 }
    }

    /// The session of the lanes for a purpose; `None` where the lanes lack it.
    pub fn session(&self, purpose: Purpose) -> Option<Session> {
        self.sessions.get(purpose, || self.transform(purpose))
    }

    /// Returns what a session of the lanes is opened for; `None` where the lanes lack it.
    pub fn transform(&self, purpose: Purpose) -> Option<Transform> {
        let transform = match purpose {
            Purpose::Sign(scheme) => Transform::sign(&numbers::private(self)?, scheme),
            Purpose::Verify(scheme) => Transform::verify(&numbers::public(self)?, scheme),
            Purpose::Decrypt(scheme) => Transform::rsa_decrypt(&numbers::private(self)?, scheme),
            Purpose::Encrypt(scheme) => Transform::rsa_encrypt(&numbers::public(self)?, scheme),
            Purpose::Agree => Transform::agree(&numbers::private(self)?),
            // Keys of KEMs are held elsewhere.
            Purpose::Decapsulate => return None,
        };
        transform.ok()
    }

    /// Bytes of the public key of X25519, or of the point of a curve, as the lanes take them.
    pub fn public_bytes(&self) -> Option<Vec<u8>> {
        numbers::public_bytes(self)
    }

    /// Bytes of RSA's modulus, or of the longest signature.
    pub fn max_size(&self) -> usize {
        let mut size: c_int = 0;
        let mut list = [Param::number(c"max-size", INTEGER, &mut size), Param::END];
        // SAFETY: the list ends.
        unsafe { self.get(list.as_mut_ptr()) };
        size.try_into().unwrap_or(0)
    }

    /// Returns `true` if the key has all parts of a selection.
    pub fn has(&self, selection: c_int) -> bool {
        // SAFETY: the key is ours.
        unsafe { (self.functions.has)(self.theirs, selection) == 1 }
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
