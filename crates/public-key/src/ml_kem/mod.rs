//! ML-KEM (FIPS 203): secrets that two sides agree on, and a quantum computer does not learn.
//!
//! An operation takes some forty permutations of Keccak, of which a third waits for another, and
//! arithmetic on polynomials of 256 numbers of 16 bits. So operations under different keys go side
//! by side: a lane for each of them in the arithmetic, where every number of a polynomial has a
//! register of its own, and no number changes places with another. Their messages fill the lanes of
//! Keccak.

mod error;
mod job;
mod key;
mod lanes;
mod operations;
mod params;
mod sponges;
#[cfg(test)]
mod tests;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use crate::arch;

pub use error::MlKemError;
pub use job::MlKemJob;
pub use key::{MlKemPrivateKey, MlKemPublicKey};
pub use lanes::MlKemLanes;
pub use params::MlKemSet;

impl MlKemLanes {
    /// Returns the kernel of ML-KEM on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = arch::kernels(cpu).ml_kem;
        let (few, wide) = (kernels[0], kernels[kernels.len() - 1]);
        KernelInfo {
            algorithm: "ml-kem",
            kernel: wide.name,
            lanes: wide.lanes,
            single: few.name,
            few: if kernels.len() > 1 { few.lanes } else { 0 },
            reason: match cpu.isa() {
                Isa::Portable => "no vectors that this program knows, or none are allowed",
                _ => "one operation in each 16-bit lane of the widest vectors",
            },
        }
    }
}
