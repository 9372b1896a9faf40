//! RSA (RFC 8017, FIPS 186-5): the operations with the private and with the public key, of which
//! signatures, encryption and their paddings are made elsewhere.
//!
//! The private operation uses the Chinese remainder theorem. Its two halves, one for each prime,
//! are in neighbouring lanes. The result is then raised to the public exponent, and is given out
//! only if that yields the input.

mod blinding;
mod constants;
mod error;
mod job;
mod key;
mod lanes;
mod public;
#[cfg(test)]
mod tests;

use crate::bignum::Kernel;
use crate::cpu::{Cpu, Isa};
use crate::report::KernelInfo;
use crate::widths::Widths;

pub use blinding::{RsaBlind, RsaBlinding, RsaBlindingError};
pub use constants::{RsaConstants, RsaModulus};
pub use error::{RsaError, RsaInputError, RsaKeyError};
pub use job::{RsaJob, RsaOutcome};
pub use key::{RsaParts, RsaPrivateKey};
pub use lanes::RsaLanes;
pub use public::RsaPublicKey;

/// The kernels of RSA on one CPU.
pub(crate) type RsaKernels = Widths<Kernel>;

/// Lengths of moduli, in bits.
const SIZES: [usize; 4] = [1024, 2048, 3072, 4096];

/// What RSA gets on a CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let kernels = cpu.pick(&cpu.kernels().rsa);
    let widest = kernels.widest();
    let reason = match cpu.isa() {
        Isa::Avx512 if widest.name == "avx512-ifma" => "products of 52 bits, eight at once",
        _ if widest.lanes > 1 => "products of 28-bit limbs in the widest vectors",
        Isa::Portable => "no vectors that this program knows, or none allowed",
        _ => "integers multiply more bits than vectors of 128 bits do",
    };
    KernelInfo {
        algorithm: "rsa",
        kernel: widest.name,
        lanes: widest.lanes,
        single: kernels.one.name,
        few: kernels.wide.first().map_or(0, |(from, _)| from - 1),
        reason,
    }
}
