//! A session: one of the library's operations, with expanded keys.

use std::ffi::c_int;

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, MacAlgorithm, Transform,
};

use crate::burst::Together;
use crate::keys::{
    AesKey, ChaChaKey, CmacKey, DesKey, GcmKeyBox, HmacKey, KasumiKey, TripleDesKey, aes_index,
    sha_index,
};
use crate::layout;
use crate::library::Table;
use crate::rules::{Rules, lacks, refused};

/// This provider's part of a session.
pub struct ImbSession {
    pub task: Task,
    pub rules: Rules,
    /// The properties that its jobs share with jobs that can be processed together with them.
    pub together: Option<Together>,
    /// A tag is checked, not made.
    pub checks: bool,
    class: u8,
    kernel: String,
}

/// What the library is asked for. Key lengths are in bytes, `alg`, `mode` and `direction` are the
/// library's numbers.
pub enum Task {
    Hash { alg: c_int, digest_len: u64 },
    Hmac { alg: c_int, digest_len: u64, key: Box<HmacKey> },
    Cmac { alg: c_int, key: Box<CmacKey> },
    Cbc { direction: c_int, key_len: u64, key: Box<AesKey> },
    Ctr { key_len: u64, key: Box<AesKey> },
    KasumiF8 { mode: c_int, key: Box<KasumiKey> },
    Ecb { direction: c_int, key_len: u64, key: Box<AesKey> },
    DesCbc { direction: c_int, key: Box<DesKey> },
    TripleDesCbc { direction: c_int, key: Box<TripleDesKey> },
    Ccm { direction: c_int, key_len: u64, key: Box<AesKey> },
    ChaCha { mode: c_int, direction: c_int, key: Box<ChaChaKey> },
    Gcm { size: usize, key: GcmKeyBox, encrypts: bool },
    Gmac { size: usize, key: GcmKeyBox },
}

impl ImbSession {
    /// Expands the keys of a transform.
    ///
    /// # Errors
    /// The library does not have its algorithm.
    pub fn open(
        transform: &Transform,
        table: &Table,
        kernel: String,
    ) -> Result<ImbSession, ProviderError> {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        if lacks(algorithm).is_some() {
            return Err(refused(algorithm));
        }
        let place = Algorithm::simple().position(|other| other == algorithm);
        let class = place.and_then(|place| u8::try_from(place).ok());
        let class = class.ok_or_else(|| refused(algorithm))?;
        let task = Task::of(transform, table)?;
        Ok(ImbSession {
            together: task.together(),
            task,
            rules: Rules::of(algorithm, direction),
            checks: matches!(direction, Direction::Verify | Direction::Open),
            class,
            kernel,
        })
    }
}

impl Task {
    pub fn of(transform: &Transform, table: &Table) -> Result<Task, ProviderError> {
        let (expander, release) = (table.expander(), table.release());
        let key = transform.key();
        let direction = match transform.direction() {
            Direction::Decrypt | Direction::Open => layout::DECRYPT,
            _ => layout::ENCRYPT,
        };
        Ok(match transform.algorithm() {
            Algorithm::Hash(hash) => Task::Hash {
                alg: match sha_index(hash) {
                    Some(index) => layout::AUTH_SHA1 + index as c_int,
                    None => return Err(refused(transform.algorithm())),
                },
                digest_len: hash.digest_len() as u64,
            },
            Algorithm::Mac(MacAlgorithm::Hmac(hash)) => Task::Hmac {
                alg: match sha_index(hash) {
                    Some(index) => layout::AUTH_HMAC_SHA1 + index as c_int,
                    None => layout::AUTH_HMAC_MD5,
                },
                digest_len: hash.digest_len() as u64,
                key: expander.hmac(hash, key),
            },
            Algorithm::Mac(MacAlgorithm::AesCmac(size)) => Task::Cmac {
                alg: match key.len() {
                    16 => layout::AUTH_CMAC_128,
                    _ => layout::AUTH_CMAC_256,
                },
                key: expander.cmac(size, key)?,
            },
            Algorithm::Cipher(CipherAlgorithm::KasumiF8) => {
                Task::KasumiF8 { mode: release.cipher_kasumi_f8, key: expander.kasumi_f8(key)? }
            }
            Algorithm::Mac(MacAlgorithm::AesGmac(size)) => {
                Task::Gmac { size: aes_index(size), key: expander.gcm(size, key)? }
            }
            Algorithm::Cipher(CipherAlgorithm::AesCbc(size)) => {
                Task::Cbc { direction, key_len: key.len() as u64, key: expander.aes(size, key)? }
            }
            Algorithm::Cipher(CipherAlgorithm::AesEcb(size)) => {
                Task::Ecb { direction, key_len: key.len() as u64, key: expander.aes(size, key)? }
            }
            Algorithm::Cipher(CipherAlgorithm::DesCbc) => {
                Task::DesCbc { direction, key: expander.des(key)? }
            }
            Algorithm::Cipher(CipherAlgorithm::AesCtr(size) | CipherAlgorithm::AesCtr32(size)) => {
                Task::Ctr { key_len: key.len() as u64, key: expander.aes(size, key)? }
            }
            Algorithm::Cipher(CipherAlgorithm::TripleDesCbc) => {
                Task::TripleDesCbc { direction, key: expander.triple_des(key)? }
            }
            Algorithm::Aead(AeadAlgorithm::AesGcm(size)) => Task::Gcm {
                size: aes_index(size),
                key: expander.gcm(size, key)?,
                encrypts: direction == layout::ENCRYPT,
            },
            Algorithm::Aead(AeadAlgorithm::AesCcm(size)) => {
                Task::Ccm { direction, key_len: key.len() as u64, key: expander.aes(size, key)? }
            }
            Algorithm::Aead(AeadAlgorithm::ChaCha20Poly1305) => {
                let mut own = Box::new(ChaChaKey([0; 32]));
                own.0.copy_from_slice(key);
                Task::ChaCha { mode: release.cipher_chacha20_poly1305, direction, key: own }
            }
            other => return Err(refused(other)),
        })
    }

    /// The common properties of its jobs, if the library has a call for many of them.
    /// Returns what jobs of this task have in common, if a release of the library may have a call
    /// for bursts of them.
    pub fn alike(&self) -> Option<Together> {
        match self {
            Task::Hash { alg, .. } | Task::Cmac { alg, .. } => Some(Together::Hash { alg: *alg }),
            _ => self.together(),
        }
    }

    fn together(&self) -> Option<Together> {
        match self {
            Task::Hmac { alg, .. } if *alg != layout::AUTH_HMAC_MD5 => {
                Some(Together::Hash { alg: *alg })
            }
            Task::Cbc { direction, key_len, .. } => Some(Together::Cipher {
                mode: layout::CIPHER_CBC,
                direction: *direction,
                key_len: *key_len as c_int,
            }),
            Task::Ctr { key_len, .. } => Some(Together::Cipher {
                mode: layout::CIPHER_CTR,
                direction: layout::ENCRYPT,
                key_len: *key_len as c_int,
            }),
            _ => None,
        }
    }
}

impl ProviderSession for ImbSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn class(&self) -> u8 {
        self.class
    }
}
