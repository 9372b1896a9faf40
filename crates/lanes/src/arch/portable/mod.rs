//! Plain integers, on any machine: one buffer, or two interleaved where one leaves the core idle.

use super::compile::{
    bignum_words_kernel, binary_kernel, chacha_kernel, curves_kernel, des_kernel, kasumi_kernel,
    keccak_chain_kernel, keccak_kernel, sha256_chain_kernel, wide_kernels,
};
use super::draw::Draw;
use super::table::{self, choice};
use crate::aes::gcm::key::Powers;
use crate::aes::{AesKernels, portable as aes};
use crate::binary::BinaryKernels;
use crate::chacha::NoVectors;
use crate::chacha::block::Whole;
use crate::curves::CurveKernels;
use crate::features::{FeatureState, Features};
use crate::hash::kernel::Built;
use crate::hash::{
    HashKernels, Kernels, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, md5, plain, sha1, sha256,
    sha512,
};
use crate::plain::Plain;
use crate::probe::Needs;
use crate::rsa::RsaKernels;
use crate::slh_dsa::{ChainKernels, SlhDsaKernels};
use crate::sponge::{SpongeKernels, Steps};
use crate::vector::{Vector, each};

wide_kernels!("portable", Built, [], Pair<Plain<u32>>, Pair<Plain<u64>>);

chacha_kernel!(
    /// A block after the other, in plain integers.
    CHACHA, "portable", Whole<Plain<u32>>, NoVectors
);

des_kernel!(
    /// 64 lanes in an integer.
    DES, "bitsliced", u64
);

kasumi_kernel!(
    /// 64 lanes in an integer.
    KASUMI, "bitsliced", u64
);

bignum_words_kernel!(
    /// One number.
    BIGNUM, "integers"
);

curves_kernel!(
    /// One lane.
    CURVES, "integers", Plain<u64>, 5
);

binary_kernel!(
    /// One lane.
    BINARY, "integers", crate::binary::pairs::Integers
);

keccak_kernel!(
    /// One lane.
    KECCAK, "integers", Integers
);

sha256_chain_kernel!(
    /// One chain.
    SHA256_CHAIN, "integers", Plain<u32>
);

keccak_chain_kernel!(
    /// One chain.
    KECCAK_CHAIN, "integers", Integers
);

/// The steps of Keccak in integers.
pub(in crate::arch) struct Integers;

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl Steps for Integers {
    type V = Plain<u64>;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [Plain<u64>; 8] {
        // SAFETY: the caller vouches for the pointer, and for eight words behind it.
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
            [] => Kernels::new((kernel32::<Md5>(), None), plain::<md5::Core>()),
        },
        sha1: choice! {
            [] => Kernels::new((kernel32::<Sha1>(), None), plain::<sha1::Core>()),
        },
        sha224: choice! {
            [] => Kernels::new((kernel32::<Sha224>(), None), plain::<sha256::Core>()),
        },
        sha256: choice! {
            [] => Kernels::new((kernel32::<Sha256>(), None), plain::<sha256::Core>()),
        },
        sha384: choice! {
            [] => Kernels::new((kernel64::<Sha384>(), None), plain::<sha512::Core>()),
        },
        sha512: choice! {
            [] => Kernels::new((kernel64::<Sha512>(), None), plain::<sha512::Core>()),
        },
    },
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
    rc4: &crate::rc4::PORTABLE,
    rsa: choice! {
        [] => RsaKernels { one: &BIGNUM, wide: &[] },
    },
    curves: choice! { [] => CurveKernels { one: &CURVES, wide: &[] } },
    slh_dsa: SlhDsaKernels {
        sha256: choice! { [] => ChainKernels::one(SHA256_CHAIN) },
        keccak: choice! { [] => ChainKernels::one(KECCAK_CHAIN) },
    },
    binary: choice! { [] => BinaryKernels { one: &BINARY, wide: &[] } },
    rabin: choice! { [] => &crate::rabin::PORTABLE },
    draw: Draw::PLAIN,
};

/// How many features are looked for, on architectures that have no folder here.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) const FEATURES: usize = 0;

/// What the CPU offers, on architectures that have no folder here.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn detect() -> [FeatureState; FEATURES] {
    []
}

/// Would bring a line of memory into a cache: unknown machines have no instruction for that.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn prefetch(_line: *const u8) {}

/// SubWord of the AES key expansion: the bitsliced S-box is used.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn sub_word() -> Option<fn(u32) -> u32> {
    None
}

/// The powers of a hash key: integers are used.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn hash_expansion() -> Option<Powers> {
    None
}

/// No loops are written for other architectures: nothing can be calibrated there.
#[allow(dead_code, reason = "most architectures have their own")]
pub(crate) fn probes() -> &'static [Needs] {
    &[]
}
