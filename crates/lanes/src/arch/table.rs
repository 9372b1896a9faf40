//! What an instruction set has: one table, with an entry for every family of kernels.

use super::draw::Draw;
use crate::features::{Choice, Features};
use crate::kernels::aes::AesKernels;
use crate::kernels::blake3::Blake3Kernel;
use crate::kernels::chacha::kernel::ChaChaKernel;
use crate::kernels::des::DesKernel;
use crate::kernels::hash::select::HashKernels;
use crate::kernels::kasumi::KasumiKernel;
use crate::kernels::rabin::kernel::RabinKernel;
use crate::kernels::rc4::kernel::Rc4Kernel;
use crate::kernels::sponge::kernel::SpongeKernels;

/// The kernels of one instruction set. All fields are required: a family that the instruction set
/// has no kernel for names the one that it uses instead.
pub(crate) struct Kernels {
    /// What a CPU must have for the instruction set.
    pub needs: Features,
    /// MD5 and the SHA family.
    pub hashes: HashKernels,
    /// BLAKE3, the fewest lanes first.
    pub blake3: &'static [Blake3Kernel],
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
    pub rc4: &'static Rc4Kernel,
    /// Rabin fingerprints.
    pub rabin: Choice<&'static RabinKernel>,
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
