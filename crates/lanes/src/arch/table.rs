//! What an instruction set has: one table, with an entry for every family of kernels.

use super::draw::Draw;
use crate::aes::AesKernels;
use crate::binary::BinaryKernels;
use crate::chacha::ChaChaKernel;
use crate::curves::CurveKernels;
use crate::des::DesKernel;
use crate::features::{Choice, Features};
use crate::hash::HashKernels;
use crate::kasumi::KasumiKernel;
use crate::rabin;
use crate::rc4;
use crate::rsa::RsaKernels;
use crate::slh_dsa::SlhDsaKernels;
use crate::sponge::SpongeKernels;

/// The kernels of one instruction set. All fields are required: a family that the instruction set
/// has no kernel for names the one that it uses instead.
pub(crate) struct Kernels {
    /// What a CPU must have for the instruction set.
    pub needs: Features,
    /// MD5 and the SHA family.
    pub hashes: HashKernels,
    /// SHA-3, SHAKE and KMAC.
    pub sponge: Choice<SpongeKernels>,
    /// AES in all modes.
    pub aes: AesKernels,
    /// ChaCha20, and Poly1305 with it.
    pub chacha: Choice<&'static ChaChaKernel>,
    /// DES and triple DES, the fewest lanes first.
    pub des: &'static [DesKernel],
    /// KASUMI, the fewest lanes first: the first that has a lane for every buffer is used.
    pub kasumi: &'static [&'static KasumiKernel],
    /// RC4.
    pub rc4: &'static rc4::Kernel,
    /// RSA.
    pub rsa: Choice<RsaKernels>,
    /// Elliptic curves.
    pub curves: Choice<CurveKernels>,
    /// The chains of SLH-DSA; its other hashes have the kernels above.
    pub slh_dsa: SlhDsaKernels,
    /// Binary curves.
    pub binary: Choice<BinaryKernels>,
    /// Rabin fingerprints.
    pub rabin: Choice<&'static rabin::Kernel>,
    /// How key stream is moved to those who draw it.
    pub draw: Draw,
}

/// A [`Choice`], of kernels each behind the features that it needs beyond its instruction set.
macro_rules! choice {
    ($([$($feature:ident),*] => $kernel:expr),+ $(,)?) => {
        $crate::features::Choice::new(
            const { &[$(($crate::features::Features::of(&[$($feature),*]), $kernel)),+] },
        )
    };
}
pub(in crate::arch) use choice;
