//! Measures key generation, encapsulation and decapsulation of ML-KEM-768, 64 jobs under different
//! keys in a burst and one job alone, in turn with the crate `ml-kem`, which does one at a time:
//!
//! ```text
//! cargo run --release -p broadloom-public-key --example ml_kem
//! BROADLOOM_ISA=avx2 cargo run --release -p broadloom-public-key --example ml_kem
//! ```
//!
//! Times are seconds of the clock on the wall, minima of many repeats: a busy machine falsifies
//! them.

use std::hint::black_box;
use std::time::Instant;

use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::{MlKemJob, MlKemLanes, MlKemPrivateKey, MlKemPublicKey, MlKemSet};
use ml_kem::kem::Decapsulate;
use ml_kem::{DecapsulationKey, MlKem768};

const SET: MlKemSet = MlKemSet::MlKem768;

const JOBS: usize = 64;

/// The operations, in the order of the measurements.
const OPERATIONS: [&str; 3] = ["generate", "encapsulate", "decapsulate"];

fn main() {
    let asked = std::env::var("BROADLOOM_ISA").ok();
    let cpu = Cpu::from_request(asked.as_deref()).expect("an instruction set of this machine");
    let mut planner = Planner::new(&cpu);
    let [mut burst, mut alone, mut reference] = [[f64::MAX; 3]; 3];
    for _ in 0..50 {
        let keep = |best: &mut [f64; 3], now: [f64; 3]| {
            best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
        };
        keep(&mut burst, measured(&mut planner, JOBS));
        keep(&mut alone, measured(&mut planner, 1));
        keep(&mut reference, of_the_crate());
    }
    println!("microseconds an operation of {SET}, {}", cpu.isa());
    println!("{:13} burst of {JOBS}   one job    crate ml-kem", "");
    for (at, operation) in OPERATIONS.into_iter().enumerate() {
        let [burst, alone, reference] = [burst, alone, reference].map(|best| 1e6 * best[at]);
        let ratio = reference / burst;
        println!(
            "{operation:13} {burst:11.2} {alone:9.2} {reference:9.2}, {ratio:.2} of a burst's"
        );
    }
}

/// Different bytes for each job.
fn input(number: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (number * 31 + at * 7) as u8).collect()
}

/// Seconds that each operation takes, of so many in a burst.
fn measured(planner: &mut Planner<MlKemLanes>, count: usize) -> [f64; 3] {
    let mut run = |mut jobs: Vec<MlKemJob<'_, Vec<u8>>>| -> (f64, Vec<Vec<u8>>) {
        let begin = Instant::now();
        planner.process_many(&mut jobs);
        let seconds = begin.elapsed().as_secs_f64() / count as f64;
        (seconds, jobs.into_iter().map(|job| job.into_parts().0).collect())
    };
    let generate = |number| MlKemJob::generate(SET, input(number, SET.private_key_len()), ());
    let (generated, keys) = run((0..count).map(|n| generate(n).expect("good lengths")).collect());
    let key = |bytes: &Vec<u8>| MlKemPrivateKey::new(SET, bytes).expect("a key");
    let keys: Vec<_> = keys.iter().map(key).collect();
    let public = |key: &MlKemPrivateKey| MlKemPublicKey::new(SET, key.public()).expect("a key");
    let public: Vec<_> = keys.iter().map(public).collect();

    let len = SET.ciphertext_len();
    let sent = public.iter().enumerate().map(|(number, key)| {
        let room = input(number, len + MlKemSet::SECRET_LEN);
        MlKemJob::encapsulate(key, room, ()).expect("good lengths")
    });
    let (encapsulated, sent) = run(sent.collect());

    let received = keys.iter().zip(&sent).map(|(key, sent)| {
        MlKemJob::decapsulate(key, sent[..len].to_vec(), ()).expect("good lengths")
    });
    let (decapsulated, received) = run(received.collect());
    let same =
        |(sent, received): (&Vec<u8>, &Vec<u8>)| sent[len..] == received[..MlKemSet::SECRET_LEN];
    assert!(sent.iter().zip(&received).all(same), "both sides have the same secret");
    [generated, encapsulated, decapsulated]
}

/// Seconds that each operation takes the crate.
fn of_the_crate() -> [f64; 3] {
    let seed = input(1, MlKemSet::SEED_LEN);
    let message = input(2, MlKemSet::RANDOMNESS_LEN);
    let (seed, message) = (seed[..].try_into(), message[..].try_into());
    let (seed, message) = (seed.expect("64 bytes"), message.expect("32 bytes"));
    let begin = Instant::now();
    let key = DecapsulationKey::<MlKem768>::from_seed(black_box(seed));
    let generated = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let (ciphertext, secret) = key.encapsulation_key().encapsulate_deterministic(&message);
    let encapsulated = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let received = key.decapsulate(black_box(&ciphertext));
    let decapsulated = begin.elapsed().as_secs_f64();
    assert_eq!(secret, received);
    [generated, encapsulated, decapsulated]
}
