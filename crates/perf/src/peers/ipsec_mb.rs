//! intel-ipsec-mb: its job interface, submitting without checks, which is its fast way.

use std::ffi::c_int;
use std::ops::Range;
use std::ptr;

use broadloom_engine::{AesSize, Direction, HashAlgorithm};
use broadloom_ipsec_mb::layout::{self, Auth, HmacAuth, Job};
use broadloom_ipsec_mb::library::{self, OwnedManager};

use super::Absent;
use crate::contender::Contender;
use crate::direct::Direct;
use crate::error::PerfError;
use crate::names::{Peer, Provider};
use crate::workset::{Outputs, Workset};

/// libIPSec_MB, opened, of a version whose layout is known.
pub struct Api(library::Api);

impl Api {
    /// Opens libIPSec_MB 1.3.
    ///
    /// # Errors
    /// It is not installed, or its manager may be laid out otherwise than is known.
    pub fn load() -> Result<Api, Absent> {
        library::Api::load().map(Api).map_err(|absent| Absent::because(Peer::IpsecMb, absent))
    }

    /// The library's own name for its version, such as `1.3.0`.
    pub fn version(&self) -> String {
        self.0.version()
    }
}

/// A hash state, or room for the largest, as the library wants it aligned.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct State([u8; 64]);

/// An expanded AES key, or room for the largest, as the library wants it aligned.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Schedule([u8; 16 * 15]);

/// What is made once.
enum Kind {
    Digest { alg: c_int },
    Hmac { alg: c_int, states: Vec<[State; 2]> },
    Cbc { key_len: u64, direction: c_int, schedules: Vec<[Schedule; 2]> },
}

/// intel-ipsec-mb at work on a set of buffers. Its job interface always gives jobs back in order.
pub struct IpsecMb<'a> {
    manager: OwnedManager,
    kind: Kind,
    api: &'a Api,
    workset: &'a Workset,
    outputs: Outputs,
}

impl<'a> IpsecMb<'a> {
    /// Makes a manager for the best instruction set the library finds, and expands every key.
    ///
    /// Returns the reason as an [`Absent`] where the library cannot do the work at all.
    ///
    /// # Errors
    /// The manager cannot be made.
    pub fn new(
        api: &'a Api,
        workset: &'a Workset,
        direction: Direction,
    ) -> Result<Result<IpsecMb<'a>, Absent>, PerfError> {
        let direct = Direct::try_from(workset.algorithm())?;
        if direct == Direct::Digest(HashAlgorithm::Md5) {
            return Ok(Err(Absent::because(Peer::IpsecMb, "it has no plain md5")));
        }
        if workset.longest() > layout::MAX_LEN {
            let limit = layout::MAX_LEN;
            return Ok(Err(Absent::because(
                Peer::IpsecMb,
                format!("{} bytes are more than its limit of {limit}", workset.longest()),
            )));
        }
        let manager = api.0.manager().map_err(|error| failed(error.call))?;
        let mut this = IpsecMb {
            manager,
            kind: Kind::Digest { alg: layout::AUTH_NULL },
            api,
            workset,
            outputs: Outputs::new(workset),
        };
        this.kind = match direct {
            Direct::Digest(hash) => Kind::Digest { alg: layout::AUTH_SHA1 + sha_index(hash) },
            Direct::Hmac(hash) => Kind::Hmac {
                alg: match hash {
                    HashAlgorithm::Md5 => layout::AUTH_HMAC_MD5,
                    sha => layout::AUTH_HMAC_SHA1 + sha_index(sha),
                },
                states: (0..workset.len())
                    .map(|index| this.hmac_states(hash, workset.key(index)))
                    .collect(),
            },
            Direct::AesCbc(size) => Kind::Cbc {
                key_len: size.key_len() as u64,
                direction: match direction {
                    Direction::Decrypt => layout::DECRYPT,
                    _ => layout::ENCRYPT,
                },
                schedules: (0..workset.len())
                    .map(|index| this.schedules(size, workset.key(index)))
                    .collect(),
            },
        };
        Ok(Ok(this))
    }

    /// The states after the inner and the outer key block (RFC 2104).
    fn hmac_states(&self, hash: HashAlgorithm, key: &[u8]) -> [State; 2] {
        let one_block = match hash {
            HashAlgorithm::Md5 => 5,
            sha => sha_index(sha) as usize,
        };
        let one_block = self.manager.table().functions().one_block[one_block];
        [0x36, 0x5c].map(|pad| {
            let mut block = [pad; 128];
            for (byte, key) in block.iter_mut().zip(key) {
                *byte ^= key;
            }
            let mut state = State([0; 64]);
            // SAFETY: one block of at most 128 bytes is read, one state of at most 64 is written.
            unsafe { one_block(block.as_ptr().cast(), state.0.as_mut_ptr().cast()) };
            state
        })
    }

    /// The expanded keys for encryption and decryption.
    fn schedules(&self, size: AesSize, key: &[u8]) -> [Schedule; 2] {
        let which = match size {
            AesSize::Aes128 => 0,
            AesSize::Aes192 => 1,
            AesSize::Aes256 => 2,
        };
        let expand = self.manager.table().functions().expand_aes[which];
        let [mut encrypt, mut decrypt] = [Schedule([0; 16 * 15]); 2];
        // SAFETY: the key has the length that this expansion reads; at most 15 round keys are
        // written to each schedule, which is aligned to 16.
        unsafe {
            expand(
                key.as_ptr().cast(),
                encrypt.0.as_mut_ptr().cast(),
                decrypt.0.as_mut_ptr().cast(),
            );
        }
        [encrypt, decrypt]
    }

    /// Fills in the job for a buffer, all of it that the library reads.
    #[inline(always)]
    fn fill(&mut self, job: &mut Job, index: usize) {
        let input = self.workset.buffer(index);
        let (output, output_len) = self.outputs.address(index);
        job.src = input.as_ptr();
        job.user_data = ptr::without_provenance_mut(index);
        match &self.kind {
            Kind::Digest { alg } => fill_hash(job, *alg, input, output, output_len),
            Kind::Hmac { alg, states } => {
                fill_hash(job, *alg, input, output, output_len);
                let [inner, outer] = &states[index];
                let hmac = HmacAuth { inner: inner.0.as_ptr(), outer: outer.0.as_ptr() };
                job.auth = Auth { hmac };
            }
            Kind::Cbc { key_len, direction, schedules } => {
                let [encrypt, decrypt] = &schedules[index];
                job.enc_keys = encrypt.0.as_ptr().cast();
                job.dec_keys = decrypt.0.as_ptr().cast();
                job.key_len = *key_len;
                job.dst = output;
                job.cipher_offset = 0;
                job.cipher_len = input.len() as u64;
                job.iv = self.workset.iv(index).as_ptr();
                job.iv_len = 16;
                job.cipher_mode = layout::CIPHER_CBC;
                job.cipher_direction = *direction;
                job.hash_alg = layout::AUTH_NULL;
                job.chain_order = layout::CIPHER_THEN_HASH;
            }
        }
    }
}

/// What digests and HMACs have in common.
#[inline(always)]
fn fill_hash(job: &mut Job, alg: c_int, input: &[u8], output: *mut u8, output_len: usize) {
    job.hash_offset = 0;
    job.hash_len = input.len() as u64;
    job.tag = output;
    job.tag_len = output_len as u64;
    job.cipher_mode = layout::CIPHER_NULL;
    job.cipher_direction = layout::ENCRYPT;
    job.hash_alg = alg;
    job.chain_order = layout::HASH_THEN_CIPHER;
}

/// The place of a SHA function in the order that the library keeps everywhere.
fn sha_index(hash: HashAlgorithm) -> c_int {
    match hash {
        HashAlgorithm::Sha1 => 0,
        HashAlgorithm::Sha224 => 1,
        HashAlgorithm::Sha256 => 2,
        HashAlgorithm::Sha384 => 3,
        HashAlgorithm::Sha512 => 4,
        other => unreachable!("{other} is no SHA-1 or SHA-2"),
    }
}

fn failed(call: &'static str) -> PerfError {
    PerfError::Peer { provider: Provider::IpsecMb, call }
}

/// What a caller does with a job that came back: looks whether it went well.
#[inline(always)]
fn accept(job: *mut Job) -> Result<(), PerfError> {
    // SAFETY: the library returned this job, not null, and leaves it alone until the next
    // `get_next_job`.
    match unsafe { (*job).status } {
        layout::COMPLETED => Ok(()),
        _ => Err(failed("a job")),
    }
}

impl Contender for IpsecMb<'_> {
    fn provider(&self) -> Provider {
        Provider::IpsecMb
    }

    fn kernel(&self) -> String {
        let arch = self.manager.table().arch().to_string().to_lowercase();
        format!("{} {arch}", self.api.version())
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.submit(range)?;
        self.flush()
    }

    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        let manager = self.manager.as_ptr();
        let functions = self.manager.table().functions();
        let (next, submit, completed) =
            (functions.get_next_job, functions.submit_job_nocheck, functions.get_completed_job);
        for index in range {
            // SAFETY: the manager is alive; the library returns a free job of its ring, which is
            // ours until it is submitted.
            let job = unsafe { &mut *next(manager) };
            self.fill(job, index);
            // SAFETY: the job last got is filled in: its pointers are to slices of the lengths
            // given, to keys and to an IV, all of which outlive the manager.
            let mut done = unsafe { submit(manager) };
            while !done.is_null() {
                accept(done)?;
                // SAFETY: the manager is alive.
                done = unsafe { completed(manager) };
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        let manager = self.manager.as_ptr();
        let flush = self.manager.table().functions().flush_job;
        loop {
            // SAFETY: the manager is alive, and so is what its jobs point to.
            let done = unsafe { flush(manager) };
            if done.is_null() {
                return Ok(());
            }
            accept(done)?;
        }
    }

    fn output(&self, index: usize) -> &[u8] {
        self.outputs.get(index)
    }

    fn clear(&mut self) {
        self.outputs.clear();
    }
}
