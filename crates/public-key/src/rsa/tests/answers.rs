//! Results of OpenSSL's and of num-bigint's.

use std::println;
use std::vec::Vec;

use broadloom_lanes::{Cpu, InOrder, Job, OutOfOrder, Planner};

use super::{Vector, cpus, vectors};
use crate::rsa::{RsaJob, RsaLanes, RsaOutcome};

/// A job with what must come of it.
type Expected<'a> = RsaJob<'a, Vec<u8>, (usize, Vec<u8>)>;

fn private<'a>(vector: &'a Vector, number: usize) -> Expected<'a> {
    let expected = (number, vector.get("result").to_vec());
    let input = vector.get("text").to_vec();
    RsaJob::private(&vector.key, vector.blind(), input, expected).expect("below the modulus")
}

fn public<'a>(vector: &'a Vector, number: usize) -> Expected<'a> {
    let expected = (number, vector.get("text").to_vec());
    let input = vector.get("result").to_vec();
    RsaJob::public(vector.key.public(), input, expected).expect("below the modulus")
}

fn check(job: &Expected<'_>, cpu: &Cpu) {
    let (number, expected) = job.user();
    let output = job.output().expect("complete").expect("no mistake");
    assert!(output == expected, "job {number} on {}", cpu.isa());
}

#[test]
fn answers_are_those_of_openssl_alone_and_in_full_lanes() {
    let vectors = vectors();
    for cpu in cpus() {
        println!("rsa kernel tested: {}", RsaLanes::kernel_info(&cpu).kernel);
        let mut planner = Planner::new(&cpu);
        for vector in &vectors {
            for count in [1, 2, 3, planner.lanes(), planner.lanes() + 1] {
                let mut jobs: Vec<_> = (0..count).map(|i| private(vector, i)).collect();
                jobs.extend((0..count).map(|i| public(vector, i)));
                planner.process_many(&mut jobs);
                jobs.iter().for_each(|job| check(job, &cpu));
            }
        }
    }
}

#[test]
fn answers_are_right_in_any_mix_by_any_manager() {
    fn drain<J: Job>(flush: impl FnMut() -> Option<J>, check: impl FnMut(J)) {
        core::iter::from_fn(flush).for_each(check);
    }
    let vectors = vectors();
    let count = 3 * vectors.len();
    let job = |i: usize| match i % 3 {
        0 => public(&vectors[i % vectors.len()], i),
        _ => private(&vectors[i * 5 % vectors.len()], i),
    };
    for cpu in cpus() {
        let mut jobs: Vec<_> = (0..count).map(job).collect();
        Planner::new(&cpu).process_many(&mut jobs);
        jobs.iter().for_each(|job| check(job, &cpu));

        for depth in [1, 5, 64] {
            let mut seen = std::vec![0; count];
            let mut back = |job: Expected<'_>| {
                check(&job, &cpu);
                seen[job.user().0] += 1;
            };
            let mut manager = OutOfOrder::new(&cpu, depth);
            (0..count).for_each(|i| manager.submit(job(i)).into_iter().for_each(&mut back));
            drain(|| manager.flush(), &mut back);
            assert!(seen.iter().all(|times| *times == 1), "{seen:?}");

            let mut next = 0;
            let mut back = |job: Expected<'_>| {
                check(&job, &cpu);
                assert_eq!(job.user().0, next);
                next += 1;
            };
            let mut manager = InOrder::new(&cpu, depth);
            (0..count).for_each(|i| manager.submit(job(i)).into_iter().for_each(&mut back));
            drain(|| manager.flush(), &mut back);
            assert_eq!(next, count);
        }
    }
}

#[test]
fn loans_give_the_same_answers() {
    let vectors = vectors();
    for cpu in cpus() {
        let mut planner = Planner::<RsaLanes>::new(&cpu);
        let mut buffers: Vec<_> =
            vectors.iter().map(|v| [v.get("text").to_vec(), v.get("result").to_vec()]).collect();
        let blinds: Vec<_> = vectors.iter().map(Vector::blind).collect();
        let mut outcomes = std::vec![[RsaOutcome::default(); 2]; vectors.len()];
        assert!(outcomes[0][0].check().is_err());
        let each = vectors.iter().zip(&blinds).zip(&mut buffers).zip(&mut outcomes);
        planner.process_each(each.flat_map(|(((vector, blind), buffers), outcomes)| {
            let ([text, result], [first, second]) = (buffers, outcomes);
            [
                RsaLanes::private(&vector.key, blind, text, first).expect("below the modulus"),
                RsaLanes::public(vector.key.public(), result, second).expect("below the modulus"),
            ]
        }));
        for ((vector, buffers), outcomes) in vectors.iter().zip(&buffers).zip(&outcomes) {
            assert!(outcomes.iter().all(|outcome| outcome.check().is_ok()), "{}", vector.name);
            assert_eq!(buffers[0], vector.get("result"), "{} on {}", vector.name, cpu.isa());
            assert_eq!(buffers[1], vector.get("text"), "{} on {}", vector.name, cpu.isa());
        }
    }
}
