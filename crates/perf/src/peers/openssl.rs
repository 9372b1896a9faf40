//! OpenSSL 3: algorithms fetched once, contexts made once and reused, the fast way through EVP.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::ptr;

use broadloom_engine::{AesSize, Direction, HashAlgorithm};
use libloading::Library;

use super::{Absent, functions, open};
use crate::contender::Contender;
use crate::direct::Direct;
use crate::error::PerfError;
use crate::names::{Peer, Provider};
use crate::workset::{Outputs, Workset};

/// One of OpenSSL's own objects.
type Object = *mut c_void;

/// `OSSL_PARAM`.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

type CipherUpdate = unsafe extern "C" fn(Object, *mut u8, *mut c_int, *const u8, c_int) -> c_int;

functions! {
    /// The functions used, by the header `openssl/evp.h` of 3.0.
    Functions {
        version = b"OpenSSL_version\0": unsafe extern "C" fn(c_int) -> *const c_char,
        md_fetch = b"EVP_MD_fetch\0":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        md_free = b"EVP_MD_free\0": unsafe extern "C" fn(Object),
        md_ctx_new = b"EVP_MD_CTX_new\0": unsafe extern "C" fn() -> Object,
        md_ctx_free = b"EVP_MD_CTX_free\0": unsafe extern "C" fn(Object),
        digest_init = b"EVP_DigestInit_ex2\0":
            unsafe extern "C" fn(Object, Object, *const Param) -> c_int,
        digest_update = b"EVP_DigestUpdate\0":
            unsafe extern "C" fn(Object, *const u8, usize) -> c_int,
        digest_final = b"EVP_DigestFinal_ex\0":
            unsafe extern "C" fn(Object, *mut u8, *mut c_uint) -> c_int,
        mac_fetch = b"EVP_MAC_fetch\0":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        mac_free = b"EVP_MAC_free\0": unsafe extern "C" fn(Object),
        mac_ctx_new = b"EVP_MAC_CTX_new\0": unsafe extern "C" fn(Object) -> Object,
        mac_ctx_free = b"EVP_MAC_CTX_free\0": unsafe extern "C" fn(Object),
        mac_init = b"EVP_MAC_init\0":
            unsafe extern "C" fn(Object, *const u8, usize, *const Param) -> c_int,
        mac_update = b"EVP_MAC_update\0":
            unsafe extern "C" fn(Object, *const u8, usize) -> c_int,
        mac_final = b"EVP_MAC_final\0":
            unsafe extern "C" fn(Object, *mut u8, *mut usize, usize) -> c_int,
        param_utf8 = b"OSSL_PARAM_construct_utf8_string\0":
            unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> Param,
        param_end = b"OSSL_PARAM_construct_end\0": unsafe extern "C" fn() -> Param,
        cipher_fetch = b"EVP_CIPHER_fetch\0":
            unsafe extern "C" fn(Object, *const c_char, *const c_char) -> Object,
        cipher_free = b"EVP_CIPHER_free\0": unsafe extern "C" fn(Object),
        cipher_ctx_new = b"EVP_CIPHER_CTX_new\0": unsafe extern "C" fn() -> Object,
        cipher_ctx_free = b"EVP_CIPHER_CTX_free\0": unsafe extern "C" fn(Object),
        cipher_init = b"EVP_CipherInit_ex2\0": unsafe extern "C" fn(
            Object, Object, *const u8, *const u8, c_int, *const Param,
        ) -> c_int,
        cipher_set_padding = b"EVP_CIPHER_CTX_set_padding\0":
            unsafe extern "C" fn(Object, c_int) -> c_int,
        encrypt_update = b"EVP_EncryptUpdate\0": CipherUpdate,
        decrypt_update = b"EVP_DecryptUpdate\0": CipherUpdate,
    }
}

/// libcrypto, opened.
pub struct Api {
    functions: Functions,
    /// Keeps the code behind `functions` mapped.
    _library: Library,
}

impl Api {
    /// Opens version 3 of libcrypto.
    ///
    /// # Errors
    /// It is not installed, or lacks a function of 3.0.
    pub fn load() -> Result<Api, Absent> {
        let library = open(Peer::OpenSsl, &["libcrypto.so.3", "libcrypto.3.dylib"])?;
        let functions = Functions::find(Peer::OpenSsl, &library)?;
        Ok(Api { functions, _library: library })
    }

    /// The library's own name for its version, such as `OpenSSL 3.0.2 15 Mar 2022`.
    pub fn version(&self) -> String {
        // SAFETY: the function takes any number and returns a static string.
        let text = unsafe { CStr::from_ptr((self.functions.version)(0)) };
        text.to_string_lossy().into_owned()
    }
}

/// An object of OpenSSL's, freed when dropped.
struct Owned {
    object: Object,
    free: unsafe extern "C" fn(Object),
}

impl Owned {
    fn new(
        object: Object,
        free: unsafe extern "C" fn(Object),
        call: &'static str,
    ) -> Result<Owned, PerfError> {
        if object.is_null() { Err(failed(call)) } else { Ok(Owned { object, free }) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the object came from the constructor that `free` belongs to, and only this value
        // frees it.
        unsafe { (self.free)(self.object) };
    }
}

fn failed(call: &'static str) -> PerfError {
    PerfError::Peer { provider: Provider::OpenSsl, call }
}

/// OpenSSL reports success as 1.
fn check(result: c_int, call: &'static str) -> Result<(), PerfError> {
    if result == 1 { Ok(()) } else { Err(failed(call)) }
}

/// What is made once. The contexts come before what they refer to, to be freed first.
enum Kind {
    Digest { context: Owned, md: Owned },
    Mac { contexts: Vec<Owned>, _mac: Owned },
    Cipher { contexts: Vec<Owned>, _cipher: Owned, update: CipherUpdate },
}

/// OpenSSL at work on a set of buffers.
pub struct OpenSsl<'a> {
    kind: Kind,
    api: &'a Api,
    workset: &'a Workset,
    outputs: Outputs,
}

impl<'a> OpenSsl<'a> {
    /// Fetches the algorithm, and makes a context for every key.
    ///
    /// # Errors
    /// OpenSSL refuses; it may be configured without the algorithm.
    pub fn new(
        api: &'a Api,
        workset: &'a Workset,
        direction: Direction,
    ) -> Result<OpenSsl<'a>, PerfError> {
        let kind = match Direct::try_from(workset.algorithm())? {
            Direct::Digest(hash) => digest(&api.functions, hash)?,
            Direct::Hmac(hash) => mac(&api.functions, hash, workset)?,
            Direct::AesCbc(size) => cipher(&api.functions, size, workset, direction)?,
        };
        Ok(OpenSsl { kind, api, workset, outputs: Outputs::new(workset) })
    }
}

fn hash_name(hash: HashAlgorithm) -> &'static CStr {
    match hash {
        HashAlgorithm::Md5 => c"MD5",
        HashAlgorithm::Sha1 => c"SHA1",
        HashAlgorithm::Sha224 => c"SHA224",
        HashAlgorithm::Sha256 => c"SHA256",
        HashAlgorithm::Sha384 => c"SHA384",
        HashAlgorithm::Sha512 => c"SHA512",
    }
}

fn digest(f: &Functions, hash: HashAlgorithm) -> Result<Kind, PerfError> {
    // SAFETY: null stands for the default library context and properties; the name is a C string.
    let md = unsafe { (f.md_fetch)(ptr::null_mut(), hash_name(hash).as_ptr(), ptr::null()) };
    let md = Owned::new(md, f.md_free, "EVP_MD_fetch")?;
    // SAFETY: the constructor takes nothing.
    let context = unsafe { (f.md_ctx_new)() };
    let context = Owned::new(context, f.md_ctx_free, "EVP_MD_CTX_new")?;
    Ok(Kind::Digest { context, md })
}

fn mac(f: &Functions, hash: HashAlgorithm, workset: &Workset) -> Result<Kind, PerfError> {
    // SAFETY: null stands for the default library context and properties; the name is a C string.
    let mac = unsafe { (f.mac_fetch)(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null()) };
    let mac = Owned::new(mac, f.mac_free, "EVP_MAC_fetch")?;
    let name: CString = hash_name(hash).into();
    let contexts = (0..workset.len())
        .map(|index| {
            // SAFETY: the MAC is alive; the context takes its own reference to it.
            let context = unsafe { (f.mac_ctx_new)(mac.object) };
            let context = Owned::new(context, f.mac_ctx_free, "EVP_MAC_CTX_new")?;
            // SAFETY: the strings outlive the parameters, which are only read; a length of 0 asks
            // the library to measure the terminated string itself.
            let params = unsafe {
                [(f.param_utf8)(c"digest".as_ptr(), name.as_ptr().cast_mut(), 0), (f.param_end)()]
            };
            let key = workset.key(index);
            // SAFETY: context and key are alive, the list of parameters is terminated.
            let result =
                unsafe { (f.mac_init)(context.object, key.as_ptr(), key.len(), params.as_ptr()) };
            check(result, "EVP_MAC_init")?;
            Ok(context)
        })
        .collect::<Result<Vec<Owned>, PerfError>>()?;
    Ok(Kind::Mac { contexts, _mac: mac })
}

fn cipher(
    f: &Functions,
    size: AesSize,
    workset: &Workset,
    direction: Direction,
) -> Result<Kind, PerfError> {
    let name = match size {
        AesSize::Aes128 => c"AES-128-CBC",
        AesSize::Aes192 => c"AES-192-CBC",
        AesSize::Aes256 => c"AES-256-CBC",
    };
    // SAFETY: null stands for the default library context and properties; the name is a C string.
    let cipher = unsafe { (f.cipher_fetch)(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    let cipher = Owned::new(cipher, f.cipher_free, "EVP_CIPHER_fetch")?;
    let encrypt = direction != Direction::Decrypt;
    let contexts = (0..workset.len())
        .map(|index| {
            // SAFETY: the constructor takes nothing.
            let context = unsafe { (f.cipher_ctx_new)() };
            let context = Owned::new(context, f.cipher_ctx_free, "EVP_CIPHER_CTX_new")?;
            // SAFETY: context and cipher are alive; the key has the cipher's length, the IV 16
            // bytes; null stands for no parameters.
            let result = unsafe {
                (f.cipher_init)(
                    context.object,
                    cipher.object,
                    workset.key(index).as_ptr(),
                    workset.iv(index).as_ptr(),
                    c_int::from(encrypt),
                    ptr::null(),
                )
            };
            check(result, "EVP_CipherInit_ex2")?;
            // SAFETY: the context is alive and has its cipher.
            let result = unsafe { (f.cipher_set_padding)(context.object, 0) };
            check(result, "EVP_CIPHER_CTX_set_padding")?;
            Ok(context)
        })
        .collect::<Result<Vec<Owned>, PerfError>>()?;
    let update = if encrypt { f.encrypt_update } else { f.decrypt_update };
    Ok(Kind::Cipher { contexts, _cipher: cipher, update })
}

impl Contender for OpenSsl<'_> {
    fn provider(&self) -> Provider {
        Provider::OpenSsl
    }

    fn kernel(&self) -> String {
        let version = self.api.version();
        let number = version.split(' ').nth(1).unwrap_or(&version);
        format!("evp {number}")
    }

    fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        let f = &self.api.functions;
        match &self.kind {
            Kind::Digest { context, md } => {
                for index in range {
                    let input = self.workset.buffer(index);
                    let output = self.outputs.get_mut(index);
                    // SAFETY: context and digest are alive, input and output are slices of the
                    // lengths given, and the output has the digest's length; null stands for no
                    // parameters and for a length not wanted.
                    let result = unsafe {
                        (f.digest_init)(context.object, md.object, ptr::null())
                            & (f.digest_update)(context.object, input.as_ptr(), input.len())
                            & (f.digest_final)(context.object, output.as_mut_ptr(), ptr::null_mut())
                    };
                    check(result, "EVP_Digest")?;
                }
            }
            Kind::Mac { contexts, .. } => {
                for index in range {
                    let context = contexts[index].object;
                    let input = self.workset.buffer(index);
                    let output = self.outputs.get_mut(index);
                    let mut written = 0;
                    // SAFETY: the context is alive and has its key, which a null key keeps; input
                    // and output are slices of the lengths given.
                    let result = unsafe {
                        (f.mac_init)(context, ptr::null(), 0, ptr::null())
                            & (f.mac_update)(context, input.as_ptr(), input.len())
                            & (f.mac_final)(context, output.as_mut_ptr(), &mut written, output.len())
                    };
                    check(result, "EVP_MAC")?;
                }
            }
            Kind::Cipher { contexts, update, .. } => {
                for index in range {
                    let context = contexts[index].object;
                    let input = self.workset.buffer(index);
                    let output = self.outputs.get_mut(index);
                    let mut written = 0;
                    // SAFETY: the context is alive and has cipher, key and direction, which nulls
                    // and -1 keep; the IV has 16 bytes; input and output are slices of one length,
                    // a multiple of 16 below 2^31, so that without padding nothing is held back.
                    let result = unsafe {
                        (f.cipher_init)(
                            context,
                            ptr::null_mut(),
                            ptr::null(),
                            self.workset.iv(index).as_ptr(),
                            -1,
                            ptr::null(),
                        ) & update(
                            context,
                            output.as_mut_ptr(),
                            &mut written,
                            input.as_ptr(),
                            input.len() as c_int,
                        )
                    };
                    check(result, "EVP_CipherUpdate")?;
                }
            }
        }
        Ok(())
    }

    /// OpenSSL completes each buffer at once.
    fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
        self.burst(range)
    }

    fn flush(&mut self) -> Result<(), PerfError> {
        Ok(())
    }

    fn output(&self, index: usize) -> &[u8] {
        self.outputs.get(index)
    }

    fn clear(&mut self) {
        self.outputs.clear();
    }
}
