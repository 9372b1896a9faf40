//! Shared libraries, found at run time: what is the same for all providers that are built on one.

use std::error::Error;

pub use libloading::Library;

/// Opens the first of these names that the system's loader finds, and returns the library and the
/// name.
///
/// # Safety
/// Every library with one of the names may run its initialisers on any thread, and they prepare
/// only the library itself.
///
/// # Errors
/// No library was found: the loader's message for each name.
pub unsafe fn open<'n>(names: &[&'n str]) -> Result<(Library, &'n str), String> {
    let mut reasons = Vec::new();
    for &name in names {
        // SAFETY: the initialisers of a library with this name may run here, by this function's
        // contract.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok((library, name)),
            Err(error) => {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                // Not all loaders say what they looked for.
                reasons.push(if cause.contains(name) { cause } else { format!("{name}: {cause}") });
            }
        }
    }
    Err(reasons.join("; "))
}

/// Finds a function.
///
/// # Safety
/// - `T` is the function's type.
/// - The function is not called after the library is closed.
///
/// # Errors
/// The library has no function of that name, which is returned.
pub unsafe fn find<T: Copy>(library: &Library, function: &'static str) -> Result<T, &'static str> {
    // SAFETY: `T` is the function's type, and it is not called after the library is closed, by this
    // function's contract.
    let symbol = unsafe { library.get::<T>(function) };
    symbol.map(|symbol| *symbol).map_err(|_| function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_are_not_there_are_named_once_each() {
        // SAFETY: there are none.
        let reason =
            unsafe { open(&["libnowhere.so.1", "libnowhere.so"]) }.expect_err("it is not there");
        let [first, second] = reason.split("; ").collect::<Vec<_>>()[..] else {
            panic!("{reason}")
        };
        assert_eq!(first.matches("libnowhere.so.1").count(), 1, "{reason}");
        assert_eq!(second.matches("libnowhere.so").count(), 1, "{reason}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_first_that_is_there_is_taken_and_asked_for_functions() {
        // SAFETY: a program has the C library already.
        let (library, name) =
            unsafe { open(&["libnowhere.so", "libc.so.6"]) }.expect("it is there");
        assert_eq!(name, "libc.so.6");
        // SAFETY: the type is that of the C library's header.
        let found = unsafe { find::<unsafe extern "C" fn(i32) -> i32>(&library, "abs") };
        // SAFETY: the library is open, and the function takes any number but the least.
        assert_eq!(found.map(|abs| unsafe { abs(-7) }), Ok(7));
        // SAFETY: the library has no such function, so that none is called.
        let absent = unsafe { find::<unsafe extern "C" fn()>(&library, "of_nowhere") };
        assert_eq!(absent, Err("of_nowhere"));
    }
}
