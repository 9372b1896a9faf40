//! Finds the library, and makes managers.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::NonNull;
use std::sync::Arc;

use broadloom_loader::{self as loader, Library, find};

use crate::keys::Expander;
use crate::layout::{Functions, Manager, Release};

/// Names of the library's file, the newest first; the version inside decides whether it is used.
const NAMES: [&str; 3] = ["libIPSec_MB.so.3", "libIPSec_MB.so.2", "libIPSec_MB.so.1"];

/// libIPSec_MB, opened, of a version whose [layout](crate::layout) is known. A clone is the same
/// library.
#[derive(Clone)]
pub struct Api {
    opened: Arc<Opened>,
    release: &'static Release,
}

/// The functions used, which all releases have alike, and what keeps their code mapped.
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
        // SAFETY: these are the functions' types in the headers of all known releases; which
        // version it is is checked before any but those two that every version has is called.
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
    /// Opens the newest libIPSec_MB of a release whose layout is known.
    ///
    /// # Errors
    /// It is not installed, it is laid out otherwise than is known, or it cannot work on this
    /// machine.
    pub fn load() -> Result<Api, Absent> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Absent { reason: "its layout is only known for x86-64".to_owned() });
        }
        // SAFETY: the names are those of a well-known library whose initialisers prepare only
        // itself and may run on any thread.
        let open = |name| unsafe { loader::open(&[name]) };
        let (mut unusable, mut missing) = (None, None);
        for name in NAMES {
            match open(name) {
                Err(reason) => missing = Some(Absent { reason }),
                Ok((library, name)) => match Api::with(library, name) {
                    Ok(api) => return Ok(api),
                    Err(absent) => unusable = unusable.or(Some(absent)),
                },
            }
        }
        Err(unusable.or(missing).expect("there are names"))
    }

    /// The library, if its version is known.
    fn with(library: Library, name: &str) -> Result<Api, Absent> {
        let lacking = |function| Absent { reason: format!("{name} lacks the function {function}") };
        let functions = Opened::with(library).map_err(lacking)?;
        // SAFETY: the function takes nothing.
        let number = unsafe { (functions.version)() };
        // SAFETY: the function takes nothing and returns a static string.
        let text = unsafe { CStr::from_ptr((functions.version_text)()) };
        let text = text.to_string_lossy().into_owned();
        let release = Release::of(number).ok_or_else(|| unknown(&text))?;
        let api = Api { opened: Arc::new(functions), release };
        let manager = api.manager().map_err(|error| Absent { reason: error.to_string() })?;
        match manager.next_job() {
            at if release.has_job_at(at) => Ok(api),
            at => Err(otherwise(&text, release, at)),
        }
    }

    /// Returns what the library has at another place than other releases.
    pub fn release(&self) -> &'static Release {
        self.release
    }

    /// The library's own name for its version, such as `1.3.0`.
    pub fn version(&self) -> String {
        // SAFETY: the function takes nothing and returns a static string.
        let text = unsafe { CStr::from_ptr((self.opened.version_text)()) };
        text.to_string_lossy().into_owned()
    }

    /// Makes a manager for the best instruction set that the library finds.
    ///
    /// # Errors
    /// There is no memory for it, or the processor lacks what the library needs.
    pub fn manager(&self) -> Result<OwnedManager, CallError> {
        // SAFETY: 0 stands for no flags.
        let raw = NonNull::new(unsafe { (self.opened.alloc)(0) }).ok_or_else(|| CallError {
            call: "alloc_mb_mgr",
            reason: "out of memory".to_owned(),
        })?;
        // From here on the manager is freed whatever happens.
        let guard = Guard { raw, api: self.clone() };
        let mut arch = 0;
        // SAFETY: the manager was just allocated; the library writes what it chose to `arch`.
        unsafe { (self.opened.init)(raw.as_ptr(), &mut arch) };
        // SAFETY: the manager is alive.
        let error = unsafe { (self.opened.errno)(raw.as_ptr()) };
        if error != 0 {
            return Err(CallError { call: "init_mb_mgr_auto", reason: self.words(error) });
        }
        // SAFETY: the manager is alive and set up, which filled its function pointers; the version
        // is that of the release.
        let functions = unsafe { self.release.functions(raw.as_ptr()) };
        let arch = self.release.arch(arch.unsigned_abs());
        let table = Table { functions, arch, api: self.clone() };
        Ok(OwnedManager { table, guard })
    }

    /// The library's words for one of its error numbers.
    fn words(&self, error: c_int) -> String {
        // SAFETY: the function takes any number and returns a static string.
        let text = unsafe { CStr::from_ptr((self.opened.error_text)(error)) };
        format!("{} ({error})", text.to_string_lossy())
    }
}

/// The refusal of a version that is not known.
fn unknown(version: &str) -> Absent {
    let known = Release::names();
    Absent { reason: format!("version {version} is installed; known are {known}") }
}

/// The refusal of a version that is not what its number says, as versions between releases may be.
fn otherwise(version: &str, release: &Release, at: usize) -> Absent {
    let Release { name, ring, job_len, .. } = release;
    let reason = format!(
        "version {version} is installed, whose manager has a job at byte {at}; the {name} that is \
         known has them at byte {ring} and every {job_len} bytes from there"
    );
    Absent { reason }
}

/// The functions for an instruction set, with the library that has them. Those that need no manager
/// may be called on any thread.
#[derive(Clone)]
pub struct Table {
    functions: Functions,
    arch: &'static str,
    /// Keeps the code behind `functions` mapped.
    api: Api,
}

impl Table {
    /// The functions, which may be called as long as this lives.
    #[inline(always)]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The instruction set that they use, as the library calls it.
    pub fn arch(&self) -> &'static str {
        self.arch
    }

    /// The release that they are of.
    pub fn release(&self) -> &'static Release {
        self.api.release
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

impl OwnedManager {
    /// Returns the offset in the manager of the job that it hands out next, in bytes.
    fn next_job(&self) -> usize {
        // SAFETY: the manager is alive; the function, which has the same place in all versions,
        // gives the address of the next job and changes nothing.
        let next = unsafe { (self.table.functions.get_next_job)(self.as_ptr()) };
        next.addr().wrapping_sub(self.as_ptr().addr())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: the manager came from `alloc_mb_mgr`, and only this value frees it.
        unsafe { (self.api.opened.free)(self.raw.as_ptr()) };
    }
}
