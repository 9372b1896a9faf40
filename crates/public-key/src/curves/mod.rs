//! Elliptic curves: X25519 (RFC 7748), Ed25519 (RFC 8032), and ECDSA and ECDH on P-256, P-384
//! and P-521 (SP 800-186) and on secp256k1 (SEC 2). Hashes are made elsewhere.
//!
//! Each job has a lane, and its own key. Points, and arithmetic on coordinates and scalars, are in
//! `kernels/curves`.
//!
//! Nothing here branches on a secret, or finds a place in memory by one. Verification, and the
//! check of a public key, take a time that depends on what is public.

mod ed25519;
mod error;
mod job;
mod lanes;
mod operation;
mod outcome;
#[cfg(test)]
mod tests;
pub(crate) mod weierstrass;
pub(crate) mod x25519;

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use crate::arch;

pub use ed25519::{
    Ed25519KeyError, Ed25519Multiples, Ed25519PrivateKey, Ed25519PublicKey, ed25519_base,
};
pub use error::{CurveError, CurveInputError};
pub use job::CurveJob;
pub use lanes::CurveLanes;
pub(crate) use operation::{CurveOperation, CurveTask, CurveWork};
pub use outcome::CurveOutcome;
pub use weierstrass::{
    P256PrivateKey, P256PublicKey, P384PrivateKey, P384PublicKey, P521PrivateKey, P521PublicKey,
    Secp256k1PrivateKey, Secp256k1PublicKey,
};
pub use x25519::X25519Key;

impl CurveLanes {
    /// Returns the kernel of these curves on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.pick(&arch::kernels(cpu).curves);
        let widest = kernels.widest();
        let reason = match cpu.isa() {
            Isa::Avx512 if widest.name == "avx512-ifma" => "products of 52 bits, eight at once",
            _ if widest.lanes > 1 => "products of 24-bit to 28-bit limbs in the widest vectors",
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
}
