//! Measures signatures of SLH-DSA-SHA2-128f, 64 jobs in a burst, in turn with two that are made one
//! at a time on the SHA instructions:
//!
//! ```text
//! cargo run --release -p broadloom-public-key --example slh_dsa
//! ```
//!
//! One is the crate `slh-dsa`. The other is no signature, but as many compressions of SHA-256 as
//! one takes, in one buffer: a signer that does nothing but hash, one hash after the other.
//!
//! Times are seconds of the clock on the wall, minima of many repeats: a busy machine falsifies
//! them.

use std::time::Instant;

use broadloom_lanes::{Cpu, HashJob, Planner, Sha256};
use broadloom_public_key::{
    SlhDsaKeyJob, SlhDsaMessage, SlhDsaPrivateKey, SlhDsaSet, SlhDsaSignJob, SlhDsaVerifyJob,
};
use slh_dsa::{Sha2_128f, SigningKey};

const SET: SlhDsaSet = SlhDsaSet::Sha2_128f;

/// Compressions of a signature: 176 leaves of 35 chains of 16 and 10 for their ends, 2112 leaves of
/// FORS of 2, 154 and 2079 nodes, and 9 for the roots of FORS.
const COMPRESSIONS: usize = 176 * (35 * 16 + 10) + 2 * 2112 + 154 + 2079 + 9;

const JOBS: usize = 64;

fn main() {
    let cpu = Cpu::detect();
    let seeds: Vec<u8> = (0..SET.private_key_len()).map(|at| at as u8).collect();
    let mut keys = [SlhDsaKeyJob::from_seeds(SET, seeds, ()).expect("as long as a key")];
    Planner::new(&cpu).process_many(&mut keys);
    let bytes = keys[0].output().expect("complete");
    let key = SlhDsaPrivateKey::new(SET, bytes).expect("as long as a key");
    let other = SigningKey::<Sha2_128f>::try_from(bytes).expect("as long as a key");

    let mut best = [f64::MAX; 5];
    let mut planner = Planner::new(&cpu);
    for _ in 0..10 {
        let (burst, signatures) = signed(&mut planner, &key, JOBS);
        let (alone, _) = signed(&mut planner, &key, 1);
        let begin = Instant::now();
        let theirs = other.try_sign_with_context(&message(0), b"", None).expect("it signs");
        let reference = begin.elapsed().as_secs_f64();
        assert!(theirs.to_vec() == signatures[0], "one signature");
        let verified = verified(&mut planner, &key, &signatures);
        let now = [burst, alone, reference, hashed(&cpu), verified];
        best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
    }
    let [burst, alone, reference, hashed, verified] = best.map(|seconds| 1e6 * seconds);
    println!("microseconds a signature of {SET}, {}", cpu.isa());
    println!("burst of {JOBS}:                 {burst:9.1}");
    println!("one job:                     {alone:9.1}   {:.2} of a burst's", alone / burst);
    println!("crate slh-dsa:               {reference:9.1}   {:.2}", reference / burst);
    println!("its hashes one at a time:    {hashed:9.1}   {:.2}", hashed / burst);
    println!("microseconds a verification, burst of {JOBS}: {verified:.1}");
}

fn message(number: usize) -> [u8; 8] {
    (number as u64).to_le_bytes()
}

/// Seconds that a signature takes in a burst of so many, and the signatures.
fn signed(
    planner: &mut Planner<broadloom_public_key::SlhDsaLanes>,
    key: &SlhDsaPrivateKey,
    count: usize,
) -> (f64, Vec<Vec<u8>>) {
    let messages: Vec<_> = (0..count).map(message).collect();
    let job = |message| {
        let room = vec![0; SET.signature_len()];
        let message = SlhDsaMessage::new(message);
        SlhDsaSignJob::sign(key, message, None, room, ()).expect("as long as a signature")
    };
    let mut jobs: Vec<_> = messages.iter().map(|message| job(message)).collect();
    let begin = Instant::now();
    planner.process_many(&mut jobs);
    let seconds = begin.elapsed().as_secs_f64() / count as f64;
    (seconds, jobs.into_iter().map(|job| job.into_parts().0).collect())
}

/// Seconds that a verification takes.
fn verified(
    planner: &mut Planner<broadloom_public_key::SlhDsaLanes>,
    key: &SlhDsaPrivateKey,
    signatures: &[Vec<u8>],
) -> f64 {
    let messages: Vec<_> = (0..signatures.len()).map(message).collect();
    let mut jobs: Vec<_> = messages
        .iter()
        .zip(signatures)
        .map(|(message, signature)| {
            let message = SlhDsaMessage::new(message);
            SlhDsaVerifyJob::verify(key.public(), message, signature.as_slice(), ())
                .expect("as long as a signature")
        })
        .collect();
    let begin = Instant::now();
    planner.process_many(&mut jobs);
    let seconds = begin.elapsed().as_secs_f64() / signatures.len() as f64;
    assert!(jobs.iter().all(|job| job.is_right() == Some(true)));
    seconds
}

/// Seconds that as many compressions as those of a signature take in one buffer.
fn hashed(cpu: &Cpu) -> f64 {
    let data = vec![7; 64 * 1024];
    let mut planner = Planner::new(cpu);
    let mut best = f64::MAX;
    for _ in 0..20 {
        let mut jobs = [HashJob::<Sha256, _>::digest(data.as_slice(), ())];
        let begin = Instant::now();
        planner.process_many(&mut jobs);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    best * COMPRESSIONS as f64 / (data.len() / 64) as f64
}
