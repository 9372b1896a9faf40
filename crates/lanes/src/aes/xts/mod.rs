//! AES-XTS (SP 800-38E, IEEE 1619): data units of storage, each with a tweak.

mod job;
mod key;
mod lanes;

pub use job::XtsJob;
pub use key::{XtsKey, XtsKeyError};
pub use lanes::{XtsLanes, XtsLengthError};
