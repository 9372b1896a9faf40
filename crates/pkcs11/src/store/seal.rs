//! Secrets that are sealed: the token's key under a PIN, and objects under the token's key.

use broadloom::algorithm::AesSize;
use broadloom::{AeadAlgorithm, Job, Processor, Registry, Transform};
use cryptoki_sys::*;
use scrypt::Params;
use zeroize::Zeroizing;

use crate::memory::Outcome;
use crate::random;

/// A key that seals: AES-256-GCM, by the engine. It stays where it was made: a value that moves
/// leaves a copy behind.
#[derive(Clone)]
pub struct SealingKey(Box<Zeroizing<[u8; 32]>>);

/// The cost of a guess of a PIN: 2^15 rounds over 32 MiB.
pub const LOG_N: u8 = 15;
/// The most that a file may ask for: 2^20 rounds over a GiB.
const MOST_LOG_N: u8 = 20;
const NONCE: usize = 12;
const TAG: usize = 16;

impl SealingKey {
    /// A new one.
    pub fn new() -> Outcome<SealingKey> {
        let mut key = Box::new(Zeroizing::new([0; 32]));
        random::fill(key.as_mut_slice())?;
        Ok(SealingKey(key))
    }

    /// The key of a PIN (RFC 7914).
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`: a cost that no token has.
    pub fn of_pin(pin: &[u8], salt: &[u8], log_n: u8) -> Outcome<SealingKey> {
        if log_n > MOST_LOG_N {
            return Err(CKR_DEVICE_ERROR);
        }
        let params = Params::new(log_n, 8, 1).map_err(|_| CKR_DEVICE_ERROR)?;
        let mut key = Box::new(Zeroizing::new([0; 32]));
        scrypt::scrypt(pin, salt, &params, key.as_mut_slice()).map_err(|_| CKR_DEVICE_ERROR)?;
        Ok(SealingKey(key))
    }

    /// The key of 32 bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<SealingKey> {
        let bytes: &[u8; 32] = bytes.try_into().ok()?;
        let mut key = Box::new(Zeroizing::new([0; 32]));
        key.copy_from_slice(bytes);
        Some(SealingKey(key))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Nonce, ciphertext and tag of a secret, which is good for this place alone.
    pub fn seal(&self, registry: &Registry, place: &str, secret: &[u8]) -> Outcome<Vec<u8>> {
        let transform = Transform::aead(ALGORITHM, self.as_bytes()).seal();
        let session = registry.open(&transform.map_err(|_| CKR_GENERAL_ERROR)?);
        let session = session.map_err(|_| CKR_GENERAL_ERROR)?;
        let mut sealed = vec![0; NONCE + secret.len() + TAG];
        let (nonce, rest) = sealed.split_at_mut(NONCE);
        random::fill(nonce)?;
        let (text, room) = rest.split_at_mut(secret.len());
        let job = Job::new(&session, (secret, text)).nonce(nonce).associated(place.as_bytes());
        let mut jobs = [job];
        Processor::new().process_many(&mut jobs);
        room.copy_from_slice(jobs[0].tag().ok_or(CKR_GENERAL_ERROR)?);
        drop(jobs);
        Ok(sealed)
    }

    /// The secret, if it was sealed with this key and for this place.
    pub fn open(
        &self,
        registry: &Registry,
        place: &str,
        sealed: &[u8],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let session = registry.open(&Transform::aead(ALGORITHM, self.as_bytes()).open().ok()?);
        let session = session.ok()?;
        let (nonce, rest) = sealed.split_at_checked(NONCE)?;
        let (text, tag) = rest.split_at_checked(rest.len().checked_sub(TAG)?)?;
        let mut secret = Zeroizing::new(vec![0; text.len()]);
        let job = Job::new(&session, (text, secret.as_mut_slice())).nonce(nonce).expect_tag(tag);
        let mut jobs = [job.associated(place.as_bytes())];
        Processor::new().process_many(&mut jobs);
        let is_genuine = jobs[0].succeeded();
        drop(jobs);
        is_genuine.then_some(secret)
    }
}

const ALGORITHM: AeadAlgorithm = AeadAlgorithm::AesGcm(AesSize::Aes256);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_with_its_key_at_its_place() {
        let registry = broadloom::registry();
        let key = SealingKey::of_pin(b"1234", b"salt", 4).expect("a cost that there is");
        let sealed = key.seal(&registry, "here", b"secret").expect("native has it");
        let open = |key: &SealingKey, place, sealed: &[u8]| key.open(&registry, place, sealed);
        assert_eq!(open(&key, "here", &sealed).as_deref(), Some(&b"secret".to_vec()));
        assert_eq!(open(&key, "there", &sealed), None);
        let other = SealingKey::of_pin(b"1235", b"salt", 4).expect("a cost that there is");
        assert_eq!(open(&other, "here", &sealed), None);
        let mut damaged = sealed.clone();
        damaged[14] ^= 1;
        assert_eq!(open(&key, "here", &damaged), None);
        assert_eq!(open(&key, "here", &sealed[..20]), None);
        assert!(SealingKey::of_pin(b"1234", b"salt", 40).is_err());
    }
}
