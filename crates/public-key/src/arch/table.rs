//! What an instruction set has: one table, with an entry for every family of kernels.

use broadloom_lanes::inside::Choice;

use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_kem::kernel::MlKemKernel;
use crate::kernels::slh_dsa::chain::SlhDsaKernels;

/// The kernels of one instruction set. All fields are required: a family that the instruction set
/// has no kernel for names the one that it uses instead.
pub(crate) struct Kernels {
    /// RSA.
    pub rsa: Choice<RsaKernels>,
    /// Elliptic curves.
    pub curves: Choice<CurveKernels>,
    /// The chains of SLH-DSA; its other hashes have the kernels of `broadloom-lanes`.
    pub slh_dsa: SlhDsaKernels,
    /// ML-KEM, the fewest lanes first: the first that has a lane for every operation is used.
    pub ml_kem: &'static [&'static MlKemKernel],
    /// ML-DSA, the fewest lanes first: the first that has a lane for every operation is used.
    pub ml_dsa: &'static [&'static MlDsaKernel],
    /// Binary curves.
    pub binary: Choice<BinaryKernels>,
}

/// A [`Choice`], of kernels each behind the features that it needs beyond its instruction set.
macro_rules! choice {
    ($([$($feature:ident),*] => $kernel:expr),+ $(,)?) => {
        broadloom_lanes::inside::Choice::new(
            const { &[$((broadloom_lanes::inside::Features::of(&[$($feature),*]), $kernel)),+] },
        )
    };
}
pub(in crate::arch) use choice;
