//! P-256: the examples of RFC 6979, and its definition.

use std::string::String;
use std::vec::Vec;

use num_bigint::BigUint;

use super::reference256::{
    base, bytes, coordinates, multiple, negative, order, prime, signature, sum,
};
use super::{cpus, hex, many};
use crate::curves::p256::multiply::DIGITS;
use crate::curves::p256::points::{Point, TABLE, table};
use crate::curves::{CurveError, CurveJob, P256KeyError, P256PrivateKey, P256PublicKey};
use crate::manager::{OutOfOrder, Planner};
use crate::{CurveInputError, CurveLanes, X25519Key};

/// The private key of RFC 6979, section A.2.5, and its point.
const KEY: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
const POINT: &str = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
                     7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";

/// Nonces and signatures of the same section, of the messages `sample` and `test` with SHA-256.
const KNOWN: [[&str; 4]; 2] = [
    [
        "sample",
        "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ],
    [
        "test",
        "d16b6ae827f17175e040871a1c7ec3500192c4c92677336ec2537acaee0008e0",
        "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
        "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
    ],
];

fn private(number: &BigUint) -> P256PrivateKey {
    P256PrivateKey::new(&bytes(number)).expect("below the order")
}

fn array<const LEN: usize>(digits: &str) -> [u8; LEN] {
    hex(digits).try_into().expect("as many digits")
}

/// A number that looks random.
fn random(seed: u64) -> BigUint {
    let word =
        |i: u64| ((seed + 1) * (2 * i + 7)).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    BigUint::from_bytes_le(&[0, 1, 2, 3].map(word).concat()) % order()
}

/// Numbers from one to the order less one: at both ends, where digits are at their extremes, near
/// multiples of 32, and others.
fn numbers() -> Vec<BigUint> {
    let (one, n) = (BigUint::from(1u8), order());
    let mut numbers = Vec::new();
    for small in [1u8, 2, 15, 16, 17, 18, 31, 32, 33, 48] {
        numbers.extend([BigUint::from(small), &n - small]);
    }
    for power in [5usize, 64, 224, 225, 250, 255] {
        let power = &one << power;
        numbers.extend([&power - 1u8, power.clone(), &power + 1u8, &n - &power]);
    }
    // All digits are -16, or all 15.
    let sixteens: BigUint = (0..51usize).map(|at| BigUint::from(16u8) << (5 * at)).sum();
    numbers.extend([(&one << 255usize) - &sixteens, &sixteens - (&sixteens >> 4)]);
    numbers.extend((0..many(12) as u64).map(random));
    numbers
}

fn outputs<T>(jobs: &[CurveJob<'_, Vec<u8>, T>]) -> Vec<Option<Vec<u8>>> {
    let output = |job: &CurveJob<'_, Vec<u8>, T>| match job.output().expect("complete") {
        Ok(output) => Some(output.to_vec()),
        Err(CurveError) => None,
    };
    jobs.iter().map(output).collect()
}

fn verified(planner: &mut Planner<CurveLanes>, checks: &[(P256PublicKey, Vec<u8>)]) -> Vec<bool> {
    let mut jobs: Vec<_> = checks
        .iter()
        .map(|(key, input)| CurveJob::p256_verify(key, input.clone(), ()).expect("96 bytes"))
        .collect();
    planner.process_many(&mut jobs);
    outputs(&jobs)
        .into_iter()
        .map(|output| output.inspect(|zeros| assert_eq!(zeros, &[0; 96])).is_some())
        .collect()
}

#[test]
fn signatures_are_those_of_the_standard_alone_and_in_full_lanes() {
    use sha2::Digest;

    let key = P256PrivateKey::new(&array(KEY)).expect("a key");
    let public = P256PublicKey::new(&array(POINT)).expect("a point");
    let known: Vec<_> = KNOWN
        .iter()
        .map(|[message, nonce, r, s]| {
            let nonce = P256PrivateKey::new(&array(nonce)).expect("a nonce");
            (nonce, sha2::Sha256::digest(message).to_vec(), hex(&[*r, *s].concat()))
        })
        .collect();
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, 3, planner.lanes(), planner.lanes() + 1, 17] {
            let all: Vec<_> = known.iter().cycle().take(count).collect();
            let mut jobs: Vec<_> = all
                .iter()
                .map(|(nonce, digest, _)| {
                    let input = [&digest[..], &[0xaa; 32]].concat();
                    CurveJob::p256_sign(&key, nonce, input, ()).expect("64 bytes")
                })
                .collect();
            planner.process_many(&mut jobs);
            for (output, (_, _, expected)) in outputs(&jobs).iter().zip(&all) {
                assert_eq!(output.as_ref(), Some(expected), "{}", cpu.isa());
            }
            let checks: Vec<_> = all
                .iter()
                .map(|(_, digest, signature)| (public.clone(), [&digest[..], signature].concat()))
                .collect();
            assert!(verified(&mut planner, &checks).iter().all(|right| *right), "{}", cpu.isa());
        }
    }
}

/// Of the base point by signatures, of others by shared secrets.
#[test]
fn products_are_those_of_the_definition() {
    let other = multiple(&BigUint::from(12_345u32), &base());
    let expected: Vec<_> = numbers()
        .into_iter()
        .enumerate()
        .map(|(at, number)| {
            // An agreement with a product of the base point is one more multiplication of that.
            let point = if at % 3 == 0 { base() } else { other.clone() };
            let x = multiple(&number, &point).expect("below the order").0;
            let signed = random(at as u64 + 77);
            let right = signature(&random(at as u64), &number, &signed);
            (number, coordinates(&point), bytes(&x), signed, right)
        })
        .collect();
    for cpu in cpus() {
        let keys: Vec<_> = (0..expected.len() as u64).map(|seed| private(&random(seed))).collect();
        let scalars: Vec<_> = expected.iter().map(|(number, ..)| private(number)).collect();
        // Other operations are in between.
        let x25519 = X25519Key::new(&[7; 32]);
        let mut manager = OutOfOrder::new(&cpu, 64);
        let mut checked = 0;
        let mut check = |job: CurveJob<'_, Vec<u8>, Option<(usize, bool)>>| {
            let output = job.output().expect("complete").expect("good points and nonces");
            let Some((at, signs)) = *job.user() else { return };
            let (number, _, x, _, right) = &expected[at];
            match signs {
                true => assert_eq!(output, right, "{number:x} on {}", cpu.isa()),
                false => {
                    assert_eq!(output, [&x[..], &[0; 32]].concat(), "{number:x} on {}", cpu.isa())
                }
            }
            checked += 1;
        };
        for (at, (_, point, _, signed, _)) in expected.iter().enumerate() {
            let input = [bytes(signed), [0; 32]].concat();
            let jobs = [
                CurveJob::p256_sign(&keys[at], &scalars[at], input, Some((at, true))),
                CurveJob::p256_agree(&scalars[at], point.to_vec(), Some((at, false))),
                CurveJob::x25519(&x25519, std::vec![9; 32], None),
            ];
            for job in jobs.into_iter().take(if at % 7 == 0 { 3 } else { 2 }) {
                manager.submit(job.expect("the right length")).into_iter().for_each(&mut check);
            }
        }
        core::iter::from_fn(|| manager.flush()).for_each(&mut check);
        assert_eq!(checked, 2 * expected.len());
    }
}

/// A signature of which the base point is to be multiplied by `u`, and the key's by `v`; right, if
/// their sum is not neutral.
fn made(key: &BigUint, u: &BigUint, v: &BigUint) -> (P256PublicKey, Vec<u8>, bool) {
    let n = order();
    let point = multiple(key, &base());
    let products = sum(&multiple(u, &base()), &multiple(v, &point));
    let is_right = products.is_some();
    let r = products.map_or(BigUint::from(5u8), |(x, _)| x % &n);
    let s = &r * v.modinv(&n).expect("not zero") % &n;
    let number = u * &s % &n;
    let input = [bytes(&number), bytes(&r), bytes(&s)].concat();
    (P256PublicKey::new(&coordinates(&point)).expect("a point"), input, is_right)
}

#[test]
fn sums_that_are_doublings_or_neutral_are_verified_rightly() {
    let n = order();
    let mut checks = Vec::new();
    let keys = [BigUint::from(1u8), &n - 1u8, BigUint::from(2u8), &n - 32u8, random(9)];
    for (at, key) in keys.iter().enumerate() {
        let v = random(at as u64 + 20);
        let own = key * &v % &n;
        for (u, v) in [
            // Twice a point; no point; only one of the products; and close to that.
            (own.clone(), v.clone()),
            (&n - &own, v.clone()),
            (BigUint::ZERO, v.clone()),
            ((&own + 1u8) % &n, v.clone()),
            (key.clone(), BigUint::from(1u8)),
            (&n - key, BigUint::from(1u8)),
            (key * 3u8 % &n, BigUint::from(2u8)),
        ] {
            checks.push(made(key, &u, &v));
        }
    }
    assert!(checks.iter().any(|(_, _, is_right)| !is_right));
    // Keys with their multiples and without, in turn and in groups.
    for prepared in [|_| false, |_| true, |at| at % 2 == 0, |at| at / 8 % 2 == 0, |at| at % 8 == 0]
        as [fn(usize) -> bool; 5]
    {
        let with = |(at, (key, input, _)): (usize, &(P256PublicKey, Vec<u8>, bool))| {
            let mut key = key.clone();
            if prepared(at) {
                key.prepare();
            }
            (key, input.clone())
        };
        let inputs: Vec<_> = checks.iter().enumerate().map(with).collect();
        for cpu in cpus() {
            let mut planner = Planner::new(&cpu);
            let together = verified(&mut planner, &inputs);
            for (at, (_, _, expected)) in checks.iter().enumerate() {
                assert_eq!(together[at], *expected, "{at} on {}", cpu.isa());
                let alone = verified(&mut planner, &inputs[at..=at]);
                assert_eq!(alone, [*expected], "{at} on {}", cpu.isa());
            }
        }
    }
}

#[test]
fn wrong_signatures_beside_right_ones_do_not_verify() {
    let n = order();
    let (key, right, _) = made(&random(1), &random(2), &random(3));
    let flipped = (0..768).step_by(768 / many(48)).map(|bit| {
        let mut wrong = right.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        wrong
    });
    let with = |at: usize, number: &BigUint| {
        let mut wrong = right.clone();
        wrong[at..at + 32].copy_from_slice(&bytes(number));
        wrong
    };
    let [r, s] = [32, 64].map(|at| BigUint::from_bytes_be(&right[at..at + 32]));
    let out_of_range = [32, 64].into_iter().flat_map(|at| {
        let highest = (BigUint::from(1u8) << 256usize) - 1u8;
        [BigUint::ZERO, n.clone(), &n + 1u8, highest].map(|number| with(at, &number))
    });
    let mut wrong: Vec<_> = flipped.chain(out_of_range).collect();
    wrong.extend([with(32, &(&n - &r)), std::vec![0; 96], std::vec![0xff; 96]]);
    // The other nonce of the same r verifies, too.
    let other = with(64, &(&n - &s));
    let mut checks: Vec<_> = wrong
        .into_iter()
        .flat_map(|wrong| [(key.clone(), wrong), (key.clone(), right.clone())])
        .collect();
    checks.extend([(key.clone(), right[..].to_vec()), (key, other)]);
    for cpu in cpus() {
        let results = verified(&mut Planner::new(&cpu), &checks);
        for (at, is_right) in results.iter().enumerate() {
            let expected = at % 2 == 1 || at + 2 == checks.len();
            assert_eq!(*is_right, expected, "{at} on {}", cpu.isa());
        }
    }
}

#[test]
fn points_off_the_curve_have_no_secret_and_those_beside_them_have() {
    let (one, other) = (random(4), random(5));
    let [ours, theirs] = [&one, &other].map(|key| multiple(key, &base()));
    let shared = multiple(&other, &ours).expect("not neutral").0;
    let (x, y) = theirs.clone().expect("not neutral");
    let point = |x: &BigUint, y: &BigUint| [bytes(x), bytes(y)].concat();
    let bad = [
        point(&x, &(&y + 1u8)),
        point(&y, &x),
        point(&prime(), &y),
        point(&x, &prime()),
        point(&BigUint::ZERO, &BigUint::ZERO),
        std::vec![0xff; 64],
    ];
    let (one, other) = (private(&one), private(&other));
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for bad in &bad {
            let inputs =
                [(&one, &theirs), (&one, &None), (&other, &ours), (&one, &negative(&theirs))];
            let mut jobs: Vec<_> = inputs
                .into_iter()
                .map(|(key, point)| {
                    let input = match point {
                        Some(_) => coordinates(point).to_vec(),
                        None => bad.clone(),
                    };
                    CurveJob::p256_agree(key, input, ()).expect("64 bytes")
                })
                .collect();
            planner.process_many(&mut jobs);
            let right = [&bytes(&shared)[..], &[0; 32]].concat();
            let right = Some(right);
            let expected = [right.clone(), None, right.clone(), right];
            assert_eq!(outputs(&jobs), expected, "{bad:x?} on {}", cpu.isa());
            let (buffer, ()) = jobs.swap_remove(1).into_parts();
            assert_eq!(buffer, [0; 64]);
        }
    }
}

#[test]
fn bad_keys_are_refused_by_the_rule_that_they_break() {
    let n = order();
    for bad in [BigUint::ZERO, n.clone(), n + 1u8] {
        assert_eq!(P256PrivateKey::new(&bytes(&bad)).unwrap_err(), P256KeyError::Scalar);
    }
    let (x, y) = base().expect("a point");
    let refused = |x: &BigUint, y: &BigUint| {
        let both: [u8; 64] = [bytes(x), bytes(y)].concat().try_into().expect("64 bytes");
        P256PublicKey::new(&both).map(|key| *key.bytes()).unwrap_err()
    };
    assert_eq!(refused(&prime(), &y), P256KeyError::Coordinate);
    assert_eq!(refused(&x, &(prime() + 1u8)), P256KeyError::Coordinate);
    assert_eq!(refused(&x, &(&y + 1u8)), P256KeyError::OffCurve);
    assert_eq!(refused(&BigUint::ZERO, &BigUint::ZERO), P256KeyError::OffCurve);
    let texts: Vec<String> =
        [P256KeyError::Scalar, P256KeyError::Coordinate, P256KeyError::OffCurve]
            .map(|error| std::format!("{error}"))
            .into();
    assert!(texts[0].contains("zero") && texts[1].contains("prime") && texts[2].contains("P-256"));
    let key = private(&random(0));
    let short = CurveJob::p256_agree(&key, std::vec![0; 63], ()).err();
    assert_eq!(short, Some(CurveInputError { given: 63, wanted: 64 }));
    let long = CurveJob::p256_sign(&key, &key, std::vec![0; 65], ()).err();
    assert_eq!(long, Some(CurveInputError { given: 65, wanted: 64 }));
}

/// The table of the base point is in a file. The variable `BROADLOOM_WRITE_TABLE` has it written.
#[test]
fn the_table_has_the_multiples_of_the_base_point() {
    let right = table::<DIGITS>(&Point::BASE, 5);
    if std::env::var_os("BROADLOOM_WRITE_TABLE").is_some() {
        let words = right.as_flattened().as_flattened().iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/curves/p256/table.bin");
        std::fs::write(path, bytes).expect("the source can be written");
    }
    assert!(TABLE == right, "the file `table.bin` is out of date");
}
