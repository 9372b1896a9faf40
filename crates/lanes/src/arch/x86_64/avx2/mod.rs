//! AVX2: vectors of 256 bits, and the extensions that go with them.

mod bits;
mod clmul;
pub(crate) mod keccak;
pub(in crate::arch) mod mac;
pub(in crate::arch) mod ni;
mod poly;
pub(in crate::arch) mod rabin;
pub(in crate::arch) mod vaes;
pub(in crate::arch) mod vclmul;
pub(crate) mod vectors;

use bits::Bits256;
use vectors::{U32x8, U64x4, single};

use super::common::sha;
use super::sse4;
use crate::arch::compile::{blake3_kernel, chacha_kernel, des_kernel, kasumi_kernel};
use crate::arch::draw::Draw;
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::features::Feature::*;
use crate::features::Features;
use crate::kernels::aes::{AesKernels, portable as integers};
use crate::kernels::chacha::block::Whole;
use crate::kernels::chacha::poly::limbs::Limbs;
use crate::kernels::chacha::poly::wide::PolyLanes;
use crate::kernels::hash::md5::Md5;
use crate::kernels::hash::select::{HashChoice, HashKernels};
use crate::kernels::hash::sha1::{self, Sha1};
use crate::kernels::hash::sha256::{self, Sha224, Sha256};
use crate::kernels::hash::sha512::{Sha384, Sha512};
use crate::kernels::hash::sm3::{self, Sm3};
use crate::kernels::sponge::kernel::SpongeKernels;

pub(in crate::arch) use bits::Bits256 as Lanes256;
pub(in crate::arch) use clmul::CLMUL;
pub(in crate::arch) use keccak::KECCAK_ONE;

chacha_kernel!(
    /// Eight blocks at once.
    CHACHA, "avx2", Whole<U32x8>, PolyLanes<Limbs<U64x4>>, "avx2,bmi1,bmi2"
);

blake3_kernel!(
    /// Eight lanes.
    BLAKE3, "avx2", U32x8, "avx2,bmi1,bmi2"
);

des_kernel!(
    /// 256 lanes.
    DES, "avx2", Bits256, "avx2"
);

kasumi_kernel!(
    /// 256 lanes.
    KASUMI, "avx2 bitsliced", Bits256, "avx2"
);

/// The kernels of AVX2. Where registers of one width cost as much as those of half the width, as
/// everywhere but for 512 bits, only the widest are worth having for DES.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    needs: Features::of(&[Avx2, Bmi1, Bmi2, Ssse3, Sse41]),
    hashes: HashKernels {
        md5: choice! {
            [] => HashChoice::new((vectors::kernel32::<Md5>(), None), super::common::md5::MD5),
        },
        sha1: choice! {
            [Sha] => HashChoice::new((sha::wide_sha1::<Sha1>(), None), sha::SHA1),
            [] => HashChoice::new((vectors::kernel32::<Sha1>(), None), single::<sha1::Core>()),
        },
        sha224: choice! {
            [Sha] => HashChoice::new((sha::wide_sha256::<Sha224>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha224>(), None), single::<sha256::Core>()),
        },
        sha256: choice! {
            [Sha] => HashChoice::new((sha::wide_sha256::<Sha256>(), None), sha::SHA256),
            [] => HashChoice::new((vectors::kernel32::<Sha256>(), None), single::<sha256::Core>()),
        },
        sha384: choice! {
            [] => HashChoice::new(
                (vectors::kernel64::<Sha384>(), None),
                super::common::sha512::AVX2,
            ),
        },
        sha512: choice! {
            [] => HashChoice::new(
                (vectors::kernel64::<Sha512>(), None),
                super::common::sha512::AVX2,
            ),
        },
        sm3: choice! {
            [] => HashChoice::new((vectors::kernel32::<Sm3>(), None), single::<sm3::Core>()),
        },
    },
    blake3: &[portable::BLAKE3, sse4::BLAKE3, BLAKE3],
    sponge: choice! { [] => SpongeKernels { wide: keccak::KECCAK, single: KECCAK_ONE } },
    aes: AesKernels {
        cbc: choice! { [Vaes, Aes] => &vaes::CBC, [Aes] => &ni::AESNI, [] => &integers::CBC },
        cfb: choice! { [Vaes, Aes] => &vaes::CFB, [Aes] => &ni::CFB, [] => &integers::CFB },
        ofb: choice! { [Vaes, Aes] => &vaes::OFB, [Aes] => &ni::OFB, [] => &integers::OFB },
        ctr: choice! { [Vaes] => &vaes::CTR, [Aes] => &ni::CTR, [] => &integers::CTR },
        blocks: choice! { [Vaes] => &vaes::BLOCKS, [Aes] => &ni::BLOCKS, [] => &integers::BLOCKS },
        gcm: choice! {
            [Vaes, Vpclmulqdq] => &vclmul::VCLMUL,
            [Aes, Pclmulqdq] => &CLMUL,
            [] => &integers::GCM,
        },
        chains: choice! { [Vaes, Aes] => &mac::VAES, [Aes] => &ni::CHAIN, [] => &integers::CHAINS },
    },
    chacha: choice! { [] => &CHACHA },
    des: &[DES],
    kasumi: &[&portable::KASUMI, &KASUMI],
    rc4: &super::common::rc4::KERNEL,
    rabin: choice! {
        [Vpclmulqdq] => &rabin::RABIN,
        [Pclmulqdq] => &sse4::rabin::RABIN,
        [] => &crate::kernels::rabin::kernel::PORTABLE,
    },
    draw: Draw::AVX,
};
