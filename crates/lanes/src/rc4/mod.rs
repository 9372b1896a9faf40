//! RC4, for what was built on it and cannot be changed: behind the feature `legacy`.
//!
//! It is off by default because it is broken. Its keystream is biased, in its first bytes most of all, so that
//! a text sent often enough under different keys can be read (RFC 7465, which forbids RC4 in TLS). And its
//! state is a table that is read and written at secret places: no way of computing it keeps the key from
//! whoever shares a cache.
//!
//! A byte takes five accesses to memory, each of which may wait for those before it. So several buffers go side
//! by side, each with a copy of its key's state: `kernel` has their steps, `lanes` puts buffers together.

pub(crate) mod kernel;
mod key;
mod lanes;

pub(crate) use kernel::{Kernel, PORTABLE, kernel_info};
pub use key::{Rc4Key, Rc4KeyLengthError};
pub use lanes::{Rc4Job, Rc4Lanes};
