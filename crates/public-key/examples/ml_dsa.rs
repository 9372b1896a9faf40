//! Measures key generation, signing and verification of ML-DSA-65, 64 jobs in a burst, under
//! different keys and under one, and one job alone, in turn with the crate `ml-dsa`, which does one
//! at a time:
//!
//! ```text
//! cargo run --release -p broadloom-public-key --example ml_dsa
//! BROADLOOM_ISA=avx2 cargo run --release -p broadloom-public-key --example ml_dsa
//! ```
//!
//! Times are seconds of the clock on the wall, minima and medians of many repeats: a busy machine
//! falsifies them. Signing takes a varying number of attempts; the messages are the same in each
//! repeat, and those of the crate are the same as those of the burst.

use std::hint::black_box;
use std::time::Instant;

use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{
    MlDsaKeyJob, MlDsaLanes, MlDsaMessage, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlDsaSignJob,
    MlDsaVerifyJob,
};
use ml_dsa::{ExpandedSigningKey, MlDsa65, SigningKey};

const SET: MlDsaSet = MlDsaSet::MlDsa65;

const JOBS: usize = 64;

const REPEATS: usize = 25;

/// The operations, in the order of the measurements.
const OPERATIONS: [&str; 3] = ["generate", "sign", "verify"];

fn main() {
    let asked = std::env::var("BROADLOOM_ISA").ok();
    let cpu = Cpu::from_request(asked.as_deref()).expect("an instruction set of this machine");
    let mut planner = Planner::new(&cpu);
    let mut all: [[Vec<f64>; 3]; 4] = Default::default();
    for _ in 0..REPEATS {
        let now = [
            measured(&mut planner, JOBS, JOBS),
            measured(&mut planner, JOBS, 1),
            measured(&mut planner, 1, 1),
            of_the_crate(),
        ];
        for (times, now) in all.iter_mut().flatten().zip(now.into_iter().flatten()) {
            times.push(1e6 * now);
        }
    }
    all.iter_mut().flatten().for_each(|times| times.sort_by(f64::total_cmp));
    println!("microseconds an operation of {SET}, {}: minimum, median", cpu.isa());
    let kinds = ["burst of 64", "under one key", "one job", "crate ml-dsa"];
    let [burst, shared, alone, reference] = kinds;
    println!("{:9} {burst:>17} {shared:>17} {alone:>17} {reference:>17}", "");
    for (at, operation) in OPERATIONS.into_iter().enumerate() {
        let two = |times: &[f64]| [times[0], times[REPEATS / 2]];
        let times = all.each_ref().map(|times| two(&times[at]));
        let shown = times.map(|[min, mid]| format!("{min:8.2} {mid:8.2}"));
        let [burst, _, _, reference] = times;
        let [least, middle] = [reference[0] / burst[0], reference[1] / burst[1]];
        println!("{operation:9} {}, {least:.2} {middle:.2} of a burst's", shown.join(" "));
    }
}

/// Different bytes for each job.
fn input(number: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (number * 31 + at * 7) as u8).collect()
}

/// Seconds that each operation takes, of so many in a burst, under so many keys.
fn measured(planner: &mut Planner<MlDsaLanes>, count: usize, keys: usize) -> [f64; 3] {
    let (private_len, len) = (SET.private_key_len(), SET.signature_len());
    let each = |begin: Instant| begin.elapsed().as_secs_f64() / count as f64;
    let generate = |number| {
        let buffer = input(number, private_len + SET.public_key_len());
        MlDsaKeyJob::generate(SET, buffer, ()).expect("good lengths")
    };
    let mut jobs: Vec<_> = (0..count).map(generate).collect();
    let begin = Instant::now();
    planner.process_many(&mut jobs);
    let generated = each(begin);
    let made: Vec<Vec<u8>> = jobs.into_iter().map(|job| job.into_parts().0).collect();
    let private = |keys: &Vec<u8>| MlDsaPrivateKey::new(SET, &keys[..private_len]).expect("a key");
    let public = |keys: &Vec<u8>| MlDsaPublicKey::new(SET, &keys[private_len..]).expect("a key");
    let private: Vec<_> = made.iter().map(private).collect();
    let public: Vec<_> = made.iter().map(public).collect();

    let texts: Vec<_> = (0..count).map(|number| input(number, 100)).collect();
    let message = |number: usize| MlDsaMessage::new(&texts[number]);
    let sign = |number: usize| {
        let (key, room) = (&private[number % keys], vec![0; len]);
        MlDsaSignJob::sign(key, message(number), None, room, ()).expect("good lengths")
    };
    let mut jobs: Vec<_> = (0..count).map(sign).collect();
    let begin = Instant::now();
    planner.process_many(&mut jobs);
    let signed = each(begin);
    let signatures: Vec<Vec<u8>> = jobs.into_iter().map(|job| job.into_parts().0).collect();

    let verify = |number: usize| {
        let (key, signature) = (&public[number % keys], &signatures[number][..]);
        MlDsaVerifyJob::verify(key, message(number), signature, ()).expect("good lengths")
    };
    let mut jobs: Vec<_> = (0..count).map(verify).collect();
    let begin = Instant::now();
    planner.process_many(&mut jobs);
    let verified = each(begin);
    assert!(jobs.iter().all(|job| job.is_right() == Some(true)), "all are right");
    [generated, signed, verified]
}

/// Seconds that each operation takes the crate, in the mean.
fn of_the_crate() -> [f64; 3] {
    let mut sums = [0.0; 3];
    for number in 0..JOBS {
        let (seed, text) = (input(number, 32), input(number, 100));
        let seed = seed[..].try_into().expect("32 bytes");
        let begin = Instant::now();
        let key = SigningKey::<MlDsa65>::from_seed(black_box(seed));
        sums[0] += begin.elapsed().as_secs_f64();
        let key: &ExpandedSigningKey<MlDsa65> = key.expanded_key();
        let begin = Instant::now();
        let signature = key.sign_deterministic(black_box(&text), &[]).expect("a short context");
        sums[1] += begin.elapsed().as_secs_f64();
        let public = key.verifying_key();
        let begin = Instant::now();
        assert!(public.verify_with_context(black_box(&text), &[], &signature));
        sums[2] += begin.elapsed().as_secs_f64();
    }
    sums.map(|sum| sum / JOBS as f64)
}
