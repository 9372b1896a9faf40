//! Curves against the standards' examples, num-bigint, and the crate of the dalek project, on every
//! instruction set.

mod ed25519;
mod fields;
mod reference;
mod weierstrass;
mod x25519;

use std::vec::Vec;

use broadloom_lanes::{Cpu, Feature, Isa};

/// This machine with every instruction set it has, or the one that `BROADLOOM_ISA` names, with and
/// without IFMA.
pub(super) fn cpus() -> Vec<Cpu> {
    let only = std::env::var("BROADLOOM_ISA").ok();
    let isas = Cpu::available().filter(|isa| only.as_deref().is_none_or(|name| isa.name() == name));
    isas.flat_map(|isa: Isa| {
        let cpu = Cpu::with_isa(isa).expect("this machine has it");
        let without = cpu.has(Feature::Avx512ifma) && isa == Isa::Avx512;
        let without =
            without.then(|| cpu.without(Feature::Avx512ifma).expect("AVX-512 needs none"));
        core::iter::once(cpu).chain(without)
    })
    .collect()
}

/// Returns the bytes of hexadecimal digits.
pub(super) fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// So many random inputs, or few where a processor is emulated.
pub(super) fn many(count: usize) -> usize {
    let is_brief = std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief");
    if is_brief { 1 } else { count }
}
