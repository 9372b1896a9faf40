//! intel-ipsec-mb: its job interface, submitting without checks, which is its fast way.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ops::Range;
use std::ptr;

use broadloom_engine::{AesSize, Direction, HashAlgorithm};
use libloading::Library;

use super::ipsec_layout::{self as layout, Job, Manager};
use super::{Absent, functions, open};
use crate::contender::Contender;
use crate::direct::Direct;
use crate::error::PerfError;
use crate::names::{Peer, Provider};
use crate::workset::{Outputs, Workset};

functions! {
    /// The functions used, by the header `intel-ipsec-mb.h` of 1.3.
    Functions {
        version = b"imb_get_version\0": unsafe extern "C" fn() -> c_uint,
        version_str = b"imb_get_version_str\0": unsafe extern "C" fn() -> *const c_char,
        alloc = b"alloc_mb_mgr\0": unsafe extern "C" fn(u64) -> *mut Manager,
        free = b"free_mb_mgr\0": unsafe extern "C" fn(*mut Manager),
        init = b"init_mb_mgr_auto\0": unsafe extern "C" fn(*mut Manager, *mut c_int),
        errno = b"imb_get_errno\0": unsafe extern "C" fn(*mut Manager) -> c_int,
    }
}

/// libIPSec_MB, opened, of a version whose layout is known.
pub struct Api {
    functions: Functions,
    /// Keeps the code behind `functions` mapped.
    _library: Library,
}

impl Api {
    /// Opens libIPSec_MB 1.3.
    ///
    /// # Errors
    /// It is not installed, or its manager may be laid out otherwise than is known.
    pub fn load() -> Result<Api, Absent> {
        let names = ["libIPSec_MB.so.1", "libIPSec_MB.so.2"];
        let library = open(Peer::IpsecMb, &names)?;
        let functions = Functions::find(Peer::IpsecMb, &library)?;
        let api = Api { functions, _library: library };
        // SAFETY: the function takes nothing.
        let number = unsafe { (api.functions.version)() };
        if number & layout::VERSION_MASK != layout::VERSION {
            let version = api.version();
            return Err(Absent::because(
                Peer::IpsecMb,
                format!("version {version} is installed, and only the layout of 1.3 is known"),
            ));
        }
        Ok(api)
    }

    /// The library's own name for its version, such as `1.3.0`.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing and returns a static string.
        let text = unsafe { CStr::from_ptr((self.functions.version_str)()) };
        text.to_string_lossy().into_owned()
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
    manager: *mut Manager,
    arch: c_int,
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
        // SAFETY: 0 stands for no flags.
        let manager = unsafe { (api.functions.alloc)(0) };
        if manager.is_null() {
            return Err(failed("alloc_mb_mgr"));
        }
        let mut this = IpsecMb {
            manager,
            arch: 0,
            kind: Kind::Digest { alg: layout::AUTH_NULL },
            api,
            workset,
            outputs: Outputs::new(workset),
        };
        // SAFETY: the manager was just allocated; the library writes what it chose to `arch`.
        unsafe { (api.functions.init)(manager, &mut this.arch) };
        // SAFETY: the manager is alive.
        if unsafe { (api.functions.errno)(manager) } != 0 {
            return Err(failed("init_mb_mgr_auto"));
        }
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
        // SAFETY: the manager is alive and set up.
        let one_block = unsafe { (*self.manager).one_block[one_block] };
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
        // SAFETY: the manager is alive and set up.
        let expand = unsafe { (*self.manager).keyexp[which] };
        let [mut encrypt, mut decrypt] = [Schedule([0; 16 * 15]); 2];
        // SAFETY: the key has the length that this expansion reads; at most 15 round keys are
        // written to each schedule, which is aligned to 16.
        unsafe {
            expand(key.as_ptr().cast(), encrypt.0.as_mut_ptr().cast(), decrypt.0.as_mut_ptr().cast());
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
                job.hmac_inner = inner.0.as_ptr();
                job.hmac_outer = outer.0.as_ptr();
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
        HashAlgorithm::Md5 => unreachable!("MD5 has numbers of its own"),
        HashAlgorithm::Sha1 => 0,
        HashAlgorithm::Sha224 => 1,
        HashAlgorithm::Sha256 => 2,
        HashAlgorithm::Sha384 => 3,
        HashAlgorithm::Sha512 => 4,
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
        let arch = match self.arch {
            1 => "no-aesni",
            2 => "sse",
            3 => "avx",
            4 => "avx2",
            5 => "avx512",
            _ => "unknown",
        };
        format!("{} {arch}", self.api.version())
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.submit(range)?;
        self.flush()
    }

    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        let manager = self.manager;
        // SAFETY: the manager is alive and set up, which filled its function pointers.
        let (next, submit, completed) = unsafe {
            let m = &*manager;
            (m.get_next_job, m.submit_job_nocheck, m.get_completed_job)
        };
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
        let manager = self.manager;
        // SAFETY: the manager is alive and set up, which filled its function pointers.
        let flush = unsafe { (*manager).flush_job };
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

impl Drop for IpsecMb<'_> {
    fn drop(&mut self) {
        // SAFETY: the manager came from `alloc_mb_mgr`, and only this value frees it. What jobs in
        // flight point to is no longer touched.
        unsafe { (self.api.functions.free)(self.manager) };
    }
}
