//! Hashes: the algorithms, and their kernels.
//!
//! A compression function is written once over [`Vector`](crate::vector::Vector) (`md5`, `sha1` and
//! so on), and `kernel` has the bodies that bring messages through it. `select` has what an
//! instruction set has for a hash.

pub(crate) mod algorithm;
pub(crate) mod compression;
pub(crate) mod finish;
pub(crate) mod kernel;
pub(crate) mod md5;
pub(crate) mod select;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod sm3;
pub(crate) mod tail;

pub(crate) use compression::rounds;

/// The hashes. A new one is a line here, a line in [`for_each_hash`](crate::for_each_hash) and a
/// field of [`HashKernels`](select::HashKernels).
pub mod algorithms {
    pub use super::md5::Md5;
    pub use super::sha1::Sha1;
    pub use super::sha256::{Sha224, Sha256};
    pub use super::sha512::{Sha384, Sha512};
    pub use super::sm3::Sm3;
}

/// Calls a macro with its arguments and behind them the names of all types that are a
/// [`Hash`](crate::Hash), with commas between them.
///
/// The engine's `HashAlgorithm` has variants of the same names, so that tables that lead from one
/// to the other need no list of their own.
///
/// ```
/// use broadloom_lanes::{Hash, for_each_hash};
///
/// macro_rules! names {
///     ($($hash:ident),+) => { [$( <broadloom_lanes::$hash as Hash>::NAME ),+] };
/// }
/// assert!(for_each_hash!(names!()).contains(&"sha256"));
/// ```
#[macro_export]
macro_rules! for_each_hash {
    ($callback:ident!($($arguments:tt)*)) => {
        $callback! { $($arguments)* Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sm3 }
    };
}

/// Calls a macro with its arguments and behind them the names of all types that have a digest of
/// fixed length and an HMAC: those of [`for_each_hash`](crate::for_each_hash), and SHA-3. Import it
/// by its name: it calls itself.
#[macro_export]
macro_rules! for_each_digest {
    ($callback:ident!($($arguments:tt)*)) => {
        $crate::for_each_hash! { for_each_digest!(@ $callback [$($arguments)*]) }
    };
    (@ $callback:ident [$($arguments:tt)*] $($hash:ident),+) => {
        $callback! { $($arguments)* $($hash),+, Sha3_224, Sha3_256, Sha3_384, Sha3_512 }
    };
}
