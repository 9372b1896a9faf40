//! RSA keys (RFC 8017, 3).

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::KeyError;
use crate::algorithm::RsaSize;

/// The public part of an RSA key.
#[derive(Clone, PartialEq, Eq)]
pub struct RsaPublicKey {
    size: RsaSize,
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl fmt::Debug for RsaPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a public key of RSA with {} bits", 8 * self.size.modulus_len())
    }
}

impl RsaPublicKey {
    /// The key of these numbers, each in big-endian order.
    ///
    /// # Errors
    /// A modulus that is even or has another length than 1024, 2048, 3072 or 4096 bits; an exponent
    /// that is even, less than 3, or longer than 64 bits.
    pub fn new(modulus: &[u8], exponent: &[u8]) -> Result<RsaPublicKey, KeyError> {
        let (modulus, exponent) = (without_zeros(modulus), without_zeros(exponent));
        let bits = bits(modulus);
        let size = RsaSize::of_bits(bits).ok_or(KeyError::ModulusLength { bits })?;
        if is_even(modulus) {
            return Err(KeyError::EvenModulus);
        }
        if is_even(exponent) || exponent == [1] || exponent.len() > 8 {
            return Err(KeyError::PublicExponent);
        }
        Ok(RsaPublicKey { size, modulus: modulus.to_vec(), exponent: exponent.to_vec() })
    }

    /// The size of the modulus.
    pub fn size(&self) -> RsaSize {
        self.size
    }

    /// The modulus, in big-endian order, without leading zeros.
    pub fn modulus(&self) -> &[u8] {
        &self.modulus
    }

    /// The public exponent, in big-endian order, without leading zeros.
    pub fn exponent(&self) -> &[u8] {
        &self.exponent
    }
}

/// The numbers of an RSA key with two primes, each in big-endian order, as RFC 8017 (3.2) names
/// them.
#[derive(Clone, Copy)]
pub struct RsaNumbers<'n> {
    /// The modulus.
    pub n: &'n [u8],
    /// The public exponent.
    pub e: &'n [u8],
    /// The private exponent.
    pub d: &'n [u8],
    /// The first prime.
    pub p: &'n [u8],
    /// The second prime.
    pub q: &'n [u8],
    /// The private exponent modulo `p - 1`.
    pub dp: &'n [u8],
    /// The private exponent modulo `q - 1`.
    pub dq: &'n [u8],
    /// The inverse of `q` modulo `p`.
    pub qinv: &'n [u8],
}

/// An RSA key with two primes.
#[derive(Clone)]
pub struct RsaPrivateKey {
    public: RsaPublicKey,
    d: Zeroizing<Vec<u8>>,
    p: Zeroizing<Vec<u8>>,
    q: Zeroizing<Vec<u8>>,
    dp: Zeroizing<Vec<u8>>,
    dq: Zeroizing<Vec<u8>>,
    qinv: Zeroizing<Vec<u8>>,
}

impl RsaPrivateKey {
    /// The key of these numbers.
    ///
    /// # Errors
    /// What [`RsaPublicKey::new`] refuses; primes that are equal or do not have half the bits of
    /// the modulus; numbers that are longer than they can be.
    pub fn new(numbers: &RsaNumbers<'_>) -> Result<RsaPrivateKey, KeyError> {
        let RsaNumbers { n, e, d, p, q, dp, dq, qinv } = *numbers;
        let public = RsaPublicKey::new(n, e)?;
        let len = public.size.modulus_len();
        let fits = |number: &[u8], len: usize, what| match without_zeros(number).len() <= len {
            true => Ok(padded(number, len)),
            false => Err(KeyError::Inconsistent(what)),
        };
        for prime in [p, q] {
            if bits(without_zeros(prime)) != 4 * len {
                return Err(KeyError::PrimeLength);
            }
        }
        let key = RsaPrivateKey {
            d: fits(d, len, "d is longer than n")?,
            p: fits(p, len / 2, "p is longer than half of n")?,
            q: fits(q, len / 2, "q is longer than half of n")?,
            dp: fits(dp, len / 2, "dp is longer than p")?,
            dq: fits(dq, len / 2, "dq is longer than q")?,
            qinv: fits(qinv, len / 2, "qinv is longer than p")?,
            public,
        };
        if broadloom_lanes::public(key.p.as_slice().ct_eq(&key.q)) {
            return Err(KeyError::EqualPrimes);
        }
        Ok(key)
    }

    /// The public part.
    pub fn public(&self) -> &RsaPublicKey {
        &self.public
    }

    /// The private exponent, as long as the modulus.
    pub fn d(&self) -> &[u8] {
        &self.d
    }

    /// The first prime, half as long as the modulus.
    pub fn p(&self) -> &[u8] {
        &self.p
    }

    /// The second prime, half as long as the modulus.
    pub fn q(&self) -> &[u8] {
        &self.q
    }

    /// The private exponent modulo `p - 1`, half as long as the modulus.
    pub fn dp(&self) -> &[u8] {
        &self.dp
    }

    /// The private exponent modulo `q - 1`, half as long as the modulus.
    pub fn dq(&self) -> &[u8] {
        &self.dq
    }

    /// The inverse of `q` modulo `p`, half as long as the modulus.
    pub fn qinv(&self) -> &[u8] {
        &self.qinv
    }
}

impl fmt::Debug for RsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of RSA with {} bits", 8 * self.public.size.modulus_len())
    }
}

/// A number without the zero bytes at its beginning.
pub(super) fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|&&byte| byte == 0).count();
    &number[zeros..]
}

/// Bits of a number without zero bytes at its beginning.
fn bits(number: &[u8]) -> usize {
    number.first().map_or(0, |first| 8 * number.len() - first.leading_zeros() as usize)
}

fn is_even(number: &[u8]) -> bool {
    number.last().is_none_or(|last| last.is_multiple_of(2))
}

/// A number that fits, in so many bytes.
fn padded(number: &[u8], len: usize) -> Zeroizing<Vec<u8>> {
    let number = without_zeros(number);
    let mut padded = Zeroizing::new(vec![0; len]);
    padded[len - number.len()..].copy_from_slice(number);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modulus(len: usize) -> Vec<u8> {
        let mut modulus = vec![0xab; len];
        modulus[len - 1] |= 1;
        modulus
    }

    #[test]
    fn public_keys_are_refused_by_rule() {
        let key = |modulus: &[u8], exponent: &[u8]| RsaPublicKey::new(modulus, exponent);
        let right = key(&[&[0, 0], modulus(128).as_slice()].concat(), &[0, 1, 0, 1]).unwrap();
        assert_eq!((right.size(), right.modulus()), (RsaSize::Rsa1024, modulus(128).as_slice()));
        assert_eq!(right.exponent(), [1, 0, 1]);
        assert_eq!(key(&modulus(127), &[3]), Err(KeyError::ModulusLength { bits: 1016 }));
        assert_eq!(key(&[], &[3]), Err(KeyError::ModulusLength { bits: 0 }));
        let mut even = modulus(256);
        even[255] = 2;
        assert_eq!(key(&even, &[3]), Err(KeyError::EvenModulus));
        for exponent in [[].as_slice(), &[0], &[1], &[2], &[1, 0], &[1, 0, 0, 0, 0, 0, 0, 0, 1]] {
            assert_eq!(key(&modulus(128), exponent), Err(KeyError::PublicExponent));
        }
        assert!(key(&modulus(512), &[0xff; 8]).is_ok());
    }

    #[test]
    fn private_keys_are_refused_by_rule() {
        let (n, other) = (modulus(128), modulus(64));
        let mut p = modulus(64);
        p[3] ^= 1;
        let right =
            RsaNumbers { n: &n, e: &[3], d: &n, p: &p, q: &other, dp: &[5], dq: &[7], qinv: &[9] };
        let key = RsaPrivateKey::new(&right).expect("lengths and parities fit");
        assert_eq!((key.dp().len(), key.dp()[63]), (64, 5));
        let refused = |numbers| RsaPrivateKey::new(&numbers).expect_err("a rule is broken");
        assert_eq!(refused(RsaNumbers { p: &other, ..right }), KeyError::EqualPrimes);
        assert_eq!(refused(RsaNumbers { q: &p[1..], ..right }), KeyError::PrimeLength);
        let long = refused(RsaNumbers { dp: &n, ..right });
        assert_eq!(long, KeyError::Inconsistent("dp is longer than p"));
        assert_eq!(format!("{key:?}"), "a private key of RSA with 1024 bits");
    }
}
