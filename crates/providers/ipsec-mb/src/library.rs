//! Finds the library, and makes managers.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use broadloom_loader::{self as loader, Library, find};

use crate::keys::Expander;
use crate::layout::{self, Functions, Manager};

/// Names of the library's file; the version inside decides whether it is used.
const NAMES: [&str; 2] = ["libIPSec_MB.so.1", "libIPSec_MB.so.2"];

/// libIPSec_MB, opened, of a version whose [`layout`] is known. A clone is the same library.
#[derive(Clone)]
pub struct Api(Arc<Opened>);

/// The functions used, by the header of 1.3, and what keeps their code mapped.
struct Opened {
    version: unsafe extern "C" fn() -> c_uint,
    version_text: unsafe extern "C" fn() -> *const c_char,
    alloc: unsafe extern "C" fn(u64) -> *mut Manager,
    free: unsafe extern "C" fn(*mut Manager),
    init: unsafe extern "C" fn(*mut Manager, *mut c_int),
    errno: unsafe extern "C" fn(*mut Manager) -> c_int,
    error_text: unsafe extern "C" fn(c_int) -> *const c_char,
    _library: Library,
}

/// Why the library cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Absent {
    /// The reason, such as what the loader said.
    pub reason: String,
}

/// One of the library's functions failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} failed: {reason}")]
pub struct CallError {
    /// The function.
    pub call: &'static str,
    /// The library's own words for it.
    pub reason: String,
}

impl Opened {
    /// Finds the functions, or names the first that it lacks.
    fn with(library: Library) -> Result<Opened, &'static str> {
        // SAFETY: these are the functions' types in the header of 1.x; which version it is is
        // checked before any but those two that every version has is called.
        unsafe {
            Ok(Opened {
                version: find(&library, "imb_get_version")?,
                version_text: find(&library, "imb_get_version_str")?,
                alloc: find(&library, "alloc_mb_mgr")?,
                free: find(&library, "free_mb_mgr")?,
                init: find(&library, "init_mb_mgr_auto")?,
                errno: find(&library, "imb_get_errno")?,
                error_text: find(&library, "imb_get_strerror")?,
                _library: library,
            })
        }
    }
}

impl Api {
    /// Opens libIPSec_MB 1.3.
    ///
    /// # Errors
    /// It is not installed, or the layout of its manager is not known.
    pub fn load() -> Result<Api, Absent> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Absent { reason: "its layout is only known for x86-64".to_owned() });
        }
        // SAFETY: the names belong to a well-known library, whose initialisers prepare only itself
        // and may run on any thread.
        let opened = unsafe { loader::open(&NAMES) };
        let (library, name) = opened.map_err(|reason| Absent { reason })?;
        let lacking = |function| Absent { reason: format!("{name} lacks the function {function}") };
        let api = Api(Arc::new(Opened::with(library).map_err(lacking)?));
        // SAFETY: the function takes nothing.
        let number = unsafe { (api.0.version)() };
        if number & layout::VERSION_MASK != layout::VERSION {
            let version = api.version();
            let reason =
                format!("version {version} is installed, and only the layout of 1.3 is known");
            return Err(Absent { reason });
        }
        Ok(api)
    }

    /// The library's own name for its version, such as `1.3.0`.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing and returns a static string.
        let text = unsafe { CStr::from_ptr((self.0.version_text)()) };
        text.to_string_lossy().into_owned()
    }

    /// Makes a manager for the best instruction set that the library finds.
    ///
    /// # Errors
    /// There is no memory for it, or the processor lacks what the library needs.
    pub fn manager(&self) -> Result<OwnedManager, CallError> {
        // SAFETY: 0 stands for no flags.
        let raw = NonNull::new(unsafe { (self.0.alloc)(0) }).ok_or_else(|| CallError {
            call: "alloc_mb_mgr",
            reason: "out of memory".to_owned(),
        })?;
        // From here on the manager is freed whatever happens.
        let guard = Guard { raw, api: self.clone() };
        let mut arch = 0;
        // SAFETY: the manager was just allocated; the library writes what it chose to `arch`.
        unsafe { (self.0.init)(raw.as_ptr(), &mut arch) };
        // SAFETY: the manager is alive.
        let error = unsafe { (self.0.errno)(raw.as_ptr()) };
        if error != 0 {
            return Err(CallError { call: "init_mb_mgr_auto", reason: self.words(error) });
        }
        // SAFETY: the manager is alive and set up, which filled its function pointers; its layout
        // matches the version.
        let functions = unsafe { (*raw.as_ptr()).functions };
        let table = Table { functions, arch: Arch(arch), _api: self.clone() };
        Ok(OwnedManager { table, guard })
    }

    /// The library's words for one of its error numbers.
    fn words(&self, error: c_int) -> String {
        // SAFETY: the function takes any number and returns a static string.
        let text = unsafe { CStr::from_ptr((self.0.error_text)(error)) };
        format!("{} ({error})", text.to_string_lossy())
    }
}

/// The instruction set that a manager was set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arch(c_int);

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            1 => "no-AESNI",
            2 => "SSE",
            3 => "AVX",
            4 => "AVX2",
            5 => "AVX512",
            _ => "unknown",
        })
    }
}

/// The functions for an instruction set, with the library that has them. Those that need no manager
/// may be called on any thread.
#[derive(Clone)]
pub struct Table {
    functions: Functions,
    arch: Arch,
    /// Keeps the code behind `functions` mapped.
    _api: Api,
}

impl Table {
    /// The functions, which may be called as long as this lives.
    #[inline(always)]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The instruction set that they use.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Expands keys by them.
    pub fn expander(&self) -> Expander<'_> {
        // SAFETY: the functions are the library's, which stays open for as long as this is
        // borrowed.
        unsafe { Expander::new(&self.functions) }
    }
}

/// A manager of the library, freed when dropped.
pub struct OwnedManager {
    table: Table,
    guard: Guard,
}

struct Guard {
    raw: NonNull<Manager>,
    api: Api,
}

// SAFETY: a manager belongs to no thread. Its owner calls it from one thread at a time.
unsafe impl Send for Guard {}

impl OwnedManager {
    /// The argument of the manager's functions.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut Manager {
        self.guard.raw.as_ptr()
    }

    /// Its functions.
    #[inline(always)]
    pub fn table(&self) -> &Table {
        &self.table
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: the manager came from `alloc_mb_mgr`, and only this value frees it.
        unsafe { (self.api.0.free)(self.raw.as_ptr()) };
    }
}
