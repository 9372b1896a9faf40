//! Signatures that are wrong, and what is refused.

use std::vec::Vec;

use broadloom_lanes::Planner;

use super::{cpus, fast_sets, key, sign, verify};
use crate::slh_dsa::{
    SlhDsaError, SlhDsaKeyJob, SlhDsaMessage, SlhDsaPublicKey, SlhDsaSet, SlhDsaSignJob,
    SlhDsaVerifyJob,
};

#[test]
fn a_bit_changed_anywhere_is_found() {
    let message = SlhDsaMessage::new(b"a message");
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for set in fast_sets() {
            let (one, other) = (key(set, 1), key(set, 2));
            let right = sign(&mut planner, &one, message, None);
            let (params, len) = (set.params(), right.len());
            // R, each part of FORS, each part of the lowest and the highest layer.
            let layer = params.n + params.fors_len();
            let last = len - params.layer_len();
            let path = params.chains() * params.n;
            let places = [
                0,
                params.n - 1,
                params.n,
                2 * params.n,
                layer - 1,
                layer,
                layer + path - 1,
                layer + path,
                last,
                last + path,
                len - 1,
            ];
            let wrong = places.map(|at| {
                let mut signature = right.clone();
                signature[at] ^= 1 << (at % 8);
                signature
            });
            // Each wrong one is between two that are right.
            let mut claims: Vec<(&SlhDsaPublicKey, _, &[u8])> =
                std::vec![(one.public(), message, &right)];
            for signature in &wrong {
                claims.push((one.public(), message, signature));
                claims.push((one.public(), message, &right));
            }
            let verdicts = verify(&mut planner, &claims);
            for (at, verdict) in verdicts.iter().enumerate() {
                assert_eq!(*verdict, at % 2 == 0, "{set} on {}, claim {at}", cpu.isa());
            }
            let context = message.context(b"a context").expect("short");
            let claims = [
                (one.public(), SlhDsaMessage::new(b"another"), right.as_slice()),
                (one.public(), context, &right),
                (other.public(), message, &right),
            ];
            assert_eq!(verify(&mut planner, &claims), [false; 3], "{set} on {}", cpu.isa());
        }
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let set = SlhDsaSet::Sha2_128f;
    let (key, message) = (key(set, 1), SlhDsaMessage::new(b""));
    let room = |len| std::vec![0; len];
    let sign = |len| SlhDsaSignJob::sign(&key, message, None, room(len), ()).err();
    let length = |what, len, valid| Some(SlhDsaError::Length { what, len, valid });
    assert_eq!(sign(17087), length("a signature", 17087, 17088));
    assert_eq!(sign(17088), None);
    let random = SlhDsaSignJob::sign(&key, message, Some(&[1; 15]), room(17088), ()).err();
    assert_eq!(random, length("randomness", 15, 16));
    let verify = |len| SlhDsaVerifyJob::verify(key.public(), message, room(len), ()).err();
    assert_eq!(verify(0), length("a signature", 0, 17088));
    assert_eq!(verify(17089), length("a signature", 17089, 17088));
    let seeds = |len| SlhDsaKeyJob::from_seeds(set, room(len), ()).err();
    assert_eq!(seeds(48), length("a private key", 48, 64));
    assert_eq!(SlhDsaPublicKey::new(set, &[0; 31]).err(), length("a public key", 31, 32));
}
