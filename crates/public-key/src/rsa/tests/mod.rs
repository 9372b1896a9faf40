//! RSA against OpenSSL's results and num-bigint, on every instruction set and by every manager.

mod answers;
mod extremes;
mod faults;
mod keys;

use std::string::String;
use std::vec::Vec;

use broadloom_lanes::{Cpu, Feature, Isa};
use num_bigint::BigUint;

use super::*;

/// A key that OpenSSL made, and a private operation that it did.
pub(super) struct Vector {
    pub name: String,
    pub key: RsaPrivateKey,
    fields: Vec<(String, Vec<u8>)>,
}

impl Vector {
    /// Returns a number, by its name in the file.
    pub fn get(&self, name: &str) -> &[u8] {
        let field = self.fields.iter().find(|(field, _)| field == name);
        &field.expect("every key has it").1
    }

    /// Returns the numbers of the key.
    pub fn parts(&self) -> RsaParts<'_> {
        RsaParts {
            modulus: self.get("n"),
            public_exponent: self.get("e"),
            primes: [self.get("p"), self.get("q")],
            exponents: [self.get("dp"), self.get("dq")],
            coefficient: self.get("qinv"),
        }
    }

    /// Raises a number to an exponent, by num-bigint.
    pub fn power(&self, input: &[u8], exponent: &str) -> Vec<u8> {
        let [base, exponent, modulus] =
            [input, self.get(exponent), self.get("n")].map(BigUint::from_bytes_be);
        padded(&base.modpow(&exponent, &modulus), self.key.size())
    }

    /// Returns a blind, from bytes that need not be secret here.
    pub fn blind(&self) -> RsaBlind {
        let random: Vec<u8> = (0..self.key.size()).map(|i| (i * 7 + 1) as u8).collect();
        let mut blinding = RsaBlinding::new(&self.key, &random).expect("as long as the modulus");
        blinding.next_blind();
        blinding.next_blind()
    }
}

/// Returns a number in so many bytes, big-endian.
pub(super) fn padded(number: &BigUint, len: usize) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    let mut padded = std::vec![0; len - bytes.len()];
    padded.extend(bytes);
    padded
}

fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Keys made by `openssl genrsa`, `openssl genpkey` and `ssh-keygen`, with an operation by
/// `openssl pkeyutl` each.
pub(super) fn vectors() -> Vec<Vector> {
    let vector = |record: &str| {
        let mut lines = record.lines().map(|line| line.split_once(": ").expect("name and value"));
        let (_, name) = lines.next().expect("a name");
        let fields: Vec<(String, Vec<u8>)> =
            lines.map(|(name, value)| (name.into(), hex(value))).collect();
        let get =
            |name| &fields.iter().find(|(field, _)| field == name).expect("in the file").1[..];
        let key = RsaPrivateKey::from_exponent(get("n"), get("e"), [get("p"), get("q")], get("d"));
        Vector { name: name.into(), key: key.expect("a key of OpenSSL's"), fields }
    };
    // Where a processor is emulated, the longer keys take minutes.
    let is_brief = std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief");
    let is_short = |n: &str| n.len() <= 2 * 2048 / 8;
    let fits = |record: &&str| {
        let mut lines = record.lines();
        !is_brief || lines.any(|line| line.strip_prefix("n: ").is_some_and(is_short))
    };
    include_str!("keys.txt").split("\n\n").filter(fits).map(vector).collect()
}

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
