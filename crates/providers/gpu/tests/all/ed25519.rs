//! Signatures of Ed25519 by the device, beside those of `native`.

use std::sync::Arc;

use broadloom_engine::{
    Job, JobError, PrivateKey, Processor, PublicKey, Scheme, Secret, Session, Transform,
};
use broadloom_public_key::Ed25519PrivateKey;
use sha2::{Digest, Sha512};

use crate::common::{gpu, native, open, signatures, text};

/// The transforms that sign and verify with a key of its own for each number.
fn transforms(number: u8) -> [Transform; 2] {
    let seed = [number; 32];
    let public = *Ed25519PrivateKey::new(&Sha512::digest(seed).into()).public();
    let private = PrivateKey::Ed25519(Secret::new(seed));
    let sign = Transform::sign(&private, Scheme::default()).expect("the key signs");
    let verify = Transform::verify(&PublicKey::Ed25519(public), Scheme::default());
    [sign, verify.expect("the key verifies")]
}

#[test]
fn signatures_of_many_keys_in_a_batch_are_those_of_native() {
    let Some(gpu) = gpu("ed25519", &[]) else { return };
    let transforms: Vec<_> = (0..7).map(transforms).collect();
    let own: Vec<_> = transforms.iter().map(|[sign, _]| open(&gpu, sign)).collect();
    let others: Vec<_> = transforms.iter().map(|[sign, _]| native(sign)).collect();
    // Around the ends of blocks, of both hashes.
    let lens = [0, 1, 15, 16, 47, 48, 63, 64, 79, 80, 111, 112, 127, 128, 129, 1000, 5000];
    let messages: Vec<_> = lens.iter().cycle().take(70).map(|&len| text(len, len)).collect();
    let made = signatures(&own, &messages);
    assert!(made == signatures(&others, &messages));

    let checks: Vec<_> = transforms.iter().map(|[_, verify]| open(&gpu, verify)).collect();
    let mut jobs = Vec::new();
    for (at, (message, signature)) in messages.iter().zip(&made).enumerate() {
        // Every third is asked of another key than its own.
        let check = &checks[(at + usize::from(at % 3 == 0)) % checks.len()];
        jobs.push(Job::new(check, message.as_slice()).signature(signature));
    }
    Processor::new().process_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        let right = if at % 3 == 0 { Err(JobError::SignatureMismatch) } else { Ok(()) };
        assert_eq!(job.status(), Some(right), "job {at}");
    }
    let statistics = gpu.statistics();
    assert_eq!(statistics.jobs, 2 * messages.len() as u64);
    let occupancy = statistics.occupancy;
    assert!(occupancy.used > 0 && occupancy.used <= occupancy.offered, "{statistics}");
    assert!(!statistics.kernel_time.is_zero() && !statistics.upload_time.is_zero(), "{statistics}");
}

#[test]
fn a_public_key_that_is_no_point_is_refused() {
    let Some(gpu) = gpu("a key of ed25519", &[]) else { return };
    let mut bytes = [0; 32];
    bytes[0] = 2;
    let verify =
        Transform::verify(&PublicKey::Ed25519(bytes), Scheme::default()).expect("32 bytes");
    let error = Session::open(Arc::new(gpu), &verify).expect_err("it is no point").to_string();
    assert!(error.contains("no point of the curve"), "{error}");
}
