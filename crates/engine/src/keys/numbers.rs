//! The numbers of an RSA key that are left out, computed from the others.

use crypto_bigint::{BoxedUint, Gcd, NonZero};
use zeroize::Zeroizing;

use super::rsa::without_zeros;
use super::{KeyError, RsaNumbers, RsaPrivateKey, RsaPublicKey};

/// Every number has twice the bits of the modulus and 64 more, so that none overflows: the longest
/// is a product of `d`, `e` and a divisor of `n - 1`.
type Number = Zeroizing<BoxedUint>;

const NO_PRIMES: KeyError = KeyError::Inconsistent("n, e and d do not lead to two primes");

impl RsaPrivateKey {
    /// The key of the numbers that there are; the others are empty, and are computed. There must be
    /// `n` and `e`, and `d` or both primes. The primes are found by the method of SP 800-56B
    /// (revision 2, C.2), and `d` is the least.
    ///
    /// # Errors
    /// What [`RsaPrivateKey::new`] refuses; too few numbers; and numbers that do not belong
    /// together.
    pub fn complete(numbers: &RsaNumbers<'_>) -> Result<RsaPrivateKey, KeyError> {
        let public = RsaPublicKey::new(numbers.n, numbers.e)?;
        let len = public.size().modulus_len();
        let read = |number: &[u8], most: usize, what| {
            let number = without_zeros(number);
            match number.len() <= most {
                true => Ok(Number::new(BoxedUint::from_be_slice_truncated(number, bits(len)))),
                false => Err(KeyError::Inconsistent(what)),
            }
        };
        let n = read(numbers.n, len, "n is longer than itself")?;
        let e = read(numbers.e, len, "e is longer than n")?;
        let d = read(numbers.d, len, "d is longer than n")?;
        let has_d = !without_zeros(numbers.d).is_empty();
        let [p, q] = match [numbers.p, numbers.q].map(|prime| !without_zeros(prime).is_empty()) {
            [true, true] => [
                read(numbers.p, len / 2, "p is longer than half of n")?,
                read(numbers.q, len / 2, "q is longer than half of n")?,
            ],
            [false, false] if has_d => primes(&n, &e, &d).ok_or(NO_PRIMES)?,
            [false, false] => {
                return Err(KeyError::Inconsistent("there is neither d, nor p and q"));
            }
            _ => return Err(KeyError::Inconsistent("one prime is there without the other")),
        };
        if p.wrapping_mul(&*q) != *n {
            return Err(KeyError::Inconsistent("p times q is not n"));
        }
        if *p == *q {
            return Err(KeyError::EqualPrimes);
        }
        let computed = Computed::new(&e, [&p, &q], has_d.then_some(&d))?;
        for (given, number, what) in [
            (numbers.dp, &computed.dp, "dp is no inverse of e modulo p - 1"),
            (numbers.dq, &computed.dq, "dq is no inverse of e modulo q - 1"),
            (numbers.qinv, &computed.qinv, "qinv is no inverse of q modulo p"),
        ] {
            if !without_zeros(given).is_empty() && *read(given, len / 2, what)? != **number {
                return Err(KeyError::Inconsistent(what));
            }
        }
        let bytes = |number: &Number| Zeroizing::new(number.to_be_bytes().into_vec());
        let Computed { d, dp, dq, qinv } = &computed;
        let [p, q, d, dp, dq, qinv] = [&p, &q, d, dp, dq, qinv].map(bytes);
        RsaPrivateKey::new(&RsaNumbers {
            n: numbers.n,
            e: numbers.e,
            d: &d,
            p: &p,
            q: &q,
            dp: &dp,
            dq: &dq,
            qinv: &qinv,
        })
    }
}

/// The bits of every number for a modulus of so many bytes.
fn bits(modulus_len: usize) -> u32 {
    16 * modulus_len as u32 + 64
}

/// What follows from the primes.
struct Computed {
    d: Number,
    dp: Number,
    dq: Number,
    qinv: Number,
}

impl Computed {
    /// Computes all but `d` where that is given.
    fn new(e: &Number, primes: [&Number; 2], d: Option<&Number>) -> Result<Computed, KeyError> {
        let [p, q] = primes;
        // Both primes are greater than 1, as their product is, and either has at most half its
        // length.
        let less = primes.map(|prime| less_one(prime));
        let d = match d {
            Some(d) => d.clone(),
            None => {
                let common = less[0].gcd(&less[1]);
                let product = less[0].wrapping_mul(&*less[1]);
                let least = Number::new(product.wrapping_div(&positive(&common)));
                let inverse: Option<BoxedUint> = e.invert_mod(&positive(&least)).into();
                Number::new(inverse.ok_or(KeyError::Inconsistent(
                    "e has a divisor in common with p - 1 or q - 1",
                ))?)
            }
        };
        let less = less.map(|less| positive(&less));
        let [dp, dq] = less.each_ref().map(|less| Number::new(d.rem(less)));
        for (exponent, less) in [&dp, &dq].into_iter().zip(&less) {
            if exponent.wrapping_mul(&**e).rem(less) != one(e) {
                return Err(KeyError::Inconsistent("d is no inverse of e"));
            }
        }
        let modulus = positive(p);
        let inverse: Option<BoxedUint> = q.rem(&modulus).invert_mod(&modulus).into();
        let qinv = inverse.ok_or(KeyError::Inconsistent("q has no inverse modulo p"))?;
        Ok(Computed { d, dp, dq, qinv: Number::new(qinv) })
    }
}

/// The primes of a modulus, the larger first, found by the exponents; `None` where these do not
/// lead to two numbers.
fn primes(n: &Number, e: &Number, d: &Number) -> Option<[Number; 2]> {
    let less = less_one(n);
    let multiple = less_one(&Number::new(d.wrapping_mul(&**e)));
    // The remainder has the same divisors in common with n - 1, and half the bits.
    let common = multiple.rem(&positive(&less)).gcd(&less);
    let multiple = Number::new(multiple.wrapping_mul(&common));
    let (quotient, rest) = multiple.div_rem(&positive(n));
    let divisor = quotient.wrapping_add(one(n));
    let sum = n.wrapping_sub(&rest).wrapping_div(&positive(&divisor));
    let sum = Number::new(sum.wrapping_add(one(n)));
    // (p + q)^2 - 4 p q = (p - q)^2
    let square = Number::new(sum.wrapping_mul(&*sum));
    let four_n = n.wrapping_mul(BoxedUint::from_be_slice_truncated(&[4], n.bits_precision()));
    if *square < four_n {
        return None;
    }
    let square = Number::new(square.wrapping_sub(&four_n));
    let difference = Number::new(square.floor_sqrt());
    let is_square = difference.wrapping_mul(&*difference) == *square;
    let half = |twice: BoxedUint| Number::new(twice.shr(1));
    let primes = [half(sum.wrapping_add(&*difference)), half(sum.wrapping_sub(&*difference))];
    is_square.then_some(primes)
}

fn one(like: &BoxedUint) -> BoxedUint {
    BoxedUint::one_with_precision(like.bits_precision())
}

fn less_one(number: &BoxedUint) -> Number {
    Number::new(number.wrapping_sub(one(number)))
}

/// A number that is known not to be zero.
fn positive(number: &BoxedUint) -> Zeroizing<NonZero<BoxedUint>> {
    Zeroizing::new(Option::from(number.to_nz()).expect("it is not zero"))
}
