//! Chains: a cipher and a MAC over one packet, which goes in once and comes out once.
//!
//! IPsec's ESP encrypts and then authenticates (RFC 4303, section 3.3.2); TLS up to 1.2 authenticates and
//! then encrypts (RFC 5246, section 6.2.3), unless it was agreed to do it the other way (RFC 7366).

mod lanes;
mod loan;

pub use lanes::ChainLanes;
pub use loan::{ChainCipher, Ranges, Steps};
