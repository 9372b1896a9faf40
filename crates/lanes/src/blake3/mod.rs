//! BLAKE3: hash, keyed hash, key derivation, and output of any length (the BLAKE3 paper, 2021-11).
//!
//! BLAKE3 cuts a message into chunks of 1024 bytes, hashes each of them to a *chaining value*, and
//! combines these in a binary tree:
//!
//! ```text
//!                root          a parent compresses the two values below it
//!               /    \
//!         parent      \
//!        /      \      \
//!    chunk 0  chunk 1  chunk 2     a chunk compresses up to 16 blocks of 64 bytes
//! ```
//!
//! All of that is one function, which compresses a block. So a lane takes any chunk or parent of
//! any message: the chunks of one long message fill the lanes as well as many short messages do.
//! [`tree`] says which values are combined, [`lanes`] brings them into lanes.

mod derive;
mod job;
mod key;
mod lanes;
#[cfg(test)]
mod tests;
mod tree;

use crate::cpu::{Cpu, Isa};
use crate::info::KernelInfo;

pub use job::{Blake3Job, Blake3Stream};
pub use key::Blake3Key;
pub use lanes::Blake3Lanes;

impl Blake3Lanes {
    /// Returns the kernel of BLAKE3 on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.kernels().blake3;
        let (one, wide) = (&kernels[0], &kernels[kernels.len() - 1]);
        KernelInfo {
            algorithm: "blake3",
            kernel: wide.name,
            lanes: wide.lanes,
            single: one.name,
            few: usize::from(wide.lanes > 1),
            reason: match cpu.isa() {
                Isa::Portable => "no vectors that this program knows, or none allowed",
                _ => "the widest vectors that the CPU and the operating system offer",
            },
        }
    }
}
