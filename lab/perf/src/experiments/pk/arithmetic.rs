//! Modular exponentiation as textbooks have it: with a division after each multiplication or with
//! Montgomery's, in words of 32 or of 64 bits.
//!
//! It is here to be compared. Its time depends on the numbers, so no secret belongs here; Broadloom
//! computes RSA in `broadloom-lanes`.

use std::fmt::Debug;

/// How a product is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// By long division (Knuth, volume 2, 4.3.1, algorithm D).
    Division,
    /// Montgomery's, word by word, along with the multiplication.
    Montgomery,
}

/// A word of a number.
pub trait Word: Copy + Eq + Ord + Debug {
    /// No bit is set.
    const ZERO: Self;
    /// Its bits.
    const BITS: u32;

    /// A word of some bytes, the most significant first.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Its bytes, the most significant first.
    fn bytes(self) -> Vec<u8>;
    /// Returns `true` if a bit is set.
    fn bit(self, index: u32) -> bool;
    /// `self + a * b + carry`: the lower word and the upper.
    fn add_product(self, a: Self, b: Self, carry: Self) -> (Self, Self);
    /// `self - a * b - borrow`: the lower word, and what it borrows.
    fn subtract_product(self, a: Self, b: Self, borrow: Self) -> (Self, Self);
    /// `self + other + carry`.
    fn add(self, other: Self, carry: bool) -> (Self, bool);
    /// `self - other - borrow`.
    fn subtract(self, other: Self, borrow: bool) -> (Self, bool);
    /// The lower word of a product.
    fn times(self, other: Self) -> Self;
    /// `-1 / self` modulo the word; `self` is odd.
    fn negative_inverse(self) -> Self;
    /// The quotient of `self * 2^BITS + lower` by a divisor with its highest bit set, corrected by
    /// the next word of both: at most one more than the digit that is right.
    fn digit(self, lower: Self, next: Self, divisor: [Self; 2]) -> Self;
}

macro_rules! word {
    ($word:ty, $wide:ty) => {
        impl Word for $word {
            const ZERO: Self = 0;
            const BITS: u32 = <$word>::BITS;

            fn from_bytes(bytes: &[u8]) -> Self {
                bytes.iter().fold(0, |word, byte| (word << 8) | <$word>::from(*byte))
            }

            fn bytes(self) -> Vec<u8> {
                self.to_be_bytes().to_vec()
            }

            fn bit(self, index: u32) -> bool {
                (self >> index) & 1 == 1
            }

            #[inline(always)]
            fn add_product(self, a: Self, b: Self, carry: Self) -> (Self, Self) {
                let sum = <$wide>::from(a) * <$wide>::from(b)
                    + <$wide>::from(self)
                    + <$wide>::from(carry);
                (sum as $word, (sum >> <$word>::BITS) as $word)
            }

            #[inline(always)]
            fn subtract_product(self, a: Self, b: Self, borrow: Self) -> (Self, Self) {
                let product = <$wide>::from(a) * <$wide>::from(b) + <$wide>::from(borrow);
                let (difference, less) = self.overflowing_sub(product as $word);
                (difference, (product >> <$word>::BITS) as $word + <$word>::from(less))
            }

            #[inline(always)]
            fn add(self, other: Self, carry: bool) -> (Self, bool) {
                let (sum, over) = self.overflowing_add(other);
                let (sum, again) = sum.overflowing_add(<$word>::from(carry));
                (sum, over | again)
            }

            #[inline(always)]
            fn subtract(self, other: Self, borrow: bool) -> (Self, bool) {
                let (difference, under) = self.overflowing_sub(other);
                let (difference, again) = difference.overflowing_sub(<$word>::from(borrow));
                (difference, under | again)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            fn negative_inverse(self) -> Self {
                // Each step of Newton's doubles the bits that are right; one is at first.
                let mut inverse: Self = 1;
                for _ in 0..<$word>::BITS.ilog2() {
                    let error = <$word>::wrapping_sub(2, self.wrapping_mul(inverse));
                    inverse = inverse.wrapping_mul(error);
                }
                inverse.wrapping_neg()
            }

            #[inline(always)]
            fn digit(self, lower: Self, next: Self, divisor: [Self; 2]) -> Self {
                let most = <$wide>::from(<$word>::MAX);
                let top = (<$wide>::from(self) << <$word>::BITS) | <$wide>::from(lower);
                let [first, second] = divisor.map(<$wide>::from);
                let mut digit = if self >= divisor[0] { most } else { top / first };
                let mut rest = top - digit * first;
                while rest <= most
                    && digit * second > ((rest << <$word>::BITS) | <$wide>::from(next))
                {
                    digit -= 1;
                    rest += first;
                }
                digit as $word
            }
        }
    };
}

word!(u32, u64);
word!(u64, u128);

/// An odd modulus whose highest bit is set, of two words or more; words are least significant
/// first.
pub struct Modulus<W> {
    words: Vec<W>,
    negative_inverse: W,
    /// `2^bits` modulo it, and the square of that.
    one: Vec<W>,
    square: Vec<W>,
}

/// A number of some bytes, the most significant first.
fn number<W: Word>(bytes: &[u8]) -> Vec<W> {
    bytes.rchunks(W::BITS as usize / 8).map(W::from_bytes).collect()
}

impl<W: Word> Modulus<W> {
    /// The modulus of some bytes, the most significant first.
    ///
    /// # Panics
    /// It is even, its highest bit is not set, or it is no whole number of words, two or more.
    pub fn new(bytes: &[u8]) -> Modulus<W> {
        let words: Vec<W> = number(bytes);
        let last = words.last().is_some_and(|last| last.bit(W::BITS - 1));
        let whole = bytes.len() * 8 == words.len() * W::BITS as usize && words.len() > 1;
        assert!(whole && last && words[0].bit(0), "an odd modulus of whole words");
        let negative_inverse = words[0].negative_inverse();
        // 2^bits is less than twice the modulus.
        let mut one = vec![W::ZERO; words.len()];
        subtract(&mut one, &words);
        let mut modulus = Modulus { words, negative_inverse, square: Vec::new(), one };
        modulus.square = modulus.divided(&modulus.one, &modulus.one);
        modulus
    }

    /// `base` to the power of `exponent`, both as bytes, the most significant first: four bits of
    /// the exponent at a time.
    ///
    /// # Panics
    /// The base is longer than the modulus.
    pub fn power(&self, base: &[u8], exponent: &[u8], reduction: Reduction) -> Vec<u8> {
        let len = self.words.len();
        let mut base: Vec<W> = number(base);
        assert!(base.len() <= len, "a base as long as the modulus");
        base.resize(len, W::ZERO);
        if base.iter().rev().ge(self.words.iter().rev()) {
            subtract(&mut base, &self.words);
        }
        let mut unit = vec![W::ZERO; len];
        unit[0] = W::from_bytes(&[1]);
        let multiply = |a: &[W], b: &[W]| match reduction {
            Reduction::Division => self.divided(a, b),
            Reduction::Montgomery => self.montgomery(a, b),
        };
        let (one, base) = match reduction {
            Reduction::Division => (unit.clone(), base),
            Reduction::Montgomery => (self.one.clone(), self.montgomery(&base, &self.square)),
        };
        let mut powers = vec![one];
        for index in 1..16 {
            powers.push(multiply(&powers[index - 1], &base));
        }
        let mut result = powers[0].clone();
        for byte in exponent {
            for digit in [byte >> 4, byte & 15] {
                for _ in 0..4 {
                    result = multiply(&result, &result);
                }
                result = multiply(&result, &powers[usize::from(digit)]);
            }
        }
        if reduction == Reduction::Montgomery {
            result = self.montgomery(&result, &unit);
        }
        result.iter().rev().flat_map(|word| word.bytes()).collect()
    }

    /// `a * b / 2^bits`.
    fn montgomery(&self, a: &[W], b: &[W]) -> Vec<W> {
        let len = self.words.len();
        let mut sum = vec![W::ZERO; len];
        // What is above the words of the sum: less than two.
        let mut over = false;
        for &digit in b {
            let mut carry = W::ZERO;
            for (word, &a) in sum.iter_mut().zip(a) {
                (*word, carry) = word.add_product(a, digit, carry);
            }
            let (top, more) = carry.add(W::ZERO, over);
            let factor = sum[0].times(self.negative_inverse);
            let (_, mut carry) = sum[0].add_product(self.words[0], factor, W::ZERO);
            for index in 1..len {
                (sum[index - 1], carry) = sum[index].add_product(self.words[index], factor, carry);
            }
            let (last, again) = top.add(carry, false);
            sum[len - 1] = last;
            over = more | again;
        }
        if over || sum.iter().rev().ge(self.words.iter().rev()) {
            subtract(&mut sum, &self.words);
        }
        sum
    }

    /// `a * b`.
    fn divided(&self, a: &[W], b: &[W]) -> Vec<W> {
        let len = self.words.len();
        let mut product = vec![W::ZERO; 2 * len + 1];
        for (index, &digit) in b.iter().enumerate() {
            let mut carry = W::ZERO;
            for (word, &a) in product[index..].iter_mut().zip(a) {
                (*word, carry) = word.add_product(a, digit, carry);
            }
            product[index + len] = carry;
        }
        let divisor = [self.words[len - 1], self.words[len - 2]];
        for at in (0..=len).rev() {
            let [next, lower, top] = [0, 1, 2].map(|more| product[at + len - 2 + more]);
            let digit = top.digit(lower, next, divisor);
            let mut borrow = W::ZERO;
            for (word, &own) in product[at..].iter_mut().zip(&self.words) {
                (*word, borrow) = word.subtract_product(own, digit, borrow);
            }
            let (rest, less) = top.subtract(borrow, false);
            product[at + len] = rest;
            if less {
                // The digit was one too many.
                let carry =
                    self.words.iter().zip(&mut product[at..]).fold(false, |carry, (own, word)| {
                        let (sum, carry) = word.add(*own, carry);
                        *word = sum;
                        carry
                    });
                product[at + len] = rest.add(W::ZERO, carry).0;
            }
        }
        product.truncate(len);
        product
    }
}

/// Takes `other` from `number`, modulo the length of both.
fn subtract<W: Word>(number: &mut [W], other: &[W]) {
    let mut borrow = false;
    for (word, &other) in number.iter_mut().zip(other) {
        (*word, borrow) = word.subtract(other, borrow);
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    fn expected(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
        let [base, exponent, number] = [base, exponent, modulus].map(BigUint::from_bytes_be);
        let power = base.modpow(&exponent, &number).to_bytes_be();
        [vec![0; modulus.len() - power.len()], power].concat()
    }

    fn all(base: &[u8], exponent: &[u8], modulus: &[u8]) -> [Vec<u8>; 4] {
        let (narrow, wide) = (Modulus::<u32>::new(modulus), Modulus::<u64>::new(modulus));
        [
            narrow.power(base, exponent, Reduction::Division),
            narrow.power(base, exponent, Reduction::Montgomery),
            wide.power(base, exponent, Reduction::Division),
            wide.power(base, exponent, Reduction::Montgomery),
        ]
    }

    /// Against the crate num-bigint, with words of all ones and all zeroes among them, which are
    /// where carries and corrected digits are.
    #[test]
    fn all_four_are_right() {
        let mut random = fastrand::Rng::with_seed(3);
        for len in [16, 24, 64, 128] {
            for round in 0..60 {
                let mut numbers = [(); 3].map(|()| {
                    let mut bytes = vec![0; len];
                    random.fill(&mut bytes);
                    for chunk in bytes.chunks_mut(4).filter(|_| round % 3 != 0) {
                        match random.u8(..4) {
                            0 => chunk.fill(0xff),
                            1 => chunk.fill(0),
                            _ => {}
                        }
                    }
                    bytes
                });
                let [base, exponent, modulus] = &mut numbers;
                modulus[0] |= 0x80;
                modulus[len - 1] |= 1;
                exponent.truncate(1 + round % 9);
                let right = expected(base, exponent, modulus);
                assert_eq!(all(base, exponent, modulus), [(); 4].map(|()| right.clone()));
            }
        }
    }

    #[test]
    #[should_panic(expected = "an odd modulus")]
    fn an_even_modulus_has_no_inverse() {
        Modulus::<u64>::new(&[0xfe; 16]);
    }
}
