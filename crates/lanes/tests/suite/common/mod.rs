//! What the tests share: the CPUs to test, messages, independent implementations, and a way through
//! every manager.

pub mod chacha;
#[cfg(all(unix, not(miri)))]
pub mod guarded;
pub mod kasumi;
mod kinds;
pub mod packet_kinds;
pub mod packets;
mod reference;
mod route;
pub mod sequence;

pub(crate) use kinds::every_kind;
pub use kinds::{Ciphers, Hashes, Kind};
pub use reference::{Reference, cbc_decrypt, cbc_encrypt};
pub use route::{Manager, Numbered, REFUSED, everywhere};

use broadloom_lanes::Feature::*;
use broadloom_lanes::{Cpu, Feature, Isa};

/// Calls a generic check with every hash.
macro_rules! every_hash {
    ($check:ident($($argument:expr),*)) => {
        broadloom_lanes::for_each_hash!(every_hash!(@ $check ($($argument),*);))
    };
    (@ $check:ident $arguments:tt; $($hash:ident),+) => {
        $( $check::<broadloom_lanes::$hash> $arguments; )+
    };
}
pub(crate) use every_hash;

/// The instruction set that `BROADLOOM_ISA` names: nothing but it is tested then, and this machine
/// has to have it.
fn only() -> Option<Isa> {
    std::env::var("BROADLOOM_ISA").ok().map(|name| name.parse().expect("an instruction set"))
}

/// This machine with every instruction set it has.
pub fn isas() -> impl Iterator<Item = Cpu> {
    let isas = only().map_or_else(|| Cpu::available().collect(), |isa| vec![isa]);
    isas.into_iter().map(|isa| Cpu::with_isa(isa).expect("this machine has it"))
}

/// Those of [`isas`], with and without the hash and AES instructions.
pub fn cpus() -> Vec<Cpu> {
    with_and_without(&[
        Sha, Fp256, Fp512, Sha2, Aes, Vaes, Pclmulqdq, Vpclmulqdq, Avx512ifma, Pmull,
    ])
}

/// Those of [`cpus`] that differ for hashes.
pub fn hash_cpus() -> Vec<Cpu> {
    with_and_without(&[Sha, Fp256, Fp512, Sha2])
}

/// Those of [`isas`], with and without the SHA-3 instructions of AArch64.
pub fn sponge_cpus() -> Vec<Cpu> {
    with_and_without(&[Sha512])
}

/// Those of [`cpus`] that differ for ciphers.
pub fn cipher_cpus() -> Vec<Cpu> {
    with_and_without(&[Aes, Vaes, Fp512, Pclmulqdq, Vpclmulqdq, Avx512ifma, Pmull])
}

/// What is named by `BROADLOOM_ISA` is what its user gets: a CPU as it is.
fn with_and_without(extensions: &[Feature]) -> Vec<Cpu> {
    if only().is_some() {
        return isas().collect();
    }
    isas()
        .flat_map(|cpu| {
            let usable: Vec<_> =
                cpu.features().iter().filter(|f| f.usable).map(|f| f.feature).collect();
            // The kernels of SSE4.1 know fewer extensions.
            let known = |feature: &Feature| {
                cpu.isa() != Isa::Sse4 || [Sha, Aes, Pclmulqdq].contains(feature)
            };
            let extensions =
                usable.into_iter().filter(|feature| extensions.contains(feature) && known(feature));
            let without: Vec<_> =
                extensions.map(|name| cpu.without(name).expect("no ISA needs it")).collect();
            core::iter::once(cpu).chain(without)
        })
        .collect()
}

/// Bytes that differ from place to place.
pub fn bytes(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (seed.wrapping_mul(167) ^ i.wrapping_mul(31) ^ (i >> 7)) as u8).collect()
}

/// The bytes that hexadecimal digits stand for.
pub fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Returns `true` if fewer lengths will do: on an emulated processor, which says so by
/// `BROADLOOM_TESTS=brief`, and where everything is interpreted.
pub fn brief() -> bool {
    cfg!(miri) || std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief")
}

/// The lengths from 0 to `longest` that a test goes through: all of them. Where fewer will do,
/// those that kernels decide by: none and one; around a block, the place where a padded end takes a
/// second block, and the widest vector; the longest; and two that nothing decides by.
pub fn lengths(block: usize, longest: usize) -> Vec<usize> {
    if !brief() {
        return (0..=longest).collect();
    }
    let mut lengths = vec![0, 1, longest * 2 / 7, longest * 3 / 5, longest];
    for at in [block - block / 8, block, 64] {
        lengths.extend([at - 1, at, at + 1].into_iter().filter(|len| *len < longest));
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}
