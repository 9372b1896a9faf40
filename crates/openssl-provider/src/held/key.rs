//! Keys as bytes. libcrypto's default provider gets them once it is needed and has the algorithm,
//! and the lanes once they are.

use std::ffi::CStr;
use std::ptr;
use std::sync::{LazyLock, OnceLock};

use broadloom::lanes::MlKemPublicKey;
use broadloom::public_key::{
    HybridKem, Kem, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlKemPrivateKey, PrivateKey,
    PublicKey, Scheme,
};
use broadloom::{Direction, HashAlgorithm, Job, JobError, Processor, Session, Transform};
use zeroize::Zeroizing;

use super::facts::HeldType;
use crate::interface::{KEYMGMT_SELECT_KEYPAIR, OCTETS, OP_KEYMGMT, Param, UNMODIFIED};
use crate::key::{Purpose, Sessions, open};
use crate::libcrypto::{Pkey, PkeyContext, apart, functions};
use crate::line::{Answer, alone, ask, is_worth_asking};
use crate::stack::{wipe, with_room};
use crate::theirs;

/// What is made, or why it is not.
pub type Made = Result<Zeroizing<Vec<u8>>, String>;

/// A key that is held here. Nothing of it changes once it has its bytes.
pub struct HeldKey {
    pub of: HeldType,
    bytes: OnceLock<KeyBytes>,
    /// libcrypto's own form of it; `None` where the default provider lacks the algorithm.
    pkey: OnceLock<Option<Theirs>>,
    sessions: Sessions,
}

/// The bytes of a key.
#[derive(Clone)]
pub struct KeyBytes {
    pub public: Vec<u8>,
    /// The expanded private key, if it is known.
    pub private: Option<Zeroizing<Vec<u8>>>,
    /// The seed that the private key was made of, if it is known.
    pub seed: Option<Zeroizing<Vec<u8>>>,
}

/// A key of libcrypto's, in the library context apart.
pub struct Theirs(*mut Pkey);

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

impl Theirs {
    /// Returns the key, which lives as long as this does.
    pub fn pkey(&self) -> *mut Pkey {
        self.0
    }

    /// Calls a function with a new context for the key; `false` where libcrypto makes none.
    pub fn with_context(&self, function: impl FnOnce(*mut PkeyContext) -> bool) -> bool {
        let functions = functions();
        // SAFETY: the key is valid, and the properties may be null.
        unsafe {
            let context = (functions.EVP_PKEY_CTX_new_from_pkey)(apart(), self.0, ptr::null());
            let done = !context.is_null() && function(context);
            (functions.EVP_PKEY_CTX_free)(context);
            done
        }
    }

    /// Returns a part of the key; `None` where it has another length.
    fn part(&self, name: &'static CStr, len: usize) -> Option<Zeroizing<Vec<u8>>> {
        let mut room = Zeroizing::new(vec![0; len]);
        let mut list = [Param::room(name, OCTETS, &mut room), Param::END];
        // SAFETY: the key is not null, and the list ends.
        let got = unsafe { (functions().EVP_PKEY_get_params)(self.0, list.as_mut_ptr()) } == 1;
        (got && list[0].return_size != UNMODIFIED && list[0].return_size == len).then_some(room)
    }
}

impl Drop for HeldKey {
    fn drop(&mut self) {
        if self.is_private() {
            self.sessions.forget();
            wipe();
        }
    }
}

/// Returns `true` if the default provider has a type of keys: since OpenSSL 3.5.
pub fn default_has(of: HeldType) -> bool {
    static HAS: LazyLock<[bool; HeldType::ALL.len()]> = LazyLock::new(|| {
        HeldType::ALL.map(|of| theirs::entry_of(OP_KEYMGMT, of.facts().name).is_some())
    });
    HAS[of.place()]
}

/// Returns `true` if the default provider takes and gives private keys as bytes. It does not of the
/// hybrid with P-256.
fn default_has_private(of: HeldType) -> bool {
    of != HeldType::Kem(Kem::Hybrid(HybridKem::P256MlKem768)) && default_has(of)
}

/// Returns the session of operations that need no private key. It is opened once.
///
/// # Errors
/// The lanes lack the algorithm.
pub fn keyless(of: HeldType, direction: Direction) -> Result<&'static Session, String> {
    type Place = OnceLock<Option<Session>>;
    static GENERATE: [Place; HeldType::ALL.len()] = [const { OnceLock::new() }; _];
    static ENCAPSULATE: [Place; HeldType::ALL.len()] = [const { OnceLock::new() }; _];
    let places = if direction == Direction::Generate { &GENERATE } else { &ENCAPSULATE };
    let transform = || match direction {
        Direction::Generate => Transform::generate_key(of.algorithm()).ok(),
        _ => Transform::encapsulate(of.algorithm()).ok(),
    };
    let session = places[of.place()].get_or_init(|| open(transform)).as_ref();
    session.ok_or_else(|| format!("the lanes lack {}", of.name()))
}

/// Returns `true` if the lanes have a type of keys: the hybrid with P-256 is where P-256 is.
pub fn is_here(of: HeldType) -> bool {
    keyless(of, Direction::Generate).is_ok()
}

/// Says an error of the lanes in words.
pub fn in_words(error: JobError) -> String {
    error.to_string()
}

impl HeldKey {
    /// Returns a key without bytes yet.
    pub fn new(of: HeldType) -> HeldKey {
        let (bytes, pkey, sessions) = Default::default();
        HeldKey { of, bytes, pkey, sessions }
    }

    /// Returns a copy: all of it, or only the part that is public.
    pub fn copy(&self, has_private: bool) -> HeldKey {
        let copy = HeldKey::new(self.of);
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
        self.bytes.set(bytes).map_err(|_| format!("the key of {} cannot change", self.of.name()))
    }

    /// Takes a public key.
    ///
    /// # Errors
    /// There is a key already, the length is wrong, or a number of ML-KEM is not below its modulus
    /// (FIPS 203, 7.2).
    pub fn take_public(&self, public: &[u8]) -> Result<(), String> {
        self.check_len("a public key", public, self.of.public_key_len())?;
        let of_ml_kem = match self.of {
            HeldType::Kem(Kem::MlKem(set)) => Some((set, public)),
            HeldType::Kem(Kem::Hybrid(kem)) => {
                Some((HybridKem::SET, kem.parts(public, kem.point_len()).0))
            }
            HeldType::MlDsa(_) => None,
        };
        if let Some((set, part)) = of_ml_kem {
            MlKemPublicKey::new(set, part).map_err(|error| error.to_string())?;
        }
        self.put(KeyBytes { public: public.to_vec(), private: None, seed: None })
    }

    /// Takes a private key: expanded, as a seed, or both. The public key is checked, if it is
    /// given, and is found otherwise.
    ///
    /// # Errors
    /// There is a key already, a length is wrong, or the parts do not belong together.
    pub fn take_private(
        &self,
        private: Option<&[u8]>,
        seed: Option<&[u8]>,
        public: Option<&[u8]>,
    ) -> Result<(), String> {
        let name = self.of.name();
        let (private, made) = match (private, seed) {
            (Some(private), _) => {
                self.check_len("a private key", private, self.of.private_key_len())?;
                (Zeroizing::new(private.to_vec()), None)
            }
            (None, Some(seed)) => {
                let made = of_seed(self.of, seed)?;
                (made.private, Some(made.public))
            }
            (None, None) => return Err(format!("there is no key of {name}")),
        };
        let session = open(|| checking(self.of, &private, seed));
        if session.is_none() {
            return Err(format!("the private key of {name} is damaged: its parts do not agree"));
        }
        let known = match (made, self.of, seed) {
            (Some(public), ..) => Some(public),
            (None, HeldType::Kem(Kem::MlKem(set)), _) => Some(set.public_of(&private).to_vec()),
            (None, HeldType::Kem(Kem::Hybrid(_)), _) => None,
            (None, HeldType::MlDsa(_), Some(seed)) => Some(of_seed(self.of, seed)?.public),
            (None, HeldType::MlDsa(_), None) => None,
        };
        if let Some(given) = public {
            self.check_len("a public key", given, self.of.public_key_len())?;
            let is_right = match (&known, self.of) {
                (Some(known), _) => known == given,
                (None, HeldType::MlDsa(_)) => is_digest_in(&private, given),
                (None, HeldType::Kem(_)) => true,
            };
            if !is_right {
                return Err(format!("the public key of {name} is not that of the private key"));
            }
        }
        let seed = seed.map(|seed| Zeroizing::new(seed.to_vec()));
        let public = match known.or_else(|| public.map(<[u8]>::to_vec)) {
            Some(public) => public,
            None => self.public_of(&private)?,
        };
        self.put(KeyBytes { public, private: Some(private), seed })?;
        self.sessions.put(private_purpose(self.of), session);
        Ok(())
    }

    /// Returns the public key of a private key that has none in it, by the default provider: the
    /// lanes have no way from a private key on a curve, or of ML-DSA, to its public key.
    fn public_of(&self, private: &[u8]) -> Result<Vec<u8>, String> {
        let name = self.of.name();
        let has_private = default_has_private(self.of);
        let pkey = has_private.then(|| self.theirs_of(c"priv", private)).flatten();
        let public = pkey.as_ref().and_then(|pkey| {
            pkey.part(public_name(self.of), self.of.public_key_len()).map(|bytes| bytes.to_vec())
        });
        public.ok_or_else(|| format!("the private key of {name} came without its public key"))
    }

    /// Checks the length of a part of a key, or of a ciphertext.
    ///
    /// # Errors
    /// It has another one.
    pub fn check_len(&self, what: &str, bytes: &[u8], valid: usize) -> Result<(), String> {
        let (len, name) = (bytes.len(), self.of.name());
        match len == valid {
            true => Ok(()),
            false => Err(format!("{what} of {name} has {valid} bytes, not {len}")),
        }
    }

    /// Returns what a session of the lanes is opened for; `None` where the key lacks the part for
    /// it, or the lanes lack the purpose.
    pub fn transform(&self, purpose: Purpose) -> Option<Transform> {
        let KeyBytes { public, private, .. } = self.bytes.get()?;
        let transform = match (self.of, purpose) {
            (HeldType::Kem(kem), Purpose::Decapsulate) => {
                return Transform::decapsulate_bytes(kem, private.as_ref()?).ok();
            }
            (HeldType::MlDsa(set), Purpose::Sign(scheme)) => {
                // The parts were compared when they came, so that the seed is not needed again.
                let key = MlDsaPrivateKey::from_expanded(set, private.as_ref()?).ok()?;
                Transform::sign(&PrivateKey::MlDsa(key), scheme)
            }
            (HeldType::MlDsa(set), Purpose::Verify(scheme)) => {
                let key = MlDsaPublicKey::new(set, public).ok()?;
                Transform::verify(&PublicKey::MlDsa(key), scheme)
            }
            _ => return None,
        };
        transform.ok()
    }

    /// Returns the session of the lanes for a purpose; `None` where they lack it.
    pub fn session(&self, purpose: Purpose) -> Option<Session> {
        self.sessions.get(purpose, || self.transform(purpose))
    }

    /// Makes a key: in the lanes together with others, by the default provider, or in the lanes
    /// alone.
    ///
    /// # Errors
    /// Nobody makes one; why.
    pub fn generated(of: HeldType, seed: Option<&[u8]>) -> Result<HeldKey, String> {
        let key = HeldKey::new(of);
        if let Some(seed) = seed {
            key.put(of_seed(of, seed)?.bytes(Some(seed)))?;
            return Ok(key);
        }
        let session = keyless(of, Direction::Generate)?;
        let bytes = match generated_in_lanes(of, session) {
            Some(bytes) => bytes?,
            None => match by_default(of) {
                Some((pkey, bytes)) => {
                    let _ = key.pkey.set(Some(pkey));
                    bytes
                }
                None => {
                    let seed = drawn_seed(of)?;
                    let made = alone(session, &seed, None).map_err(in_words)?;
                    Pair::of(of, &made).bytes(Some(&seed))
                }
            },
        };
        key.put(bytes)?;
        Ok(key)
    }

    /// Returns libcrypto's form of the key, which is made when it is first needed.
    pub fn theirs(&self) -> Option<&Theirs> {
        let make = || {
            let bytes = self.bytes.get()?;
            match &bytes.private {
                Some(private) if default_has_private(self.of) => self.theirs_of(c"priv", private),
                Some(_) => None,
                None => self.theirs_of(c"pub", &bytes.public),
            }
        };
        self.pkey.get_or_init(make).as_ref()
    }

    /// Has libcrypto make a key of one part of it.
    fn theirs_of(&self, name: &'static CStr, bytes: &[u8]) -> Option<Theirs> {
        if !default_has(self.of) {
            return None;
        }
        let functions = functions();
        let mut pkey = ptr::null_mut();
        let data = bytes.as_ptr().cast_mut().cast();
        let part = Param { data, data_size: bytes.len(), ..Param::describe(name, OCTETS) };
        let list = [part, Param::END];
        // SAFETY: the context is new, the place is ours, and the list ends and is only read.
        unsafe {
            let context = new_context(self.of);
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
}

/// Returns what a private key is for above all.
fn private_purpose(of: HeldType) -> Purpose {
    match of {
        HeldType::Kem(_) => Purpose::Decapsulate,
        HeldType::MlDsa(_) => Purpose::Sign(Scheme::default().hedged()),
    }
}

/// Returns the transform of that purpose, which opens only with a private key whose parts agree:
/// the lanes compare the key with the seed that is given.
fn checking(of: HeldType, private: &[u8], seed: Option<&[u8]>) -> Option<Transform> {
    match (of, seed) {
        (HeldType::Kem(Kem::MlKem(set)), Some(seed)) => {
            let key = MlKemPrivateKey::from_both(set, seed, private).ok()?;
            Transform::decapsulate(&PrivateKey::MlKem(key)).ok()
        }
        (HeldType::Kem(kem), _) => Transform::decapsulate_bytes(kem, private).ok(),
        (HeldType::MlDsa(set), seed) => {
            let key = match seed {
                Some(seed) => MlDsaPrivateKey::from_both(set, seed, private),
                None => MlDsaPrivateKey::from_expanded(set, private),
            };
            let scheme = Scheme::default().hedged();
            Transform::sign(&PrivateKey::MlDsa(key.ok()?), scheme).ok()
        }
    }
}

/// Returns `true` if a private key of ML-DSA has the digest of a public key (FIPS 204, algorithms 6
/// and 24): it is behind two seeds.
fn is_digest_in(private: &[u8], public: &[u8]) -> bool {
    const SEEDS: usize = 2 * MlDsaSet::SEED_LEN;
    let Some(session) = open(|| Some(Transform::hash(HashAlgorithm::Shake256))) else {
        return false;
    };
    with_room(|| {
        let mut jobs = [Job::new(&session, public)];
        Processor::new().process_many(&mut jobs);
        jobs[0].tag().is_some_and(|digest| private[SEEDS..].starts_with(digest))
    })
}

/// Makes the key of a seed.
fn of_seed(of: HeldType, seed: &[u8]) -> Result<Pair, String> {
    let (name, len) = (of.name(), seed.len());
    match of.seed_len() {
        None => return Err(format!("keys of {name} are not made of seeds")),
        Some(valid) if len != valid => {
            return Err(format!("a seed of {name} has {valid} bytes, not {len}"));
        }
        Some(_) => {}
    }
    let session = keyless(of, Direction::Generate)?;
    Ok(Pair::of(of, &alone(session, seed, None).map_err(in_words)?))
}

/// Draws the seed of a new key; none where libcrypto has no seeds, so that the lanes draw one.
fn drawn_seed(of: HeldType) -> Made {
    let mut seed = Zeroizing::new(vec![0; of.seed_len().unwrap_or(0)]);
    let (place, len) = (seed.as_mut_ptr(), seed.len());
    // SAFETY: the context is valid, and there is so much room.
    let draw = || unsafe { (functions().RAND_priv_bytes_ex)(apart(), place, len, 0) };
    if len == 0 || draw() == 1 { Ok(seed) } else { Err("libcrypto has no random bytes".to_owned()) }
}

/// Makes a key in the lanes, if others are there to share them. `None` if it is alone.
fn generated_in_lanes(of: HeldType, session: &Session) -> Option<Result<KeyBytes, String>> {
    if !is_worth_asking(of.kind()) {
        return None;
    }
    let seed = match drawn_seed(of) {
        Ok(seed) => seed,
        Err(reason) => return Some(Err(reason)),
    };
    match ask(of.kind(), session, &seed, None) {
        Answer::Alone => None,
        Answer::Done(made) => {
            let bytes = |made: Zeroizing<Vec<u8>>| Pair::of(of, &made).bytes(Some(&seed));
            Some(made.map(bytes).map_err(in_words))
        }
    }
}

/// Has the default provider make a key. `None` where it lacks the algorithm.
fn by_default(of: HeldType) -> Option<(Theirs, KeyBytes)> {
    if !default_has_private(of) {
        return None;
    }
    let functions = functions();
    let mut pkey = ptr::null_mut();
    // SAFETY: the context is new, and the place is ours.
    unsafe {
        let context = new_context(of);
        let _ = !context.is_null()
            && (functions.EVP_PKEY_keygen_init)(context) == 1
            && (functions.EVP_PKEY_generate)(context, &mut pkey) == 1;
        (functions.EVP_PKEY_CTX_free)(context);
    }
    let pkey = (!pkey.is_null()).then_some(Theirs(pkey))?;
    let bytes = KeyBytes {
        public: pkey.part(public_name(of), of.public_key_len())?.to_vec(),
        private: Some(pkey.part(c"priv", of.private_key_len())?),
        seed: of.seed_len().and_then(|len| pkey.part(c"seed", len)),
    };
    Some((pkey, bytes))
}

/// Returns the default provider's name of the public key's bytes: of hybrids, it has none but that
/// of TLS.
fn public_name(of: HeldType) -> &'static CStr {
    match of {
        HeldType::Kem(_) => c"encoded-pub-key",
        HeldType::MlDsa(_) => c"pub",
    }
}

/// What the lanes generate.
struct Pair {
    private: Zeroizing<Vec<u8>>,
    public: Vec<u8>,
}

impl Pair {
    fn of(of: HeldType, made: &[u8]) -> Pair {
        let (private, public) = of.keys_of(made);
        Pair { public: public.to_vec(), private: Zeroizing::new(private.to_vec()) }
    }

    /// The bytes of a key, with its seed; an empty one is none.
    fn bytes(self, seed: Option<&[u8]>) -> KeyBytes {
        let seed = seed.filter(|seed| !seed.is_empty()).map(|seed| Zeroizing::new(seed.to_vec()));
        KeyBytes { public: self.public, private: Some(self.private), seed }
    }
}

fn new_context(of: HeldType) -> *mut PkeyContext {
    let name = of.facts().name.as_ptr();
    // SAFETY: the context is valid, and the properties may be null.
    unsafe { (functions().EVP_PKEY_CTX_new_from_name)(apart(), name, ptr::null()) }
}
