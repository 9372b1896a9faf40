//! libcrypto's EVP interface: found at run time, called the fast way, and safe to use.
//!
//! [`Libcrypto`] is the library, opened once for the process. Algorithms are fetched from it once
//! ([`Digest`], [`Mac`], [`Cipher`]), contexts are made from those once for each key
//! ([`DigestContext`], [`MacContext`], [`CipherContext`], [`KeyContext`]), and a context is
//! restarted for each message. A context is made with everything that is set once for a key
//! (implementation, key, direction, padding), and nothing but the IV is set again.
//!
//! The methods are those of EVP, one call each. They check the lengths of keys, IVs, tags and
//! outputs, which EVP would trust. All foreign functions of the crate are called in this module.

mod cipher;
mod digest;
mod ffi;
mod generate;
mod library;
mod mac;
mod pkey;

pub use cipher::{Cipher, CipherContext, InOut};
pub use digest::{Digest, DigestContext};
pub use library::{EvpError, Libcrypto, LibraryError};
pub use mac::{Mac, MacContext};
pub use pkey::{Key, KeyContext, KeyUse, RsaPadding};
