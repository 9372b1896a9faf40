//! libcrypto itself: found, checked and opened once in a process. It is never closed, because its
//! exit handlers and thread-local data outlive every user.

use std::ffi::{CStr, c_int, c_ulong};
use std::sync::OnceLock;

use broadloom_loader::{self as loader, Library};

use super::ffi::{Free, Functions, Object, Versions};

/// Where to look, in this order. The last is whichever version programs are built against.
const NAMES: &[&str] = if cfg!(windows) {
    &["libcrypto-3-x64.dll", "libcrypto-3-arm64.dll", "libcrypto-3.dll"]
} else if cfg!(target_vendor = "apple") {
    &["libcrypto.3.dylib", "libcrypto.dylib"]
} else {
    &["libcrypto.so.3", "libcrypto.so"]
};

/// libcrypto, opened. There is one in a process, and it is never closed: its exit handlers and
/// thread-local data must outlive every user.
pub struct Libcrypto {
    pub(super) functions: Functions,
    legacy: OnceLock<Result<Owned, EvpError>>,
    text: String,
    number: c_ulong,
}

/// Why there is no libcrypto to work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// None was found.
    #[error("libcrypto 3 was not found: {reason}")]
    Absent {
        /// The loader's error.
        reason: String,
    },
    /// It is of a version before 3.
    #[error("libcrypto is {version}, and version 3 is needed")]
    TooOld {
        /// Its own name for its version.
        version: String,
    },
    /// It lacks functions of version 3.0.
    #[error("{version} lacks the function {function}")]
    MissingFunction {
        /// Its own name for its version.
        version: String,
        /// The function.
        function: &'static str,
    },
}

/// A call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{call} failed with code {code:#x}")]
pub struct EvpError {
    /// The function of libcrypto.
    pub call: &'static str,
    /// The code of `ERR_get_error`; 0 if the library recorded nothing.
    pub code: c_ulong,
}

impl Libcrypto {
    /// The process's libcrypto; the first call looks for it.
    ///
    /// # Errors
    /// It is not installed, too old, or lacks a function.
    pub fn get() -> Result<&'static Libcrypto, LibraryError> {
        static OPENED: OnceLock<Result<Libcrypto, LibraryError>> = OnceLock::new();
        OPENED.get_or_init(|| Libcrypto::open(NAMES)).as_ref().map_err(LibraryError::clone)
    }

    /// Opens the first of `names` that the loader finds.
    fn open(names: &[&str]) -> Result<Libcrypto, LibraryError> {
        // SAFETY: the names belong to libcrypto, whose initialisers prepare only itself and may run
        // on any thread.
        match unsafe { loader::open(names) } {
            Ok((library, _)) => Libcrypto::with(library),
            Err(reason) => Err(LibraryError::Absent { reason }),
        }
    }

    fn with(library: Library) -> Result<Libcrypto, LibraryError> {
        let versions = Versions::find(&library).map_err(|function| {
            let version = "a library of an unknown version".to_owned();
            LibraryError::MissingFunction { version, function }
        })?;
        // SAFETY: the function takes any number and returns a static string.
        let text = unsafe { CStr::from_ptr((versions.text)(0)) }.to_string_lossy().into_owned();
        // SAFETY: the function takes nothing.
        let number = unsafe { (versions.number)() };
        check_version(&text, number)?;
        let functions = Functions::find(&library).map_err(|function| {
            let version = text.clone();
            LibraryError::MissingFunction { version, function }
        })?;
        // Never closed: the functions stay where they are.
        std::mem::forget(library);
        Ok(Libcrypto { functions, legacy: OnceLock::new(), text, number })
    }

    /// Its own name for its version: `OpenSSL 3.0.2 15 Mar 2022`.
    pub fn version(&self) -> &str {
        &self.text
    }

    /// The same without the date: `OpenSSL 3.0.2`.
    pub fn short_version(&self) -> &str {
        let end = self.text.match_indices(' ').nth(1).map_or(self.text.len(), |(at, _)| at);
        &self.text[..end]
    }

    /// Returns `true` if [`MacContext::restart`](super::MacContext::restart) works: before version
    /// 3.0.3 a MAC that was initialised again without a key went on where it was.
    pub fn restarts_macs(&self) -> bool {
        restarts_macs(self.number)
    }

    /// Returns `true` if a wrong PKCS #1 v1.5 padding decrypts to some message and no error: from
    /// version 3.2 on.
    pub fn rejects_implicitly(&self) -> bool {
        parts(self.number) >= (3, 2, 0)
    }

    /// A library context that has the module `legacy` and nothing else, so that the default context
    /// keeps its configuration. The first call makes it.
    pub(super) fn legacy(&self) -> Result<Object, EvpError> {
        let load = || {
            let f = &self.functions;
            // SAFETY: the constructor takes nothing.
            let context = unsafe { (f.context_new)() };
            let context = self.own(context, f.context_free, "OSSL_LIB_CTX_new")?;
            // SAFETY: the context is alive; the name is a C string.
            let module = unsafe { (f.provider_load)(context.object, c"legacy".as_ptr()) };
            if module.is_null() { Err(self.failure("OSSL_PROVIDER_load")) } else { Ok(context) }
        };
        self.legacy.get_or_init(load).as_ref().map(|context| context.object).map_err(|error| *error)
    }

    /// The errors that `call` left in the thread's queue, which is emptied.
    #[cold]
    pub(super) fn failure(&self, call: &'static str) -> EvpError {
        // SAFETY: both functions only touch the calling thread's own queue.
        let code = unsafe {
            let first = (self.functions.get_error)();
            (self.functions.clear_error)();
            first
        };
        EvpError { call, code }
    }

    /// libcrypto reports success as 1.
    #[inline]
    pub(super) fn check(&self, result: c_int, call: &'static str) -> Result<(), EvpError> {
        if result == 1 { Ok(()) } else { Err(self.failure(call)) }
    }

    /// An object that was just made, if it was.
    pub(super) fn own(
        &self,
        object: Object,
        free: Free,
        call: &'static str,
    ) -> Result<Owned, EvpError> {
        if object.is_null() { Err(self.failure(call)) } else { Ok(Owned { object, free }) }
    }
}

/// `0xMNN00PP0`: major, minor, patch.
fn parts(number: c_ulong) -> (c_ulong, c_ulong, c_ulong) {
    (number >> 28, number >> 20 & 0xff, number >> 4 & 0xff)
}

fn check_version(text: &str, number: c_ulong) -> Result<(), LibraryError> {
    if parts(number).0 < 3 {
        Err(LibraryError::TooOld { version: text.to_owned() })
    } else {
        Ok(())
    }
}

fn restarts_macs(number: c_ulong) -> bool {
    parts(number) >= (3, 0, 3)
}

/// One of libcrypto's objects, freed (and cleansed, where it holds a key) when dropped.
pub(super) struct Owned {
    pub(super) object: Object,
    free: Free,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the object came from the constructor that `free` belongs to, and only this value
        // frees it.
        unsafe { (self.free)(self.object) };
    }
}

// SAFETY: libcrypto's objects belong to no thread: the sole owner of one may use it.
unsafe impl Send for Owned {}

// SAFETY: behind a shared reference, objects are only read: algorithms, which never change once
// fetched and count their references atomically, contexts that are copied, which the copying
// functions take as constant, and library contexts, which have their own locks. Everything else
// takes the object's owner by `&mut`.
unsafe impl Sync for Owned {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_absent() {
        let Err(error) = Libcrypto::open(&["libcrypto-of-nowhere.so"]) else {
            panic!("it was found")
        };
        assert!(matches!(error, LibraryError::Absent { .. }), "{error}");
        assert!(error.to_string().contains("libcrypto-of-nowhere.so"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_without_the_functions_names_the_first() {
        let Err(error) = Libcrypto::open(&["libc.so.6"]) else { panic!("it was taken") };
        let LibraryError::MissingFunction { function, .. } = error else { panic!("{error}") };
        assert_eq!(function, "OpenSSL_version");
    }

    #[test]
    fn versions_before_3_are_too_old() {
        assert_eq!(check_version("OpenSSL 3.0.2", 0x3000_0020), Ok(()));
        let error = check_version("OpenSSL 1.1.1w  11 Sep 2023", 0x1010_117f).unwrap_err();
        assert_eq!(
            error.to_string(),
            "libcrypto is OpenSSL 1.1.1w  11 Sep 2023, and version 3 is needed"
        );
        let error = check_version("LibreSSL 3.8.2", 0x2000_0000).unwrap_err();
        assert_eq!(error, LibraryError::TooOld { version: "LibreSSL 3.8.2".to_owned() });
    }

    #[test]
    fn macs_restart_from_3_0_3_on() {
        assert!(!restarts_macs(0x3000_0020));
        assert!(restarts_macs(0x3000_0030));
        assert!(restarts_macs(0x3010_0000));
        assert!(restarts_macs(0x4000_0000));
    }
}
