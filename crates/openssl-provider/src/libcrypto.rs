//! The functions of the libcrypto that loaded this provider, and a library context of the
//! provider's own.
//!
//! The functions are found at run time, so that the build needs no header and no library. The
//! context holds libcrypto's default provider and nothing else: not this provider, and no
//! configuration. What runs there does not come back here.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{LazyLock, OnceLock};
use std::{mem, ptr};

use crate::interface::{Algorithm, Callback, Param};
use crate::origin::Origin;

/// Types of libcrypto that are only pointed to.
macro_rules! opaque {
    ($($name:ident: $what:literal),+ $(,)?) => {
        $( #[doc = concat!("`", $what, "`.")] pub enum $name {} )+
    };
}

opaque! {
    AsyncJob: "ASYNC_JOB",
    WaitContext: "ASYNC_WAIT_CTX",
    LibraryContext: "OSSL_LIB_CTX",
    Pkey: "EVP_PKEY",
    PkeyContext: "EVP_PKEY_CTX",
    Md: "EVP_MD",
    MdContext: "EVP_MD_CTX",
}

/// The cleanup of a wait context's descriptor.
pub type Cleanup = unsafe extern "C" fn(*mut WaitContext, *const c_void, c_int, *mut c_void);

/// The table of functions, each by its name in libcrypto.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)+) => {
        /// The functions of libcrypto that are used.
        #[allow(non_snake_case, reason = "the names are libcrypto's")]
        pub struct Functions {
            $( pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?, )+
            pub(crate) ERR_set_error:
                unsafe extern "C" fn(c_int, c_int, *const c_char, ...),
        }

        impl Functions {
            #[allow(non_snake_case, reason = "the names are libcrypto's")]
            fn find(origin: &Origin) -> Result<Functions, String> {
                $(
                    let name = const { c_name(concat!(stringify!($name), "\0")) };
                    let $name = origin.find(name)?;
                )+
                let set_error = origin.find(c"ERR_set_error")?;
                // SAFETY: the types are those of libcrypto 3.0's headers.
                unsafe {
                    Ok(Functions {
                        $(
                            $name: mem::transmute::<
                                *const c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >($name),
                        )+
                        ERR_set_error: mem::transmute::<
                            *const c_void,
                            unsafe extern "C" fn(c_int, c_int, *const c_char, ...),
                        >(set_error),
                    })
                }
            }
        }
    };
}

/// A name with a zero byte at its end.
const fn c_name(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a zero byte ends the name"),
    }
}

functions! {
    ASYNC_get_current_job: fn() -> *mut AsyncJob;
    ASYNC_get_wait_ctx: fn(*mut AsyncJob) -> *mut WaitContext;
    ASYNC_pause_job: fn() -> c_int;
    ASYNC_WAIT_CTX_get_fd:
        fn(*mut WaitContext, *const c_void, *mut c_int, *mut *mut c_void) -> c_int;
    ASYNC_WAIT_CTX_set_wait_fd:
        fn(*mut WaitContext, *const c_void, c_int, *mut c_void, Option<Cleanup>) -> c_int;
    ASYNC_WAIT_CTX_get_callback:
        fn(*mut WaitContext, *mut *const c_void, *mut *mut c_void) -> c_int;

    ERR_new: fn();
    ERR_set_debug: fn(*const c_char, c_int, *const c_char);

    OPENSSL_version_major: fn() -> u32;

    OSSL_LIB_CTX_new: fn() -> *mut LibraryContext;
    OSSL_PROVIDER_load: fn(*mut LibraryContext, *const c_char) -> *mut c_void;
    OSSL_PROVIDER_get0_provider_ctx: fn(*const c_void) -> *mut c_void;
    OSSL_PROVIDER_get_capabilities:
        fn(*const c_void, *const c_char, Callback, *mut c_void) -> c_int;
    OSSL_PROVIDER_query_operation: fn(*const c_void, c_int, *mut c_int) -> *const Algorithm;

    RAND_priv_bytes_ex: fn(*mut LibraryContext, *mut u8, usize, u32) -> c_int;

    EVP_PKEY_CTX_new_from_name:
        fn(*mut LibraryContext, *const c_char, *const c_char) -> *mut PkeyContext;
    EVP_PKEY_CTX_new_from_pkey:
        fn(*mut LibraryContext, *mut Pkey, *const c_char) -> *mut PkeyContext;
    EVP_PKEY_CTX_free: fn(*mut PkeyContext);
    EVP_PKEY_fromdata_init: fn(*mut PkeyContext) -> c_int;
    EVP_PKEY_fromdata: fn(*mut PkeyContext, *mut *mut Pkey, c_int, *const Param) -> c_int;
    EVP_PKEY_keygen_init: fn(*mut PkeyContext) -> c_int;
    EVP_PKEY_generate: fn(*mut PkeyContext, *mut *mut Pkey) -> c_int;
    EVP_PKEY_free: fn(*mut Pkey);
    EVP_PKEY_get_params: fn(*const Pkey, *mut Param) -> c_int;
    EVP_PKEY_encapsulate_init: fn(*mut PkeyContext, *const Param) -> c_int;
    EVP_PKEY_encapsulate:
        fn(*mut PkeyContext, *mut u8, *mut usize, *mut u8, *mut usize) -> c_int;
    EVP_PKEY_decapsulate_init: fn(*mut PkeyContext, *const Param) -> c_int;
    EVP_PKEY_decapsulate: fn(*mut PkeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int;

    EVP_MD_fetch: fn(*mut LibraryContext, *const c_char, *const c_char) -> *mut Md;
    EVP_MD_free: fn(*mut Md);
    EVP_MD_CTX_new: fn() -> *mut MdContext;
    EVP_MD_CTX_free: fn(*mut MdContext);
    EVP_MD_CTX_copy_ex: fn(*mut MdContext, *const MdContext) -> c_int;
    EVP_DigestInit_ex2: fn(*mut MdContext, *const Md, *const Param) -> c_int;
    EVP_DigestUpdate: fn(*mut MdContext, *const c_void, usize) -> c_int;
    EVP_DigestFinal_ex: fn(*mut MdContext, *mut u8, *mut u32) -> c_int;
    EVP_DigestSignInit_ex: fn(
        *mut MdContext,
        *mut *mut PkeyContext,
        *const c_char,
        *mut LibraryContext,
        *const c_char,
        *mut Pkey,
        *const Param
    ) -> c_int;
    EVP_DigestSign: fn(*mut MdContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
    EVP_DigestVerifyInit_ex: fn(
        *mut MdContext,
        *mut *mut PkeyContext,
        *const c_char,
        *mut LibraryContext,
        *const c_char,
        *mut Pkey,
        *const Param
    ) -> c_int;
    EVP_DigestVerify: fn(*mut MdContext, *const u8, usize, *const u8, usize) -> c_int;
}

static FUNCTIONS: OnceLock<Result<(Functions, Origin), String>> = OnceLock::new();

/// Finds libcrypto's functions, by one of those that it passes.
///
/// # Errors
/// It lacks a function, which; or another libcrypto of this process was here before.
pub fn load(upcall: *const c_void) -> Result<(), String> {
    let origin = Origin::of(upcall)?;
    let path = origin.path();
    let is_another = |first: &Origin| !first.is(&origin);
    if let Some(Ok((_, first))) = FUNCTIONS.get()
        && is_another(first)
    {
        let first = first.path();
        return Err(format!(
            "the libcrypto in {first} uses this provider already, and {path} is another one; a \
             copy of the provider's file would be right for it"
        ));
    }
    let found = FUNCTIONS.get_or_init(|| Ok((Functions::find(&origin)?, origin)));
    found.as_ref().map(|_| ()).map_err(Clone::clone)
}

/// libcrypto's functions. The provider's first function has loaded them.
pub fn functions() -> &'static Functions {
    match FUNCTIONS.get() {
        Some(Ok((functions, _))) => functions,
        _ => panic!("OSSL_provider_init has loaded them, or failed"),
    }
}

/// Finds another function of libcrypto's; `None` if it does not export one of that name.
pub fn find(name: &CStr) -> Option<*const c_void> {
    match FUNCTIONS.get() {
        Some(Ok((_, origin))) => origin.find(name).ok(),
        _ => None,
    }
}

/// A library context in which there is the default provider alone, and that provider.
struct Apart(*mut LibraryContext, *mut c_void);

// SAFETY: libcrypto's contexts and providers are for all threads.
unsafe impl Send for Apart {}
// SAFETY: as above.
unsafe impl Sync for Apart {}

static APART: LazyLock<Apart> = LazyLock::new(|| {
    let functions = functions();
    // SAFETY: a new context belongs to nobody else; the name is a C string.
    unsafe {
        let context = (functions.OSSL_LIB_CTX_new)();
        match context.is_null() {
            true => Apart(context, ptr::null_mut()),
            false => Apart(context, (functions.OSSL_PROVIDER_load)(context, c"default".as_ptr())),
        }
    }
});

/// The library context with the default provider alone; null where libcrypto has no memory for it.
/// It lives as long as the process.
pub fn apart() -> *mut LibraryContext {
    APART.0
}

/// The default provider in that context; null where there is none.
pub fn default_provider() -> *const c_void {
    APART.1
}

pub const LIBRARY_PROVIDERS: c_int = 57;
pub const PASSED_INVALID_ARGUMENT: c_int = 262 | 2 << 18;

/// Reports an error to libcrypto's error queue, and gives the 0 that stands for one.
pub fn fail(function: &'static CStr, reason: &str) -> c_int {
    let functions = functions();
    let bytes: Vec<u8> = reason.bytes().filter(|&byte| byte != 0).chain([0]).collect();
    // SAFETY: all are C strings, and the format takes one.
    unsafe {
        (functions.ERR_new)();
        (functions.ERR_set_debug)(c"broadloom".as_ptr(), 0, function.as_ptr());
        (functions.ERR_set_error)(
            LIBRARY_PROVIDERS,
            PASSED_INVALID_ARGUMENT,
            c"%s".as_ptr(),
            bytes.as_ptr(),
        );
    }
    0
}
