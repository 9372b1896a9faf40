//! Abilities of the library, and their limits.

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, JobError,
    Lengths, MacAlgorithm,
};

use crate::keys::sha_index;
use crate::layout::{MAX_CCM_ASSOCIATED, MAX_KASUMI_LEN, MAX_LEN};

/// Longest text of AES-CTR, in bytes: as many blocks as its counter has values, so that the counter
/// passes zero once at most.
const MAX_CTR_LEN: u64 = 1 << 36;

/// Why the library does not have an algorithm; `None` if it does.
pub fn lacks(algorithm: Algorithm) -> Option<&'static str> {
    match algorithm {
        Algorithm::Hash(HashAlgorithm::Md5) => Some("it has no plain MD5"),
        Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash))
            if hash != HashAlgorithm::Md5 && sha_index(hash).is_none() =>
        {
            Some("of the hashes it has MD5, SHA-1 and SHA-2 only")
        }
        Algorithm::Mac(MacAlgorithm::Blake3Keyed) => Some("it has no BLAKE3"),
        Algorithm::Cipher(
            CipherAlgorithm::TripleDesCtr
            | CipherAlgorithm::TripleDesEcb
            | CipherAlgorithm::DesCtr
            | CipherAlgorithm::DesEcb,
        ) => Some("its DES and triple DES have no mode but CBC"),
        Algorithm::Cipher(CipherAlgorithm::AesCfb(_)) => Some("its CFB takes a block, and no more"),
        Algorithm::Cipher(CipherAlgorithm::AesOfb(_)) => Some("it has no OFB"),
        Algorithm::Aead(AeadAlgorithm::XChaCha20Poly1305) => {
            Some("its ChaCha20-Poly1305 takes nonces of 12 bytes only")
        }
        Algorithm::Cipher(CipherAlgorithm::AesXts(_)) => Some("it has no XTS"),
        Algorithm::Cipher(CipherAlgorithm::ChaCha20) => {
            Some("its ChaCha20 takes no counter, and begins with the second block")
        }
        Algorithm::Cipher(CipherAlgorithm::Rc4) => Some("it has no RC4"),
        Algorithm::Mac(MacAlgorithm::AesXcbc) => {
            Some("its XCBC makes tags of 12 bytes, and no longer ones")
        }
        Algorithm::Mac(MacAlgorithm::KasumiF9) => {
            Some("its F9 wants count and fresh in the message")
        }
        Algorithm::Mac(MacAlgorithm::AesCmac(AesSize::Aes192)) => {
            Some("its CMAC takes AES-128 and AES-256 only")
        }
        Algorithm::Aead(AeadAlgorithm::AesCcm(AesSize::Aes192)) => {
            Some("its CCM takes AES-128 and AES-256 only")
        }
        Algorithm::Chain(cipher, mac, _) => {
            lacks(Algorithm::Cipher(cipher)).or_else(|| lacks(Algorithm::Mac(mac)))
        }
        Algorithm::Mac(MacAlgorithm::Kmac128 | MacAlgorithm::Kmac256) => Some("it has no KMAC"),
        Algorithm::Compression(_) => Some("it compresses nothing"),
        Algorithm::PublicKey(_) => Some("it has no public-key algorithms"),
        _ => None,
    }
}

/// The error for an algorithm that the library does not have, and for a chain.
pub fn refused(algorithm: Algorithm) -> ProviderError {
    ProviderError::new(lacks(algorithm).unwrap_or("a chain is opened as its two halves"))
}

/// The conditions on an operation. They are checked here, because the library is called without its
/// own checks.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    max_text: u64,
    max_associated: u64,
    granularity: usize,
    nonces: Lengths,
    writes: bool,
}

impl Rules {
    /// The rules of an algorithm in a direction.
    pub fn of(algorithm: Algorithm, direction: Direction) -> Rules {
        let granularity = algorithm.granularity();
        let lanes = (MAX_LEN - MAX_LEN % granularity) as u64;
        Rules {
            max_text: match algorithm {
                Algorithm::Mac(MacAlgorithm::AesGmac(_))
                | Algorithm::Aead(AeadAlgorithm::AesGcm(_) | AeadAlgorithm::ChaCha20Poly1305) => {
                    u64::MAX
                }
                Algorithm::Cipher(CipherAlgorithm::AesCtr(_) | CipherAlgorithm::AesCtr32(_)) => {
                    MAX_CTR_LEN
                }
                Algorithm::Cipher(CipherAlgorithm::KasumiF8) => MAX_KASUMI_LEN as u64,
                Algorithm::Cipher(CipherAlgorithm::AesCbc(_))
                    if direction == Direction::Decrypt =>
                {
                    u64::MAX
                }
                _ => lanes,
            },
            max_associated: match algorithm {
                Algorithm::Aead(AeadAlgorithm::AesCcm(_)) => MAX_CCM_ASSOCIATED as u64,
                _ => u64::MAX,
            },
            granularity,
            nonces: algorithm.nonce_lens(),
            writes: matches!(algorithm, Algorithm::Cipher(_) | Algorithm::Aead(_)),
        }
    }

    /// Checks the lengths of an operation, and that it can be written to where it has to be.
    #[inline]
    pub fn check(
        &self,
        text_len: usize,
        writable: bool,
        nonce_len: usize,
        associated_len: usize,
    ) -> Result<(), JobError> {
        if text_len as u64 > self.max_text {
            return Err(JobError::TooLong { len: text_len, max: self.max_text });
        }
        if associated_len as u64 > self.max_associated {
            return Err(JobError::AssociatedTooLong {
                len: associated_len,
                max: self.max_associated,
            });
        }
        if !self.nonces.contains(nonce_len) {
            return Err(JobError::NonceLength { len: nonce_len, valid: self.nonces });
        }
        if !text_len.is_multiple_of(self.granularity) {
            return Err(JobError::DataLength { len: text_len, granularity: self.granularity });
        }
        if self.writes && !writable {
            return Err(JobError::ReadOnly);
        }
        Ok(())
    }
}
