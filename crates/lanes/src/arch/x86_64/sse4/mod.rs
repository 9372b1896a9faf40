//! SSE4.1: vectors of 128 bits, and the extensions for AES, carry-less products and SHA on them.

mod bits;
mod clmul;
pub(crate) mod keccak;
mod ni;
pub(in crate::arch) mod rabin;
pub(crate) mod vectors;

use bits::Bits128;
use vectors::U32x4;

use super::common::sha;
use crate::arch::compile::{blake3_kernel, chacha_kernel, des_kernel, kasumi_kernel};
use crate::arch::draw::Draw;
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::features::Feature::*;
use crate::features::Features;
use crate::kernels::aes::{AesKernels, portable as integers};
use crate::kernels::chacha::block::Whole;
use crate::kernels::chacha::poly::NoVectors;
use crate::kernels::hash::md5::{self, Md5};
use crate::kernels::hash::select::{HashChoice, HashKernels, plain};
use crate::kernels::hash::sha1::{self, Sha1};
use crate::kernels::hash::sha256::{self, Sha224, Sha256};
use crate::kernels::hash::sha512::{self, Sha384, Sha512};
use crate::kernels::hash::sm3::{self, Sm3};
use crate::kernels::sponge::kernel::SpongeKernels;

chacha_kernel!(
    /// Four blocks at once; Poly1305 on integers, which multiply 64 bits where a vector multiplies
    /// twice 32.
    CHACHA, "sse4", Whole<U32x4>, NoVectors, "sse4.1"
);

blake3_kernel!(
    /// Four lanes.
    BLAKE3, "sse4", U32x4, "sse4.1"
);

des_kernel!(
    /// 128 lanes.
    DES, "sse4", Bits128, "sse4.1"
);

kasumi_kernel!(
    /// 128 lanes.
    KASUMI, "sse4 bitsliced", Bits128, "sse4.1"
);

/// The kernels of SSE4.1.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    needs: Features::of(&[Ssse3, Sse41]),
    hashes: HashKernels {
        md5: choice! {
            [] => HashChoice::new((vectors::kernel32::<Md5>(), None), plain::<md5::Core>()),
        },
        sha1: choice! {
            [Sha] => HashChoice::new((sha::wide_sha1::<Sha1>(), None), sha::SHA1),
            [] => HashChoice::new((vectors::kernel32::<Sha1>(), None), plain::<sha1::Core>()),
        },
        sha224: choice! {
            [Sha] => HashChoice::new((sha::wide_sha256::<Sha224>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha224>(), None), plain::<sha256::Core>()),
        },
        sha256: choice! {
            [Sha] => HashChoice::new((sha::wide_sha256::<Sha256>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha256>(), None), plain::<sha256::Core>()),
        },
        sha384: choice! {
            [] => HashChoice::new((vectors::kernel64::<Sha384>(), None), plain::<sha512::Core>()),
        },
        sha512: choice! {
            [] => HashChoice::new((vectors::kernel64::<Sha512>(), None), plain::<sha512::Core>()),
        },
        sm3: choice! {
            [] => HashChoice::new((vectors::kernel32::<Sm3>(), None), plain::<sm3::Core>()),
        },
    },
    blake3: &[portable::BLAKE3, BLAKE3],
    sponge: choice! { [] => SpongeKernels { wide: keccak::KECCAK, single: portable::KECCAK } },
    aes: AesKernels {
        cbc: choice! { [Aes] => &ni::AESNI, [] => &integers::CBC },
        cfb: choice! { [Aes] => &ni::CFB, [] => &integers::CFB },
        ofb: choice! { [Aes] => &ni::OFB, [] => &integers::OFB },
        ctr: choice! { [Aes] => &ni::CTR, [] => &integers::CTR },
        blocks: choice! { [Aes] => &ni::BLOCKS, [] => &integers::BLOCKS },
        gcm: choice! { [Aes, Pclmulqdq] => &clmul::CLMUL, [] => &integers::GCM },
        chains: choice! { [Aes] => &ni::CHAIN, [] => &integers::CHAINS },
    },
    chacha: choice! { [] => &CHACHA },
    des: &[DES],
    kasumi: &[&portable::KASUMI, &KASUMI],
    rc4: &super::common::rc4::KERNEL,
    rabin: choice! { [Pclmulqdq] => &rabin::RABIN, [] => &crate::kernels::rabin::kernel::PORTABLE },
    draw: Draw::PLAIN,
};
