//! SHA-3 and SHAKE (FIPS 202), HMAC over SHA-3 (FIPS 198-1), and KMAC (SP 800-185): the algorithms,
//! and the jobs that use them. The kernels are in `kernels/sponge`.
//!
//! All of them are one permutation under different paddings. So a single scheduler,
//! [`SpongeLanes`], takes messages of all algorithms.

mod absorber;
mod hmac;
mod job;
mod kmac;
mod lanes;
mod set;
mod tail;
mod task;

use crate::cpu::{Cpu, Isa};
use crate::info::KernelInfo;

pub use crate::kernels::sponge::kernel::Rate;
use crate::kernels::sponge::kernel::SpongeKernels;
pub use hmac::HmacSha3Key;
pub use job::{Sha3Job, SpongeStream, XofJob};
pub use kmac::KmacKey;
pub use lanes::SpongeLanes;

/// A sponge: Keccak with blocks of one length and one padding.
///
/// Implemented by [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`], [`Shake128`] and
/// [`Shake256`]; it cannot be implemented elsewhere.
pub trait Sponge: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The name on command lines and in JSON.
    const NAME: &'static str;
    /// Bytes in a block.
    const BLOCK_LEN: usize = Self::RATE.bytes();
}

/// A sponge with a digest of a fixed length.
pub trait Sha3: Sponge {
    /// The digest, [`DIGEST_LEN`](Sha3::DIGEST_LEN) bytes.
    type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + core::fmt::Debug + Send + 'static;
    /// Bytes in a digest.
    const DIGEST_LEN: usize;
    /// A digest of zeros, to be written over.
    const ZERO_DIGEST: Self::Digest;
}

/// A sponge whose output is as long as its user wants: an extendable-output function.
pub trait Xof: Sponge {
    /// The name of the KMAC over it.
    const KMAC_NAME: &'static str;
}

mod sealed {
    use crate::kernels::sponge::kernel::Rate;

    /// What a sponge has that its users need not see.
    pub trait Sealed {
        /// The length of its blocks.
        const RATE: Rate;
        /// The bits that end its messages, and the first bit of the padding.
        const SUFFIX: u8;
    }
}

macro_rules! sponges {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $rate:ident, $suffix:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl sealed::Sealed for $name {
            const RATE: Rate = Rate::$rate;
            const SUFFIX: u8 = $suffix;
        }

        impl Sponge for $name {
            const NAME: &'static str = $text;
        }
    )* };
}

sponges! {
    /// SHA3-224: 28-byte digests, 144-byte blocks (FIPS 202).
    Sha3_224, "sha3-224", Bytes144, 0x06;
    /// SHA3-256: 32-byte digests, 136-byte blocks (FIPS 202).
    Sha3_256, "sha3-256", Bytes136, 0x06;
    /// SHA3-384: 48-byte digests, 104-byte blocks (FIPS 202).
    Sha3_384, "sha3-384", Bytes104, 0x06;
    /// SHA3-512: 64-byte digests, 72-byte blocks (FIPS 202).
    Sha3_512, "sha3-512", Bytes72, 0x06;
    /// SHAKE128: output of any length, 168-byte blocks (FIPS 202).
    Shake128, "shake128", Bytes168, 0x1f;
    /// SHAKE256: output of any length, 136-byte blocks (FIPS 202).
    Shake256, "shake256", Bytes136, 0x1f;
}

macro_rules! digests {
    ($($name:ident: $len:literal;)*) => { $(
        impl Sha3 for $name {
            type Digest = [u8; $len];
            const DIGEST_LEN: usize = $len;
            const ZERO_DIGEST: [u8; $len] = [0; $len];
        }
    )* };
}

digests! {
    Sha3_224: 28;
    Sha3_256: 32;
    Sha3_384: 48;
    Sha3_512: 64;
}

impl Xof for Shake128 {
    const KMAC_NAME: &'static str = "kmac128";
}

impl Xof for Shake256 {
    const KMAC_NAME: &'static str = "kmac256";
}

/// The names of the algorithms, those of KMAC among them.
const NAMES: [&str; 8] = [
    Sha3_224::NAME,
    Sha3_256::NAME,
    Sha3_384::NAME,
    Sha3_512::NAME,
    Shake128::NAME,
    Shake256::NAME,
    Shake128::KMAC_NAME,
    Shake256::KMAC_NAME,
];

impl SpongeLanes {
    /// Returns the kernel of all sponges on a CPU. [`kernels`](crate::kernels) lists it under the
    /// name of each.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let SpongeKernels { wide, single } = cpu.pick(&cpu.kernels().sponge);
        let reason = match (wide.name, cpu.isa()) {
            ("armv8-sha3", _) => "an instruction of the SHA-3 extension for each step of a round",
            (_, Isa::Portable) => "no vectors that this program knows, or none allowed",
            (_, Isa::Avx512) => {
                "512-bit vectors, whose rotations and three-operand logic are a step each"
            }
            _ => "the widest vectors that the CPU and the operating system offer",
        };
        KernelInfo {
            algorithm: "keccak",
            kernel: wide.name,
            lanes: wide.lanes,
            single: single.name,
            few: 1,
            reason,
        }
    }
}

/// Returns the kernel of each sponge on a CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; NAMES.len()] {
    NAMES.map(|name| SpongeLanes::kernel_info(cpu).named(name))
}
