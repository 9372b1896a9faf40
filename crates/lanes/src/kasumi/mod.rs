//! KASUMI (3GPP TS 35.202) in the modes of TS 35.201: F8, a key stream (UEA1), and F9, a message
//! authentication code (UIA1).
//!
//! Both modes are chains: a block needs the block before. So each buffer gets a lane, and the
//! cipher is bitsliced: a register holds one bit of every lane's block, S-boxes are logic, and no
//! address or branch depends on a key. The kernels are in `kernels/kasumi`. `lanes` puts buffers
//! onto lanes, and `f8` and `f9` say what a lane does between two blocks.

mod bits;
mod chain;
mod f8;
mod f9;
mod info;
mod job;
mod key;
mod lanes;

pub use f8::LinkDirection;
pub(crate) use info::kernel_infos;
pub use job::{F8Job, F9Job};
pub use key::{KasumiError, KasumiKey};
pub use lanes::KasumiLanes;
