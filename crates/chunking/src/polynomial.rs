//! Polynomials over the field of two elements, as fingerprints are computed modulo them.

use std::fmt;
use std::str::FromStr;

/// The degree of all polynomials: a step by a byte stays within 64 bits, and 53 is a prime.
const DEGREE: u32 = 53;

/// An irreducible polynomial of degree 53 over the field of two elements.
///
/// ```
/// use broadloom_chunking::Polynomial;
///
/// let polynomial: Polynomial = "3da3358b4dc173".parse()?;
/// assert_eq!(polynomial.bits(), 0x3d_a335_8b4d_c173);
/// assert_eq!(polynomial.to_string(), "3da3358b4dc173");
/// # Ok::<(), broadloom_chunking::PolynomialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Polynomial(u64);

/// Why a polynomial is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolynomialError {
    /// The text is no number.
    #[error("{0:?} is no polynomial: write its coefficients as hexadecimal digits")]
    NotHexadecimal(String),
    /// Its degree is another one.
    #[error("{0:x} is no polynomial of degree 53: bit 53 is to be the highest that is set")]
    Degree(u64),
    /// It is a product.
    #[error("{0:x} is reducible: fingerprints need an irreducible polynomial")]
    Reducible(u64),
}

impl Polynomial {
    /// The polynomial with these coefficients: bit `i` is that of the power `i`.
    ///
    /// # Errors
    /// If the degree is not 53, or the polynomial is reducible.
    pub fn new(bits: u64) -> Result<Self, PolynomialError> {
        if bits >> DEGREE != 1 {
            Err(PolynomialError::Degree(bits))
        } else if !irreducible(bits) {
            Err(PolynomialError::Reducible(bits))
        } else {
            Ok(Polynomial(bits))
        }
    }

    /// An irreducible polynomial from random words. Each is as likely as any other if the words
    /// are uniformly random. One word in 27 gives a polynomial.
    ///
    /// ```
    /// use broadloom_chunking::Polynomial;
    /// use std::hash::{BuildHasher, RandomState};
    ///
    /// let mut count = 0;
    /// let polynomial = Polynomial::from_random(&mut || {
    ///     count += 1;
    ///     RandomState::new().hash_one(count) // a program takes words from its system
    /// });
    /// assert_eq!(polynomial.to_string().parse(), Ok(polynomial));
    /// ```
    pub fn from_random(random: &mut dyn FnMut() -> u64) -> Self {
        // The count ends the search even where all words are equal, and keeps uniform words so.
        let mut count = 0;
        loop {
            let coefficients = (random() ^ count) << 1 & ((1 << DEGREE) - 1);
            count += 1;
            if let Ok(polynomial) = Polynomial::new(1 << DEGREE | coefficients | 1) {
                return polynomial;
            }
        }
    }

    /// The coefficients: bit `i` is that of the power `i`.
    pub fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:x}", self.0))
    }
}

impl FromStr for Polynomial {
    type Err = PolynomialError;

    fn from_str(text: &str) -> Result<Self, PolynomialError> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let all_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        match u64::from_str_radix(digits, 16) {
            Ok(bits) if all_digits => Polynomial::new(bits),
            _ => Err(PolynomialError::NotHexadecimal(text.to_owned())),
        }
    }
}

/// Rabin's test. The degree is a prime, so that factors are linear, or their degree does not divide
/// 53: then the field of 2^53 elements does not have their roots, and `x^(2^53)` differs from `x`.
fn irreducible(bits: u64) -> bool {
    let linear_factor = bits & 1 == 0 || bits.count_ones().is_multiple_of(2);
    let x = 2;
    !linear_factor && (0..DEGREE).fold(x, |power, _| product(power, power, bits)) == x
}

/// The product of two polynomials of lower degree, modulo a third.
fn product(a: u64, b: u64, modulus: u64) -> u64 {
    (0..DEGREE).rev().fold(0, |sum, i| {
        let doubled = sum << 1;
        let reduced = if doubled >> DEGREE & 1 == 1 { doubled ^ modulus } else { doubled };
        if b >> i & 1 == 1 { reduced ^ a } else { reduced }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irreducible_polynomials_are_told_from_products() {
        // Of restic's tests, and of repositories that it made.
        for bits in [0x3d_a335_8b4d_c173, 0x25_b468_838d_cb75, 0x2b_13f2_c64b_5a9d] {
            let divides = (2..1 << 16).find(|divisor| remainder(bits, *divisor) == 0);
            assert_eq!(irreducible(bits), divides.is_none(), "{bits:x} {divides:x?}");
        }
        let product = carry_less(first_irreducible(26), first_irreducible(27));
        assert_eq!(Polynomial::new(product), Err(PolynomialError::Reducible(product)));
        let (square, other) = (first_irreducible(17), first_irreducible(19));
        assert!(!irreducible(carry_less(carry_less(square, square), other)));
        assert_eq!(Polynomial::new(1 << 53), Err(PolynomialError::Reducible(1 << 53)));
    }

    /// About one in 53 polynomials of that degree is irreducible.
    #[test]
    fn as_many_are_irreducible_as_theory_says() {
        let mut state = 1u64;
        let mut drawn = 0;
        for _ in 0..200 {
            let polynomial = Polynomial::from_random(&mut || {
                drawn += 1;
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 5
            });
            assert_eq!(Polynomial::new(polynomial.bits()), Ok(polynomial));
        }
        assert!((200 * 20..200 * 35).contains(&drawn), "{drawn} for 200");
        assert_ne!(Polynomial::from_random(&mut || 0), Polynomial::from_random(&mut || 1 << 20));
    }

    #[test]
    fn only_hexadecimal_digits_are_read() {
        let polynomial: Polynomial = "0x3DA3358B4DC173".parse().expect("it is irreducible");
        assert_eq!(polynomial.to_string(), "3da3358b4dc173");
        for text in ["", "0x", "+3da3358b4dc173", "3da3358b4dc17g", "13da3358b4dc173000"] {
            let error = text.parse::<Polynomial>().expect_err("no polynomial");
            assert_eq!(error, PolynomialError::NotHexadecimal(text.into()));
        }
        for (text, words) in [
            ("7", "7 is no polynomial of degree 53: bit 53 is to be the highest that is set"),
            ("7da3358b4dc173", "7da3358b4dc173 is no polynomial of degree 53"),
            ("3da3358b4dc172", "3da3358b4dc172 is reducible"),
        ] {
            let error = text.parse::<Polynomial>().expect_err("no such polynomial").to_string();
            assert!(error.starts_with(words), "{error}");
        }
    }

    fn degree(a: u64) -> u32 {
        63 - a.leading_zeros()
    }

    fn remainder(mut a: u64, divisor: u64) -> u64 {
        while a != 0 && degree(a) >= degree(divisor) {
            a ^= divisor << (degree(a) - degree(divisor));
        }
        a
    }

    fn carry_less(a: u64, b: u64) -> u64 {
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ a << i)
    }

    /// By division: the first irreducible polynomial of a degree.
    fn first_irreducible(degree: u32) -> u64 {
        (1 << degree..1 << (degree + 1))
            .find(|bits| (2..1 << (degree / 2 + 1)).all(|divisor| remainder(*bits, divisor) != 0))
            .expect("every degree has one")
    }
}
