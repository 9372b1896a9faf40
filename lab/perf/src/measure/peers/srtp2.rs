//! libsrtp 2, the library that most programs protect SRTP with, found at run time: one packet a
//! call, in place.

use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::ptr::{self, NonNull};
use std::sync::{Arc, OnceLock};

use broadloom_loader::{Library, find, open};

/// The names that the library has.
const NAMES: [&str; 2] = ["libsrtp2.so.1", "libsrtp2.so"];

/// `srtp_err_status_ok`.
const OK: c_int = 0;

/// `ssrc_specific`: the policy is for the stream with one SSRC.
const SPECIFIC: c_uint = 1;

/// Bytes that the library may write behind a packet.
pub const TRAILER: usize = 144;

type Protect = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int) -> c_int;
type SetPolicy = unsafe extern "C" fn(*mut CryptoPolicy);

/// `srtp_crypto_policy_t`.
#[repr(C)]
#[derive(Default)]
struct CryptoPolicy {
    cipher_type: u32,
    cipher_key_len: c_int,
    auth_type: u32,
    auth_key_len: c_int,
    auth_tag_len: c_int,
    services: c_int,
}

/// `srtp_policy_t` of versions 2.0 to 2.7.
#[repr(C)]
struct Policy {
    ssrc_type: c_uint,
    ssrc: c_uint,
    rtp: CryptoPolicy,
    rtcp: CryptoPolicy,
    key: *const u8,
    keys: *const c_void,
    num_master_keys: c_ulong,
    deprecated_ekt: *const c_void,
    window_size: c_ulong,
    allow_repeat_tx: c_int,
    enc_xtn_hdr: *const c_int,
    enc_xtn_hdr_count: c_int,
    next: *const c_void,
}

/// A suite that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// AES-CM with keys of 128 bits and HMAC-SHA1 with tags of 80 bits.
    AesCm128HmacSha1,
    /// AES-128-GCM with tags of 128 bits.
    AesGcm128,
}

/// The library, opened and initialised.
#[derive(Clone)]
pub struct Srtp2 {
    create: unsafe extern "C" fn(*mut *mut c_void, *const Policy) -> c_int,
    dealloc: unsafe extern "C" fn(*mut c_void) -> c_int,
    protect: Protect,
    unprotect: Protect,
    cm: SetPolicy,
    gcm: SetPolicy,
    version: unsafe extern "C" fn() -> c_uint,
    /// Keeps the code behind the functions mapped.
    _library: Arc<Library>,
}

impl Srtp2 {
    /// Opens the library. It stays open for the rest of the process: what its initialisation has
    /// set up would be lost with it.
    ///
    /// # Errors
    /// It is not installed, lacks a function, or cannot be initialised: the reason.
    pub fn load() -> Result<Srtp2, String> {
        static LOADED: OnceLock<Result<Srtp2, String>> = OnceLock::new();
        LOADED.get_or_init(Srtp2::open).clone()
    }

    fn open() -> Result<Srtp2, String> {
        // SAFETY: libsrtp's initialisers do nothing but set up the library.
        let (library, name) = unsafe { open(&NAMES) }?;
        let lacks = |function| format!("{name} has no function {function}");
        // SAFETY: libsrtp declares all these functions with these types in srtp.h.
        let (init, found): (unsafe extern "C" fn() -> c_int, _) = unsafe {
            let init = find(&library, "srtp_init").map_err(lacks)?;
            let cm = find(&library, "srtp_crypto_policy_set_rtp_default").map_err(lacks)?;
            let gcm = find(&library, "srtp_crypto_policy_set_aes_gcm_128_16_auth");
            let found = Srtp2 {
                create: find(&library, "srtp_create").map_err(lacks)?,
                dealloc: find(&library, "srtp_dealloc").map_err(lacks)?,
                protect: find(&library, "srtp_protect").map_err(lacks)?,
                unprotect: find(&library, "srtp_unprotect").map_err(lacks)?,
                cm,
                gcm: gcm.map_err(lacks)?,
                version: find(&library, "srtp_get_version").map_err(lacks)?,
                _library: Arc::new(library),
            };
            (init, found)
        };
        // SAFETY: it is called once in the process, before any other of its functions.
        match unsafe { init() } {
            OK => Ok(found),
            status => Err(format!("srtp_init of {name} fails with status {status}")),
        }
    }

    /// Returns the library's version, such as `2.5.0`.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing, and returns a number of three bytes.
        let number = unsafe { (self.version)() };
        format!("{}.{}.{}", number >> 24, number >> 16 & 255, number >> 8 & 255)
    }

    /// Opens a stream with one SSRC under a master key, with its salt behind the key.
    ///
    /// # Errors
    /// The library refuses it: the status.
    ///
    /// # Panics
    /// If the key and the salt together have fewer bytes than the suite takes: 30 for AES-CM, and
    /// 28 for GCM.
    pub fn stream(&self, suite: Suite, key: &[u8], ssrc: u32) -> Result<Stream, String> {
        let mut policy = Policy {
            ssrc_type: SPECIFIC,
            ssrc,
            rtp: CryptoPolicy::default(),
            rtcp: CryptoPolicy::default(),
            key: key.as_ptr(),
            keys: ptr::null(),
            num_master_keys: 0,
            deprecated_ekt: ptr::null(),
            window_size: 128,
            allow_repeat_tx: 0,
            enc_xtn_hdr: ptr::null(),
            enc_xtn_hdr_count: 0,
            next: ptr::null(),
        };
        let (set, len) = match suite {
            Suite::AesCm128HmacSha1 => (self.cm, 30),
            Suite::AesGcm128 => (self.gcm, 28),
        };
        assert!(key.len() >= len, "{} bytes of key and salt, not {len}", key.len());
        let mut raw = ptr::null_mut();
        // SAFETY: the function fills in the policy that it gets.
        unsafe { set(&mut policy.rtp) };
        // SAFETY: as above.
        unsafe { set(&mut policy.rtcp) };
        // SAFETY: the policy is filled in, and the key has as many bytes as the suite takes; the
        // library copies both.
        let status = unsafe { (self.create)(&mut raw, &policy) };
        match (status, NonNull::new(raw)) {
            (OK, Some(raw)) => Ok(Stream { raw, library: self.clone() }),
            _ => Err(format!("srtp_create fails with status {status}")),
        }
    }
}

/// A stream of libsrtp.
pub struct Stream {
    raw: NonNull<c_void>,
    library: Srtp2,
}

impl Stream {
    /// Protects the packet of `len` bytes at the beginning of a buffer in place, and returns how
    /// long it is then.
    ///
    /// # Errors
    /// The library's status.
    ///
    /// # Panics
    /// If the buffer has less than [`TRAILER`] bytes behind the packet.
    pub fn protect(&mut self, buffer: &mut [u8], len: usize) -> Result<usize, String> {
        assert!(buffer.len() >= len + TRAILER, "{} bytes of buffer for {len}", buffer.len());
        // SAFETY: the library adds at most its longest trailer, for which there is room.
        unsafe { self.call(self.library.protect, buffer, len) }
    }

    /// Unprotects the packet of `len` bytes at the beginning of a buffer in place, and returns how
    /// long it is then.
    ///
    /// # Errors
    /// The library's status.
    ///
    /// # Panics
    /// If the buffer is shorter than the packet.
    pub fn unprotect(&mut self, buffer: &mut [u8], len: usize) -> Result<usize, String> {
        assert!(buffer.len() >= len, "{} bytes of buffer for {len}", buffer.len());
        // SAFETY: the library writes to nothing but the packet.
        unsafe { self.call(self.library.unprotect, buffer, len) }
    }

    /// # Safety
    /// The buffer has room for what the function adds to the packet.
    unsafe fn call(&self, call: Protect, buffer: &mut [u8], len: usize) -> Result<usize, String> {
        let mut len = c_int::try_from(len).map_err(|error| error.to_string())?;
        // SAFETY: the stream is alive, the packet is `len` bytes of the buffer, and the caller
        // vouches for the room behind it.
        let status = unsafe { call(self.raw.as_ptr(), buffer.as_mut_ptr().cast(), &mut len) };
        match status {
            OK => Ok(len as usize),
            status => Err(format!("libsrtp refuses a packet with status {status}")),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream was made by `srtp_create`, and nobody uses it any more.
        unsafe { (self.library.dealloc)(self.raw.as_ptr()) };
    }
}
