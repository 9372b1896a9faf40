//! Expanded keys, by the lanes that use them.

use std::error::Error;

use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm, ProviderError,
    ProviderSession, Transform,
};
use broadloom_lanes::{
    AesKey, CmacKey, Cpu, GcmKey, Hash, HmacKey, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, XcbcKey,
    XtsKey, kernels,
};

/// The class of AES-CBC; those of the hashes are their places in [`HashAlgorithm::ALL`].
pub(crate) const CBC: u8 = HashAlgorithm::ALL.len() as u8;

/// The class of AES in counter mode.
pub(crate) const CTR: u8 = CBC + 1;

/// The class of AES-GCM and GMAC.
pub(crate) const GCM: u8 = CTR + 1;

/// The class of AES-CMAC and AES-XCBC-MAC.
pub(crate) const CMAC: u8 = GCM + 1;

/// The class of AES-CCM.
pub(crate) const CCM: u8 = CMAC + 1;

/// The class of AES in ECB mode.
pub(crate) const ECB: u8 = CCM + 1;

/// The class of AES in CFB mode.
pub(crate) const CFB: u8 = ECB + 1;

/// The class of AES-XTS.
pub(crate) const XTS: u8 = CFB + 1;

/// How many classes there are.
pub(crate) const CLASSES: usize = XTS as usize + 1;

/// A hash or an HMAC.
pub(crate) struct HashSession<A: Hash> {
    /// An HMAC's key.
    pub key: Option<HmacKey<A>>,
    about: About,
}

/// AES in ECB mode.
pub(crate) struct EcbSession {
    pub key: AesKey,
    pub encrypt: bool,
    about: About,
}

/// AES in CFB mode.
pub(crate) struct CfbSession {
    pub key: AesKey,
    pub encrypt: bool,
    about: About,
}

/// AES-XTS.
pub(crate) struct XtsSession {
    pub key: XtsKey,
    pub encrypt: bool,
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

/// AES-CMAC or AES-XCBC-MAC.
pub(crate) struct CmacSession {
    pub key: ChainKey,
    about: About,
}

/// The key of a MAC that is a chain.
pub(crate) enum ChainKey {
    Cmac(CmacKey),
    Xcbc(XcbcKey),
}

/// AES-CCM.
pub(crate) struct CcmSession {
    pub key: AesKey,
    pub seals: bool,
    /// Bytes of the tags.
    pub tag_len: usize,
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

says_what_it_is!(
    CbcSession,
    CtrSession,
    GcmSession,
    CmacSession,
    CcmSession,
    EcbSession,
    CfbSession,
    XtsSession
);

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
            let (encrypt, kernel) = laned_one_way(transform, cpu, "aes-cbc");
            Ok(Box::new(CbcSession { key, encrypt, about: About { class: CBC, kernel } }))
        }
        Algorithm::Cipher(CipherAlgorithm::AesCfb(_)) => {
            let key = aes_key(transform)?;
            let (encrypt, kernel) = laned_one_way(transform, cpu, "aes-cfb");
            Ok(Box::new(CfbSession { key, encrypt, about: About { class: CFB, kernel } }))
        }
        Algorithm::Cipher(CipherAlgorithm::AesEcb(_)) => {
            let encrypt = transform.direction() == Direction::Encrypt;
            let about = About { class: ECB, kernel: pipelined(cpu, "aes-ecb") };
            Ok(Box::new(EcbSession { key: aes_key(transform)?, encrypt, about }))
        }
        Algorithm::Cipher(CipherAlgorithm::AesXts(_)) => {
            let encrypt = transform.direction() == Direction::Encrypt;
            let about = About { class: XTS, kernel: pipelined(cpu, "aes-xts") };
            let key = XtsKey::new(transform.key()).map_err(refused)?;
            Ok(Box::new(XtsSession { key, encrypt, about }))
        }
        Algorithm::Cipher(CipherAlgorithm::AesCtr(_) | CipherAlgorithm::AesCtr32(_)) => {
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
            let key = ChainKey::Cmac(CmacKey::new(transform.key()).map_err(refused)?);
            Ok(Box::new(CmacSession { key, about }))
        }
        Algorithm::Mac(MacAlgorithm::AesXcbc) => {
            let (kernel, lanes) = kernel(cpu, "aes-xcbc");
            let about = About { class: CMAC, kernel: format!("{kernel} x{lanes}") };
            let key = transform.key().try_into().expect("the engine checks the length of keys");
            Ok(Box::new(CmacSession { key: ChainKey::Xcbc(XcbcKey::new(key)), about }))
        }
        Algorithm::Aead(AeadAlgorithm::AesCcm(_)) => {
            let (kernel, lanes) = kernel(cpu, "aes-ccm");
            let about = About { class: CCM, kernel: format!("{kernel} x{lanes}") };
            let seals = transform.direction() == Direction::Seal;
            let (key, tag_len) = (aes_key(transform)?, transform.tag_len());
            Ok(Box::new(CcmSession { key, seals, tag_len, about }))
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

fn refused(error: impl Error) -> ProviderError {
    ProviderError::new(error.to_string())
}

/// Whether a session encrypts, and what its kernel is called, with lanes for buffers that are encrypted.
fn laned_one_way(transform: &Transform, cpu: &Cpu, algorithm: &str) -> (bool, String) {
    let (kernel, lanes) = kernel(cpu, algorithm);
    match transform.direction() {
        Direction::Encrypt => (true, format!("{kernel} x{lanes}")),
        _ => (false, pipelined(cpu, algorithm)),
    }
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
