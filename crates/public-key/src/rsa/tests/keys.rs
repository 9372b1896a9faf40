//! What makes no key, no blind and no job.

use std::vec::Vec;

use num_bigint::BigUint;

use super::{padded, vectors};
use crate::rsa::{
    RsaBlinding, RsaBlindingError, RsaInputError, RsaJob, RsaKeyError, RsaParts, RsaPrivateKey,
    RsaPublicKey,
};

/// Changes the primes, the exponents or the coefficient of a key.
type Change<'a> = &'a dyn Fn(&mut [Vec<u8>; 5]);

#[test]
fn each_rule_refuses_what_breaks_it() {
    for vector in &vectors() {
        let parts = vector.parts();
        assert!(RsaPrivateKey::new(&parts).is_ok(), "{}", vector.name);
        let bytes = vector.key.size();
        let with = |bytes: &[u8], at: usize, value: u8| {
            let mut changed = Vec::from(bytes);
            changed[at] = value;
            changed
        };
        let [n, p, q] = [parts.modulus, parts.primes[0], parts.primes[1]];
        let swapped =
            RsaPrivateKey::from_exponent(n, parts.public_exponent, [q, p], vector.get("d"));
        assert!(swapped.is_ok(), "the primes' order is the caller's");

        for (modulus, bits) in [(&[1][..], 1), (&[0, 0x70, 1], 15), (&[], 0), (&[0, 0], 0)] {
            let refused = RsaPrivateKey::new(&RsaParts { modulus, ..parts }).err();
            assert_eq!(refused, Some(RsaKeyError::ModulusLength { bits }));
        }
        let even = with(n, bytes - 1, n[bytes - 1] ^ 1);
        let refused = |modulus, exponent| RsaPublicKey::new(modulus, exponent).err();
        assert_eq!(refused(&even, &[3]), Some(RsaKeyError::EvenModulus));
        for exponent in [&[][..], &[0], &[1], &[2], &[1, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0, 1]] {
            assert_eq!(refused(n, exponent), Some(RsaKeyError::PublicExponent), "{exponent:?}");
        }
        assert!(refused(n, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 3]).is_none(), "zeros in front");

        for prime in [Vec::from(&p[1..]), [p, &[1]].concat(), with(p, 0, p[0] & 0x7f)] {
            let refused = RsaPrivateKey::new(&RsaParts { primes: [&prime, q], ..parts }).err();
            assert_eq!(refused, Some(RsaKeyError::PrimeLength), "{}", vector.name);
        }
        let changed = |change: Change<'_>| {
            let mut numbers =
                [p, q, parts.exponents[0], parts.exponents[1], parts.coefficient].map(Vec::from);
            change(&mut numbers);
            let [p, q, first, second, coefficient] = &numbers;
            let parts =
                RsaParts { primes: [p, q], exponents: [first, second], coefficient, ..parts };
            RsaPrivateKey::new(&parts).err()
        };
        let last = p.len() - 1;
        let cases: [(Change<'_>, RsaKeyError); 9] = [
            (&|numbers| numbers[0][last] ^= 1, RsaKeyError::EvenPrime),
            (&|numbers| numbers[1][last] ^= 1, RsaKeyError::EvenPrime),
            (&|numbers| numbers[1] = numbers[0].clone(), RsaKeyError::EqualPrimes),
            (&|numbers| numbers[1][last] ^= 2, RsaKeyError::Product),
            (&|numbers| numbers[2][9] ^= 2, RsaKeyError::PrivateExponent),
            (&|numbers| numbers[3][9] ^= 2, RsaKeyError::PrivateExponent),
            (&|numbers| numbers[2].fill(0), RsaKeyError::PrivateExponent),
            (&|numbers| numbers[4][9] ^= 2, RsaKeyError::Coefficient),
            (&|numbers| numbers[4].fill(0xff), RsaKeyError::Coefficient),
        ];
        for (number, (change, expected)) in cases.into_iter().enumerate() {
            assert_eq!(changed(change), Some(expected), "{}, case {number}", vector.name);
        }
        let d = padded(&(BigUint::from_bytes_be(vector.get("d")) + 1_u8), bytes);
        let wrong = RsaPrivateKey::from_exponent(n, parts.public_exponent, [p, q], &d).err();
        assert_eq!(wrong, Some(RsaKeyError::PrivateExponent));
    }
}

#[test]
fn inputs_and_blinds_that_do_not_fit_are_refused() {
    let vectors = vectors();
    let [small, _, large, ..] = &vectors[..] else { panic!("there are more keys") };
    let (key, n) = (&large.key, large.get("n"));
    let error = |input: &[u8]| RsaJob::public(key.public(), input.to_vec(), ()).err();
    assert_eq!(error(n), Some(RsaInputError::TooLarge));
    assert_eq!(error(&[0xff; 256]), Some(RsaInputError::TooLarge));
    assert_eq!(error(&n[1..]), Some(RsaInputError::Length { given: 255, wanted: 256 }));
    let mut below = n.to_vec();
    below[255] -= 1;
    assert_eq!(error(&below), None);
    let other = RsaJob::private(key, small.blind(), below, ()).err();
    assert_eq!(other, Some(RsaInputError::Blind));
    for random in [&[1; 255][..], &[0; 256], n] {
        assert_eq!(RsaBlinding::new(key, random).err(), Some(RsaBlindingError));
    }
    let prime = padded(&BigUint::from_bytes_be(large.get("p")), 256);
    assert_eq!(RsaBlinding::new(key, &prime).err(), Some(RsaBlindingError));
}
