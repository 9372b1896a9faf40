//! AES in counter mode (SP 800-38A, 6.5). The blocks of one buffer go side by side, and short
//! buffers follow each other closely, so that rounds of several buffers are in flight.
//! The kernels are in `kernels/aes/ctr`.

mod job;
mod keystream;
pub(crate) mod lanes;

pub(crate) use job::Ctr;
pub use job::CtrJob;
pub use keystream::{Keystream, KeystreamError};
pub use lanes::{CounterError, CtrLanes};
