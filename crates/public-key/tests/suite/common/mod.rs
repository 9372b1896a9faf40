//! What the tests share: the CPUs to test, and messages.

#[cfg(all(unix, not(miri)))]
#[path = "../../../../lanes/tests/suite/common/guarded.rs"]
pub mod guarded;

use broadloom_lanes::Feature::Avx512ifma;
use broadloom_lanes::{Cpu, Isa};

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

/// Those of [`isas`], with and without the products of 52 bits. What is named by `BROADLOOM_ISA` is
/// what its user gets: a CPU as it is.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
pub fn cpus() -> Vec<Cpu> {
    let without = isas().filter(|cpu| only().is_none() && cpu.has(Avx512ifma));
    let without = without.map(|cpu| cpu.without(Avx512ifma).expect("no ISA needs it"));
    isas().chain(without).collect()
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
