//! ML-KEM against an independent implementation, on every instruction set and by every manager.

mod kernels;
mod reference;
mod wrong;

use std::vec::Vec;

use broadloom_lanes::Planner;

use super::*;

/// Returns `true` if a processor is emulated, on which many operations take minutes.
fn is_brief() -> bool {
    std::env::var_os("BROADLOOM_TESTS").is_some_and(|value| value == "brief")
}

/// This machine with every instruction set it has, or the one that `BROADLOOM_ISA` names.
fn cpus() -> Vec<Cpu> {
    let only = std::env::var("BROADLOOM_ISA").ok();
    let isas = Cpu::available().filter(|isa| only.as_deref().is_none_or(|name| isa.name() == name));
    isas.map(|isa| Cpu::with_isa(isa).expect("this machine has it")).collect()
}

/// Returns bytes that follow from a seed.
fn random(seed: &mut u64, len: usize) -> Vec<u8> {
    let mut byte = || {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 56) as u8
    };
    (0..len).map(|_| byte()).collect()
}

/// Returns the outputs of jobs that a planner has completed.
fn process(cpu: &Cpu, jobs: Vec<MlKemJob<'_, Vec<u8>>>) -> Vec<Vec<u8>> {
    let mut jobs = jobs;
    Planner::new(cpu).process_many(&mut jobs);
    assert!(jobs.iter().all(|job| job.is_complete()));
    jobs.into_iter().map(|job| job.into_parts().0).collect()
}

/// Returns the buffer of a key generation.
fn key_buffer(set: MlKemSet, seed: &[u8]) -> Vec<u8> {
    let mut buffer = std::vec![0xaa; set.private_key_len()];
    buffer[..MlKemSet::SEED_LEN].copy_from_slice(seed);
    buffer
}

/// Returns the buffer of an encapsulation.
fn message_buffer(set: MlKemSet, message: &[u8]) -> Vec<u8> {
    let mut buffer = std::vec![0xaa; set.ciphertext_len() + MlKemSet::SECRET_LEN];
    buffer[..MlKemSet::RANDOMNESS_LEN].copy_from_slice(message);
    buffer
}
