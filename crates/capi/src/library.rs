//! What the library is, and what it has.

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::LazyLock;

use broadloom::Algorithm;

use crate::session::REGISTRY;

/// The first number of the header's version, 1 of "1.2.3": of the library it is that of
/// `bl_version`.
pub const BL_VERSION_MAJOR: u32 = 0;
/// The second number.
pub const BL_VERSION_MINOR: u32 = 1;
/// The third number.
pub const BL_VERSION_PATCH: u32 = 0;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };

/// The version of the library, for ever valid: "0.1.0".
///
/// Threads: any, at once. The same holds for the functions that follow.
#[unsafe(no_mangle)]
pub extern "C" fn bl_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The name of an algorithm, by its number from 0 on, for ever valid; null where there are no more.
/// Chains are not listed: they are any cipher and any MAC without a nonce, "aes-128-cbc+hmac-sha1"
/// or "hmac-sha1+aes-128-cbc".
#[unsafe(no_mangle)]
pub extern "C" fn bl_algorithm_name(number: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| Algorithm::all().map(|algorithm| words(algorithm.to_string())).collect());
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}

/// The name of a provider, by its number from 0 on, for ever valid; null where there are no more.
/// They are asked in this order. Whether the library of a provider is there is found out when the
/// provider is first asked.
#[unsafe(no_mangle)]
pub extern "C" fn bl_provider_name(number: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| REGISTRY.names().map(|name| words(name.to_owned())).collect());
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}

fn words(name: String) -> CString {
    CString::new(name).expect("names have no zero byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_header_are_those_of_the_library() {
        let numbers = format!("{BL_VERSION_MAJOR}.{BL_VERSION_MINOR}.{BL_VERSION_PATCH}");
        assert_eq!(numbers, env!("CARGO_PKG_VERSION"), "Cargo.toml has the other");
    }
}
