//! Numbers of four words, the lowest first, without a branch on them, and arithmetic modulo an odd
//! one. All of it can be computed by the compiler, too.

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

use crate::manager::MAX_TASKS;

/// A number below 2^256.
pub(crate) type Number = [u64; 4];

/// An odd modulus of these words, the lowest first, and what Montgomery multiplication needs to
/// know of it: a product comes divided by R, which is 2^256. The words are in the type, so that
/// each modulus has products of its own, without those of words that are zero or powers of two.
pub(crate) struct Modulus<const A: u64, const B: u64, const C: u64, const D: u64> {
    /// R, R² and R³ modulo the modulus.
    powers: [Number; 3],
}

impl<const A: u64, const B: u64, const C: u64, const D: u64> Modulus<A, B, C, D> {
    const WORDS: Number = [A, B, C, D];

    /// The inverse of minus the modulus, modulo 2^64.
    const INVERSE: u64 = {
        // Every step doubles the bits that are right, of which the lowest three are.
        let (mut inverse, mut i) = (A, 0);
        while i < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(A.wrapping_mul(inverse)));
            i += 1;
        }
        inverse.wrapping_neg()
    };

    /// The modulus, which is above 2^252.
    pub const fn new() -> Self {
        let mut modulus = Modulus { powers: [[0; 4]; 3] };
        let (mut power, mut i) = ([1, 0, 0, 0], 0);
        while i < 3 * 256 {
            power = modulus.add(power, power);
            if i % 256 == 255 {
                modulus.powers[i / 256] = power;
            }
            i += 1;
        }
        modulus
    }

    /// What stands for 1.
    pub const fn one(&self) -> Number {
        self.powers[0]
    }

    /// The sum of two numbers below the modulus.
    pub const fn add(&self, a: Number, b: Number) -> Number {
        let (mut sum, mut carry, mut i) = ([0; 4], 0, 0);
        while i < 4 {
            let wide = a[i] as u128 + b[i] as u128 + carry as u128;
            (sum[i], carry) = (wide as u64, (wide >> 64) as u64);
            i += 1;
        }
        let (less, borrow) = subtract(sum, &Self::WORDS);
        // Where there is a carry, it is what was borrowed.
        select((borrow & !carry & 1).wrapping_neg(), sum, less)
    }

    /// The difference of two numbers below the modulus.
    pub const fn sub(&self, a: Number, b: Number) -> Number {
        let (negated, _) = subtract(Self::WORDS, &b);
        self.add(a, reduced_once(negated, &Self::WORDS))
    }

    /// a·b/R, where one of the factors is below the modulus; so is the product.
    pub const fn multiply(&self, a: Number, b: Number) -> Number {
        let mut sums = [0_u64; 6];
        let mut i = 0;
        while i < 4 {
            let (mut carry, mut j) = (0, 0);
            while j < 4 {
                let wide = a[i] as u128 * b[j] as u128 + sums[j] as u128 + carry as u128;
                (sums[j], carry) = (wide as u64, (wide >> 64) as u64);
                j += 1;
            }
            let wide = sums[4] as u128 + carry as u128;
            (sums[4], sums[5]) = (wide as u64, (wide >> 64) as u64);
            let quotient = sums[0].wrapping_mul(Self::INVERSE);
            let wide = quotient as u128 * Self::WORDS[0] as u128 + sums[0] as u128;
            (carry, j) = ((wide >> 64) as u64, 1);
            while j < 4 {
                let wide =
                    quotient as u128 * Self::WORDS[j] as u128 + sums[j] as u128 + carry as u128;
                (sums[j - 1], carry) = (wide as u64, (wide >> 64) as u64);
                j += 1;
            }
            let wide = sums[4] as u128 + carry as u128;
            (sums[3], sums[4]) = (wide as u64, sums[5] + (wide >> 64) as u64);
            i += 1;
        }
        let result = [sums[0], sums[1], sums[2], sums[3]];
        let (less, borrow) = subtract(result, &Self::WORDS);
        select((borrow & !sums[4] & 1).wrapping_neg(), result, less)
    }

    /// What stands for a number.
    pub const fn enter(&self, number: Number) -> Number {
        self.multiply(number, self.powers[1])
    }

    /// The number that something stands for.
    pub const fn leave(&self, number: Number) -> Number {
        self.multiply(number, [1, 0, 0, 0])
    }

    /// A number of eight words, modulo the modulus.
    pub const fn reduce(&self, low: Number, high: Number) -> Number {
        let high = self.multiply(high, self.powers[2]);
        self.leave(self.add(self.enter(low), high))
    }

    /// The inverse of what stands for a number, as what stands for it; zero of zero. The modulus is
    /// a prime (Fermat).
    pub const fn invert(&self, number: Number) -> Number {
        self.power(number, subtract(Self::WORDS, &[2, 0, 0, 0]).0)
    }

    /// A power of what stands for a number, as what stands for it. The exponent is public.
    pub const fn power(&self, number: Number, exponent: Number) -> Number {
        let (mut power, mut at) = (self.one(), 256);
        while at > 0 {
            at -= 1;
            power = self.multiply(power, power);
            if exponent[at / 64] >> (at % 64) & 1 == 1 {
                power = self.multiply(power, number);
            }
        }
        power
    }

    /// Inverts what stands for numbers that are not zero, at most [`MAX_TASKS`], with one
    /// exponentiation for all: of their product, from which each is then divided. The modulus is a
    /// prime.
    pub fn invert_all(&self, numbers: &mut [Number]) {
        let Some((first, others)) = numbers.split_first() else { return };
        let mut products = [[0; 4]; MAX_TASKS];
        products[0] = *first;
        for (i, number) in others.iter().enumerate() {
            products[i + 1] = self.multiply(products[i], *number);
        }
        let mut inverse = self.invert_by_windows(products[numbers.len() - 1]);
        for i in (1..numbers.len()).rev() {
            let own = self.multiply(inverse, products[i - 1]);
            inverse = self.multiply(inverse, numbers[i]);
            numbers[i] = own;
        }
        numbers[0] = inverse;
        products.zeroize();
    }

    /// [`invert`](Modulus::invert) with fewer products, and a table that is wiped.
    fn invert_by_windows(&self, number: Number) -> Number {
        let (exponent, _) = subtract(Self::WORDS, &[2, 0, 0, 0]);
        let mut powers = [self.one(); 16];
        for i in 1..16 {
            powers[i] = self.multiply(powers[i - 1], number);
        }
        let mut power = self.one();
        for at in (0..64).rev() {
            for _ in 0..4 {
                power = self.multiply(power, power);
            }
            // The exponent is public.
            let digit = exponent[at / 16] >> (4 * (at % 16)) & 15;
            if digit != 0 {
                power = self.multiply(power, powers[digit as usize]);
            }
        }
        powers.zeroize();
        power
    }

    /// A number below twice the modulus, modulo the modulus.
    pub const fn reduced(&self, number: Number) -> Number {
        reduced_once(number, &Self::WORDS)
    }

    /// The sum of a number and the modulus, if it is below 2^256.
    pub fn plus_modulus(&self, number: Number) -> Option<Number> {
        let negated = Self::WORDS.map(|word| !word);
        // What is below 2^256 less the modulus is at most its negation.
        let (left, borrow) = subtract(negated, &number);
        (borrow == 0).then(|| left.map(|word| !word))
    }

    /// Whether a number is not zero, and below the modulus.
    pub fn has(&self, number: &Number) -> Choice {
        subtract(*number, &Self::WORDS).1.ct_eq(&1) & !is_zero(number)
    }

    /// Whether a number is below the modulus.
    pub const fn is_below(&self, number: Number) -> bool {
        subtract(number, &Self::WORDS).1 == 1
    }
}

/// The difference, and 1 if something was borrowed that is not there, else 0.
const fn subtract(a: Number, b: &Number) -> (Number, u64) {
    let (mut out, mut borrow, mut i) = ([0; 4], 0, 0);
    while i < 4 {
        let wide = (a[i] as u128).wrapping_sub(b[i] as u128).wrapping_sub(borrow as u128);
        (out[i], borrow) = (wide as u64, (wide >> 127) as u64);
        i += 1;
    }
    (out, borrow)
}

/// A number less a modulus, where it is not below it.
pub(crate) const fn reduced_once(number: Number, modulus: &Number) -> Number {
    let (less, borrow) = subtract(number, modulus);
    select(borrow.wrapping_neg(), number, less)
}

/// `one` if the mask is all ones, `other` if it is zero.
const fn select(mask: u64, one: Number, other: Number) -> Number {
    let (mut out, mut i) = ([0; 4], 0);
    while i < 4 {
        out[i] = other[i] ^ mask & (one[i] ^ other[i]);
        i += 1;
    }
    out
}

/// The words of bytes, the lowest first.
pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Number {
    let (words, _) = bytes.as_chunks::<8>();
    core::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// The bytes of words, the lowest first.
pub(crate) fn to_bytes(words: Number) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (chunks, _) = bytes.as_chunks_mut::<8>();
    chunks.iter_mut().zip(words).for_each(|(chunk, word)| *chunk = word.to_le_bytes());
    bytes
}

/// The words of bytes, the highest first.
pub(crate) fn from_be_bytes(bytes: &[u8; 32]) -> Number {
    let mut words = from_bytes(bytes).map(u64::swap_bytes);
    words.reverse();
    words
}

/// The bytes of words, the highest first.
pub(crate) fn to_be_bytes(mut words: Number) -> [u8; 32] {
    words.reverse();
    to_bytes(words.map(u64::swap_bytes))
}

/// Whether a number is zero.
pub(crate) fn is_zero(number: &Number) -> Choice {
    number.iter().fold(0, |all, word| all | word).ct_eq(&0)
}

/// A number below 2^253 and eight times the sum of all powers of 16: its hexadecimal digits, less
/// eight each, are the number's digits from -8 to 7.
pub(crate) fn signed_digits(number: Number) -> Number {
    plus_each(number, 0x8888_8888_8888_8888)
}

/// A number below 2^253 and 128 times the sum of all powers of 256: its bytes, less 128 each, are
/// the number's digits from -128 to 127.
pub(crate) fn signed_bytes(number: Number) -> Number {
    plus_each(number, 0x8080_8080_8080_8080)
}

/// A number and another one, all of whose words are the same.
fn plus_each(number: Number, all: u64) -> Number {
    let mut carry = 0;
    number.map(|word| {
        let wide = u128::from(word) + u128::from(all) + carry;
        carry = wide >> 64;
        wide as u64
    })
}
