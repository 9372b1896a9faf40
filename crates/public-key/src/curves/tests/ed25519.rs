//! Ed25519: the examples of RFC 8032, and curve25519-dalek.

use std::vec::Vec;

use broadloom_lanes::Planner;
use curve25519_dalek::constants::ED25519_BASEPOINT_POINT as BASE;
use curve25519_dalek::{EdwardsPoint, Scalar};
use sha2::{Digest, Sha512};

use super::{cpus, hex, many};
use crate::curves::{CurveError, CurveJob, Ed25519PrivateKey, Ed25519PublicKey};

/// Private key, public key, message and signature of RFC 8032, section 7.1.
const KNOWN: [[&str; 4]; 3] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
];

fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    Sha512::digest(parts.concat()).into()
}

/// Signs a message for each key, all in one call.
fn sign(
    planner: &mut Planner<crate::CurveLanes>,
    jobs: &[(Ed25519PrivateKey, Vec<u8>)],
) -> Vec<Vec<u8>> {
    let digests = jobs.iter().map(|(key, message)| sha512(&[key.prefix(), message]).to_vec());
    let mut commitments: Vec<_> =
        digests.map(|digest| CurveJob::ed25519_commit(digest, ()).expect("64 bytes")).collect();
    planner.process_many(&mut commitments);
    let signatures = commitments.iter().zip(jobs).map(|(commitment, (key, message))| {
        let both = commitment.output().expect("complete").expect("there is always one");
        let (first, number) = both.split_at(32);
        let digest = sha512(&[first, key.public(), message]);
        [first, &key.respond(number.try_into().expect("32 bytes"), &digest)].concat()
    });
    signatures.collect()
}

/// Verifies a signature for each key, all in one call.
fn verify(
    planner: &mut Planner<crate::CurveLanes>,
    jobs: &[(Ed25519PublicKey, Vec<u8>, Vec<u8>)],
) -> Vec<bool> {
    let mut all: Vec<_> = jobs
        .iter()
        .map(|(key, message, signature)| {
            let digest = sha512(&[&signature[..32], key.bytes(), message]);
            let input = [signature, &digest[..]].concat();
            CurveJob::ed25519_verify(key, input, ()).expect("128 bytes")
        })
        .collect();
    planner.process_many(&mut all);
    let outputs = all.iter().map(|job| match job.output().expect("complete") {
        Ok(output) => output.iter().all(|byte| *byte == 0),
        Err(CurveError) => false,
    });
    outputs.collect()
}

#[test]
fn signatures_are_those_of_the_standard_alone_and_in_full_lanes() {
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, 3, planner.lanes(), planner.lanes() + 1] {
            let known: Vec<_> = (0..count).map(|i| KNOWN[i % 3].map(hex)).collect();
            let jobs: Vec<_> = known
                .iter()
                .map(|[private, _, message, _]| {
                    (Ed25519PrivateKey::new(&sha512(&[private])), message.clone())
                })
                .collect();
            for ((signature, (key, _)), [_, public, _, expected]) in
                sign(&mut planner, &jobs).iter().zip(&jobs).zip(&known)
            {
                assert!(signature == expected && key.public()[..] == public[..], "{}", cpu.isa());
            }
            let checks: Vec<_> = known
                .iter()
                .map(|[_, public, message, signature]| {
                    let public = public[..].try_into().expect("32 bytes");
                    let key = Ed25519PublicKey::new(public).expect("it is a point");
                    (key, message.clone(), signature.clone())
                })
                .collect();
            assert!(verify(&mut planner, &checks).iter().all(|right| *right), "{}", cpu.isa());
        }
    }
}

#[test]
fn wrong_signatures_beside_right_ones_do_not_verify() {
    /// The order of the base point.
    const ORDER: &str = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        let [_, public, message, right] = KNOWN[2].map(hex);
        let key =
            Ed25519PublicKey::new(&public[..].try_into().expect("32 bytes")).expect("a point");
        let flipped = (0..512).step_by(512 / many(32)).map(|bit| {
            let mut wrong = right.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            wrong
        });
        // The same second half modulo the order, which is not below it.
        let mut above = right.clone();
        let mut carry = 0;
        for (byte, order) in above[32..].iter_mut().zip(hex(ORDER)) {
            carry += u16::from(*byte) + u16::from(order);
            *byte = carry as u8;
            carry >>= 8;
        }
        let wrong = flipped.chain([above, std::vec![0; 64], std::vec![0xff; 64]]);
        let checks: Vec<_> = wrong
            .flat_map(|wrong| [wrong, right.clone()])
            .map(|signature| (key.clone(), message.clone(), signature))
            .collect();
        for (index, is_right) in verify(&mut planner, &checks).into_iter().enumerate() {
            assert_eq!(is_right, index % 2 == 1, "{index} on {}", cpu.isa());
        }
    }
}

#[test]
fn sums_of_points_are_those_of_dalek() {
    let scalar = |seed: u8| {
        Scalar::from_bytes_mod_order_wide(&core::array::from_fn(|i| {
            (i as u8 ^ seed).wrapping_mul(167) ^ seed
        }))
    };
    let mut scalars =
        Vec::from([Scalar::ZERO, Scalar::ONE, -Scalar::ONE, -(Scalar::ONE + Scalar::ONE)]);
    scalars.extend((0..many(20) as u8).map(scalar));
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        // A signature is right if its first half is the base point times its second half, less the
        // key times the digest: so each of these is made right.
        let checks: Vec<_> = scalars
            .iter()
            .enumerate()
            .map(|(at, second)| {
                let point: EdwardsPoint = BASE * scalars[(at + 3) % scalars.len()];
                let key = Ed25519PublicKey::new(&point.compress().to_bytes()).expect("a point");
                let digest: [u8; 64] = core::array::from_fn(|i| (i * at) as u8 ^ 0x5a);
                let factor = Scalar::from_bytes_mod_order_wide(&digest);
                let first = (BASE * second - point * factor).compress();
                let input = [&first.to_bytes()[..], &second.to_bytes(), &digest].concat();
                (key, input)
            })
            .collect();
        let jobs =
            checks.iter().map(|(key, input)| CurveJob::ed25519_verify(key, input.clone(), ()));
        let mut jobs: Vec<_> = jobs.map(|job| job.expect("128 bytes")).collect();
        planner.process_many(&mut jobs);
        for (at, job) in jobs.iter().enumerate() {
            assert!(job.output().expect("complete").is_ok(), "{at} on {}", cpu.isa());
        }
    }
}

#[test]
fn bytes_that_are_no_point_are_refused() {
    let mut other = [0xff; 32];
    // The prime and above: y = 0 or more, written in a second way; x = 0 with a sign.
    let mut refused = Vec::from([other, [2; 32]]);
    for low in 0xed..=0xff {
        other[0] = low;
        other[31] = 0x7f;
        refused.push(other);
    }
    let mut negative_zero = [0; 32];
    (negative_zero[0], negative_zero[31]) = (1, 0x80);
    refused.push(negative_zero);
    for bytes in refused {
        let is_point = curve25519_dalek::edwards::CompressedEdwardsY(bytes).decompress();
        let is_canonical = is_point.is_some_and(|point| point.compress().to_bytes() == bytes);
        assert_eq!(Ed25519PublicKey::new(&bytes).is_ok(), is_canonical, "{bytes:x?}");
    }
    let mut one = [0; 32];
    one[0] = 1;
    assert!(Ed25519PublicKey::new(&one).is_ok());
    for seed in 0..many(20) as u8 {
        let bytes: [u8; 32] = core::array::from_fn(|i| (i as u8 ^ seed).wrapping_mul(91) & 0x7f);
        let is_point = curve25519_dalek::edwards::CompressedEdwardsY(bytes).decompress().is_some();
        assert_eq!(Ed25519PublicKey::new(&bytes).is_ok(), is_point, "{bytes:x?}");
    }
}
