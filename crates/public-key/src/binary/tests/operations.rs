//! Signatures, verifications and agreements.

use std::format;
use std::vec;
use std::vec::Vec;

use broadloom_lanes::{Cpu, InOrder, OutOfOrder, Planner};

use super::super::{BinaryCurveJob, BinaryKeyError, BinaryPrivateKey, BinaryPublicKey};
use super::reference::multiple;
use super::{cpus, many, random, scalars};
use crate::curves::{CurveError, CurveInputError};
use crate::kernels::binary::curve::{BinaryCurve, BinaryCurve::B283, BinaryCurve::K283};
use crate::kernels::binary::element::to_bytes;

/// What OpenSSL made: the scalars of two parties, the points' coordinates of the second, their
/// shared secret; the second's signature of a message whose digest is [`DIGEST`].
struct Known {
    curve: BinaryCurve,
    one: &'static str,
    other: &'static str,
    point: &'static str,
    shared: &'static str,
    signature: &'static str,
}

/// SHA-256 of `a message`.
const DIGEST: &str = "f53c09ca39717a45c62d9aca8f8113eddbfd5f81dcab0b33b1c1834075225e68";

const KNOWN: [Known; 2] = [
    Known {
        curve: K283,
        one: "0081c0efb0bdf6c64a88344c6e093cff372f1e78df5aa686380cbe9b4a4aa5bf3dfcf9a3",
        other: "000f785cf0166ab2e63b90c8f494af04901ae71fbb1173aab0fdb08dad5974d9232c53e4",
        point: "07d58f1cc1aa13cae208e0e4d6d92296c0ff09ea3e88f07f38a6d036c286f723f19ca2ab\
                025df92b69da66b4467962682e25ae24aa2a50de8bd9199741980b10fa64ef58c078550c",
        shared: "04a8e7b9e18f42a7215c32bc486276c99868aa2f3f9ffcf737d02735167b066e9663a55b",
        signature: "01c9c1c31b659fcde54a89d187f1c0a0ac639b945a12236ff0af569cc9519fea03d2409b\
                    0155ff06591493976908c66db658e76de31dbbb841e99c239481d52adbb6f2c50b284f02",
    },
    Known {
        curve: B283,
        one: "022e7eb17b2857c5771f2e57e4d98f06233af59448f4439fc13d51316825b118e55b158e",
        other: "018c58147e4f60dfccb1443630293 2f67610e5a63c717a45f959bf7f728e4c0d691dfd2b",
        point: "06674c0a4c0fb68bc398c6f2ffbefd3385237af37bb6cc78e10a6a6e57ba4bbb908450d9\
                030ec828e8a97ae670a0488056d23f105b62014327dd83a0504aabf74a74b7c3e437d944",
        shared: "06ffa58713655d7826f5269f5761308dc97f877a42676413b2e13da26c939bf9c93be516",
        signature: "01f55100ec3104abd78de1c15bc9b140896197745ff175a9d28f3cdd7a95fcc720bfa923\
                    015515dfc68ed1775325966d2c7bb0b6a4180ca8e18ff81d0855affdb4729aa18be2c558",
    },
];

fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn private(curve: BinaryCurve, digits: &str) -> BinaryPrivateKey {
    BinaryPrivateKey::new(curve, &hex(digits).try_into().expect("36 bytes")).expect("a scalar")
}

fn public(curve: BinaryCurve, bytes: &[u8]) -> BinaryPublicKey {
    BinaryPublicKey::new(curve, bytes.try_into().expect("72 bytes")).expect("a point")
}

/// Returns the public key of a private one, by the definition.
fn public_of(key: &BinaryPrivateKey) -> Vec<u8> {
    let curve = key.curve().parameters();
    let (x, y) = multiple(curve, key.scalar(), Some((curve.x, curve.y))).expect("a point");
    [to_bytes(&x), to_bytes(&y)].concat()
}

fn number_of(digest: &[u8]) -> Vec<u8> {
    [&vec![0; 36 - digest.len()], digest].concat()
}

#[test]
fn results_are_those_of_openssl() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for known in &KNOWN {
            let (one, other) = (private(known.curve, known.one), private(known.curve, known.other));
            let point = hex(known.point);
            assert_eq!(public_of(&other), point);
            let agree = |key, point| BinaryCurveJob::agree(key, point, ()).expect("72 bytes");
            let mut jobs = [agree(&one, point.clone()), agree(&other, public_of(&one))];
            planner.process_many(&mut jobs);
            let shared = [hex(known.shared), vec![0; 36]].concat();
            for job in &jobs {
                assert_eq!(job.output(), Some(Ok(&shared[..])), "{}", cpu.isa());
            }
            let key = public(known.curve, &point);
            let input = [number_of(&hex(DIGEST)), hex(known.signature)].concat();
            let mut jobs = [BinaryCurveJob::verify(&key, input.clone(), ()).expect("108 bytes")];
            planner.process_many(&mut jobs);
            assert_eq!(jobs[0].output(), Some(Ok(&[0; 108][..])), "{}", cpu.isa());
            for at in 0..108 {
                let mut wrong = input.clone();
                wrong[at] ^= 1;
                let mut jobs = [BinaryCurveJob::verify(&key, wrong, ()).expect("108 bytes")];
                planner.process_many(&mut jobs);
                assert_eq!(jobs[0].output(), Some(Err(CurveError)), "byte {at}");
                if many(2) == 1 {
                    break;
                }
            }
        }
    }
}

/// A job with what it must come to.
type Case<'a> = (BinaryCurveJob<'a, Vec<u8>, usize>, Result<Vec<u8>, CurveError>);

/// Jobs of all kinds, curves and keys: signatures whose nonces are scalars at their extremes, their
/// verifications, agreements.
fn through<'a>(
    cpu: &Cpu,
    mut run: impl FnMut(
        &Cpu,
        Vec<BinaryCurveJob<'a, Vec<u8>, usize>>,
        &mut dyn FnMut(usize, Result<Vec<u8>, CurveError>),
    ),
    cases: Vec<Case<'a>>,
) {
    let (jobs, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    let mut seen = vec![false; expected.len()];
    run(cpu, jobs, &mut |number, output| {
        assert!(!core::mem::replace(&mut seen[number], true), "once");
        assert_eq!(output, expected[number], "{} {number}", cpu.isa());
    });
    assert!(seen.iter().all(|seen| *seen));
}

fn output(job: &BinaryCurveJob<'_, Vec<u8>, usize>) -> Result<Vec<u8>, CurveError> {
    job.output().expect("complete").map(<[u8]>::to_vec)
}

#[test]
fn a_mix_is_right_by_every_manager() {
    let mut scalars_of = Vec::new();
    for curve in BinaryCurve::ALL {
        for scalar in scalars(&curve.parameters().order) {
            scalars_of
                .push(BinaryPrivateKey::new(curve, &to_bytes(&scalar)).expect("it is a scalar"));
        }
    }
    let half = scalars_of.len() / 2;
    let points: Vec<Vec<u8>> = scalars_of.iter().map(public_of).collect();
    let keys: Vec<BinaryPublicKey> =
        scalars_of.iter().zip(&points).map(|(key, point)| public(key.curve(), point)).collect();
    // By one lane on integers; each result is verified on the others.
    let portable = Cpu::with_isa(broadloom_lanes::Isa::Portable).expect("every machine has it");
    let of = |index: usize, by: usize| (index / half) * half + (index % half + by) % half;
    let number = |index: usize| {
        let mut words = random(index as u64 + 100);
        words[4] &= (1 << 27) - 1;
        to_bytes(&words).to_vec()
    };
    let mut signatures = Vec::new();
    let mut planner = Planner::new(&portable);
    for (index, key) in scalars_of.iter().enumerate() {
        let nonce = &scalars_of[of(index, 1)];
        let input = [number(index), vec![0xaa; 36]].concat();
        let mut jobs = [BinaryCurveJob::sign(key, nonce, input, ()).expect("72 bytes")];
        planner.process_many(&mut jobs);
        signatures.push(jobs[0].output().expect("complete").expect("a signature").to_vec());
    }
    let secrets: Vec<Vec<u8>> = (0..scalars_of.len())
        .map(|index| {
            let (key, peer) = (&scalars_of[index], &scalars_of[of(index, 2)]);
            let curve = key.curve().parameters();
            let order = &curve.order;
            let both = order.product(&order.form(key.scalar()), peer.scalar());
            let shared = multiple(curve, &both, Some((curve.x, curve.y))).expect("a point");
            [to_bytes(&shared.0).to_vec(), vec![0; 36]].concat()
        })
        .collect();
    let cases = || {
        let mut cases: Vec<Case<'_>> = Vec::new();
        for (index, key) in scalars_of.iter().enumerate() {
            let nonce = &scalars_of[of(index, 1)];
            let input = [number(index), vec![0xaa; 36]].concat();
            let at = cases.len();
            let sign = BinaryCurveJob::sign(key, nonce, input, at).expect("72 bytes");
            cases.push((sign, Ok(signatures[index].clone())));
            let input = [number(index), signatures[index].clone()].concat();
            let verify = BinaryCurveJob::verify(&keys[index], input.clone(), at + 1);
            cases.push((verify.expect("108 bytes"), Ok(vec![0; 108])));
            let other = BinaryCurveJob::verify(&keys[of(index, 1)], input, at + 2);
            cases.push((other.expect("108 bytes"), Err(CurveError)));
            let peer = of(index, 2);
            let agree = BinaryCurveJob::agree(key, points[peer].clone(), at + 3);
            let secret = secrets[index].clone();
            cases.push((agree.expect("72 bytes"), Ok(secret)));
            let off = BinaryCurveJob::agree(key, vec![1; 72], at + 4).expect("72 bytes");
            cases.push((off, Err(CurveError)));
        }
        cases
    };
    for cpu in cpus() {
        let all = cases();
        through(
            &cpu,
            |cpu, mut jobs, check| {
                Planner::new(cpu).process_many(&mut jobs);
                jobs.iter().for_each(|job| check(*job.user(), output(job)));
            },
            all,
        );
        through(
            &cpu,
            |cpu, jobs, check| {
                let mut manager = OutOfOrder::new(cpu, 16);
                for job in jobs {
                    manager
                        .submit(job)
                        .into_iter()
                        .for_each(|job| check(*job.user(), output(&job)));
                }
                while let Some(job) = manager.flush() {
                    check(*job.user(), output(&job));
                }
            },
            cases(),
        );
        through(
            &cpu,
            |cpu, jobs, check| {
                let mut manager = InOrder::new(cpu, 16);
                for job in jobs {
                    manager
                        .submit(job)
                        .into_iter()
                        .for_each(|job| check(*job.user(), output(&job)));
                }
                while let Some(job) = manager.flush() {
                    check(*job.user(), output(&job));
                }
            },
            cases(),
        );
    }
}

/// The sum of a verification is no ordinary one: the digest is zero, both points are the same, or
/// each is the other's negative.
#[test]
fn unusual_sums_are_right() {
    for curve in BinaryCurve::ALL {
        let parameters = curve.parameters();
        let order = &parameters.order;
        let key = private(curve, &format!("{:072x}", 7));
        let point = public_of(&key);
        let (key, public_key) = (key, public(curve, &point));
        let nonce = private(curve, &format!("{:072x}", 99));
        // The digest number for which u1 G and u2 Q are equal is r d; for which they cancel, -r d.
        let r = order.reduced(
            multiple(parameters, nonce.scalar(), Some((parameters.x, parameters.y)))
                .expect("a point")
                .0,
        );
        let same = order.product(&order.form(&r), key.scalar());
        let minus = order.product(&order.form(&order.minus_one()), &same);
        for cpu in cpus() {
            let mut planner = Planner::new(&cpu);
            for (number, is_signed) in [([0; 5], true), (same, true), (minus, false)] {
                let number = to_bytes(&number).to_vec();
                let input = [number.clone(), vec![0; 36]].concat();
                let mut jobs = [BinaryCurveJob::sign(&key, &nonce, input, ()).expect("72 bytes")];
                planner.process_many(&mut jobs);
                let Some(signed) = jobs[0].output() else { panic!("it is complete") };
                assert_eq!(signed.is_ok(), is_signed);
                let signature = signed.map_or([to_bytes(&r), to_bytes(&r)].concat(), Vec::from);
                let input = [number, signature].concat();
                let mut jobs = [BinaryCurveJob::verify(&public_key, input, ()).expect("108 bytes")];
                planner.process_many(&mut jobs);
                assert_eq!(jobs[0].output().expect("complete").is_ok(), is_signed, "{}", cpu.isa());
            }
        }
    }
}

#[test]
fn bad_keys_and_lengths_are_named() {
    for curve in BinaryCurve::ALL {
        let order = to_bytes(&curve.parameters().order.minus_one());
        let mut above = order;
        above[35] += 1;
        for bad in [[0; 36], above, [0xff; 36]] {
            assert_eq!(BinaryPrivateKey::new(curve, &bad).unwrap_err(), BinaryKeyError::Scalar);
        }
        let key = BinaryPrivateKey::new(curve, &order).expect("the last scalar");
        let point: [u8; 72] = public_of(&key).try_into().expect("72 bytes");
        assert!(BinaryPublicKey::new(curve, &point).is_ok());
        let refused = |change: &dyn Fn(&mut [u8; 72])| {
            let mut point = point;
            change(&mut point);
            BinaryPublicKey::new(curve, &point).unwrap_err()
        };
        assert_eq!(refused(&|point| point[0] |= 0x08), BinaryKeyError::Coordinate);
        assert_eq!(refused(&|point| point[36] |= 0x80), BinaryKeyError::Coordinate);
        assert_eq!(refused(&|point| point[71] ^= 1), BinaryKeyError::OffCurve);
        assert_eq!(refused(&|point| point.fill(0)), BinaryKeyError::OffCurve);
        let error = CurveInputError { given: 71, wanted: 72 };
        assert_eq!(BinaryCurveJob::agree(&key, vec![0; 71], ()).err(), Some(error));
    }
    let two = BinaryCurve::K283;
    let mut point = [0; 72];
    point[71] = 1;
    assert_eq!(BinaryPublicKey::new(two, &point).unwrap_err(), BinaryKeyError::Subgroup);
}
