//! ML-DSA (FIPS 204): signatures that a quantum computer does not forge.
//!
//! An operation takes some two hundred permutations of Keccak, few of which wait for another, and
//! arithmetic on polynomials of 256 numbers of 32 bits. So operations under different keys go side
//! by side: a lane for each of them in the arithmetic, where every number of a polynomial has a
//! register of its own, and no number changes places with another. Their messages and seeds fill
//! the lanes of Keccak.
//!
//! To expand a key takes almost half of the time of a verification. What is public of an expanded
//! key, its matrix and its public vector, stays in one of some slots until another key needs the
//! slot, so that bursts of a few operations under the same keys expand them once. The slots have a
//! fixed size, and no key is kept alive: a slot is found by the bytes of a public key, or by the
//! seed of a private key's matrix, which is public, too. The secrets of a private key are expanded
//! in each burst, and wiped behind it.

mod calculator;
mod error;
mod generate;
mod job;
mod key;
mod lanes;
mod message;
mod outcome;
mod params;
mod sign;
mod sponges;
#[cfg(test)]
mod tests;
mod verify;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use crate::arch;

pub use error::MlDsaError;
pub use job::{MlDsaKeyJob, MlDsaSignJob, MlDsaVerifyJob};
pub use key::{MlDsaPrivateKey, MlDsaPublicKey};
pub use lanes::MlDsaLanes;
pub use message::MlDsaMessage;
pub use outcome::MlDsaOutcome;
pub use params::MlDsaSet;

impl MlDsaLanes {
    /// Returns the kernel of ML-DSA on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = arch::kernels(cpu).ml_dsa;
        let (few, wide) = (kernels[0], kernels[kernels.len() - 1]);
        KernelInfo {
            algorithm: "ml-dsa",
            kernel: wide.name,
            lanes: wide.lanes,
            single: few.name,
            few: if kernels.len() > 1 { few.lanes } else { 0 },
            reason: match cpu.isa() {
                Isa::Portable => "no vectors that this program knows, or none are allowed",
                _ => "one operation in each 32-bit lane of the widest vectors",
            },
        }
    }
}
