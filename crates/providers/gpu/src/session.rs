//! Sessions: what the device is told of a key.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Family, HashAlgorithm, MacAlgorithm,
    PublicKeyAlgorithm, Transform,
};
use sha2::Digest;
use zeroize::{Zeroize, Zeroizing};

use crate::aes_key;
use crate::ed25519::Ed25519;
use crate::kernels::KernelId;
use crate::rsa::Rsa;
use crate::slh_dsa::SlhDsa;

/// A session of the device.
pub(crate) struct GpuSession {
    pub work: GpuWork,
    /// Tells sessions apart, so that a batch has the key of each once.
    pub id: u64,
    /// What kernels read of the key: states, round keys.
    pub key: Zeroizing<Vec<u32>>,
}

/// What is done to a buffer.
pub(crate) enum GpuWork {
    Hash(Hash),
    Sponge(Sponge),
    ChaCha20,
    ChaCha20Poly1305,
    AesCtr {
        rounds: u32,
    },
    AesGcm {
        rounds: u32,
    },
    /// GCM of associated data alone.
    AesGmac {
        rounds: u32,
    },
    Rsa(Box<Rsa>),
    Ed25519(Ed25519),
    SlhDsa(Box<SlhDsa>),
}

/// A hash with blocks and a padded end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hash {
    pub kernel: KernelId,
    pub block: usize,
    /// Words of a digest, of 32 or of 64 bits.
    pub digest: u32,
    /// The key has a state for the outer hash, too, after 16 words for the inner one.
    pub keyed: bool,
}

/// A hash by Keccak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sponge {
    /// Bytes of a block.
    pub rate: usize,
    /// The bits that follow a message, with the first of the padding.
    pub suffix: u8,
    /// Blocks before every message.
    pub prefix: Zeroizing<Vec<u8>>,
    /// Bytes after every message: the length of a tag of KMAC.
    pub postfix: Vec<u8>,
    /// Words of the inner digest, of 32 bits, where the key is a block for an outer hash.
    pub inner: Option<u32>,
}

impl GpuSession {
    /// A session, unless the device has no kernel for it.
    ///
    /// # Errors
    /// There is no kernel.
    pub fn open(transform: &Transform) -> Result<GpuSession, ProviderError> {
        let algorithm = transform.algorithm();
        if let Algorithm::PublicKey(PublicKeyAlgorithm::Rsa(_)) = algorithm {
            let (rsa, key) = Rsa::open(transform)?;
            return Ok(GpuSession::new(GpuWork::Rsa(Box::new(rsa)), key));
        }
        if let Algorithm::PublicKey(PublicKeyAlgorithm::Ed25519) = algorithm {
            let (own, key) = Ed25519::open(transform)?;
            return Ok(GpuSession::new(GpuWork::Ed25519(own), key));
        }
        if let Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(_)) = algorithm {
            let (own, key) = SlhDsa::open(transform)?;
            return Ok(GpuSession::new(GpuWork::SlhDsa(Box::new(own)), key));
        }
        let (work, key) = opened(transform)
            .ok_or_else(|| ProviderError::new(format!("the gpu provider has no {algorithm}")))?;
        Ok(GpuSession::new(work, key))
    }

    fn new(work: GpuWork, key: Zeroizing<Vec<u32>>) -> GpuSession {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        GpuSession { work, id: NEXT.fetch_add(1, Relaxed), key }
    }
}

/// Returns `true` if there are kernels for an algorithm that is no chain.
pub(crate) fn has(algorithm: Algorithm) -> bool {
    match algorithm {
        Algorithm::Hash(hash) => has_hash(hash),
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => has_hash(hash) && !hash.is_extendable(),
        Algorithm::Mac(mac) => {
            matches!(mac, MacAlgorithm::AesGmac(_) | MacAlgorithm::Kmac128 | MacAlgorithm::Kmac256)
        }
        Algorithm::Cipher(cipher) => matches!(
            cipher,
            CipherAlgorithm::AesCtr(_) | CipherAlgorithm::AesCtr32(_) | CipherAlgorithm::ChaCha20
        ),
        Algorithm::Aead(aead) => {
            matches!(aead, AeadAlgorithm::AesGcm(_) | AeadAlgorithm::ChaCha20Poly1305)
        }
        Algorithm::PublicKey(algorithm) => matches!(
            algorithm,
            PublicKeyAlgorithm::Rsa(_)
                | PublicKeyAlgorithm::Ed25519
                | PublicKeyAlgorithm::SlhDsa(_)
        ),
        _ => false,
    }
}

fn has_hash(hash: HashAlgorithm) -> bool {
    use HashAlgorithm as H;
    matches!(hash, H::Sha1 | H::Sha224 | H::Sha256 | H::Sha384 | H::Sha512)
        || hash.family() == Family::Sponge
}

type Opened = Option<(GpuWork, Zeroizing<Vec<u32>>)>;

fn opened(transform: &Transform) -> Opened {
    let algorithm = transform.algorithm();
    if !has(algorithm) {
        return None;
    }
    let key = transform.key();
    let rounds = key.len() as u32 / 4 + 6;
    Some(match algorithm {
        Algorithm::Hash(hash) => return hash_of(hash, None),
        Algorithm::Mac(MacAlgorithm::Hmac(hash)) => return hash_of(hash, Some(key)),
        Algorithm::Mac(MacAlgorithm::Kmac128) => kmac(168, key, transform.tag_len()),
        Algorithm::Mac(MacAlgorithm::Kmac256) => kmac(136, key, transform.tag_len()),
        Algorithm::Mac(_) => (GpuWork::AesGmac { rounds }, aes_key::expand(key)),
        Algorithm::Cipher(CipherAlgorithm::ChaCha20) => (GpuWork::ChaCha20, words(key)),
        Algorithm::Cipher(_) => (GpuWork::AesCtr { rounds }, aes_key::expand(key)),
        Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => (GpuWork::ChaCha20Poly1305, words(key)),
        Algorithm::Aead(_) => (GpuWork::AesGcm { rounds }, aes_key::expand(key)),
        _ => return None,
    })
}

/// The words of bytes, in the order of the machine.
pub(crate) fn words(bytes: &[u8]) -> Zeroizing<Vec<u32>> {
    let word = |word: &[u8]| u32::from_le_bytes(word.try_into().expect("four bytes"));
    Zeroizing::new(bytes.chunks_exact(4).map(word).collect())
}

pub(crate) fn words_of_64(state: &[u64; 8]) -> [u32; 16] {
    std::array::from_fn(|at| (state[at / 2] >> (32 * (at % 2))) as u32)
}

const SHA1: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

const SHA224: [u32; 8] = [
    0xc105_9ed8,
    0x367c_d507,
    0x3070_dd17,
    0xf70e_5939,
    0xffc0_0b31,
    0x6858_1511,
    0x64f9_8fa7,
    0xbefa_4fa4,
];

/// The initial state of SHA-256 (FIPS 180-4, 5.3.3).
pub(crate) const SHA256: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

const SHA384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8,
    0x629a_292a_367c_d507,
    0x9159_015a_3070_dd17,
    0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511,
    0xdb0c_2e0d_64f9_8fa7,
    0x47b5_481d_befa_4fa4,
];

/// The initial state of SHA-512 (FIPS 180-4, 5.3.5).
pub(crate) const SHA512: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// A hash, or HMAC over it with a key.
fn hash_of(hash: HashAlgorithm, key: Option<&[u8]>) -> Opened {
    use HashAlgorithm as H;
    let (kernel, digest) = match hash {
        H::Sha1 => (KernelId::Sha1, 5),
        H::Sha224 => (KernelId::Sha256, 7),
        H::Sha256 => (KernelId::Sha256, 8),
        H::Sha384 => (KernelId::Sha512, 6),
        H::Sha512 => (KernelId::Sha512, 8),
        _ => return sponge_of(hash, key),
    };
    let block = hash.block_len();
    let state = |pad: Option<&[u8]>| -> Zeroizing<[u32; 16]> {
        Zeroizing::new(match hash {
            H::Sha1 => {
                let mut state = Zeroizing::new(SHA1);
                if let Some(pad) = pad {
                    sha1::block_api::compress(&mut state, &[pad.try_into().expect("a block")]);
                }
                pad_out(&*state)
            }
            H::Sha224 | H::Sha256 => {
                let initial = if hash == H::Sha224 { SHA224 } else { SHA256 };
                let mut state = Zeroizing::new(initial);
                if let Some(pad) = pad {
                    let block = [pad.try_into().expect("a block")];
                    sha2::block_api::compress256(&mut state, &block);
                }
                pad_out(&*state)
            }
            _ => {
                let initial = if hash == H::Sha384 { SHA384 } else { SHA512 };
                let mut state = Zeroizing::new(initial);
                if let Some(pad) = pad {
                    let block = [pad.try_into().expect("a block")];
                    sha2::block_api::compress512(&mut state, &block);
                }
                words_of_64(&state)
            }
        })
    };
    let states = match key {
        None => Zeroizing::new(state(None).to_vec()),
        Some(key) => {
            let [inner, outer] = pads(hash, key);
            Zeroizing::new([*state(Some(&inner)), *state(Some(&outer))].concat())
        }
    };
    Some((GpuWork::Hash(Hash { kernel, block, digest, keyed: key.is_some() }), states))
}

fn pad_out(state: &[u32]) -> [u32; 16] {
    std::array::from_fn(|at| state.get(at).copied().unwrap_or_default())
}

/// The blocks before the inner and the outer hash (RFC 2104).
fn pads(hash: HashAlgorithm, key: &[u8]) -> [Zeroizing<Vec<u8>>; 2] {
    let mut block = Zeroizing::new(vec![0; hash.block_len()]);
    match key.len() <= block.len() {
        true => block[..key.len()].copy_from_slice(key),
        false => {
            let mut digest = digest_of(hash, key);
            block[..digest.len()].copy_from_slice(&digest);
            digest.zeroize();
        }
    }
    [0x36, 0x5c].map(|pad| Zeroizing::new(block.iter().map(|byte| byte ^ pad).collect()))
}

/// The digest of a key that is longer than a block.
fn digest_of(hash: HashAlgorithm, key: &[u8]) -> Vec<u8> {
    use HashAlgorithm as H;
    match hash {
        H::Sha1 => sha1::Sha1::digest(key).to_vec(),
        H::Sha224 => sha2::Sha224::digest(key).to_vec(),
        H::Sha256 => sha2::Sha256::digest(key).to_vec(),
        H::Sha384 => sha2::Sha384::digest(key).to_vec(),
        H::Sha512 => sha2::Sha512::digest(key).to_vec(),
        H::Sha3_224 => sha3::Sha3_224::digest(key).to_vec(),
        H::Sha3_256 => sha3::Sha3_256::digest(key).to_vec(),
        H::Sha3_384 => sha3::Sha3_384::digest(key).to_vec(),
        H::Sha3_512 => sha3::Sha3_512::digest(key).to_vec(),
        _ => unreachable!("there is no HMAC over {hash}"),
    }
}

/// SHA-3 or SHAKE, or HMAC over SHA-3.
fn sponge_of(hash: HashAlgorithm, key: Option<&[u8]>) -> Opened {
    let suffix = if hash.is_extendable() { 0x1f } else { 0x06 };
    let mut sponge = Sponge {
        rate: hash.block_len(),
        suffix,
        prefix: Zeroizing::default(),
        postfix: Vec::new(),
        inner: None,
    };
    let Some(key) = key else { return Some((GpuWork::Sponge(sponge), Zeroizing::default())) };
    let [inner, outer] = pads(hash, key);
    sponge.prefix = inner;
    sponge.inner = Some(hash.digest_len() as u32 / 4);
    Some((GpuWork::Sponge(sponge), words(&outer)))
}

/// KMAC (SP 800-185, 4) without a customization string.
fn kmac(rate: usize, key: &[u8], tag_len: usize) -> (GpuWork, Zeroizing<Vec<u32>>) {
    let name = [&left_encoded(rate)[..], &left_encoded(4 * 8), b"KMAC", &left_encoded(0)].concat();
    let before = [left_encoded(rate), left_encoded(key.len() * 8)].concat();
    let start = name.len().next_multiple_of(rate);
    let len = (before.len() + key.len()).next_multiple_of(rate);
    let mut prefix = Zeroizing::new(vec![0; start + len]);
    prefix[..name.len()].copy_from_slice(&name);
    prefix[start..start + before.len()].copy_from_slice(&before);
    prefix[start + before.len()..][..key.len()].copy_from_slice(key);
    let mut postfix = left_encoded(tag_len * 8);
    postfix.rotate_left(1);
    let sponge = Sponge { rate, suffix: 0x04, prefix, postfix, inner: None };
    (GpuWork::Sponge(sponge), Zeroizing::default())
}

/// A number with its count of bytes before it (SP 800-185, 2.3.1).
fn left_encoded(number: usize) -> Vec<u8> {
    let bytes = (number as u64).to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count().min(7);
    let mut encoded = vec![(8 - zeros) as u8];
    encoded.extend_from_slice(&bytes[zeros..]);
    encoded
}

impl fmt::Debug for GpuSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuSession").field("kernel", &self.kernel()).finish_non_exhaustive()
    }
}

impl ProviderSession for GpuSession {
    fn kernel(&self) -> String {
        let name = match &self.work {
            GpuWork::Hash(hash) => hash.kernel.name(),
            GpuWork::Sponge(_) => KernelId::Keccak.name(),
            GpuWork::ChaCha20 => "chacha20",
            GpuWork::ChaCha20Poly1305 => "chacha20, poly1305",
            GpuWork::AesCtr { .. } => "aes_ctr, bitsliced",
            GpuWork::AesGcm { .. } => "aes_ctr, bitsliced; ghash without tables",
            GpuWork::AesGmac { .. } => "ghash without tables",
            GpuWork::Rsa(_) => "rsa, words of 32 bits",
            GpuWork::Ed25519(_) => "sha512; ed25519, ten limbs",
            GpuWork::SlhDsa(own) => own.kernel(),
        };
        format!("OpenCL {name}")
    }

    fn instruction_set(&self) -> String {
        "opencl".to_owned()
    }

    fn bound(&self, len: usize) -> usize {
        match &self.work {
            GpuWork::Rsa(rsa) => rsa.bound(),
            GpuWork::Ed25519(own) => own.bound(),
            GpuWork::SlhDsa(own) => own.bound(),
            _ => len,
        }
    }
}
