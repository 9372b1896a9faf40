//! Elliptic curves: X25519 (RFC 7748), Ed25519 (RFC 8032), and ECDSA and ECDH on P-256
//! (SP 800-186). Hashes are made elsewhere.
//!
//! Each job has a lane, and its own key. Curves are written once over [`element`], arithmetic
//! modulo a prime in limbs, which is written once over [`words`]: five limbs for instructions that
//! multiply and add 52 bits and for integers, ten limbs of 26 bits for products of 32 bits.
//!
//! Nothing here branches on a secret, or finds a place in memory by one. Verification, and the
//! check of a public key, take a time that depends on what is public.

mod ed25519;
pub(crate) mod edwards;
pub(crate) mod element;
mod error;
mod job;
pub(crate) mod kernel;
mod lanes;
pub(crate) mod p256;
pub(crate) mod prime25519;
pub(crate) mod prime256;
mod scalar;
#[cfg(test)]
mod tests;
pub(crate) mod words;
pub(crate) mod x25519;

use crate::cpu::{Cpu, Isa};
use crate::report::KernelInfo;
use crate::widths::Widths;

pub(crate) use kernel::Kernel;

pub use ed25519::{
    Ed25519KeyError, Ed25519Multiples, Ed25519PrivateKey, Ed25519PublicKey, ed25519_base,
};
pub use error::{CurveError, CurveInputError};
pub use job::{CurveJob, CurveOutcome};
pub use lanes::CurveLanes;
pub use p256::{P256KeyError, P256PrivateKey, P256PublicKey};
pub use x25519::X25519Key;

/// The kernels of curves on one CPU.
pub(crate) type CurveKernels = Widths<Kernel>;

/// What curves get on a CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let kernels = cpu.pick(&cpu.kernels().curves);
    let widest = kernels.widest();
    let reason = match cpu.isa() {
        Isa::Avx512 if widest.name == "avx512-ifma" => "products of 52 bits, eight at once",
        _ if widest.lanes > 1 => "products of 26-bit limbs in the widest vectors",
        Isa::Portable => "no vectors that this program knows, or none allowed",
        _ => "integers multiply more bits than vectors of 128 bits do",
    };
    KernelInfo {
        algorithm: "curves",
        kernel: widest.name,
        lanes: widest.lanes,
        single: kernels.one.name,
        few: kernels.wide.first().map_or(0, |(from, _)| from - 1),
        reason,
    }
}
