//! The structures of libIPSec_MB, as far as they are used.
//!
//! The library's interface is a table of function pointers inside its manager and a ring of jobs
//! that callers fill in, so their layout is part of its interface. The offsets asserted here are
//! those that a C compiler gives for the headers of the [releases](RELEASES); another version is
//! refused by number, and one that has a known number and another manager by where the manager has
//! its jobs.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;

/// What one release has elsewhere, or numbers otherwise, than another one.
#[derive(Debug, PartialEq, Eq)]
pub struct Release {
    /// Its first two numbers, such as `1.3`.
    pub name: &'static str,
    /// As `imb_get_version` returns it, without the last part: a patch release keeps the layout.
    version: u32,
    /// Where a manager has the first job of its ring, in bytes.
    pub ring: usize,
    /// Bytes of `IMB_JOB`.
    pub job_len: usize,
    /// `IMB_CIPHER_KASUMI_UEA1_BITLEN`, whose offset and length are in bits.
    pub cipher_kasumi_f8: c_int,
    /// `IMB_CIPHER_CHACHA20_POLY1305`.
    pub cipher_chacha20_poly1305: c_int,
    /// The names of `IMB_ARCH`.
    archs: &'static [&'static str],
    table: Table,
}

/// How the functions lie in a manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    /// As [`Functions`] has them.
    First,
    /// As [`FunctionsOf3`] has them.
    Third,
}

/// Jobs of a manager's ring.
pub const RING: usize = 256;

/// What `imb_get_version` is compared under.
const VERSION_MASK: u32 = 0xffff_ff00;

const ARCHS_OF_1: &[&str] = &["none", "no-AESNI", "SSE", "AVX", "AVX2", "AVX512"];
const ARCHS_OF_2: &[&str] = &["none", "SSE", "AVX2", "AVX512", "AVX10"];

/// 1.3.
const FIRST: Release = Release {
    name: "1.3",
    version: 0x1_0300,
    ring: 1024,
    job_len: 200,
    cipher_kasumi_f8: 16,
    cipher_chacha20_poly1305: 19,
    archs: ARCHS_OF_1,
    table: Table::First,
};

/// The releases whose layout is known. 3.0 is known by its development version of June 2026.
pub static RELEASES: [Release; 5] = [
    FIRST,
    Release { name: "1.4", version: 0x1_0400, ring: 1056, job_len: 240, ..FIRST },
    Release { name: "1.5", version: 0x1_0500, ring: 1096, job_len: 240, ..FIRST },
    Release {
        name: "2.0",
        version: 0x2_0000,
        ring: 1112,
        job_len: 216,
        archs: ARCHS_OF_2,
        ..FIRST
    },
    Release {
        name: "3.0",
        version: 0x3_0000,
        ring: 1088,
        job_len: 200,
        cipher_kasumi_f8: 15,
        cipher_chacha20_poly1305: 17,
        archs: ARCHS_OF_2,
        table: Table::Third,
    },
];

impl Release {
    /// The release that has a number, as `imb_get_version` returns it.
    pub fn of(version: u32) -> Option<&'static Release> {
        RELEASES.iter().find(|release| release.version == version & VERSION_MASK)
    }

    /// Returns `true` if a manager has a job of its ring so many bytes from its start. Which job is
    /// the next depends on the tests that the library runs on itself.
    pub fn has_job_at(&self, offset: usize) -> bool {
        let jobs = self.ring..self.ring + RING * self.job_len;
        jobs.contains(&offset) && (offset - self.ring).is_multiple_of(self.job_len)
    }

    /// The names of all releases, for a message.
    pub fn names() -> String {
        RELEASES.each_ref().map(|release| release.name).join(", ")
    }

    /// Returns the name of an instruction set, by the library's number for it.
    pub fn arch(&self, number: u32) -> &'static str {
        self.archs.get(number as usize).copied().unwrap_or("unknown")
    }

    /// Copies the functions out of a manager.
    ///
    /// # Safety
    /// The manager must be the library's, of this release, alive and set up.
    pub unsafe fn functions(&self, manager: *const Manager) -> Functions {
        // SAFETY: the functions of both kinds begin at the same place, where the library has
        // filled in as many as the release has.
        unsafe {
            let first = &raw const (*manager).functions;
            match self.table {
                Table::First => first.read(),
                Table::Third => first.cast::<FunctionsOf3>().read().as_first(),
            }
        }
    }
}

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
/// `IMB_CIPHER_GCM`.
pub const CIPHER_GCM: c_int = 5;
/// `IMB_CIPHER_DES`.
pub const CIPHER_DES: c_int = 7;
/// `IMB_CIPHER_CCM`.
pub const CIPHER_CCM: c_int = 9;
/// `IMB_CIPHER_DES3`.
pub const CIPHER_3DES: c_int = 10;
/// `IMB_CIPHER_ECB`.
pub const CIPHER_ECB: c_int = 12;

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
/// `IMB_AUTH_AES_GMAC`, which is that of GCM, too.
pub const AUTH_GMAC: c_int = 9;
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

/// `IMB_JOB`, as far as all releases have it; [`Release::job_len`] says how long it is.
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
    _rest: [usize; 5],
}

/// Jobs of the caller's, as long as a release has them, one behind the other.
pub struct Jobs {
    /// Zeros at first, of which a job that asks for nothing is made.
    words: Box<[u64]>,
    /// Words of a job.
    job_len: usize,
}

impl Jobs {
    /// So many jobs of a release, which ask for nothing.
    pub fn new(release: &Release, count: usize) -> Jobs {
        let job_len = release.job_len / size_of::<u64>();
        Jobs { words: vec![0; count * job_len].into(), job_len }
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.words.len() / self.job_len
    }

    /// Returns `true` if there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The address of the first, behind which the others lie.
    pub fn as_mut_ptr(&mut self) -> *mut Job {
        self.words.as_mut_ptr().cast()
    }

    /// A job.
    ///
    /// # Panics
    /// There are no more than `index`.
    #[inline(always)]
    pub fn get(&mut self, index: usize) -> &mut Job {
        let words = &mut self.words[index * self.job_len..][..self.job_len];
        // SAFETY: every release's job is as long as `Job` at least and aligned to a word, and all
        // bytes are initialised: zeros, or what fields of `Job` and the library have put there,
        // which are numbers and addresses that any bytes are valid for.
        unsafe { &mut *words.as_mut_ptr().cast() }
    }
}

/// The parameters of a hash beside the text, by algorithm: the union of `IMB_JOB`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Auth {
    /// HMAC.
    pub hmac: HmacAuth,
    /// AES-CMAC.
    pub cmac: CmacAuth,
    /// AES-CCM, AES-GCM and ChaCha20-Poly1305.
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
/// It has 1008 bytes in 1.3, and 1280 at most.
#[repr(C, align(64))]
pub struct GcmKey(pub [u8; 1280]);

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
    /// The functions of 1.x and 2.x, for the instruction set chosen. Those of another release are
    /// read by [`Release::functions`].
    functions: Functions,
}

/// The functions of a manager, as 1.x and 2.x have them. Three in an array are for keys of 128, 192
/// and 256 bits.
///
/// 3.x has more functions of SHA-3, and fewer of ZUC.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Functions<const SHA3: usize = 0, const ZUC: usize = 12> {
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
    _sha3: [usize; SHA3],
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
    _zuc_kasumi: [usize; ZUC],
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

/// The functions of 3.x.
pub type FunctionsOf3 = Functions<6, 3>;

impl FunctionsOf3 {
    /// The same functions at the places that they have in 1.x.
    fn as_first(self) -> Functions {
        Functions {
            get_next_job: self.get_next_job,
            _submit_job: self._submit_job,
            submit_job_nocheck: self.submit_job_nocheck,
            get_completed_job: self.get_completed_job,
            flush_job: self.flush_job,
            _queue_size: self._queue_size,
            expand_aes: self.expand_aes,
            cmac_subkeys_128: self.cmac_subkeys_128,
            _xcbc_keyexp: self._xcbc_keyexp,
            expand_des: self.expand_des,
            one_block: self.one_block,
            hash: self.hash,
            _sha3: [],
            _aes128_cfb_one: self._aes128_cfb_one,
            gcm_encrypt: self.gcm_encrypt,
            gcm_decrypt: self.gcm_decrypt,
            _gcm_init: self._gcm_init,
            gcm_encrypt_update: self.gcm_encrypt_update,
            gcm_decrypt_update: self.gcm_decrypt_update,
            gcm_encrypt_end: self.gcm_encrypt_end,
            gcm_decrypt_end: self.gcm_decrypt_end,
            _gcm_precomp: self._gcm_precomp,
            expand_gcm: self.expand_gcm,
            _zuc_kasumi: [0; 12],
            expand_kasumi_f8: self.expand_kasumi_f8,
            _kasumi_snow3g: self._kasumi_snow3g,
            gcm_begin: self.gcm_begin,
            _gmac_hec: self._gmac_hec,
            cmac_subkeys_256: self.cmac_subkeys_256,
            _crc_chacha: self._crc_chacha,
            _async_bursts: self._async_bursts,
            _submit_cipher_burst: self._submit_cipher_burst,
            cipher_burst_nocheck: self.cipher_burst_nocheck,
            _submit_hash_burst: self._submit_hash_burst,
            hash_burst_nocheck: self.hash_burst_nocheck,
        }
    }
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
    assert!(offset_of!(FunctionsOf3, hash) == 208 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_encrypt) == 304 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_decrypt) == 328 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_encrypt_update) == 376 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_decrypt_update) == 400 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_encrypt_end) == 424 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_decrypt_end) == 448 - 64);
    assert!(offset_of!(FunctionsOf3, expand_gcm) == 496 - 64);
    assert!(offset_of!(FunctionsOf3, expand_kasumi_f8) == 544 - 64);
    assert!(offset_of!(FunctionsOf3, gcm_begin) == 672 - 64);
    assert!(offset_of!(FunctionsOf3, cmac_subkeys_256) == 784 - 64);
    assert!(offset_of!(FunctionsOf3, cipher_burst_nocheck) == 968 - 64);
    assert!(offset_of!(FunctionsOf3, hash_burst_nocheck) == 984 - 64);
};

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_release_is_known_by_its_number_whatever_its_patch() {
        let name = |version| Release::of(version).map(|release| release.name);
        assert_eq!(name(0x1_0300), Some("1.3"));
        assert_eq!(name(0x1_0501), Some("1.5"));
        assert_eq!(name(0x2_0002), Some("2.0"));
        assert_eq!(name(0x3_0000), Some("3.0"));
        for unknown in [0x1_0200, 0x1_0600, 0x2_0100, 0x3_0100, 0x4_0000, 0] {
            assert_eq!(name(unknown), None, "{unknown:#x}");
        }
        assert_eq!(Release::names(), "1.3, 1.4, 1.5, 2.0, 3.0");
    }

    #[test]
    fn jobs_of_another_layout_are_noticed() {
        for release in &RELEASES {
            let (ring, len) = (release.ring, release.job_len);
            assert!(release.has_job_at(ring) && release.has_job_at(ring + 255 * len));
            for wrong in [0, ring - len, ring - 8, ring + 8, ring + len - 24, ring + 256 * len] {
                assert!(!release.has_job_at(wrong), "{} {wrong}", release.name);
            }
        }
    }

    #[test]
    fn instruction_sets_are_numbered_by_release() {
        let arch = |version, number| Release::of(version).expect("it is known").arch(number);
        assert_eq!((arch(0x1_0300, 4), arch(0x1_0500, 5)), ("AVX2", "AVX512"));
        assert_eq!((arch(0x2_0000, 2), arch(0x3_0000, 3)), ("AVX2", "AVX512"));
        assert_eq!((arch(0x3_0000, 4), arch(0x2_0000, 9)), ("AVX10", "unknown"));
    }

    #[test]
    fn jobs_are_as_far_apart_as_the_release_has_them() {
        for release in &RELEASES {
            assert!(release.job_len >= size_of::<Job>() && release.job_len.is_multiple_of(8));
            let mut jobs = Jobs::new(release, 3);
            assert_eq!((jobs.len(), jobs.is_empty()), (3, false));
            let first = ptr::from_mut(jobs.get(0)).addr();
            let last = jobs.get(2);
            assert_eq!((last.status, last.src), (0, ptr::null()), "{}", release.name);
            assert_eq!(ptr::from_mut(last).addr() - first, 2 * release.job_len);
        }
    }
}
