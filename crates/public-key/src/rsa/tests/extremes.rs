//! Numbers at their extremes, and random ones, against num-bigint.

use std::vec::Vec;

use broadloom_lanes::Planner;
use num_bigint::BigUint;

use super::{cpus, padded, vectors};
use crate::rsa::{RsaJob, RsaPublicKey};

/// Returns the numbers that differ, from a seed.
fn random(seed: &mut u64, len: usize) -> Vec<u8> {
    let mut byte = || {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 56) as u8
    };
    (0..len).map(|_| byte()).collect()
}

/// Inputs for a modulus: zero, one, and others at the edges of limbs and of the modulus.
fn inputs(n: &BigUint, len: usize, seed: &mut u64) -> Vec<Vec<u8>> {
    let one = BigUint::from(1_u8);
    let bits = 8 * len;
    let mut all = std::vec![BigUint::ZERO, one.clone(), n - 1_u8, n - 2_u8, n >> 1];
    all.extend([28, 52, 64, bits / 2, bits - 1].map(|bit| &one << bit));
    all.extend([28, 52, 64, bits / 2, bits - 1].map(|bit| (&one << bit) - 1_u8));
    all.extend((0..5).map(|_| BigUint::from_bytes_be(&random(seed, len)) % n));
    all.iter().map(|number| padded(&(number % n), len)).collect()
}

#[test]
fn private_operations_are_right_at_the_edges() {
    let (vectors, mut seed) = (vectors(), 1);
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for vector in &vectors {
            let n = BigUint::from_bytes_be(vector.get("n"));
            let inputs = inputs(&n, vector.key.size(), &mut seed);
            // The longer ones take long.
            let every = vector.key.bits() / 1024;
            let mut jobs: Vec<_> = inputs
                .iter()
                .step_by(every * every)
                .map(|input| {
                    let expected = vector.power(input, "d");
                    RsaJob::private(&vector.key, vector.blind(), input.clone(), expected)
                        .expect("below the modulus")
                })
                .collect();
            planner.process_many(&mut jobs);
            for job in &jobs {
                let output = job.output().expect("complete").expect("no mistake");
                assert!(output == job.user(), "{} on {}", vector.name, cpu.isa());
            }
        }
    }
}

#[test]
fn public_operations_are_right_at_the_edges() {
    let mut seed = 2;
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for bits in [1024, 2048, 3072, 4096] {
            let len = bits / 8;
            // Moduli need have no factors here: all limbs ones, hardly any ones, and random.
            let one = BigUint::from(1_u8);
            let ones = (&one << bits) - 1_u8;
            let few = (&one << (bits - 1)) + 1_u8;
            let any = BigUint::from_bytes_be(&random(&mut seed, len)) | &few;
            for (n, e) in [(&ones, 3), (&few, 65537), (&any, u64::MAX), (&any, 0x8000_0001)] {
                let key = RsaPublicKey::new(&n.to_bytes_be(), &e.to_be_bytes());
                let key = key.expect("odd, and of a length that is known");
                let mut jobs: Vec<_> = inputs(n, len, &mut seed)
                    .into_iter()
                    .map(|input| {
                        let base = BigUint::from_bytes_be(&input);
                        let expected = padded(&base.modpow(&BigUint::from(e), n), len);
                        RsaJob::public(&key, input, expected).expect("below the modulus")
                    })
                    .collect();
                planner.process_many(&mut jobs);
                for job in &jobs {
                    let output = job.output().expect("complete").expect("no mistake");
                    assert!(output == job.user(), "{bits} bits, exponent {e} on {}", cpu.isa());
                }
            }
        }
    }
}
