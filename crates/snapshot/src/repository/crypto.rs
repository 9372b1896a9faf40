//! Encryption and authentication: AES-256 in counter mode, then Poly1305-AES, as restic's
//! document "Design" says.
//!
//! A sealed text is an initialisation vector of 16 bytes, the text encrypted, and a tag of 16
//! bytes over what was encrypted.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use broadloom_engine::{
    AesSize, CipherAlgorithm, HashAlgorithm, Job, JobError, Processor, Registry, Session, Transform,
};
use poly1305::Poly1305;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use crate::error::SnapshotError;
use crate::id::Id;

/// Bytes of an initialisation vector.
pub const IV: usize = 16;
/// Bytes of a tag.
pub const TAG: usize = 16;
/// Bytes by which a sealed text is longer.
pub const OVERHEAD: usize = IV + TAG;

/// Bytes of the stack that are wiped behind each tag.
const STACK: usize = 8 << 10;

/// A key for encryption and one for authentication.
#[derive(Clone)]
pub struct Keys {
    /// The key of AES-256.
    pub encrypt: [u8; 32],
    /// The key of AES-128 that makes a one-time key of each initialisation vector.
    pub k: [u8; 16],
    /// The multiplier of Poly1305.
    pub r: [u8; 16],
}

impl Keys {
    /// Random keys.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    pub fn random() -> Result<Keys, SnapshotError> {
        let mut keys = Keys { encrypt: [0; 32], k: [0; 16], r: [0; 16] };
        getrandom::fill(&mut keys.encrypt)?;
        getrandom::fill(&mut keys.k)?;
        getrandom::fill(&mut keys.r)?;
        clamp(&mut keys.r);
        Ok(keys)
    }

    /// The keys in 64 bytes that scrypt made of a password.
    #[must_use]
    pub fn from_password_bytes(bytes: &[u8; 64]) -> Keys {
        let mut keys = Keys { encrypt: [0; 32], k: [0; 16], r: [0; 16] };
        keys.encrypt.copy_from_slice(&bytes[..32]);
        keys.k.copy_from_slice(&bytes[32..48]);
        keys.r.copy_from_slice(&bytes[48..]);
        clamp(&mut keys.r);
        keys
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.k.zeroize();
        self.r.zeroize();
    }
}

/// Clears the bits that Poly1305 needs to be clear.
fn clamp(r: &mut [u8; 16]) {
    for high in [3, 7, 11, 15] {
        r[high] &= 15;
    }
    for low in [4, 8, 12] {
        r[low] &= 252;
    }
}

/// The SHA-256 of a text, before there are keys.
///
/// # Errors
/// If no provider has SHA-256, or the job fails.
pub fn sha256(registry: &Registry, text: &[u8]) -> Result<Id, SnapshotError> {
    let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
    let mut jobs = [Job::new(&session, text)];
    Processor::new().process_many(&mut jobs);
    digest(&jobs[0])
}

/// Jobs of a session for SHA-256, which are complete.
pub fn hashes<'a>(
    session: &'a Session,
    processor: &mut Processor,
    texts: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Job<'a>> {
    let mut jobs: Vec<_> = texts.into_iter().map(|text| Job::new(session, text)).collect();
    processor.process_many(&mut jobs);
    jobs
}

/// The digest of a job that is complete.
///
/// # Errors
/// If the job failed.
pub fn digest(job: &Job<'_>) -> Result<Id, SnapshotError> {
    done(job)?;
    let tag = job.tag().and_then(|tag| tag.try_into().ok());
    Ok(Id(tag.expect("a digest of SHA-256 has 32 bytes")))
}

/// What works with a repository's keys. All threads share it; each brings its processor.
pub struct Cryptor {
    hash: Session,
    /// Encrypts and decrypts: in counter mode both are the same.
    cipher: Session,
    mac: Box<MacKey>,
}

/// The keys of tags. They stay where they are, since a value that is moved leaves its bytes behind.
struct MacKey {
    block: Aes128,
    r: [u8; 16],
}

impl Drop for MacKey {
    fn drop(&mut self) {
        self.r.zeroize();
    }
}

impl Cryptor {
    /// Opens sessions for the keys.
    ///
    /// # Errors
    /// If no provider has SHA-256 and AES-256-CTR.
    pub fn new(registry: &Registry, keys: &Keys) -> Result<Cryptor, SnapshotError> {
        let cipher = CipherAlgorithm::AesCtr(AesSize::Aes256);
        let cipher = Transform::cipher(cipher, &keys.encrypt).encrypt()?;
        Ok(Cryptor {
            hash: registry.open(&Transform::hash(HashAlgorithm::Sha256))?,
            cipher: registry.open(&cipher)?,
            mac: Box::new(MacKey { block: Aes128::new((&keys.k).into()), r: keys.r }),
        })
    }

    /// The session for SHA-256.
    pub fn hasher(&self) -> &Session {
        &self.hash
    }

    /// The SHA-256 of each text.
    ///
    /// # Errors
    /// If a job fails.
    pub fn hash_many<'a>(
        &'a self,
        processor: &mut Processor,
        texts: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Vec<Id>, SnapshotError> {
        let jobs = hashes(&self.hash, processor, texts);
        jobs.iter().map(digest).collect()
    }

    /// The SHA-256 of one text.
    ///
    /// # Errors
    /// If the job fails.
    pub fn hash(&self, processor: &mut Processor, text: &[u8]) -> Result<Id, SnapshotError> {
        Ok(self.hash_many(processor, [text])?[0])
    }

    /// Seals texts in place. Each lies behind [`IV`] bytes and before [`TAG`] bytes.
    ///
    /// # Errors
    /// If a job fails, or the system gives no random bytes.
    pub fn seal_many<'a>(
        &self,
        processor: &mut Processor,
        texts: impl IntoIterator<Item = &'a mut [u8]>,
    ) -> Result<(), SnapshotError> {
        let mut texts: Vec<&mut [u8]> = texts.into_iter().collect();
        for text in &mut texts {
            getrandom::fill(&mut text[..IV])?;
        }
        self.apply(processor, &mut texts)?;
        for text in texts {
            let end = text.len() - TAG;
            let tag = self.tag(&text[..end]);
            text[end..].copy_from_slice(&tag);
        }
        Ok(())
    }

    /// Opens sealed texts in place: each then lies between its initialisation vector and its tag.
    /// Says of each whether it authenticates. Those that do not stay as they are.
    ///
    /// # Errors
    /// If a job fails.
    pub fn open_many<'a>(
        &self,
        processor: &mut Processor,
        texts: impl IntoIterator<Item = &'a mut [u8]>,
    ) -> Result<Vec<bool>, SnapshotError> {
        let (mut verdicts, mut good) = (Vec::new(), Vec::new());
        for text in texts {
            let end = text.len().checked_sub(TAG).filter(|&end| end >= IV);
            let authentic = end.is_some_and(|end| {
                let (body, tag) = text.split_at(end);
                bool::from(self.tag(body).ct_eq(tag))
            });
            verdicts.push(authentic);
            if authentic {
                good.push(text);
            }
        }
        self.apply(processor, &mut good)?;
        Ok(verdicts)
    }

    /// Opens a sealed text; `None` if it does not authenticate.
    ///
    /// # Errors
    /// If the job fails.
    pub fn open(
        &self,
        processor: &mut Processor,
        mut sealed: Vec<u8>,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let verdicts = self.open_many(processor, [&mut sealed[..]])?;
        Ok(verdicts[0].then(|| {
            sealed.truncate(sealed.len() - TAG);
            sealed.drain(..IV);
            sealed
        }))
    }

    /// A text sealed.
    ///
    /// # Errors
    /// As [`seal_many`](Self::seal_many).
    pub fn seal(&self, processor: &mut Processor, text: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let mut sealed = vec![0; text.len() + OVERHEAD];
        sealed[IV..IV + text.len()].copy_from_slice(text);
        self.seal_many(processor, [&mut sealed[..]])?;
        Ok(sealed)
    }

    /// Adds the key stream of each text's initialisation vector to the text.
    fn apply(
        &self,
        processor: &mut Processor,
        texts: &mut [&mut [u8]],
    ) -> Result<(), SnapshotError> {
        let mut jobs: Vec<Job<'_>> = texts
            .iter_mut()
            .map(|text| {
                let (iv, rest) = text.split_at_mut(IV);
                let end = rest.len() - TAG;
                Job::new(&self.cipher, &mut rest[..end]).nonce(iv)
            })
            .collect();
        processor.process_many(&mut jobs);
        jobs.iter().try_for_each(done)
    }

    /// The tag of an initialisation vector and what follows it: Poly1305 of the latter, under a
    /// one-time key from the former. Wipes the stack, where the crate `aes` spreads round keys.
    fn tag(&self, sealed: &[u8]) -> [u8; TAG] {
        let tag = self.tag_below(sealed);
        zeroize::zeroize_stack::<STACK>();
        tag
    }

    #[inline(never)]
    fn tag_below(&self, sealed: &[u8]) -> [u8; TAG] {
        let (iv, text) = sealed.split_at(IV);
        let mut once = poly1305::Key::default();
        once[..16].copy_from_slice(&self.mac.r);
        let mut block = aes::Block::try_from(iv).expect("16 bytes");
        self.mac.block.encrypt_block(&mut block);
        once[16..].copy_from_slice(&block);
        let tag = Poly1305::new(&once).compute_unpadded(text);
        once.zeroize();
        block.zeroize();
        tag.into()
    }
}

fn done(job: &Job<'_>) -> Result<(), SnapshotError> {
    match job.status() {
        Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(error.into()),
        None => Err(JobError::Panicked.into()),
    }
}
