//! Plain integers, on any machine: one buffer, or two interleaved where one leaves the core idle.

use super::compile::{
    blake3_kernel, chacha_kernel, des_kernel, kasumi_kernel, keccak_kernel, wide_kernels,
};
use super::draw::Draw;
use super::table::{self, choice};
use crate::features::{FeatureState, Features};
use crate::kernels::aes::gcm::key::Powers;
use crate::kernels::aes::{AesKernels, portable as aes};
use crate::kernels::chacha::block::Whole;
use crate::kernels::chacha::poly::NoVectors;
use crate::kernels::hash::kernel::Built;
use crate::kernels::hash::md5::{self, Md5};
use crate::kernels::hash::select::{HashChoice, HashKernels, plain};
use crate::kernels::hash::sha1::{self, Sha1};
use crate::kernels::hash::sha256::{self, Sha224, Sha256};
use crate::kernels::hash::sha512::{self, Sha384, Sha512};
use crate::kernels::hash::sm3::{self, Sm3};
use crate::kernels::sponge::keccak::Steps;
use crate::kernels::sponge::kernel::SpongeKernels;
use crate::loops::Needs;
use crate::plain::Plain;
use crate::vector::{Vector, each};

wide_kernels!("portable", Built, [], Pair<Plain<u32>>, Pair<Plain<u64>>);

chacha_kernel!(
    /// A block after the other, in plain integers.
    CHACHA, "portable", Whole<Plain<u32>>, NoVectors
);

blake3_kernel!(
    /// One lane.
    BLAKE3, "portable", Plain<u32>
);

des_kernel!(
    /// 64 lanes in an integer.
    DES, "bitsliced", u64
);

kasumi_kernel!(
    /// 64 lanes in an integer.
    KASUMI, "bitsliced", u64
);

keccak_kernel!(
    /// One lane.
    KECCAK, "integers", Integers
);

/// The steps of Keccak in integers.
pub struct Integers;

// SAFETY: only baseline instructions are used, and every method is `inline(always)`.
unsafe impl Steps for Integers {
    type V = Plain<u64>;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [Plain<u64>; 8] {
        // SAFETY: `lanes` is readable for one pointer, which is readable for eight words from
        // `offset`, by the contract of `Steps::load_eight`.
        unsafe {
            let words = (*lanes).add(offset).cast::<u64>();
            each!(i in 8 => Plain::splat(u64::from_le(words.add(i).read_unaligned())))
        }
    }
}

/// One table for any machine.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    needs: Features::NONE,
    hashes: HashKernels {
        md5: choice! {
            [] => HashChoice::new((kernel32::<Md5>(), None), plain::<md5::Core>()),
        },
        sha1: choice! {
            [] => HashChoice::new((kernel32::<Sha1>(), None), plain::<sha1::Core>()),
        },
        sha224: choice! {
            [] => HashChoice::new((kernel32::<Sha224>(), None), plain::<sha256::Core>()),
        },
        sha256: choice! {
            [] => HashChoice::new((kernel32::<Sha256>(), None), plain::<sha256::Core>()),
        },
        sha384: choice! {
            [] => HashChoice::new((kernel64::<Sha384>(), None), plain::<sha512::Core>()),
        },
        sha512: choice! {
            [] => HashChoice::new((kernel64::<Sha512>(), None), plain::<sha512::Core>()),
        },
        sm3: choice! {
            [] => HashChoice::new((kernel32::<Sm3>(), None), plain::<sm3::Core>()),
        },
    },
    blake3: &[BLAKE3],
    sponge: choice! { [] => SpongeKernels { wide: KECCAK, single: KECCAK } },
    aes: AesKernels {
        cbc: choice! { [] => &aes::CBC },
        cfb: choice! { [] => &aes::CFB },
        ofb: choice! { [] => &aes::OFB },
        ctr: choice! { [] => &aes::CTR },
        blocks: choice! { [] => &aes::BLOCKS },
        gcm: choice! { [] => &aes::GCM },
        chains: choice! { [] => &aes::CHAINS },
    },
    chacha: choice! { [] => &CHACHA },
    des: &[DES],
    kasumi: &[&KASUMI],
    rc4: &crate::kernels::rc4::kernel::PORTABLE,
    rabin: choice! { [] => &crate::kernels::rabin::kernel::PORTABLE },
    draw: Draw::PLAIN,
};

/// The number of features that are looked for, on architectures that have no folder here.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) const FEATURES: usize = 0;

/// Returns the features that the CPU offers, on architectures that have no folder here.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn detect() -> [FeatureState; FEATURES] {
    []
}

/// Would bring a line of memory into a cache: unknown machines have no instruction for that.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn prefetch(_line: *const u8) {}

/// Returns `None` for SubWord of the AES key expansion: the bitsliced S-box is used.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn sub_word() -> Option<fn(u32) -> u32> {
    None
}

/// Returns the powers of a hash key: integers are used.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn hash_expansion() -> Option<Powers> {
    None
}

/// Returns nothing: no loops are written for other architectures, so nothing can be calibrated
/// there.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn probes() -> &'static [Needs] {
    &[]
}
