//! Signatures of SLH-DSA by the device, beside those of `native`.

use broadloom_engine::{
    Job, JobError, PrivateKey, Processor, PublicKey, Scheme, SlhDsaPrivateKey, SlhDsaSet, Transform,
};
use broadloom_gpu::Gpu;
use broadloom_lanes::Cpu;
use broadloom_native::generate_slh_dsa;

use crate::common::{gpu, native, open, signatures, text};

/// The transforms that sign and verify under a context.
fn transforms(key: &SlhDsaPrivateKey, scheme: Scheme, context: &[u8]) -> [Transform; 2] {
    let sign = Transform::sign(&PrivateKey::SlhDsa(key.clone()), scheme).expect("it signs");
    let public = PublicKey::SlhDsa(key.public());
    let verify = Transform::verify(&public, Scheme::default()).expect("it verifies");
    [sign, verify].map(|transform| transform.context(context).expect("it is short"))
}

/// Transforms of new keys of these sets, each under a context of its own.
fn of_sets(sets: &[SlhDsaSet]) -> Vec<[Transform; 2]> {
    let keys = sets.iter().flat_map(|set| generate_slh_dsa(&Cpu::detect(), *set, 1));
    let keys = keys.flatten().enumerate();
    keys.map(|(at, key)| transforms(&key, Scheme::default(), &text(at, 40 * at))).collect()
}

/// Signs at the device and at `native`, and compares. The signatures.
fn compared(gpu: &Gpu, transforms: &[[Transform; 2]], messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let own: Vec<_> = transforms.iter().map(|[sign, _]| open(gpu, sign)).collect();
    let others: Vec<_> = transforms.iter().map(|[sign, _]| native(sign)).collect();
    let made = signatures(&own, messages);
    for (at, right) in signatures(&others, messages).iter().enumerate() {
        assert!(made[at] == *right, "{}, job {at}", own[at % own.len()].algorithm());
    }
    made
}

#[test]
fn signatures_of_many_keys_and_sets_in_a_batch_are_those_of_native() {
    use SlhDsaSet::*;
    let Some(gpu) = gpu("slh-dsa", &[]) else { return };
    let transforms =
        of_sets(&[Sha2_128f, Sha2_192f, Sha2_128f, Sha2_256f, Shake128f, Sha2_128f, Shake256f]);
    // Around the ends of blocks, behind what is hashed before a message.
    let lens = [0, 1, 13, 14, 15, 61, 62, 63, 500, 5000, 125, 126, 127, 128];
    let messages: Vec<_> = lens.iter().map(|&len| text(len, len)).collect();
    let made = compared(&gpu, &transforms, &messages);

    let checks: Vec<_> = transforms.iter().map(|[_, verify]| open(&gpu, verify)).collect();
    let mut wrong = made.clone();
    for (at, signature) in wrong.iter_mut().enumerate() {
        // The randomizer, FORS, and layers.
        let place = at * (signature.len() - 1) / (messages.len() - 1);
        signature[place] ^= 1 << (at % 8);
    }
    let mut jobs = Vec::new();
    for (at, (message, signature)) in messages.iter().zip(&made).enumerate() {
        let own = &checks[at % checks.len()];
        jobs.push(Job::new(own, message.as_slice()).signature(signature));
        jobs.push(Job::new(own, message.as_slice()).signature(&wrong[at]));
        // Another message, another key, and another length than signatures have.
        jobs.push(Job::new(own, &b"other"[..]).signature(signature));
        let other = &checks[(at + 2) % checks.len()];
        jobs.push(Job::new(other, message.as_slice()).signature(signature));
        jobs.push(Job::new(own, message.as_slice()).signature(&signature[1..]));
    }
    Processor::new().process_many(&mut jobs);
    for (at, job) in jobs.iter().enumerate() {
        let right = if at % 5 == 0 { Ok(()) } else { Err(JobError::SignatureMismatch) };
        assert_eq!(job.status(), Some(right), "job {at}");
    }
    let statistics = gpu.statistics();
    let occupancy = statistics.occupancy;
    assert!(occupancy.used > 0 && occupancy.used <= occupancy.offered, "{statistics}");
}

#[test]
fn jobs_that_need_more_memory_than_a_batch_has_go_in_pieces() {
    let set = SlhDsaSet::Sha2_256f;
    let transforms = of_sets(&[set, set]);
    let messages: Vec<_> = (0..3).map(|at| text(at, 40)).collect();
    // A job needs 1.6 MiB between kernels, of 1 MiB and of 2 MiB that a batch has.
    for batch in ["64K", "128K"] {
        let Some(gpu) = gpu("slh-dsa in pieces", &[("batch", batch)]) else { return };
        compared(&gpu, &transforms, &messages);
        let statistics = gpu.statistics();
        assert_eq!((statistics.jobs, statistics.batches), (3, 3), "{batch}");
        // What is between does not come back.
        let signatures = 3 * set.signature_len() as u64;
        assert!(statistics.downloaded < signatures + 3 * 64, "{statistics}");
    }
}

#[test]
fn hedged_signatures_differ_and_verify_at_native() {
    let Some(gpu) = gpu("hedged slh-dsa", &[]) else { return };
    let keys = generate_slh_dsa(&Cpu::detect(), SlhDsaSet::Sha2_128f, 1).expect("random bytes");
    let [sign, verify] = transforms(&keys[0], Scheme::default().hedged(), b"hedged");
    let message = text(3, 99);
    let made = signatures(&[open(&gpu, &sign)], &[message.clone(), message.clone()]);
    assert!(made[0] != made[1] && made[0][..16] != made[1][..16]);
    let check = native(&verify);
    let job = |signature| Job::new(&check, message.as_slice()).signature(signature);
    let mut jobs: Vec<_> = made.iter().map(job).collect();
    Processor::new().process_many(&mut jobs);
    assert!(jobs.iter().all(|job| job.status() == Some(Ok(()))));
}
