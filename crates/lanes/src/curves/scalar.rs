//! Numbers of four words, the lowest first, without a branch on them, and arithmetic modulo an odd
//! one. All of it can be computed by the compiler, too.

use subtle::{Choice, ConstantTimeEq};

/// A number below 2^256.
pub(crate) type Number = [u64; 4];

/// An odd modulus, and what Montgomery multiplication needs to know of it: a product comes divided
/// by R, which is 2^256.
pub(crate) struct Modulus {
    words: Number,
    /// The inverse of minus the modulus, modulo 2^64.
    inverse: u64,
    /// R, R² and R³ modulo the modulus.
    powers: [Number; 3],
}

impl Modulus {
    /// A modulus above 2^252.
    pub const fn new(words: Number) -> Self {
        // Every step doubles the bits that are right, of which the lowest three are.
        let (mut inverse, mut i) = (words[0], 0);
        while i < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(words[0].wrapping_mul(inverse)));
            i += 1;
        }
        let inverse = inverse.wrapping_neg();
        let mut modulus = Modulus { words, inverse, powers: [[0; 4]; 3] };
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
        let (less, borrow) = subtract(sum, &self.words);
        // Where there is a carry, it is what was borrowed.
        select((borrow & !carry & 1).wrapping_neg(), sum, less)
    }

    /// The difference of two numbers below the modulus.
    pub const fn sub(&self, a: Number, b: Number) -> Number {
        let (negated, _) = subtract(self.words, &b);
        self.add(a, reduced_once(negated, &self.words))
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
            let quotient = sums[0].wrapping_mul(self.inverse);
            let wide = quotient as u128 * self.words[0] as u128 + sums[0] as u128;
            (carry, j) = ((wide >> 64) as u64, 1);
            while j < 4 {
                let wide =
                    quotient as u128 * self.words[j] as u128 + sums[j] as u128 + carry as u128;
                (sums[j - 1], carry) = (wide as u64, (wide >> 64) as u64);
                j += 1;
            }
            let wide = sums[4] as u128 + carry as u128;
            (sums[3], sums[4]) = (wide as u64, sums[5] + (wide >> 64) as u64);
            i += 1;
        }
        let result = [sums[0], sums[1], sums[2], sums[3]];
        let (less, borrow) = subtract(result, &self.words);
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
        self.power(number, subtract(self.words, &[2, 0, 0, 0]).0)
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

    /// Whether a number is below the modulus.
    pub const fn is_below(&self, number: Number) -> bool {
        subtract(number, &self.words).1 == 1
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
