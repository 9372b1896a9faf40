//! Keys of KEMs. They are here, as bytes; libcrypto's default provider gets them once it is needed
//! and has the algorithm, and the lanes once they are.

use std::ffi::CStr;
use std::ptr;
use std::sync::{LazyLock, OnceLock};

use broadloom::lanes::MlKemPublicKey;
use broadloom::public_key::{HybridKem, Kem, MlKemPrivateKey, MlKemSet, PrivateKey};
use broadloom::{Direction, JobError, Session, Transform};
use zeroize::Zeroizing;

use super::facts::{facts, name, place};
use crate::interface::{KEYMGMT_SELECT_KEYPAIR, OCTETS, OP_KEYMGMT, Param, UNMODIFIED};
use crate::key::open;
use crate::libcrypto::{Pkey, PkeyContext, apart, functions};
use crate::line::{Answer, Kind, alone, ask, is_worth_asking};
use crate::stack::wipe;
use crate::theirs;

/// What is made, or why it is not.
pub type Made = Result<Zeroizing<Vec<u8>>, String>;

/// A key of a KEM. Nothing of it changes once it has its bytes.
pub struct KemKey {
    pub kem: Kem,
    bytes: OnceLock<KeyBytes>,
    /// libcrypto's own form of it; `None` where the default provider lacks the algorithm.
    pkey: OnceLock<Option<Theirs>>,
    /// The lanes' form of the private key; `None` where they refuse it.
    session: OnceLock<Option<Session>>,
}

/// The bytes of a key.
#[derive(Clone)]
pub struct KeyBytes {
    pub public: Vec<u8>,
    /// The expanded private key, if it is known.
    pub private: Option<Zeroizing<Vec<u8>>>,
    /// The seed of ML-KEM that the private key was made of, if it is known.
    pub seed: Option<Zeroizing<Vec<u8>>>,
}

/// A key of libcrypto's, in the library context apart.
struct Theirs(*mut Pkey);

// SAFETY: libcrypto's keys are for all threads, and this one is not changed.
unsafe impl Send for Theirs {}
// SAFETY: as above.
unsafe impl Sync for Theirs {}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: the key is ours; null is allowed.
        unsafe { (functions().EVP_PKEY_free)(self.0) };
    }
}

impl Drop for KemKey {
    fn drop(&mut self) {
        if self.is_private() {
            self.session.take();
            wipe();
        }
    }
}

/// Returns `true` if the default provider has a KEM: since OpenSSL 3.5.
fn default_has(kem: Kem) -> bool {
    static HAS: LazyLock<[bool; Kem::ALL.len()]> = LazyLock::new(|| {
        Kem::ALL.map(|kem| theirs::entry_of(OP_KEYMGMT, facts(kem).name).is_some())
    });
    HAS[place(kem)]
}

/// Returns `true` if the default provider takes and gives private keys of a KEM as bytes. It does
/// not with P-256.
fn default_has_private(kem: Kem) -> bool {
    kem != Kem::Hybrid(HybridKem::P256MlKem768) && default_has(kem)
}

/// Returns the session of operations that need no private key. It is opened once.
fn keyless(kem: Kem, direction: Direction) -> Option<&'static Session> {
    type Place = OnceLock<Option<Session>>;
    static GENERATE: [Place; Kem::ALL.len()] = [const { OnceLock::new() }; _];
    static ENCAPSULATE: [Place; Kem::ALL.len()] = [const { OnceLock::new() }; _];
    let places = if direction == Direction::Generate { &GENERATE } else { &ENCAPSULATE };
    let transform = || match direction {
        Direction::Generate => Transform::generate_key(kem.algorithm()).ok(),
        _ => Transform::encapsulate(kem.algorithm()).ok(),
    };
    places[place(kem)].get_or_init(|| open(transform)).as_ref()
}

/// Returns `true` if the lanes have a KEM: the hybrid with P-256 is where P-256 is.
pub fn is_here(kem: Kem) -> bool {
    keyless(kem, Direction::Encapsulate).is_some()
}

/// Does an operation in the lanes, if others are there to share them. `None` if it is alone.
fn in_lanes(session: &Session, data: &[u8]) -> Option<Made> {
    if !is_worth_asking(Kind::Kem) {
        return None;
    }
    match ask(Kind::Kem, session, data, None) {
        Answer::Alone => None,
        Answer::Done(made) => Some(made.map_err(in_words)),
    }
}

fn in_words(error: JobError) -> String {
    error.to_string()
}

impl KemKey {
    /// Returns a key without bytes yet.
    pub fn new(kem: Kem) -> KemKey {
        let (bytes, pkey, session) = Default::default();
        KemKey { kem, bytes, pkey, session }
    }

    /// Returns a copy: all of it, or only the part that is public.
    pub fn copy(&self, has_private: bool) -> KemKey {
        let copy = KemKey::new(self.kem);
        if let Some(bytes) = self.bytes.get() {
            let mut bytes = bytes.clone();
            if !has_private {
                (bytes.private, bytes.seed) = (None, None);
            }
            let _ = copy.bytes.set(bytes);
        }
        copy
    }

    /// Returns the bytes; `None` where there are none yet.
    pub fn bytes(&self) -> Option<&KeyBytes> {
        self.bytes.get()
    }

    /// Returns `true` if the private key is known.
    pub fn is_private(&self) -> bool {
        self.bytes.get().is_some_and(|bytes| bytes.private.is_some())
    }

    fn put(&self, bytes: KeyBytes) -> Result<(), String> {
        self.bytes.set(bytes).map_err(|_| format!("the key of {} cannot change", name(self.kem)))
    }

    /// Takes a public key.
    ///
    /// # Errors
    /// There is a key already, the length is wrong, or a number of ML-KEM is not below its modulus
    /// (FIPS 203, 7.2).
    pub fn take_public(&self, public: &[u8]) -> Result<(), String> {
        self.check_len("a public key", public, self.kem.public_key_len())?;
        let of_ml_kem = match self.kem {
            Kem::MlKem(_) => public,
            Kem::Hybrid(kem) => kem.parts(public, kem.point_len()).0,
        };
        MlKemPublicKey::new(self.kem.set(), of_ml_kem).map_err(|error| error.to_string())?;
        self.put(KeyBytes { public: public.to_vec(), private: None, seed: None })
    }

    /// Takes a private key: expanded, as the seed of ML-KEM, or both. The public key is checked, if
    /// it is given, and is found otherwise.
    ///
    /// # Errors
    /// There is a key already, a length is wrong, or the parts do not belong together.
    pub fn take_private(
        &self,
        private: Option<&[u8]>,
        seed: Option<&[u8]>,
        public: Option<&[u8]>,
    ) -> Result<(), String> {
        let name = name(self.kem);
        let (private, made) = match (private, seed) {
            (Some(private), _) => {
                self.check_len("a private key", private, self.kem.private_key_len())?;
                (Zeroizing::new(private.to_vec()), None)
            }
            (None, Some(seed)) => {
                let made = KemKey::of_seed(self.kem, seed)?;
                (made.private, Some(made.public))
            }
            (None, None) => return Err(format!("there is no key of {name}")),
        };
        let known = match (made, self.kem) {
            (Some(public), _) => Some(public),
            (None, Kem::MlKem(set)) => Some(set.public_of(&private).to_vec()),
            (None, Kem::Hybrid(_)) => None,
        };
        if let (Some(known), Some(given)) = (&known, public)
            && known != given
        {
            return Err(format!("the public key of {name} is not that of the private key"));
        }
        let session = open(|| self.transform(&private, seed));
        if session.is_none() {
            return Err(format!("the private key of {name} is damaged: its parts do not agree"));
        }
        let seed = seed.map(|seed| Zeroizing::new(seed.to_vec()));
        let public = match known.or_else(|| public.map(<[u8]>::to_vec)) {
            Some(public) => public,
            None => self.point_of(&private)?,
        };
        self.put(KeyBytes { public, private: Some(private), seed })?;
        let _ = self.session.set(session);
        Ok(())
    }

    /// Returns the public key of a hybrid's private key, by the default provider: the lanes have no
    /// way from a private key on a curve to its point.
    fn point_of(&self, private: &[u8]) -> Result<Vec<u8>, String> {
        let name = name(self.kem);
        let has_private = default_has_private(self.kem);
        let pkey = has_private.then(|| self.theirs_of(c"priv", private)).flatten();
        let public = pkey.as_ref().and_then(|pkey| {
            part(pkey, c"encoded-pub-key", self.kem.public_key_len()).map(|bytes| bytes.to_vec())
        });
        public.ok_or_else(|| format!("the private key of {name} came without its public key"))
    }

    fn check_len(&self, what: &str, bytes: &[u8], valid: usize) -> Result<(), String> {
        let (len, name) = (bytes.len(), name(self.kem));
        match len == valid {
            true => Ok(()),
            false => Err(format!("{what} of {name} has {valid} bytes, not {len}")),
        }
    }

    /// Returns the lanes' transform of a private key.
    fn transform(&self, private: &[u8], seed: Option<&[u8]>) -> Option<Transform> {
        match (self.kem, seed) {
            (Kem::MlKem(set), Some(seed)) => {
                let key = MlKemPrivateKey::from_both(set, seed, private).ok()?;
                Transform::decapsulate(&PrivateKey::MlKem(key)).ok()
            }
            (kem, _) => Transform::decapsulate_bytes(kem, private).ok(),
        }
    }

    /// Makes a key: in the lanes together with others, by the default provider, or in the lanes
    /// alone.
    ///
    /// # Errors
    /// Nobody makes one; why.
    pub fn generated(kem: Kem, seed: Option<&[u8]>) -> Result<KemKey, String> {
        let key = KemKey::new(kem);
        if let Some(seed) = seed {
            let made = KemKey::of_seed(kem, seed)?;
            let (public, private) = (made.public, Some(made.private));
            let seed = Some(Zeroizing::new(seed.to_vec()));
            key.put(KeyBytes { public, private, seed })?;
            return Ok(key);
        }
        let session = KemKey::session_for(kem, Direction::Generate)?;
        let bytes = match in_lanes(session, &[]) {
            Some(made) => Pair::of(kem, &made?).bytes(),
            None => match KemKey::by_default(kem) {
                Some((pkey, bytes)) => {
                    let _ = key.pkey.set(Some(pkey));
                    bytes
                }
                None => Pair::of(kem, &alone(session, &[], None).map_err(in_words)?).bytes(),
            },
        };
        key.put(bytes)?;
        Ok(key)
    }

    fn session_for(kem: Kem, direction: Direction) -> Result<&'static Session, String> {
        keyless(kem, direction).ok_or_else(|| format!("the lanes lack {}", name(kem)))
    }

    /// Makes the key of a seed of ML-KEM.
    fn of_seed(kem: Kem, seed: &[u8]) -> Result<Pair, String> {
        let (name, len, valid) = (name(kem), seed.len(), MlKemSet::SEED_LEN);
        if let Kem::Hybrid(_) = kem {
            return Err(format!("keys of {name} are not made of seeds"));
        }
        if len != valid {
            return Err(format!("a seed of {name} has {valid} bytes, not {len}"));
        }
        let session = KemKey::session_for(kem, Direction::Generate)?;
        Ok(Pair::of(kem, &alone(session, seed, None).map_err(in_words)?))
    }

    /// Has the default provider make a key. `None` where it lacks the algorithm.
    fn by_default(kem: Kem) -> Option<(Theirs, KeyBytes)> {
        if !default_has_private(kem) {
            return None;
        }
        let functions = functions();
        let mut pkey = ptr::null_mut();
        // SAFETY: the context is new, and the place is ours.
        unsafe {
            let context = new_context(kem);
            let _ = !context.is_null()
                && (functions.EVP_PKEY_keygen_init)(context) == 1
                && (functions.EVP_PKEY_generate)(context, &mut pkey) == 1;
            (functions.EVP_PKEY_CTX_free)(context);
        }
        let pkey = (!pkey.is_null()).then_some(Theirs(pkey))?;
        let bytes = KeyBytes {
            public: part(&pkey, c"encoded-pub-key", kem.public_key_len())?.to_vec(),
            private: Some(part(&pkey, c"priv", kem.private_key_len())?),
            seed: match kem {
                Kem::MlKem(_) => part(&pkey, c"seed", MlKemSet::SEED_LEN),
                Kem::Hybrid(_) => None,
            },
        };
        Some((pkey, bytes))
    }

    /// Returns libcrypto's form of the key, which is made when it is first needed.
    fn theirs(&self) -> Option<&Theirs> {
        let make = || {
            let bytes = self.bytes.get()?;
            match &bytes.private {
                Some(private) if default_has_private(self.kem) => self.theirs_of(c"priv", private),
                Some(_) => None,
                None => self.theirs_of(c"pub", &bytes.public),
            }
        };
        self.pkey.get_or_init(make).as_ref()
    }

    /// Has libcrypto make a key of one part of it.
    fn theirs_of(&self, name: &'static CStr, bytes: &[u8]) -> Option<Theirs> {
        if !default_has(self.kem) {
            return None;
        }
        let functions = functions();
        let mut pkey = ptr::null_mut();
        let data = bytes.as_ptr().cast_mut().cast();
        let part = Param { data, data_size: bytes.len(), ..Param::describe(name, OCTETS) };
        let list = [part, Param::END];
        // SAFETY: the context is new, the place is ours, and the list ends and is only read.
        unsafe {
            let context = new_context(self.kem);
            let _ = !context.is_null()
                && (functions.EVP_PKEY_fromdata_init)(context) == 1
                && (functions.EVP_PKEY_fromdata)(
                    context,
                    &mut pkey,
                    KEYMGMT_SELECT_KEYPAIR,
                    list.as_ptr(),
                ) == 1;
            (functions.EVP_PKEY_CTX_free)(context);
        }
        (!pkey.is_null()).then_some(Theirs(pkey))
    }

    /// Encapsulates a secret for the owner of the key: the ciphertext, and behind it the secret.
    /// Whoever gives the randomness of ML-KEM gets the same every time.
    ///
    /// # Errors
    /// The key is wrong, or not there.
    pub fn encapsulate(&self, randomness: Option<&[u8]>) -> Made {
        let name = name(self.kem);
        let Some(KeyBytes { public, .. }) = self.bytes.get() else {
            return Err(format!("there is no public key of {name}"));
        };
        let session = KemKey::session_for(self.kem, Direction::Encapsulate)?;
        if let Some(randomness) = randomness {
            let data = Zeroizing::new([public, randomness].concat());
            return alone(session, &data, None).map_err(in_words);
        }
        if let Some(made) = in_lanes(session, public) {
            return made;
        }
        match self.theirs() {
            Some(pkey) => self.encapsulate_by_default(pkey),
            None => alone(session, public, None).map_err(in_words),
        }
    }

    fn encapsulate_by_default(&self, pkey: &Theirs) -> Made {
        let (mut text_len, mut secret_len) = (self.kem.ciphertext_len(), self.kem.secret_len());
        let mut made = Zeroizing::new(vec![0; text_len + secret_len]);
        let (text, secret) = made.split_at_mut(text_len);
        let (text, secret) = (text.as_mut_ptr(), secret.as_mut_ptr());
        let functions = functions();
        let done = with_context(pkey, |context| {
            // SAFETY: the context is valid, and the places have so much room.
            unsafe {
                let encapsulate = functions.EVP_PKEY_encapsulate;
                (functions.EVP_PKEY_encapsulate_init)(context, ptr::null()) == 1
                    && encapsulate(context, text, &mut text_len, secret, &mut secret_len) == 1
            }
        });
        self.by_libcrypto(done, made)
    }

    /// Decapsulates the secret of a ciphertext.
    ///
    /// # Errors
    /// The key is wrong or not there, or the ciphertext has a wrong length or point.
    pub fn decapsulate(&self, ciphertext: &[u8]) -> Made {
        let name = name(self.kem);
        let private = self.bytes.get().and_then(|bytes| bytes.private.as_ref());
        let Some(private) = private else {
            return Err(format!("there is no private key of {name}"));
        };
        self.check_len("a ciphertext", ciphertext, self.kem.ciphertext_len())?;
        let session = || self.session.get_or_init(|| open(|| self.transform(private, None)));
        if is_worth_asking(Kind::Kem)
            && let Some(session) = session()
            && let Some(made) = in_lanes(session, ciphertext)
        {
            return made;
        }
        if let Some(pkey) = self.theirs() {
            return self.decapsulate_by_default(pkey, ciphertext);
        }
        match session() {
            Some(session) => alone(session, ciphertext, None).map_err(in_words),
            None => Err(format!("the lanes refuse the private key of {name}")),
        }
    }

    fn decapsulate_by_default(&self, pkey: &Theirs, ciphertext: &[u8]) -> Made {
        let mut len = self.kem.secret_len();
        let mut made = Zeroizing::new(vec![0; len]);
        let functions = functions();
        let (secret, text) = (made.as_mut_ptr(), ciphertext.as_ptr());
        let done = with_context(pkey, |context| {
            // SAFETY: the context is valid, and the place has so much room.
            unsafe {
                let decapsulate = functions.EVP_PKEY_decapsulate;
                (functions.EVP_PKEY_decapsulate_init)(context, ptr::null()) == 1
                    && decapsulate(context, secret, &mut len, text, ciphertext.len()) == 1
            }
        });
        self.by_libcrypto(done, made)
    }

    fn by_libcrypto(&self, is_done: bool, made: Zeroizing<Vec<u8>>) -> Made {
        let refused = || format!("libcrypto's default provider refuses {}", name(self.kem));
        if is_done { Ok(made) } else { Err(refused()) }
    }

    /// Returns `true` if a secret that is encapsulated for the key is decapsulated with it.
    pub fn is_pair(&self) -> bool {
        let secrets = self.encapsulate(None).and_then(|made| {
            let (ciphertext, secret) = made.split_at(self.kem.ciphertext_len());
            Ok((self.decapsulate(ciphertext)?, Zeroizing::new(secret.to_vec())))
        });
        secrets.is_ok_and(|(one, other)| one == other)
    }
}

/// What the lanes generate.
struct Pair {
    private: Zeroizing<Vec<u8>>,
    public: Vec<u8>,
}

impl Pair {
    fn of(kem: Kem, made: &[u8]) -> Pair {
        let (private, public) = kem.keys_of(made);
        Pair { public: public.to_vec(), private: Zeroizing::new(private.to_vec()) }
    }

    fn bytes(self) -> KeyBytes {
        KeyBytes { public: self.public, private: Some(self.private), seed: None }
    }
}

/// Returns a part of a key of libcrypto's; `None` where it has another length.
fn part(pkey: &Theirs, name: &'static CStr, len: usize) -> Option<Zeroizing<Vec<u8>>> {
    let mut room = Zeroizing::new(vec![0; len]);
    let mut list = [Param::room(name, OCTETS, &mut room), Param::END];
    // SAFETY: the key is not null, and the list ends.
    let got = unsafe { (functions().EVP_PKEY_get_params)(pkey.0, list.as_mut_ptr()) } == 1;
    (got && list[0].return_size != UNMODIFIED && list[0].return_size == len).then_some(room)
}

fn new_context(kem: Kem) -> *mut PkeyContext {
    // SAFETY: the context is valid, and the properties may be null.
    unsafe {
        (functions().EVP_PKEY_CTX_new_from_name)(apart(), facts(kem).name.as_ptr(), ptr::null())
    }
}

/// Calls a function with a new context for a key; `false` where libcrypto makes none.
fn with_context(pkey: &Theirs, function: impl FnOnce(*mut PkeyContext) -> bool) -> bool {
    let functions = functions();
    // SAFETY: the key is valid, and the properties may be null.
    unsafe {
        let context = (functions.EVP_PKEY_CTX_new_from_pkey)(apart(), pkey.0, ptr::null());
        let done = !context.is_null() && function(context);
        (functions.EVP_PKEY_CTX_free)(context);
        done
    }
}
