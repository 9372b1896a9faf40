//! Elliptic curves over a binary field: ECDSA and ECDH on K-283 and B-283 (FIPS 186-4, D.1.3.4).
//!
//! Each multiplication of a point has a lane, and a scalar of its own; a signature that is verified
//! has two. The kernels, and arithmetic on scalars, are in `kernels/binary`.
//!
//! Nothing here branches on a secret, or finds a place in memory by one. Verification, and the
//! check of a public key, take a time that depends on what is public.

mod error;
mod job;
mod key;
mod lanes;
#[cfg(test)]
mod tests;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use crate::arch;

pub use error::BinaryKeyError;
pub use job::BinaryCurveJob;
pub use key::{BinaryPrivateKey, BinaryPublicKey};
pub use lanes::BinaryCurveLanes;

impl BinaryCurveLanes {
    /// Returns the kernel of these curves on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.pick(&arch::kernels(cpu).binary);
        let widest = kernels.widest();
        let reason = match cpu.isa() {
            _ if widest.lanes > 1 => "carry-less products in registers with several pairs of words",
            Isa::Portable => "no vectors that this program knows, or none allowed",
            _ if widest.name == "integers" => "no instruction for carry-less products",
            _ => "carry-less products of one pair of words at a time",
        };
        KernelInfo {
            algorithm: "binary curves",
            kernel: widest.name,
            lanes: widest.lanes,
            single: kernels.one.name,
            few: kernels.wide.first().map_or(0, |(from, _)| from - 1),
            reason,
        }
    }
}
