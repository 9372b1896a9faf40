//! Elliptic curves over a binary field: ECDSA and ECDH on K-283 and B-283 (FIPS 186-4, D.1.3.4).
//!
//! Each multiplication of a point has a lane, and a scalar of its own; a signature that is verified
//! has two. Points are written once over [`element`], arithmetic on polynomials, which is written
//! once over [`pairs`]: registers with 128 bits for each lane, as carry-less products have them.
//! Scalars are computed with on integers ([`order`]), one inversion for a whole group.
//!
//! Nothing here branches on a secret, or finds a place in memory by one. Verification, and the
//! check of a public key, take a time that depends on what is public.

mod curve;
pub(crate) mod element;
mod error;
mod job;
mod kernel;
mod key;
mod lanes;
mod order;
pub(crate) mod pairs;
pub(crate) mod points;
#[cfg(test)]
mod tests;

use crate::cpu::{Cpu, Isa};
use crate::report::KernelInfo;
use crate::widths::Widths;

pub(crate) use curve::Parameters;
pub(crate) use kernel::Kernel;

pub use curve::BinaryCurve;
pub use error::BinaryKeyError;
pub use job::BinaryCurveJob;
pub use key::{BinaryPrivateKey, BinaryPublicKey};
pub use lanes::BinaryCurveLanes;

/// The kernels of binary curves on one CPU.
pub(crate) type BinaryKernels = Widths<Kernel>;

/// What binary curves get on a CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let kernels = cpu.pick(&cpu.kernels().binary);
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
