//! Expanded keys, by the lanes that use them.

use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm, ProviderError,
    ProviderSession, Transform,
};
use broadloom_lanes::{
    AesKey, ChaChaKey, CmacKey, Cpu, GcmKey, Hash, HmacKey, KeyLengthError, Md5, Sha1, Sha224, Sha256,
    Sha384, Sha512, kernels,
};

/// The class of AES-CBC; those of the hashes are their places in [`HashAlgorithm::ALL`].
pub(crate) const CBC: u8 = HashAlgorithm::ALL.len() as u8;

/// The class of AES in counter mode.
pub(crate) const CTR: u8 = CBC + 1;

/// The class of AES-GCM and GMAC.
pub(crate) const GCM: u8 = CTR + 1;

/// The class of AES-CMAC.
pub(crate) const CMAC: u8 = GCM + 1;

/// The class of ChaCha20.
pub(crate) const CHACHA: u8 = CMAC + 1;

/// The class of ChaCha20-Poly1305.
pub(crate) const CHACHA_POLY: u8 = CHACHA + 1;

/// How many classes there are.
pub(crate) const CLASSES: usize = CHACHA_POLY as usize + 1;

/// A hash or an HMAC.
pub(crate) struct HashSession<A: Hash> {
    /// An HMAC's key.
    pub key: Option<HmacKey<A>>,
    about: About,
}

/// AES-CBC.
pub(crate) struct CbcSession {
    pub key: AesKey,
    pub encrypt: bool,
    about: About,
}

/// AES in counter mode, in either direction.
pub(crate) struct CtrSession {
    pub key: AesKey,
    about: About,
}

/// AES-GCM or GMAC.
pub(crate) struct GcmSession {
    pub key: GcmKey,
    pub task: GcmTask,
    about: About,
}

/// What is done with a key for GCM.
pub(crate) enum GcmTask {
    Seal,
    Open,
    Authenticate,
}

/// AES-CMAC.
pub(crate) struct CmacSession {
    pub key: CmacKey,
    about: About,
}

/// ChaCha20, in either direction.
pub(crate) struct ChaChaSession {
    pub key: ChaChaKey,
    about: About,
}

/// ChaCha20-Poly1305.
pub(crate) struct ChaChaPolySession {
    pub key: ChaChaKey,
    pub seals: bool,
    about: About,
}

/// What a session says of itself.
struct About {
    class: u8,
    kernel: String,
}

impl<A: Hash> ProviderSession for HashSession<A> {
    fn kernel(&self) -> String {
        self.about.kernel.clone()
    }

    fn class(&self) -> u8 {
        self.about.class
    }
}

macro_rules! says_what_it_is {
    ($($session:ty),*) => { $(
        impl ProviderSession for $session {
            fn kernel(&self) -> String {
                self.about.kernel.clone()
            }

            fn class(&self) -> u8 {
                self.about.class
            }
        }
    )* };
}

says_what_it_is!(CbcSession, CtrSession, GcmSession, CmacSession, ChaChaSession, ChaChaPolySession);

/// Opens a session.
///
/// # Errors
/// There is no kernel for the algorithm.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Result<Box<dyn ProviderSession>, ProviderError> {
    match transform.algorithm() {
        Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash)) => Ok(match hash {
            HashAlgorithm::Md5 => hash_session::<Md5>(transform, cpu, hash),
            HashAlgorithm::Sha1 => hash_session::<Sha1>(transform, cpu, hash),
            HashAlgorithm::Sha224 => hash_session::<Sha224>(transform, cpu, hash),
            HashAlgorithm::Sha256 => hash_session::<Sha256>(transform, cpu, hash),
            HashAlgorithm::Sha384 => hash_session::<Sha384>(transform, cpu, hash),
            HashAlgorithm::Sha512 => hash_session::<Sha512>(transform, cpu, hash),
        }),
        Algorithm::Cipher(CipherAlgorithm::AesCbc(_)) => {
            let key = aes_key(transform)?;
            let encrypt = transform.direction() == Direction::Encrypt;
            let (kernel, lanes) = kernel(cpu, "aes-cbc");
            let kernel =
                if encrypt { format!("{kernel} x{lanes}") } else { format!("{kernel}, pipelined") };
            Ok(Box::new(CbcSession { key, encrypt, about: About { class: CBC, kernel } }))
        }
        Algorithm::Cipher(CipherAlgorithm::AesCtr(_)) => {
            let about = About { class: CTR, kernel: pipelined(cpu, "aes-ctr") };
            Ok(Box::new(CtrSession { key: aes_key(transform)?, about }))
        }
        Algorithm::Aead(AeadAlgorithm::AesGcm(_)) | Algorithm::Mac(MacAlgorithm::AesGmac(_)) => {
            let key = GcmKey::new(transform.key()).map_err(refused)?;
            let task = match transform.direction() {
                Direction::Seal => GcmTask::Seal,
                Direction::Open => GcmTask::Open,
                _ => GcmTask::Authenticate,
            };
            let about = About { class: GCM, kernel: pipelined(cpu, "aes-gcm") };
            Ok(Box::new(GcmSession { key, task, about }))
        }
        Algorithm::Mac(MacAlgorithm::AesCmac(_)) => {
            let (kernel, lanes) = kernel(cpu, "aes-cmac");
            let about = About { class: CMAC, kernel: format!("{kernel} x{lanes}") };
            let key = CmacKey::new(transform.key()).map_err(refused)?;
            Ok(Box::new(CmacSession { key, about }))
        }
        Algorithm::Cipher(CipherAlgorithm::ChaCha20) => {
            let (kernel, lanes) = kernel(cpu, "chacha20");
            let about = About { class: CHACHA, kernel: format!("{kernel} x{lanes}") };
            Ok(Box::new(ChaChaSession { key: chacha_key(transform)?, about }))
        }
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => {
            let (kernel, lanes) = kernel(cpu, "chacha20-poly1305");
            let about = About { class: CHACHA_POLY, kernel: format!("{kernel} x{lanes}") };
            let seals = transform.direction() == Direction::Seal;
            Ok(Box::new(ChaChaPolySession { key: chacha_key(transform)?, seals, about }))
        }
        algorithm => Err(ProviderError::new(format!("native has no kernel for {algorithm}"))),
    }
}

fn hash_session<A: Hash>(
    transform: &Transform,
    cpu: &Cpu,
    hash: HashAlgorithm,
) -> Box<dyn ProviderSession> {
    let hmac = matches!(transform.algorithm(), Algorithm::Mac(_));
    let (kernel, lanes) = kernel(cpu, A::NAME);
    Box::new(HashSession::<A> {
        key: hmac.then(|| HmacKey::new(transform.key())),
        about: About { class: hash as u8, kernel: format!("{kernel} x{lanes}") },
    })
}

fn aes_key(transform: &Transform) -> Result<AesKey, ProviderError> {
    AesKey::new(transform.key()).map_err(refused)
}

fn chacha_key(transform: &Transform) -> Result<ChaChaKey, ProviderError> {
    let key = transform.key();
    let whole = key
        .try_into()
        .map_err(|_| ProviderError::new(format!("a key of ChaCha20 has 32 bytes, not {}", key.len())))?;
    Ok(ChaChaKey::new(whole))
}

fn refused(error: KeyLengthError) -> ProviderError {
    ProviderError::new(error.to_string())
}

/// What a kernel is called that works on the blocks of one buffer side by side.
fn pipelined(cpu: &Cpu, algorithm: &str) -> String {
    format!("{}, pipelined", kernel(cpu, algorithm).0)
}

/// The kernel for many buffers and its lanes, as [`kernels`] names them.
fn kernel(cpu: &Cpu, algorithm: &str) -> (&'static str, usize) {
    let kernels = kernels(cpu);
    let info = kernels.iter().find(|info| info.algorithm == algorithm);
    info.map_or(("", 0), |info| (info.kernel, info.lanes))
}
