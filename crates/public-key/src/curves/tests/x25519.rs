//! X25519: the examples of RFC 7748, and x25519-dalek.

use std::println;
use std::vec::Vec;

use broadloom_lanes::{OutOfOrder, Planner};
use curve25519_dalek::montgomery::MontgomeryPoint;

use super::{cpus, hex, many};
use crate::curves::{CurveError, CurveJob, CurveLanes, X25519Key};

/// Scalar, point and product of RFC 7748, section 5.2.
const KNOWN: [[&str; 3]; 2] = [
    [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ],
    [
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ],
];

#[test]
fn answers_are_those_of_the_standard() {
    for cpu in cpus() {
        println!("curves kernel tested: {}", CurveLanes::kernel_info(&cpu).kernel);
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, planner.lanes(), planner.lanes() + 1] {
            for [scalar, point, product] in KNOWN {
                let key = X25519Key::new(&hex(scalar).try_into().expect("32 bytes"));
                let job = |_| CurveJob::x25519(&key, hex(point), ()).expect("32 bytes");
                let mut jobs: Vec<_> = (0..count).map(job).collect();
                planner.process_many(&mut jobs);
                for job in &jobs {
                    assert_eq!(job.output(), Some(Ok(&hex(product)[..])), "{}", cpu.isa());
                }
            }
        }
    }
}

/// Points and scalars with limbs at their extremes, and some others.
fn inputs() -> Vec<([u8; 32], [u8; 32])> {
    let mut bytes = Vec::from([[0; 32], [0xff; 32], [1; 32], [0x55; 32]]);
    for at in 0..32 {
        let (mut low, mut high) = ([0; 32], [0xff; 32]);
        low[..at].fill(0xff);
        high[..at].fill(0);
        bytes.extend([low, high]);
    }
    // The prime, and its neighbours: zero, one, and what is not below the prime.
    for low in 0xe9..=0xff {
        let mut near = [0xff; 32];
        (near[0], near[31]) = (low, 0x7f);
        bytes.push(near);
    }
    let random = |seed: u8| core::array::from_fn(|i| (i as u8 ^ seed).wrapping_mul(167) ^ seed);
    bytes.extend((0..many(60) as u8).map(random));
    let keys = bytes.iter().cycle().skip(17);
    bytes.iter().zip(keys).map(|(point, key)| (*key, *point)).collect()
}

#[test]
fn answers_are_those_of_dalek() {
    for cpu in cpus() {
        let expected: Vec<_> = inputs()
            .into_iter()
            .map(|(key, point)| {
                let shared = MontgomeryPoint(point).mul_clamped(key);
                (X25519Key::new(&key), point, shared.to_bytes())
            })
            .collect();
        let mut manager = OutOfOrder::new(&cpu, 64);
        let mut checked = 0;
        let mut check = |job: CurveJob<'_, Vec<u8>, [u8; 32]>| {
            assert!(job.is_complete());
            let expected = *job.user();
            match job.output().expect("complete") {
                Ok(shared) => assert_eq!(shared, expected, "{}", cpu.isa()),
                Err(CurveError) => {
                    assert_eq!(expected, [0; 32], "{}", cpu.isa());
                    assert_eq!(job.into_parts().0, [0; 32]);
                }
            }
            checked += 1;
        };
        for (key, point, shared) in &expected {
            let job = CurveJob::x25519(key, point.to_vec(), *shared).expect("32 bytes");
            manager.submit(job).into_iter().for_each(&mut check);
        }
        core::iter::from_fn(|| manager.flush()).for_each(&mut check);
        assert_eq!(checked, expected.len());
    }
}

#[test]
fn public_keys_are_those_of_dalek_in_any_number() {
    let all: Vec<_> = inputs()
        .into_iter()
        .map(|(key, _)| {
            let public = MontgomeryPoint::mul_base_clamped(key).to_bytes();
            (X25519Key::new(&key), public)
        })
        .collect();
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, planner.lanes(), planner.lanes() + 1, all.len()] {
            let mut jobs: Vec<_> = all
                .iter()
                .take(count)
                .map(|(key, _)| CurveJob::x25519_public(key, [7; 32].to_vec(), ()).expect("32"))
                .collect();
            planner.process_many(&mut jobs);
            for (job, (_, public)) in jobs.iter().zip(&all) {
                assert_eq!(job.output(), Some(Ok(&public[..])), "{count} on {}", cpu.isa());
            }
        }
    }
}
