//! NEON: vectors of 128 bits, and the extensions for AES, SHA-1, SHA-256 and SHA-512.

mod aes;
mod bits;
pub(crate) mod keccak;
mod pmull;
mod rabin;
mod sha;
pub(crate) mod vectors;

use bits::Bits128;
use vectors::U32x4;

use crate::arch::compile::{blake3_kernel, chacha_kernel, des_kernel, kasumi_kernel};
use crate::arch::draw::Draw;
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::features::Feature::{Aes, Neon, Pmull, Sha2, Sha512 as Sha512Rounds};
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
    /// Four blocks at once.
    CHACHA, "neon", Whole<U32x4>, NoVectors, "neon"
);

blake3_kernel!(
    /// Four lanes.
    BLAKE3, "neon", U32x4, "neon"
);

des_kernel!(
    /// 128 lanes.
    DES, "neon", Bits128, "neon"
);

kasumi_kernel!(
    /// 128 lanes.
    KASUMI, "neon bitsliced", Bits128, "neon"
);

/// The kernels of NEON.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    needs: Features::of(&[Neon]),
    hashes: HashKernels {
        md5: choice! {
            [] => HashChoice::new((vectors::kernel32::<Md5>(), None), plain::<md5::Core>()),
        },
        sha1: choice! {
            [Sha2] => HashChoice::new((sha::wide_sha1::<Sha1>(), None), sha::SHA1),
            [] => HashChoice::new((vectors::kernel32::<Sha1>(), None), plain::<sha1::Core>()),
        },
        sha224: choice! {
            [Sha2] => HashChoice::new((sha::wide_sha256::<Sha224>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha224>(), None), plain::<sha256::Core>()),
        },
        sha256: choice! {
            [Sha2] => HashChoice::new((sha::wide_sha256::<Sha256>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha256>(), None), plain::<sha256::Core>()),
        },
        sha384: choice! {
            [Sha512Rounds] => HashChoice::new((sha::wide_sha512::<Sha384>(), None), sha::SHA512),
            [] => HashChoice::new((vectors::kernel64::<Sha384>(), None), plain::<sha512::Core>()),
        },
        sha512: choice! {
            [Sha512Rounds] => HashChoice::new((sha::wide_sha512::<Sha512>(), None), sha::SHA512),
            [] => HashChoice::new((vectors::kernel64::<Sha512>(), None), plain::<sha512::Core>()),
        },
        sm3: choice! {
            [] => HashChoice::new((vectors::kernel32::<Sm3>(), None), plain::<sm3::Core>()),
        },
    },
    blake3: &[portable::BLAKE3, BLAKE3],
    sponge: choice! {
        [Sha512Rounds] => SpongeKernels { wide: keccak::KECCAK_SHA3, single: portable::KECCAK },
        [] => SpongeKernels { wide: keccak::KECCAK, single: portable::KECCAK },
    },
    aes: AesKernels {
        cbc: choice! { [Aes] => &aes::NEON, [] => &integers::CBC },
        cfb: choice! { [Aes] => &aes::CFB, [] => &integers::CFB },
        ofb: choice! { [Aes] => &aes::OFB, [] => &integers::OFB },
        ctr: choice! { [Aes] => &aes::CTR, [] => &integers::CTR },
        blocks: choice! { [Aes] => &aes::BLOCKS, [] => &integers::BLOCKS },
        gcm: choice! { [Aes, Pmull] => &pmull::PMULL, [] => &integers::GCM },
        chains: choice! { [Aes] => &aes::CHAIN, [] => &integers::CHAINS },
    },
    chacha: choice! { [] => &CHACHA },
    des: &[DES],
    kasumi: &[&portable::KASUMI, &KASUMI],
    rc4: &crate::kernels::rc4::kernel::PORTABLE,
    rabin: choice! {
        [Aes, Pmull] => &rabin::RABIN,
        [] => &crate::kernels::rabin::kernel::PORTABLE,
    },
    draw: Draw::PLAIN,
};
