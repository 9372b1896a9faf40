//! SLH-DSA against NIST's vectors and an independent implementation, on every instruction set and
//! by every manager.

mod answers;
mod chains;
mod reference;
mod wrong;

use std::string::String;
use std::vec::Vec;

use broadloom_lanes::{Cpu, Feature, Planner};

use super::*;

/// Returns `true` if a processor is emulated, on which the larger sets take minutes.
fn is_brief() -> bool {
    std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief")
}

/// Returns the sets that are tested here.
fn sets() -> impl Iterator<Item = SlhDsaSet> {
    let fast = [SlhDsaSet::Sha2_128f, SlhDsaSet::Shake128f];
    SlhDsaSet::ALL.into_iter().filter(move |set| !is_brief() || fast.contains(set))
}

/// Returns the sets of which all instruction sets make signatures in little time.
fn fast_sets() -> impl Iterator<Item = SlhDsaSet> {
    sets().filter(|set| set.name().ends_with('f'))
}

/// This machine with every instruction set it has, or the one that `BROADLOOM_ISA` names, with and
/// without SHA instructions.
fn cpus() -> Vec<Cpu> {
    let only = std::env::var("BROADLOOM_ISA").ok();
    let isas = Cpu::available().filter(|isa| only.as_deref().is_none_or(|name| isa.name() == name));
    isas.flat_map(|isa| {
        let cpu = Cpu::with_isa(isa).expect("this machine has it");
        let without = cpu.has(Feature::Sha).then(|| cpu.without(Feature::Sha).ok()).flatten();
        core::iter::once(cpu).chain(without)
    })
    .collect()
}

/// Returns the bytes that differ, from a seed.
fn random(seed: &mut u64, len: usize) -> Vec<u8> {
    let mut byte = || {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 56) as u8
    };
    (0..len).map(|_| byte()).collect()
}

/// Returns a key, of seeds that follow from a number.
fn key(set: SlhDsaSet, mut seed: u64) -> SlhDsaPrivateKey {
    let bytes = random(&mut seed, set.private_key_len());
    let mut jobs = [SlhDsaKeyJob::from_seeds(set, bytes, ()).expect("as long as a key")];
    Planner::new(&Cpu::detect()).process_many(&mut jobs);
    SlhDsaPrivateKey::new(set, jobs[0].output().expect("complete")).expect("as long as a key")
}

fn hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// One of NIST's vectors.
struct Vector {
    set: SlhDsaSet,
    fields: Vec<(String, Vec<u8>)>,
}

impl Vector {
    fn find(&self, name: &str) -> Option<&[u8]> {
        let field = self.fields.iter().find(|(field, _)| field == name);
        field.map(|(_, value)| value.as_slice())
    }

    fn get(&self, name: &str) -> &[u8] {
        self.find(name).expect("every such vector has it")
    }
}

/// NIST's vectors of the sets that are tested here.
fn vectors() -> Vec<Vector> {
    let records = include_str!("vectors.txt").split("\n\n").skip(1);
    let all = records.map(|record| {
        let mut lines = record.lines().map(|line| line.split_once(": ").expect("name and value"));
        let (_, name) = lines.next().expect("a set");
        let set = sets_by_name(name);
        Vector { set, fields: lines.map(|(name, value)| (name.into(), hex(value))).collect() }
    });
    all.filter(|vector| sets().any(|set| set == vector.set)).collect()
}

fn sets_by_name(name: &str) -> SlhDsaSet {
    SlhDsaSet::ALL.into_iter().find(|set| set.name() == name).expect("a set")
}

/// Returns a signature of a message.
fn sign(
    planner: &mut Planner<SlhDsaLanes>,
    key: &SlhDsaPrivateKey,
    message: SlhDsaMessage<'_>,
    random: Option<&[u8]>,
) -> Vec<u8> {
    let room = std::vec![0; key.set().signature_len()];
    let mut jobs = [SlhDsaSignJob::sign(key, message, random, room, ()).expect("as long")];
    planner.process_many(&mut jobs);
    let [job] = jobs;
    job.into_parts().0
}

/// Whether signatures are right.
fn verify(
    planner: &mut Planner<SlhDsaLanes>,
    claims: &[(&SlhDsaPublicKey, SlhDsaMessage<'_>, &[u8])],
) -> Vec<bool> {
    let jobs = claims.iter().map(|(key, message, signature)| {
        SlhDsaVerifyJob::verify(key, *message, *signature, ()).expect("as long")
    });
    let mut jobs: Vec<_> = jobs.collect();
    planner.process_many(&mut jobs);
    jobs.iter().map(|job| job.is_right().expect("complete")).collect()
}
