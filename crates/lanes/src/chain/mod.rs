//! Chains: a cipher and a MAC over one packet, as one task.
//!
//! IPsec's ESP encrypts and then authenticates (RFC 4303, section 3.3.2). TLS up to 1.2
//! authenticates and then encrypts (RFC 5246, section 6.2.3), unless both sides agreed on the other
//! order (RFC 7366).
//!
//! `lanes` has the scheduler, over the schedulers of any cipher and any MAC. `mode` says which
//! bytes each half of AES and HMAC works on. `job` has the jobs.

mod job;
mod lanes;
mod mode;
mod queue;

pub use job::ChainJob;
pub use lanes::ChainLanes;
pub use mode::{Chain, ChainCipher, ChainError, Ranges, Steps};
