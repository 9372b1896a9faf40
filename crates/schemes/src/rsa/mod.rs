//! RSA but for the powers: messages are hashed and padded, the numbers that come of them are
//! blinded, and paddings are checked or removed.
//!
//! An [`RsaFrame`] knows the hash and the padding of one session. An [`RsaHost`] computes on one
//! thread for the frames of any sessions.

mod frame;
mod host;
mod key;
mod padding;
mod rejection;

pub use frame::RsaFrame;
pub use host::RsaHost;
pub use key::RsaKey;

/// The longest modulus, in bytes.
pub const MAX_LEN: usize = 512;
