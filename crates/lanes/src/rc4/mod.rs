//! RC4, for systems that cannot change. RFC 7465 prohibits it in TLS, and its time depends on the key.
//!
//! RC4 is broken, and so off by default. Its key stream is biased, most of all in its first bytes,
//! so that a text that is sent often enough under different keys can be read (RFC 7465, which
//! forbids RC4 in TLS). Its state is a table that is read and written at secret addresses, which
//! every shared cache reveals.
//!
//! A byte takes five accesses to memory, each of which may wait for the one before. So several
//! buffers go side by side, each with a copy of its key's state. `kernel` has their steps, `lanes`
//! groups buffers.

pub(crate) mod kernel;
mod key;
mod lanes;

pub(crate) use kernel::{Kernel, PORTABLE, kernel_info};
pub use key::{Rc4Key, Rc4KeyLengthError};
pub use lanes::{Rc4Job, Rc4Lanes};
