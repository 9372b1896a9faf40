//! Expanded keys, by the lanes that use them.

use broadloom_engine::{
    Algorithm, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm, ProviderError, ProviderSession,
    Transform,
};
use broadloom_lanes::{AesKey, Cpu, Hash, HmacKey, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, kernels};

/// The class of AES-CBC; those of the hashes are their places in [`HashAlgorithm::ALL`].
pub(crate) const CBC: u8 = HashAlgorithm::ALL.len() as u8;

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

impl ProviderSession for CbcSession {
    fn kernel(&self) -> String {
        self.about.kernel.clone()
    }

    fn class(&self) -> u8 {
        self.about.class
    }
}

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
            let key = AesKey::new(transform.key());
            let key = key.map_err(|error| ProviderError::new(error.to_string()))?;
            let encrypt = transform.direction() == Direction::Encrypt;
            let (kernel, lanes) = kernel(cpu, "aes-cbc");
            let kernel =
                if encrypt { format!("{kernel} x{lanes}") } else { format!("{kernel}, pipelined") };
            Ok(Box::new(CbcSession { key, encrypt, about: About { class: CBC, kernel } }))
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

/// The kernel for many buffers and its lanes, as [`kernels`] names them.
fn kernel(cpu: &Cpu, algorithm: &str) -> (&'static str, usize) {
    let kernels = kernels(cpu);
    let info = kernels.iter().find(|info| info.algorithm == algorithm);
    info.map_or(("", 0), |info| (info.kernel, info.lanes))
}
