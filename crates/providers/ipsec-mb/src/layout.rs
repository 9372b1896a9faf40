//! The used part of the structures of libIPSec_MB 1.3.
//!
//! The library's interface is a table of function pointers inside its manager and a ring of jobs
//! that callers fill in, so their layout is part of its interface. The offsets asserted here are
//! those that a C compiler gives for the header of 1.3; another version is refused by number.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::ptr;

/// The version whose layout this is, as `imb_get_version` returns it, without its last part: a
/// patch release keeps the layout.
pub const VERSION: u32 = 0x1_0300;

/// The mask for comparing [`VERSION`].
pub const VERSION_MASK: u32 = 0xffff_ff00;

/// Longest message of a manager with lanes, in bytes: they count in 16 bits and keep two values
/// back.
pub const MAX_LEN: usize = (1 << 16) - 2;

/// Longest text of KASUMI's F8, in bytes: 20,000 bits.
pub const MAX_KASUMI_LEN: usize = 20_000 / 8;

/// Longest associated data of AES-CCM, in bytes: three blocks, less the two bytes of their length.
pub const MAX_CCM_ASSOCIATED: usize = 46;

/// `IMB_STATUS_COMPLETED`.
pub const COMPLETED: c_int = 3;

/// `IMB_CIPHER_CBC`.
pub const CIPHER_CBC: c_int = 1;
/// `IMB_CIPHER_CNTR`.
pub const CIPHER_CTR: c_int = 2;
/// `IMB_CIPHER_NULL`.
pub const CIPHER_NULL: c_int = 3;
/// `IMB_CIPHER_DES`.
pub const CIPHER_DES: c_int = 7;
/// `IMB_CIPHER_CCM`.
pub const CIPHER_CCM: c_int = 9;
/// `IMB_CIPHER_DES3`.
pub const CIPHER_3DES: c_int = 10;
/// `IMB_CIPHER_ECB`.
pub const CIPHER_ECB: c_int = 12;
/// `IMB_CIPHER_KASUMI_UEA1_BITLEN`, whose offset and length are in bits.
pub const CIPHER_KASUMI_F8: c_int = 16;
/// `IMB_CIPHER_CHACHA20_POLY1305`.
pub const CIPHER_CHACHA20_POLY1305: c_int = 19;

/// `IMB_DIR_ENCRYPT`.
pub const ENCRYPT: c_int = 1;
/// `IMB_DIR_DECRYPT`.
pub const DECRYPT: c_int = 2;

/// `IMB_ORDER_CIPHER_HASH`.
pub const CIPHER_THEN_HASH: c_int = 1;
/// `IMB_ORDER_HASH_CIPHER`.
pub const HASH_THEN_CIPHER: c_int = 2;

/// `IMB_AUTH_HMAC_SHA_1`; SHA-224, 256, 384 and 512 follow in this order.
pub const AUTH_HMAC_SHA1: c_int = 1;
/// `IMB_AUTH_MD5`, which is HMAC-MD5.
pub const AUTH_HMAC_MD5: c_int = 7;
/// `IMB_AUTH_NULL`.
pub const AUTH_NULL: c_int = 8;
/// `IMB_AUTH_AES_CCM`.
pub const AUTH_CCM: c_int = 11;
/// `IMB_AUTH_AES_CMAC`, with a key of 128 bits.
pub const AUTH_CMAC_128: c_int = 12;
/// `IMB_AUTH_SHA_1`; SHA-224, 256, 384 and 512 follow in this order.
pub const AUTH_SHA1: c_int = 13;
/// `IMB_AUTH_AES_CMAC_256`.
pub const AUTH_CMAC_256: c_int = 27;
/// `IMB_AUTH_CHACHA20_POLY1305`.
pub const AUTH_CHACHA20_POLY1305: c_int = 29;

/// `IMB_JOB`.
#[repr(C)]
pub struct Job {
    /// Expanded encryption key; for triple DES, where the three schedules are.
    pub enc_keys: *const c_void,
    /// Expanded decryption key; for triple DES, where the three schedules are.
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
    /// The parameters of the hash.
    pub auth: Auth,
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
    _user_data2: usize,
    _cipher_func: usize,
    _hash_func: usize,
    _sgl_state: c_int,
    _next_iv: usize,
}

impl Job {
    /// A job that asks for nothing.
    pub const EMPTY: Job = Job {
        enc_keys: ptr::null(),
        dec_keys: ptr::null(),
        key_len: 0,
        src: ptr::null(),
        dst: ptr::null_mut(),
        cipher_offset: 0,
        cipher_len: 0,
        hash_offset: 0,
        hash_len: 0,
        iv: ptr::null(),
        iv_len: 0,
        tag: ptr::null_mut(),
        tag_len: 0,
        auth: Auth { aead: AeadAuth { associated: ptr::null(), associated_len: 0, _context: 0 } },
        status: 0,
        cipher_mode: CIPHER_NULL,
        cipher_direction: ENCRYPT,
        hash_alg: AUTH_NULL,
        chain_order: CIPHER_THEN_HASH,
        user_data: ptr::null_mut(),
        _user_data2: 0,
        _cipher_func: 0,
        _hash_func: 0,
        _sgl_state: 0,
        _next_iv: 0,
    };
}

/// The parameters of a hash beside the text, by algorithm: the union of `IMB_JOB`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Auth {
    /// HMAC.
    pub hmac: HmacAuth,
    /// AES-CMAC.
    pub cmac: CmacAuth,
    /// AES-CCM and ChaCha20-Poly1305.
    pub aead: AeadAuth,
}

/// The parameters of HMAC.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HmacAuth {
    /// State after the inner key block.
    pub inner: *const u8,
    /// State after the outer key block.
    pub outer: *const u8,
}

/// The parameters of AES-CMAC, all aligned to 16 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CmacAuth {
    /// Expanded key.
    pub key: *const c_void,
    /// The subkeys K1 and K2 (SP 800-38B).
    pub subkeys: [*const c_void; 2],
}

/// The parameters of an AEAD.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AeadAuth {
    /// Associated data.
    pub associated: *const u8,
    /// Its length in bytes.
    pub associated_len: u64,
    _context: usize,
}

impl AeadAuth {
    /// Associated data, all of them at once.
    #[inline(always)]
    pub fn new(associated: *const u8, len: usize) -> AeadAuth {
        AeadAuth { associated, associated_len: len as u64, _context: 0 }
    }
}

/// `struct gcm_key_data`: an expanded key and powers of the hash key.
#[repr(C, align(64))]
pub struct GcmKey(pub [u8; 1024]);

/// `struct gcm_context_data`: the library's memory between two calls on one message. It has 88
/// bytes.
#[repr(C, align(64))]
pub struct GcmContext(pub [u8; 128]);

/// Expands an AES key for encryption, the second, and decryption, the third.
pub type ExpandAes = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void);
/// Makes the subkeys of CMAC, the second and the third, of an expanded key.
pub type MakeSubkeys = unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void);
/// Expands a key of 16 bytes for KASUMI, to `kasumi_key_sched_t`, 256 bytes.
pub type ExpandKasumi = unsafe extern "C" fn(*const c_void, *mut c_void) -> c_int;
/// Makes the 16 round keys of DES, 8 bytes each, of a key of 8 bytes.
pub type ExpandDes = unsafe extern "C" fn(*mut u64, *const c_void) -> c_int;
/// The state after one block of a hash.
pub type OneBlock = unsafe extern "C" fn(*const c_void, *mut c_void);
/// The digest of a message of any length.
pub type WholeHash = unsafe extern "C" fn(*const c_void, u64, *mut c_void);
/// Expands a key for GCM.
pub type ExpandGcm = unsafe extern "C" fn(*const c_void, *mut GcmKey);
/// A whole message of GCM: output, input and its length, a nonce of 12 bytes, associated data and
/// their length, the tag and its length.
pub type GcmWhole = unsafe extern "C" fn(
    *const GcmKey,
    *mut GcmContext,
    *mut u8,
    *const u8,
    u64,
    *const u8,
    *const u8,
    u64,
    *mut u8,
    u64,
);
/// Begins a message of GCM: nonce and its length, associated data and their length.
pub type GcmBegin =
    unsafe extern "C" fn(*const GcmKey, *mut GcmContext, *const u8, u64, *const u8, u64);
/// Goes on with a message of GCM: output, input and its length.
pub type GcmUpdate = unsafe extern "C" fn(*const GcmKey, *mut GcmContext, *mut u8, *const u8, u64);
/// Ends a message of GCM: tag and its length.
pub type GcmEnd = unsafe extern "C" fn(*const GcmKey, *mut GcmContext, *mut u8, u64);

/// Processes jobs of the caller's that have one cipher (its mode, direction and key length in
/// bytes) and no hash, all of them; says how many.
pub type CipherBurst =
    unsafe extern "C" fn(*mut Manager, *mut Job, u32, c_int, c_int, c_int) -> u32;
/// Processes jobs of the caller's that have one hash and no cipher, all of them; says how many.
pub type HashBurst = unsafe extern "C" fn(*mut Manager, *mut Job, u32, c_int) -> u32;

/// `IMB_MGR` up to the last function pointer used. It is allocated by the library, which knows its
/// whole size; it is never made or moved here.
#[repr(C)]
pub struct Manager {
    _flags: u64,
    _features: u64,
    _reserved: [u64; 5],
    /// `IMB_ARCH` chosen.
    pub used_arch: u32,
    _errno: c_int,
    /// The functions, for the instruction set chosen.
    pub functions: Functions,
}

/// The functions of a manager. Three in an array are for keys of 128, 192 and 256 bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Functions {
    /// The next free job, to be filled in.
    pub get_next_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    _submit_job: usize,
    /// Submits the job last got; returns the earliest if it is complete, or null.
    pub submit_job_nocheck: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    /// The earliest job if it is complete, or null.
    pub get_completed_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    /// Completes the earliest job and returns it, or null when there is none.
    pub flush_job: unsafe extern "C" fn(*mut Manager) -> *mut Job,
    _queue_size: usize,
    /// Expand an AES key.
    pub expand_aes: [ExpandAes; 3],
    /// Makes the subkeys of AES-128-CMAC.
    pub cmac_subkeys_128: MakeSubkeys,
    _xcbc_keyexp: usize,
    /// Makes the round keys of DES.
    pub expand_des: ExpandDes,
    /// The state after one block of SHA-1, 224, 256, 384, 512 and MD5.
    pub one_block: [OneBlock; 6],
    /// SHA-1, 224, 256, 384 and 512 of a whole message.
    pub hash: [WholeHash; 5],
    _aes128_cfb_one: usize,
    /// Encrypts a message of GCM.
    pub gcm_encrypt: [GcmWhole; 3],
    /// Decrypts a message of GCM.
    pub gcm_decrypt: [GcmWhole; 3],
    _gcm_init: [usize; 3],
    /// Encrypts a part of a message of GCM.
    pub gcm_encrypt_update: [GcmUpdate; 3],
    /// Decrypts a part of a message of GCM.
    pub gcm_decrypt_update: [GcmUpdate; 3],
    /// Ends the encryption of a message of GCM.
    pub gcm_encrypt_end: [GcmEnd; 3],
    /// Ends the decryption of a message of GCM.
    pub gcm_decrypt_end: [GcmEnd; 3],
    _gcm_precomp: [usize; 3],
    /// Expand a key for GCM.
    pub expand_gcm: [ExpandGcm; 3],
    _zuc_kasumi: [usize; 12],
    /// Expands a key of KASUMI for F8.
    pub expand_kasumi_f8: ExpandKasumi,
    _kasumi_snow3g: [usize; 15],
    /// Begins a message of GCM with a nonce of any length.
    pub gcm_begin: [GcmBegin; 3],
    _gmac_hec: [usize; 11],
    /// Makes the subkeys of AES-256-CMAC.
    pub cmac_subkeys_256: MakeSubkeys,
    _crc_chacha: [usize; 17],
    _async_bursts: [usize; 4],
    _submit_cipher_burst: usize,
    /// Processes jobs of AES-CBC or AES-CTR.
    pub cipher_burst_nocheck: CipherBurst,
    _submit_hash_burst: usize,
    /// Processes jobs of HMAC with a SHA.
    pub hash_burst_nocheck: HashBurst,
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
    assert!(offset_of!(Job, auth) == 104);
    assert!(offset_of!(Job, status) == 128);
    assert!(offset_of!(Job, cipher_mode) == 132);
    assert!(offset_of!(Job, cipher_direction) == 136);
    assert!(offset_of!(Job, hash_alg) == 140);
    assert!(offset_of!(Job, chain_order) == 144);
    assert!(offset_of!(Job, user_data) == 152);
    assert!(offset_of!(Manager, used_arch) == 56);
    assert!(offset_of!(Manager, functions) == 64);
    // These are counted from the start of the functions, 64 bytes into the manager.
    assert!(offset_of!(Functions, get_next_job) == 0);
    assert!(offset_of!(Functions, submit_job_nocheck) == 80 - 64);
    assert!(offset_of!(Functions, get_completed_job) == 88 - 64);
    assert!(offset_of!(Functions, flush_job) == 96 - 64);
    assert!(offset_of!(Functions, expand_aes) == 112 - 64);
    assert!(offset_of!(Functions, cmac_subkeys_128) == 136 - 64);
    assert!(offset_of!(Functions, expand_des) == 152 - 64);
    assert!(offset_of!(Functions, one_block) == 160 - 64);
    assert!(offset_of!(Functions, hash) == 208 - 64);
    assert!(offset_of!(Functions, gcm_encrypt) == 256 - 64);
    assert!(offset_of!(Functions, gcm_decrypt) == 280 - 64);
    assert!(offset_of!(Functions, gcm_encrypt_update) == 328 - 64);
    assert!(offset_of!(Functions, gcm_decrypt_update) == 352 - 64);
    assert!(offset_of!(Functions, gcm_encrypt_end) == 376 - 64);
    assert!(offset_of!(Functions, gcm_decrypt_end) == 400 - 64);
    assert!(offset_of!(Functions, expand_gcm) == 448 - 64);
    assert!(offset_of!(Functions, expand_kasumi_f8) == 568 - 64);
    assert!(offset_of!(Functions, gcm_begin) == 696 - 64);
    assert!(offset_of!(Functions, cmac_subkeys_256) == 808 - 64);
    assert!(offset_of!(Functions, cipher_burst_nocheck) == 992 - 64);
    assert!(offset_of!(Functions, hash_burst_nocheck) == 1008 - 64);
};
