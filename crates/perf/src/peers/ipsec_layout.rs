//! The structures of intel-ipsec-mb 1.3, as far as they are used.
//!
//! The library's job interface is a set of function pointers inside its manager, so its layout is
//! part of its interface. The offsets asserted here are those that a C compiler gives for the
//! header of 1.3; another version is refused by number.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;

/// The version whose layout this is, as `imb_get_version` returns it, without its last part:
/// a patch release keeps the layout.
pub const VERSION: u32 = 0x1_0300;

/// What [`VERSION`] is compared under.
pub const VERSION_MASK: u32 = 0xffff_ff00;

/// Longest message in bytes: the managers count in 16 bits and keep two values back.
pub const MAX_LEN: usize = (1 << 16) - 2;

/// `IMB_STATUS_COMPLETED`.
pub const COMPLETED: c_int = 3;
/// `IMB_CIPHER_CBC`.
pub const CIPHER_CBC: c_int = 1;
/// `IMB_CIPHER_NULL`.
pub const CIPHER_NULL: c_int = 3;
/// `IMB_DIR_ENCRYPT`.
pub const ENCRYPT: c_int = 1;
/// `IMB_DIR_DECRYPT`.
pub const DECRYPT: c_int = 2;
/// `IMB_ORDER_CIPHER_HASH`.
pub const CIPHER_THEN_HASH: c_int = 1;
/// `IMB_ORDER_HASH_CIPHER`.
pub const HASH_THEN_CIPHER: c_int = 2;
/// `IMB_AUTH_NULL`.
pub const AUTH_NULL: c_int = 8;
/// `IMB_AUTH_HMAC_SHA_1`; SHA-224, 256, 384 and 512 follow in this order.
pub const AUTH_HMAC_SHA1: c_int = 1;
/// `IMB_AUTH_MD5`, which is HMAC-MD5.
pub const AUTH_HMAC_MD5: c_int = 7;
/// `IMB_AUTH_SHA_1`; SHA-224, 256, 384 and 512 follow in this order.
pub const AUTH_SHA1: c_int = 13;

/// `IMB_JOB`.
#[repr(C)]
pub struct Job {
    /// Expanded encryption key.
    pub enc_keys: *const c_void,
    /// Expanded decryption key.
    pub dec_keys: *const c_void,
    /// Key length in bytes.
    pub key_len: u64,
    /// Input.
    pub src: *const u8,
    /// Output of the cipher.
    pub dst: *mut u8,
    /// Where in `src` the cipher starts, in bytes.
    pub cipher_offset: u64,
    /// Bytes to cipher.
    pub cipher_len: u64,
    /// Where in `src` the hash starts, in bytes.
    pub hash_offset: u64,
    /// Bytes to hash.
    pub hash_len: u64,
    /// IV.
    pub iv: *const u8,
    /// IV length in bytes.
    pub iv_len: u64,
    /// Where the tag goes.
    pub tag: *mut u8,
    /// Tag length in bytes.
    pub tag_len: u64,
    /// State after the inner key block.
    pub hmac_inner: *const u8,
    /// State after the outer key block.
    pub hmac_outer: *const u8,
    _third_key: *const c_void,
    /// How far the job is.
    pub status: c_int,
    /// Cipher.
    pub cipher_mode: c_int,
    /// Direction of the cipher.
    pub cipher_direction: c_int,
    /// Hash.
    pub hash_alg: c_int,
    /// Which of the two comes first.
    pub chain_order: c_int,
    /// The caller's own word.
    pub user_data: *mut c_void,
    _user_data2: *mut c_void,
    _cipher_func: *const c_void,
    _hash_func: *const c_void,
    _sgl_state: c_int,
    _next_iv: *mut c_void,
}

/// `IMB_MGR` up to the last function pointer used. It is allocated by the library, which knows
/// its whole size; it is never made or moved here.
#[repr(C)]
pub struct Manager {
    _flags: u64,
    _features: u64,
    _reserved: [u64; 5],
    /// `IMB_ARCH` chosen.
    pub used_arch: u32,
    _errno: c_int,
    /// The next free job, to be filled in.
    pub get_next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    _submit_job: *const c_void,
    /// Submits the job last got; returns the earliest if it is complete, or null.
    pub submit_job_nocheck: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    /// The earliest job if it is complete, or null.
    pub get_completed_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    /// Completes the earliest job and returns it, or null when there is none.
    pub flush_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    _queue_size: *const c_void,
    /// Expand an AES key of 16, 24 or 32 bytes for both directions.
    pub keyexp: [unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void); 3],
    _cmac_subkey_gen_128: *const c_void,
    _xcbc_keyexp: *const c_void,
    _des_key_sched: *const c_void,
    /// The state after one block of SHA-1, 224, 256, 384, 512 and MD5.
    pub one_block: [unsafe extern "C" fn(*const c_void, *mut c_void); 6],
}

const _: () = {
    assert!(size_of::<Job>() == 200);
    assert!(offset_of!(Job, enc_keys) == 0);
    assert!(offset_of!(Job, dec_keys) == 8);
    assert!(offset_of!(Job, key_len) == 16);
    assert!(offset_of!(Job, src) == 24);
    assert!(offset_of!(Job, dst) == 32);
    assert!(offset_of!(Job, cipher_offset) == 40);
    assert!(offset_of!(Job, cipher_len) == 48);
    assert!(offset_of!(Job, hash_offset) == 56);
    assert!(offset_of!(Job, hash_len) == 64);
    assert!(offset_of!(Job, iv) == 72);
    assert!(offset_of!(Job, iv_len) == 80);
    assert!(offset_of!(Job, tag) == 88);
    assert!(offset_of!(Job, tag_len) == 96);
    assert!(offset_of!(Job, hmac_inner) == 104);
    assert!(offset_of!(Job, hmac_outer) == 112);
    assert!(offset_of!(Job, status) == 128);
    assert!(offset_of!(Job, cipher_mode) == 132);
    assert!(offset_of!(Job, cipher_direction) == 136);
    assert!(offset_of!(Job, hash_alg) == 140);
    assert!(offset_of!(Job, chain_order) == 144);
    assert!(offset_of!(Job, user_data) == 152);
    assert!(offset_of!(Manager, used_arch) == 56);
    assert!(offset_of!(Manager, get_next_job) == 64);
    assert!(offset_of!(Manager, submit_job_nocheck) == 80);
    assert!(offset_of!(Manager, get_completed_job) == 88);
    assert!(offset_of!(Manager, flush_job) == 96);
    assert!(offset_of!(Manager, keyexp) == 112);
    assert!(offset_of!(Manager, one_block) == 160);
};
