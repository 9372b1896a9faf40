//! Private keys.

use alloc::boxed::Box;
use core::fmt;

use broadloom_lanes::public;
use subtle::ConstantTimeEq;
use zeroize::ZeroizeOnDrop;

use super::error::RsaKeyError;
use super::public::RsaPublicKey;
use crate::arch::portable;
use crate::bignum::{Modulus, Powers};
use crate::kernels::bignum::Number;

/// The numbers of a private key (RFC 8017, section 3.2), all big-endian, with or without zeros in
/// front.
#[derive(Clone, Copy)]
pub struct RsaParts<'a> {
    /// The modulus, *n*.
    pub modulus: &'a [u8],
    /// The public exponent, *e*.
    pub public_exponent: &'a [u8],
    /// The primes, *p* and *q*.
    pub primes: [&'a [u8]; 2],
    /// The private exponent modulo either prime less one, *dP* and *dQ*.
    pub exponents: [&'a [u8]; 2],
    /// The inverse of *q* modulo *p*, *qInv*.
    pub coefficient: &'a [u8],
}

/// An RSA private key of 1024, 2048, 3072 or 4096 bits, of two primes of half that length. Wiped
/// when dropped.
///
/// What the numbers must be to each other is checked when the key is made. That takes as long as
/// some tens of multiplications, and [`from_exponent`](RsaPrivateKey::from_exponent) as long as an
/// operation. That the primes are prime is not checked: with others, no result would be right, and
/// so none would come out.
pub struct RsaPrivateKey {
    inner: Box<Inner>,
}

struct Inner {
    public: RsaPublicKey,
    halves: [Half; 2],
    /// What stands for the inverse of the second prime modulo the first, on 64-bit limbs.
    coefficient: Number,
}

/// What is computed modulo one prime.
pub(super) struct Half {
    pub prime: Modulus,
    pub exponent: Number,
}

impl RsaPrivateKey {
    /// Takes the numbers of a key.
    ///
    /// # Errors
    /// [`RsaKeyError`] says which rule they break.
    pub fn new(parts: &RsaParts<'_>) -> Result<Self, RsaKeyError> {
        let (public_key, primes) = checked(parts.modulus, parts.public_exponent, parts.primes)?;
        let len = primes[0].words().len();
        let exponent = |bytes| Number::from_bytes(bytes, len).ok_or(RsaKeyError::PrivateExponent);
        let exponents = [exponent(parts.exponents[0])?, exponent(parts.exponents[1])?];
        let coefficient = Number::from_bytes(parts.coefficient, len);
        let coefficient = coefficient.ok_or(RsaKeyError::Coefficient)?;
        Self::of(public_key, primes, exponents, |_, _| coefficient)
    }

    /// Takes the modulus, the public exponent, the primes and the private exponent *d*, and
    /// computes the rest.
    ///
    /// # Errors
    /// [`RsaKeyError`] says which rule they break.
    pub fn from_exponent(
        modulus: &[u8],
        public_exponent: &[u8],
        primes: [&[u8]; 2],
        exponent: &[u8],
    ) -> Result<Self, RsaKeyError> {
        let (public_key, primes) = checked(modulus, public_exponent, primes)?;
        let exponent = Number::from_bytes(exponent, public_key.bits() / 64);
        let exponent = exponent.ok_or(RsaKeyError::PrivateExponent)?;
        let exponents = [0, 1].map(|i| exponent.remainder(&less_one(&primes[i])));
        Self::of(public_key, primes, exponents, inverse)
    }

    fn of(
        public_key: RsaPublicKey,
        primes: [Number; 2],
        exponents: [Number; 2],
        coefficient: impl FnOnce(&Modulus, &Number) -> Number,
    ) -> Result<Self, RsaKeyError> {
        let e = Number::small(public_key.exponent(), 1);
        for (prime, exponent) in primes.iter().zip(&exponents) {
            let one = exponent.times(&e).remainder(&less_one(prime));
            if !public(one.ct_eq(&Number::small(1, one.words().len()))) {
                return Err(RsaKeyError::PrivateExponent);
            }
        }
        let kernel = &portable::BIGNUM;
        let [p, q] = primes.map(|prime| Modulus::new(prime, kernel));
        let mut second = q.value().clone();
        second.reduce_once(0, p.value());
        let coefficient = coefficient(&p, &second);
        if !public(coefficient.is_below(p.value())) {
            return Err(RsaKeyError::Coefficient);
        }
        let coefficient = p.enter(&coefficient, kernel);
        let one = p.multiply(&coefficient, &second, kernel);
        if !public(one.ct_eq(&Number::small(1, one.words().len()))) {
            return Err(RsaKeyError::Coefficient);
        }
        let [first, second] = exponents;
        let halves = [Half { prime: p, exponent: first }, Half { prime: q, exponent: second }];
        let inner = Inner { public: public_key, halves, coefficient };
        Ok(RsaPrivateKey { inner: Box::new(inner) })
    }

    /// Returns the public key.
    pub fn public(&self) -> &RsaPublicKey {
        &self.inner.public
    }

    /// Returns the bits of the modulus.
    pub fn bits(&self) -> usize {
        self.public().bits()
    }

    /// Returns the bytes of the modulus, of inputs and of outputs.
    pub fn size(&self) -> usize {
        self.public().size()
    }

    pub(super) fn halves(&self) -> &[Half; 2] {
        &self.inner.halves
    }

    pub(super) fn coefficient(&self) -> &Number {
        &self.inner.coefficient
    }

    /// Returns the number below the modulus that is `p` modulo the first prime and `q` modulo the
    /// second.
    pub(super) fn combine(
        &self,
        [p, q]: [&Number; 2],
        kernel: &crate::kernels::bignum::BignumKernel,
    ) -> Number {
        let [first, second] = self.halves();
        // Primes have their highest bits set, so that neither is twice the other.
        let mut reduced = q.clone();
        reduced.reduce_once(0, first.prime.value());
        let difference = first.prime.difference(p, &reduced);
        let quotient = first.prime.multiply(&difference, &self.inner.coefficient, kernel);
        let mut sum = quotient.times(second.prime.value());
        sum.add(&q.resized(sum.words().len()));
        sum
    }
}

/// Checks all but the private exponents.
fn checked(
    modulus: &[u8],
    exponent: &[u8],
    primes: [&[u8]; 2],
) -> Result<(RsaPublicKey, [Number; 2]), RsaKeyError> {
    let public_key = RsaPublicKey::new(modulus, exponent)?;
    let prime = |bytes| {
        let prime = Number::from_bytes(bytes, public_key.bits() / 128);
        let prime = prime.ok_or(RsaKeyError::PrimeLength)?;
        match (public(prime.is_full()), public(prime.is_odd())) {
            (false, _) => Err(RsaKeyError::PrimeLength),
            (true, false) => Err(RsaKeyError::EvenPrime),
            (true, true) => Ok(prime),
        }
    };
    let [p, q] = [prime(primes[0])?, prime(primes[1])?];
    if public(p.ct_eq(&q)) {
        return Err(RsaKeyError::EqualPrimes);
    }
    if !public(p.times(&q).ct_eq(public_key.modulus().value())) {
        return Err(RsaKeyError::Product);
    }
    Ok((public_key, [p, q]))
}

/// Returns an odd number less one.
fn less_one(number: &Number) -> Number {
    let mut less = number.clone();
    less.words_mut()[0] ^= 1;
    less
}

/// Returns the inverse of a number modulo a prime: its power to the prime less two (Fermat).
pub(super) fn inverse(prime: &Modulus, number: &Number) -> Number {
    let mut exponent = prime.value().clone();
    exponent.subtract(&Number::small(2, exponent.words().len()));
    let mut powers = Powers::new(&[&portable::BIGNUM], prime.bits(), 0);
    powers.start(&portable::BIGNUM, prime.bits());
    powers.put(0, prime, number);
    powers.raise(prime.bits(), |_, at, count| exponent.bits_at(at, count));
    powers.take(0, prime)
}

impl ZeroizeOnDrop for RsaPrivateKey {}

impl fmt::Debug for RsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RsaPrivateKey({} bits)", self.bits())
    }
}
