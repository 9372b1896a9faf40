//! Chains: a cipher and a MAC over one packet, which goes in once and comes out once.
//!
//! IPsec's ESP encrypts and then authenticates (RFC 4303, section 3.3.2); TLS up to 1.2 authenticates and
//! then encrypts (RFC 5246, section 6.2.3), unless it was agreed to do it the other way (RFC 7366).
//!
//! `lanes` has the scheduler, over those of any cipher and any MAC; `mode` says what is done to which bytes,
//! for AES and HMAC, and `job` is what users hand in.

mod job;
mod lanes;
mod mode;

pub use job::ChainJob;
pub use lanes::ChainLanes;
pub use mode::{Chain, ChainCipher, ChainError, Ranges, Steps};
