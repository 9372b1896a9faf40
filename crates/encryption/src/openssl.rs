//! What `openssl enc -pbkdf2` reads and writes: AES-256 in CBC or CTR mode under a passphrase.
//!
//! The format does not authenticate: nobody notices where a file was changed. It is here for those
//! who have such files; [`age`](crate::age) is the format to write.
//!
//! ```
//! # let mut registry = broadloom_engine::Registry::new();
//! # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
//! use broadloom_encryption::age::Passphrase;
//! use broadloom_encryption::openssl::{Mode, OpenSsl};
//! use broadloom_encryption::{Input, Output};
//! use std::sync::Arc;
//!
//! let openssl = OpenSsl::new(Arc::new(registry), Mode::Cbc, Passphrase::new("a passphrase"));
//! let mut file = Vec::new();
//! openssl.encrypt(Input::memory(&&b"the warp"[..]), Output::Stream(&mut file))?;
//! assert!(file.starts_with(b"Salted__") && file.len() == 32);
//! let mut text = Vec::new();
//! openssl.decrypt(Input::memory(&file.as_slice()), Output::Stream(&mut text))?;
//! assert_eq!(text, b"the warp");
//! # Ok::<(), broadloom_encryption::EncryptionError>(())
//! ```

use std::io::Read;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom_engine::{
    AesSize, CipherAlgorithm, Direction, Job, Processor, Registry, Session, Transform,
};
use hmac::Hmac;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::age::{Passphrase, printable};
use crate::chunks::{BLOCK, CHUNK, Cipher, Group, GroupSink, GroupSource, Report, read_error, run};
use crate::ends::{Input, Output, Sequence, read_full};
use crate::error::EncryptionError;
use crate::random;

/// What a file begins with; eight bytes of salt follow.
const MAGIC: &[u8; 8] = b"Salted__";

/// Bytes of the magic and the salt.
const HEADER: usize = 16;

/// How often `openssl enc -pbkdf2` iterates.
pub const ITERATIONS: NonZeroU32 = NonZeroU32::new(10_000).expect("it is not 0");

/// How AES-256 is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `-aes-256-cbc`. Encryption is a chain of blocks, which one core works on; decryption is not.
    Cbc,
    /// `-aes-256-ctr`.
    Ctr,
}

/// Encrypts and decrypts as `openssl enc -pbkdf2` does, with SHA-256.
#[derive(Clone)]
pub struct OpenSsl {
    registry: Arc<Registry>,
    mode: Mode,
    passphrase: Passphrase,
    iterations: NonZeroU32,
    threads: NonZeroUsize,
}

impl OpenSsl {
    /// One for a passphrase.
    pub fn new(registry: Arc<Registry>, mode: Mode, passphrase: Passphrase) -> OpenSsl {
        let threads = NonZeroUsize::MIN;
        OpenSsl { registry, mode, passphrase, iterations: ITERATIONS, threads }
    }

    /// Iterates so often to derive the key: `-iter`.
    pub fn iterations(mut self, iterations: NonZeroU32) -> Self {
        self.iterations = iterations;
        self
    }

    /// Works on so many threads. The output does not depend on their number.
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Encrypts an input.
    ///
    /// # Errors
    /// The error that comes first in the input.
    ///
    /// # Panics
    /// If a provider, `input` or `output` panics.
    pub fn encrypt(
        &self,
        input: Input<'_>,
        mut output: Output<'_>,
    ) -> Result<Report, EncryptionError> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        random::fill(&mut header[8..])?;
        let written = match &mut output {
            Output::Stream(stream) => stream.write_all(&header),
            Output::Places(places) => places.write_all_at(&header, 0),
        };
        written.map_err(|error| EncryptionError::Write { offset: 0, error })?;
        let cipher = self.cipher(&header, Direction::Encrypt, 0)?;
        let sink = GroupSink::new(output, HEADER as u64);
        let mut report = match (self.mode, input) {
            // A block needs the one before it: groups come in their order, on one thread.
            (Mode::Cbc, Input::Stream(stream)) => {
                run(&Chain::new(cipher), GroupSource::stream(stream, 0), sink, 1)?
            }
            (Mode::Cbc, Input::Places { bytes, len }) => {
                let source = GroupSource::places(bytes, 0..len, 0..u64::MAX);
                run(&Chain::new(cipher), source, sink, 1)?
            }
            (Mode::Ctr, Input::Stream(stream)) => {
                run(&cipher, GroupSource::stream(stream, 0), sink, self.threads.get())?
            }
            (Mode::Ctr, Input::Places { bytes, len }) => {
                let source = GroupSource::places(bytes, 0..len, 0..u64::MAX);
                run(&cipher, source, sink, self.threads.get())?
            }
        };
        report.output += HEADER as u64;
        Ok(report)
    }

    /// Decrypts an input. Where the passphrase is wrong, CBC says so by its padding, with a
    /// probability of 255 of 256; CTR gives garbage.
    ///
    /// # Errors
    /// The error that comes first in the input. A stream got what comes before it.
    ///
    /// # Panics
    /// If a provider, `input` or `output` panics.
    pub fn decrypt(&self, input: Input<'_>, output: Output<'_>) -> Result<Report, EncryptionError> {
        let (header, source) = match input {
            Input::Stream(stream) => {
                (read_header(stream)?, GroupSource::stream(stream, HEADER as u64))
            }
            Input::Places { bytes, len } => {
                let header = read_header(&mut Sequence::new(bytes, len))?;
                (header, GroupSource::places(bytes, HEADER as u64..len, 0..u64::MAX))
            }
        };
        let cipher = self.cipher(&header, Direction::Decrypt, HEADER as u64)?;
        let mut report = run(&cipher, source, GroupSink::new(output, 0), self.threads.get())?;
        report.input += HEADER as u64;
        Ok(report)
    }

    fn cipher(
        &self,
        header: &[u8; HEADER],
        direction: Direction,
        start: u64,
    ) -> Result<Aes, EncryptionError> {
        let mut derived = Zeroizing::new([0; 48]);
        let salt = &header[MAGIC.len()..];
        let (passphrase, iterations) = (self.passphrase.as_bytes(), self.iterations.get());
        pbkdf2::pbkdf2::<Hmac<Sha256>>(passphrase, salt, iterations, &mut *derived)
            .expect("a passphrase of any length will do");
        let (key, iv) = derived.split_at(32);
        let algorithm = match self.mode {
            Mode::Cbc => CipherAlgorithm::AesCbc(AesSize::Aes256),
            Mode::Ctr => CipherAlgorithm::AesCtr(AesSize::Aes256),
        };
        let transform = Transform::cipher(algorithm, key);
        let transform = match direction {
            Direction::Decrypt => transform.decrypt()?,
            _ => transform.encrypt()?,
        };
        let iv = Zeroizing::new(iv.try_into().expect("16 bytes are left"));
        let session = self.registry.open(&transform)?;
        Ok(Aes { session, mode: self.mode, iv, start })
    }
}

fn read_header(stream: &mut dyn Read) -> Result<[u8; HEADER], EncryptionError> {
    let mut header = [0; HEADER];
    let len = read_full(stream, &mut header).map_err(|error| read_error(0, error))?;
    let begins = len.min(MAGIC.len());
    match header[..begins] == MAGIC[..begins] {
        true if len == HEADER => Ok(header),
        true => Err(EncryptionError::PartialHeader { offset: len as u64 }),
        false => Err(EncryptionError::NotSalted { found: printable(&header[..len], 8) }),
    }
}

/// Chunks in counter mode, or in CBC to be decrypted.
struct Aes {
    session: Session,
    mode: Mode,
    /// The IV, or the first counter block.
    iv: Zeroizing<[u8; BLOCK]>,
    /// Where the ciphertext begins in the file.
    start: u64,
}

impl Aes {
    fn offset(&self, number: u64) -> u64 {
        self.start + number * CHUNK as u64
    }

    /// Has the jobs of a group done, each with its IV.
    fn process(
        &self,
        processor: &mut Processor,
        group: &mut Group,
        ivs: &[[u8; BLOCK]],
    ) -> Result<(), EncryptionError> {
        let (first, lens) = (group.first, std::mem::take(&mut group.lens));
        let jobs = group.slots.iter_mut().zip(&lens).zip(ivs);
        let jobs = jobs.filter(|((_, len), _)| **len > 0);
        let mut jobs: Vec<Job<'_>> = jobs
            .map(|((slot, &len), iv)| Job::new(&self.session, &mut slot[..len]).nonce(iv))
            .collect();
        processor.process_many(&mut jobs);
        for (number, job) in (first..).zip(&jobs) {
            if let Some(Err(error)) = job.status() {
                return Err(EncryptionError::Job { offset: self.offset(number), error });
            }
        }
        drop(jobs);
        group.lens = lens;
        Ok(())
    }

    /// The counter block of a chunk.
    fn counter(&self, number: u64) -> [u8; BLOCK] {
        let blocks = u128::from(number) * (CHUNK / BLOCK) as u128;
        u128::from_be_bytes(*self.iv).wrapping_add(blocks).to_be_bytes()
    }

    /// The IV of each chunk: the block before it.
    fn blocks_before(&self, group: &mut Group) -> Vec<[u8; BLOCK]> {
        let mut before = if group.first == 0 { *self.iv } else { group.before };
        let lens = group.lens.clone();
        let ivs = group.slots.iter_mut().zip(lens).map(|(slot, len)| {
            let last = slot[..len].last_chunk().copied();
            std::mem::replace(&mut before, last.unwrap_or_default())
        });
        ivs.collect()
    }

    /// Takes the padding off the last chunk.
    fn unpad(&self, group: &mut Group) -> Result<(), EncryptionError> {
        let index = group.lens.len() - 1;
        let len = group.lens[index];
        if len == 0 {
            group.lens.pop();
            return Err(EncryptionError::NoBlock { offset: self.offset(group.first) });
        }
        let slot = group.slots.iter_mut().nth(index).unwrap_or_default();
        let padding = slot[..len].last().map_or(0, |&byte| usize::from(byte));
        let right = (1..=BLOCK).contains(&padding)
            && slot[len - padding..len].iter().all(|&byte| usize::from(byte) == padding);
        if !right {
            // What was decrypted with it is not written either.
            group.lens.pop();
            let offset = self.offset(group.first + index as u64) + len.saturating_sub(BLOCK) as u64;
            return Err(EncryptionError::Padding { offset });
        }
        group.lens[index] = len - padding;
        Ok(())
    }
}

impl Cipher for Aes {
    const INPUT: usize = CHUNK;
    const OUTPUT: usize = CHUNK;

    fn needs_block_before(&self) -> bool {
        self.mode == Mode::Cbc
    }

    fn work(&self, processor: &mut Processor, group: &mut Group) -> Result<(), EncryptionError> {
        match self.mode {
            Mode::Ctr => {
                let numbers = group.first..group.first + group.lens.len() as u64;
                let counters: Vec<_> = numbers.map(|number| self.counter(number)).collect();
                self.process(processor, group, &counters)
            }
            Mode::Cbc => {
                let end = group.lens.len() - 1;
                let partial = group.lens[end] % BLOCK;
                if partial > 0 {
                    let len = group.lens.pop().unwrap_or_default();
                    let offset = self.offset(group.first + end as u64) + len as u64;
                    return Err(EncryptionError::PartialBlock { offset });
                }
                let ivs = self.blocks_before(group);
                self.process(processor, group, &ivs)?;
                if group.last { self.unpad(group) } else { Ok(()) }
            }
        }
    }
}

/// Chunks in CBC to be encrypted, in their order.
struct Chain {
    aes: Aes,
    /// The last block of ciphertext.
    last: Mutex<[u8; BLOCK]>,
}

impl Chain {
    fn new(aes: Aes) -> Chain {
        let last = Mutex::new(*aes.iv);
        Chain { aes, last }
    }
}

impl Cipher for Chain {
    const INPUT: usize = CHUNK;
    const OUTPUT: usize = CHUNK;

    fn work(&self, processor: &mut Processor, group: &mut Group) -> Result<(), EncryptionError> {
        let mut chain = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last, mut lens) = (group.first, group.last, std::mem::take(&mut group.lens));
        let end = lens.len() - 1;
        for (index, (slot, len)) in group.slots.iter_mut().zip(&mut lens).enumerate() {
            if last && index == end {
                let padding = BLOCK - *len % BLOCK;
                slot[*len..*len + padding].fill(padding as u8);
                *len += padding;
            }
            let status = {
                let mut jobs = [Job::new(&self.aes.session, &mut slot[..*len]).nonce(&*chain)];
                processor.process_many(&mut jobs);
                jobs[0].status()
            };
            if let Some(Err(error)) = status {
                let offset = (first + index as u64) * CHUNK as u64;
                return Err(EncryptionError::Job { offset, error });
            }
            *chain = *slot[..*len].last_chunk().expect("a chunk has a block");
        }
        group.lens = lens;
        Ok(())
    }
}
