//! AVX-512 F, BW, DQ and VL: vectors of 512 bits, and the extensions that go with them.

mod bits;
mod chacha;
mod chacha_pairs;
mod chacha_rows;
mod fused;
mod gcm_abreast;
mod gcm_alone;
mod gcm_weave;
pub(crate) mod keccak;
mod mac;
pub(in crate::arch) mod paired;
mod poly;
mod rabin;
pub(in crate::arch) mod sha1x16;
pub(in crate::arch) mod sha256x8;
pub(in crate::arch) mod sha_alone;
mod vaes;
mod vclmul;
pub(crate) mod vectors;

use bits::Bits512;
use chacha::Halves;
use chacha_pairs::Pairs;
use fused::Fused;
use vectors::{U32x16, U64x8};

use super::avx2::vectors::single;
use super::avx2::{self, Lanes256, ni};
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
use crate::kernels::hash::kernel::HashKernel;
use crate::kernels::hash::md5::Md5;
use crate::kernels::hash::select::{HashChoice, HashKernels, Middle};
use crate::kernels::hash::sha1::{self, Sha1};
use crate::kernels::hash::sha256::{self, Sha224, Sha256};
use crate::kernels::hash::sha512::{Sha384, Sha512};
use crate::kernels::hash::sm3::{self, Sm3};
use crate::kernels::sponge::kernel::SpongeKernels;

chacha_kernel!(
    /// Sixteen blocks at once, in halves; Poly1305 with instructions that multiply and add.
    CHACHA_HALVES, "avx512-ifma in halves", Halves, PolyLanes<Fused>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);

chacha_kernel!(
    /// Thirty-two blocks at once; Poly1305 with instructions that multiply and add.
    CHACHA_PAIRS, "avx512-ifma in pairs", Pairs, PolyLanes<Fused>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);

chacha_kernel!(
    /// Sixteen blocks at once; Poly1305 with instructions that multiply and add.
    CHACHA_IFMA, "avx512-ifma", Whole<U32x16>, PolyLanes<Fused>,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);

chacha_kernel!(
    /// Sixteen blocks at once.
    CHACHA, "avx512", Whole<U32x16>, PolyLanes<Limbs<U64x8>>,
    "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

blake3_kernel!(
    /// Sixteen lanes.
    BLAKE3, "avx512", U32x16, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

des_kernel!(
    /// 256 lanes, and three-operand gates.
    DES_HALF, "avx512", Lanes256, "avx512f,avx512vl"
);

des_kernel!(
    /// 512 lanes.
    DES, "avx512", Bits512, "avx512f,avx512vl"
);

kasumi_kernel!(
    /// 256 lanes, and three-operand gates.
    KASUMI_HALF, "avx512vl bitsliced", Lanes256, "avx512f,avx512bw,avx512vl"
);

kasumi_kernel!(
    /// 512 lanes.
    KASUMI, "avx512 bitsliced", Bits512, "avx512f,avx512bw,avx512vl"
);

/// Returns a kernel of fewer lanes, the faster one with so many buffers or fewer.
const fn middle(kernel: HashKernel<u32>, up_to: usize) -> Option<Middle<u32>> {
    Some(Middle { kernel, up_to })
}

/// The kernels of AVX-512.
///
/// Four buffers of SHA-1 by the SHA instructions take three eighths of the time of sixteen on
/// 512-bit vectors, and of SHA-256 a quarter or little more. Where an operation on 512 bits is two
/// of 256 (AMD Zen 4, `Fp256`), SHA instructions and 256-bit vectors at once take three quarters of
/// the time of 512-bit vectors for SHA-256. Where it is one, or where SHA instructions start only
/// every other cycle (Intel's cores), 512-bit vectors are the faster. On AMD Zen 5 (`Fp512`), four
/// buffers by the SHA instructions take three fifths of the time of sixteen for SHA-1, and half of
/// it for SHA-256.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    needs: Features::of(&[Avx512f, Avx512bw, Avx512dq, Avx512vl, Avx2, Bmi1, Bmi2, Ssse3, Sse41]),
    hashes: HashKernels {
        md5: choice! {
            [] => HashChoice::new((vectors::kernel32::<Md5>(), None), super::common::md5::MD5),
        },
        sha1: choice! {
            [Sha, Fp256] => HashChoice::new(
                (sha1x16::kernel::<Sha1>(), middle(sha::wide_sha1::<Sha1>(), 8)), sha::SHA1,
            ),
            [Sha, Fp512] => HashChoice::new(
                (paired::kernel::<Sha1>(), middle(sha::wide_sha1::<Sha1>(), 4)), sha::SHA1,
            )
            .with_half(vectors::kernel32::<Sha1>())
            .with_alone(sha_alone::sha1::<Sha1>),
            [Sha] => HashChoice::new(
                (paired::kernel::<Sha1>(), middle(sha::wide_sha1::<Sha1>(), 8)), sha::SHA1,
            ).with_half(vectors::kernel32::<Sha1>()),
            [Fp256] => HashChoice::new((sha1x16::kernel::<Sha1>(), None), single::<sha1::Core>()),
            [] => HashChoice::new((paired::kernel::<Sha1>(), None), single::<sha1::Core>())
                .with_half(vectors::kernel32::<Sha1>()),
        },
        sha224: choice! {
            [Sha, Fp256] => HashChoice::new(
                (sha256x8::kernel::<Sha224>(), middle(sha::wide_sha256_avx512::<Sha224>(), 4)),
                sha::SHA256,
            ),
            [Sha, Fp512] => HashChoice::new(
                (paired::kernel::<Sha224>(), middle(sha::wide_sha256::<Sha224>(), 8)), sha::SHA256,
            )
            .with_half(vectors::kernel32::<Sha224>())
            .with_alone(sha_alone::sha256::<Sha224>),
            [Sha] => HashChoice::new(
                (paired::kernel::<Sha224>(), middle(sha::wide_sha256::<Sha224>(), 12)), sha::SHA256,
            ).with_half(vectors::kernel32::<Sha224>()),
            [Fp256] => HashChoice::new(
                (vectors::kernel32::<Sha224>(), None), single::<sha256::Core>(),
            ),
            [] => HashChoice::new((paired::kernel::<Sha224>(), None), single::<sha256::Core>())
                .with_half(vectors::kernel32::<Sha224>()),
        },
        sha256: choice! {
            [Sha, Fp256] => HashChoice::new(
                (sha256x8::kernel::<Sha256>(), middle(sha::wide_sha256_avx512::<Sha256>(), 4)),
                sha::SHA256,
            ),
            [Sha, Fp512] => HashChoice::new(
                (paired::kernel::<Sha256>(), middle(sha::wide_sha256::<Sha256>(), 8)), sha::SHA256,
            )
            .with_half(vectors::kernel32::<Sha256>())
            .with_alone(sha_alone::sha256::<Sha256>),
            [Sha] => HashChoice::new(
                (paired::kernel::<Sha256>(), middle(sha::wide_sha256::<Sha256>(), 12)), sha::SHA256,
            ).with_half(vectors::kernel32::<Sha256>()),
            [Fp256] => HashChoice::new(
                (vectors::kernel32::<Sha256>(), None), single::<sha256::Core>(),
            ),
            [] => HashChoice::new((paired::kernel::<Sha256>(), None), single::<sha256::Core>())
                .with_half(vectors::kernel32::<Sha256>()),
        },
        sha384: choice! {
            [Fp256] => HashChoice::new(
                (vectors::kernel64::<Sha384>(), None), super::common::sha512::AVX512,
            ),
            [] => HashChoice::new((paired::kernel::<Sha384>(), None), super::common::sha512::AVX512)
                .with_half(vectors::kernel64::<Sha384>()),
        },
        sha512: choice! {
            [Fp256] => HashChoice::new(
                (vectors::kernel64::<Sha512>(), None), super::common::sha512::AVX512,
            ),
            [] => HashChoice::new((paired::kernel::<Sha512>(), None), super::common::sha512::AVX512)
                .with_half(vectors::kernel64::<Sha512>()),
        },
        sm3: choice! {
            [] => HashChoice::new((vectors::kernel32::<Sm3>(), None), single::<sm3::Core>()),
        },
    },
    blake3: &[portable::BLAKE3, sse4::BLAKE3, avx2::BLAKE3, BLAKE3],
    sponge: choice! {
        [] => SpongeKernels { wide: keccak::KECCAK, single: avx2::KECCAK_ONE },
    },
    aes: AesKernels {
        cbc: choice! {
            [Vaes, Aes, Fp512] => &vaes::CBC_EIGHTS,
            [Vaes, Aes] => &vaes::CBC,
            [Aes] => &ni::AESNI,
            [] => &integers::CBC,
        },
        cfb: choice! { [Vaes, Aes] => &vaes::CFB, [Aes] => &ni::CFB, [] => &integers::CFB },
        ofb: choice! { [Vaes, Aes] => &vaes::OFB, [Aes] => &ni::OFB, [] => &integers::OFB },
        ctr: choice! { [Vaes] => &vaes::CTR, [Aes] => &ni::CTR, [] => &integers::CTR },
        blocks: choice! { [Vaes] => &vaes::BLOCKS, [Aes] => &ni::BLOCKS, [] => &integers::BLOCKS },
        gcm: choice! {
            [Vaes, Vpclmulqdq, Aes, Fp256] => &vclmul::VCLMUL512_HALVES,
            [Vaes, Vpclmulqdq, Aes, Fp512] => &vclmul::VCLMUL512_WHOLE,
            [Vaes, Vpclmulqdq] => &vclmul::VCLMUL512,
            [Aes, Pclmulqdq] => &avx2::CLMUL,
            [] => &integers::GCM,
        },
        chains: choice! {
            [Vaes, Aes] => &mac::VAES512, [Aes] => &ni::CHAIN, [] => &integers::CHAINS,
        },
    },
    chacha: choice! {
        [Avx512ifma, Fp256] => &CHACHA_HALVES,
        [Avx512ifma, Fp512] => &CHACHA_PAIRS,
        [Avx512ifma] => &CHACHA_IFMA,
        [] => &CHACHA,
    },
    des: &[DES_HALF, DES],
    kasumi: &[&portable::KASUMI, &KASUMI_HALF, &KASUMI],
    rc4: &super::common::rc4::KERNEL,
    rabin: choice! {
        [Gfni, Vpclmulqdq] => &rabin::RABIN,
        [Vpclmulqdq] => &avx2::rabin::RABIN,
        [Pclmulqdq] => &sse4::rabin::RABIN,
        [] => &crate::kernels::rabin::kernel::PORTABLE,
    },
    draw: Draw::AVX,
};
