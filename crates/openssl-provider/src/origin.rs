//! The libcrypto that calls: the program's own, under whatever name.
//!
//! A process may have several. Functions of two of them do not mix, so that the caller's is found
//! by the address of a function that it passes, and each function is looked for there alone.

use std::ffi::{CStr, CString, c_void};
use std::{mem, ptr};

/// A shared library, or the program itself, that holds a libcrypto.
#[derive(Debug)]
pub struct Origin {
    /// Where it begins in memory.
    base: usize,
    /// Its path.
    path: CString,
    /// Open as long as the process lives: the library's own, and the whole program's.
    handles: [*mut c_void; 2],
}

// SAFETY: handles of the loader are for all threads.
unsafe impl Send for Origin {}
// SAFETY: as above.
unsafe impl Sync for Origin {}

impl Origin {
    /// Finds the library that contains a function.
    ///
    /// # Errors
    /// The address is in nothing that the system's loader knows.
    pub fn of(function: *const c_void) -> Result<Origin, String> {
        let Some((base, path)) = place_of(function) else {
            return Err("no library is known at the address of libcrypto's functions".to_owned());
        };
        // SAFETY: the path is a C string; what is not loaded already is not loaded, either. A null
        // path stands for the program.
        let handles = unsafe {
            [
                libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD),
                libc::dlopen(ptr::null(), libc::RTLD_LAZY),
            ]
        };
        Ok(Origin { base, path, handles })
    }

    /// Finds a function by its name.
    ///
    /// # Errors
    /// The library does not export one of that name; a message that says so.
    pub fn find(&self, name: &CStr) -> Result<*const c_void, String> {
        let handles = self.handles.into_iter().filter(|handle| !handle.is_null());
        // SAFETY: the handles are open, and the name is a C string.
        let mut found = handles.map(|handle| unsafe { libc::dlsym(handle, name.as_ptr()) });
        let is_here = |found: &*mut c_void| place_of(*found).is_some_and(|(at, _)| at == self.base);
        found.find(is_here).map(<*mut c_void>::cast_const).ok_or_else(|| {
            format!(
                "the libcrypto in {} does not export {}; a shared libcrypto would be right, or \
                 a program that is linked with --export-dynamic",
                self.path.to_string_lossy(),
                name.to_string_lossy()
            )
        })
    }

    /// Returns `true` if another one is this one.
    pub fn is(&self, other: &Origin) -> bool {
        self.base == other.base
    }

    /// The path.
    pub fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// Finds the library that contains an address, and returns its start and its path.
fn place_of(address: *const c_void) -> Option<(usize, CString)> {
    // SAFETY: zeros are valid, and the loader writes to the place; its path is a C string.
    unsafe {
        let mut place: libc::Dl_info = mem::zeroed();
        let found = !address.is_null() && libc::dladdr(address, &mut place) != 0;
        (found && !place.dli_fname.is_null())
            .then(|| (place.dli_fbase.addr(), CStr::from_ptr(place.dli_fname).to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_where_the_given_one_is() {
        let origin = Origin::of(libc::atoi as *const c_void).expect("the C library is loaded");
        let found = origin.find(c"abs").expect("the C library has it");
        // SAFETY: the type is that of the C library's header.
        let abs: unsafe extern "C" fn(i32) -> i32 = unsafe { mem::transmute(found) };
        // SAFETY: the function takes any number but the least.
        assert_eq!(unsafe { abs(-7) }, 7);
        assert!(origin.path().contains("libc"), "{}", origin.path());
        let error = origin.find(c"of_nowhere").expect_err("there is none");
        assert!(error.contains("does not export of_nowhere"), "{error}");
    }

    #[test]
    fn functions_of_other_libraries_are_not_taken() {
        let here = functions_of_other_libraries_are_not_taken as *const c_void;
        let origin = Origin::of(here).expect("this program is loaded");
        origin.find(c"abs").expect_err("the C library has it, and the program does not");
        Origin::of(ptr::null()).expect_err("nothing is there");
    }
}
