//! Numbers of a few words, the lowest first, without a branch on them, and arithmetic modulo an odd
//! one. All of it can be computed by the compiler, too.

use core::marker::PhantomData;

use broadloom_lanes::inside::MAX_TASKS;
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

/// A number below 2^256.
pub(crate) type Number = [u64; 4];

/// An odd modulus of `K` words, the lowest first. It is a type, so that each modulus has products
/// of its own, without those of words that are zero or powers of two.
pub trait Odd<const K: usize>: Copy + 'static {
    const WORDS: [u64; K];
}

/// Arithmetic modulo an odd number by Montgomery multiplication: a product comes divided by R,
/// which is 2 to the number of bits of all words.
pub struct Modulus<M, const K: usize>(PhantomData<M>);

impl<M: Odd<K>, const K: usize> Modulus<M, K> {
    /// The inverse of minus the modulus, modulo 2^64.
    const INVERSE: u64 = {
        // Every step doubles the bits that are right, of which the lowest three are.
        let (mut inverse, mut i) = (M::WORDS[0], 0);
        while i < 5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(M::WORDS[0].wrapping_mul(inverse)));
            i += 1;
        }
        inverse.wrapping_neg()
    };

    /// R, R² and R³ modulo the modulus.
    const POWERS: [[u64; K]; 3] = {
        let (mut powers, modulus) = ([[0; K]; 3], Modulus::<M, K>::new());
        let (mut power, mut i) = (small(1), 0);
        while i < 3 * 64 * K {
            power = modulus.add(power, power);
            if i % (64 * K) == 64 * K - 1 {
                powers[i / (64 * K)] = power;
            }
            i += 1;
        }
        powers
    };

    pub(crate) const fn new() -> Self {
        Modulus(PhantomData)
    }

    /// Returns what stands for 1.
    pub(crate) const fn one(&self) -> [u64; K] {
        Self::POWERS[0]
    }

    /// Returns the sum of two numbers below the modulus.
    pub(crate) const fn add(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        let (mut sum, mut carry, mut i) = ([0; K], 0, 0);
        while i < K {
            let wide = a[i] as u128 + b[i] as u128 + carry as u128;
            (sum[i], carry) = (wide as u64, (wide >> 64) as u64);
            i += 1;
        }
        self.reduced_from(sum, carry)
    }

    /// Returns the difference of two numbers below the modulus.
    pub(crate) const fn sub(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        let (negated, _) = subtract(M::WORDS, &b);
        self.add(a, self.reduced(negated))
    }

    /// Returns a·b/R, where one of the factors is below the modulus; so is the product.
    pub(crate) const fn multiply(&self, a: [u64; K], b: [u64; K]) -> [u64; K] {
        let (mut sums, mut above) = ([0_u64; K], 0_u64);
        let mut i = 0;
        while i < K {
            let (mut carry, mut j) = (0, 0);
            while j < K {
                let wide = a[i] as u128 * b[j] as u128 + sums[j] as u128 + carry as u128;
                (sums[j], carry) = (wide as u64, (wide >> 64) as u64);
                j += 1;
            }
            let wide = above as u128 + carry as u128;
            let top = (wide >> 64) as u64;
            above = wide as u64;
            let quotient = sums[0].wrapping_mul(Self::INVERSE);
            let wide = quotient as u128 * M::WORDS[0] as u128 + sums[0] as u128;
            (carry, j) = ((wide >> 64) as u64, 1);
            while j < K {
                let wide = quotient as u128 * M::WORDS[j] as u128 + sums[j] as u128 + carry as u128;
                (sums[j - 1], carry) = (wide as u64, (wide >> 64) as u64);
                j += 1;
            }
            let wide = above as u128 + carry as u128;
            sums[K - 1] = wide as u64;
            above = top + (wide >> 64) as u64;
            i += 1;
        }
        self.reduced_from(sums, above)
    }

    /// Returns the square, divided by R.
    pub(crate) const fn square(&self, number: [u64; K]) -> [u64; K] {
        self.multiply(number, number)
    }

    /// Returns twice a number below the modulus.
    pub(crate) const fn twice(&self, number: [u64; K]) -> [u64; K] {
        self.add(number, number)
    }

    /// Returns what stands for a number.
    pub(crate) const fn enter(&self, number: [u64; K]) -> [u64; K] {
        self.multiply(number, Self::POWERS[1])
    }

    /// Returns the number that something stands for.
    pub(crate) const fn leave(&self, number: [u64; K]) -> [u64; K] {
        self.multiply(number, small(1))
    }

    /// Returns a number of twice as many words, modulo the modulus.
    pub(crate) const fn reduce(&self, low: [u64; K], high: [u64; K]) -> [u64; K] {
        let high = self.multiply(high, Self::POWERS[2]);
        self.leave(self.add(self.enter(low), high))
    }

    /// Returns the inverse of what stands for a number, as what stands for it; zero of zero. The
    /// modulus is a prime (Fermat).
    pub(crate) const fn invert(&self, number: [u64; K]) -> [u64; K] {
        self.power(number, subtract(M::WORDS, &small(2)).0)
    }

    /// Returns a power of what stands for a number, as what stands for it. The exponent is public.
    pub(crate) const fn power(&self, number: [u64; K], exponent: [u64; K]) -> [u64; K] {
        let (mut power, mut at) = (self.one(), 64 * K);
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
    pub(crate) fn invert_all(&self, numbers: &mut [[u64; K]]) {
        let Some((first, others)) = numbers.split_first() else { return };
        let mut products = [[0; K]; MAX_TASKS];
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

    /// Does what [`invert`](Modulus::invert) does with fewer products, and a table that is wiped.
    fn invert_by_windows(&self, number: [u64; K]) -> [u64; K] {
        let (exponent, _) = subtract(M::WORDS, &small(2));
        let mut powers = [self.one(); 16];
        for i in 1..16 {
            powers[i] = self.multiply(powers[i - 1], number);
        }
        let mut power = self.one();
        for at in (0..16 * K).rev() {
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

    /// Returns a number below twice the modulus, modulo the modulus.
    pub(crate) const fn reduced(&self, number: [u64; K]) -> [u64; K] {
        self.reduced_from(number, 0)
    }

    /// Returns any number of as many words, modulo the modulus.
    pub(crate) const fn remainder(&self, number: [u64; K]) -> [u64; K] {
        match M::WORDS[K - 1] >> 63 {
            1 => self.reduced(number),
            // It may be many times the modulus.
            _ => self.leave(self.enter(number)),
        }
    }

    /// Returns a number and `above` times R, together below twice the modulus, modulo the modulus.
    pub(crate) const fn reduced_from(&self, number: [u64; K], above: u64) -> [u64; K] {
        let (less, borrow) = subtract(number, &M::WORDS);
        // What is above is what was borrowed.
        select((borrow & !above & 1).wrapping_neg(), number, less)
    }

    /// Returns the sum of a number and the modulus, if it is of as many words.
    pub(crate) fn plus_modulus(&self, number: [u64; K]) -> Option<[u64; K]> {
        let negated = M::WORDS.map(|word| !word);
        // What is below R less the modulus is at most its negation.
        let (left, borrow) = subtract(negated, &number);
        (borrow == 0).then(|| left.map(|word| !word))
    }

    /// Returns the lesser one of a number below the modulus that is not zero, and its negative.
    pub(crate) fn lesser(&self, number: &[u64; K]) -> [u64; K] {
        let (mut negated, _) = subtract(M::WORDS, number);
        let (_, borrow) = subtract(negated, number);
        let lesser = select(borrow.wrapping_neg(), negated, *number);
        negated.zeroize();
        lesser
    }

    /// Returns one if a number is not zero, and below the modulus.
    pub(crate) fn has(&self, number: &[u64; K]) -> Choice {
        subtract(*number, &M::WORDS).1.ct_eq(&1) & !is_zero(number)
    }

    /// Returns `true` if a number is below the modulus.
    pub(crate) const fn is_below(&self, number: [u64; K]) -> bool {
        subtract(number, &M::WORDS).1 == 1
    }
}

/// Returns the difference, and 1 if something was borrowed that is not there, else 0.
const fn subtract<const K: usize>(a: [u64; K], b: &[u64; K]) -> ([u64; K], u64) {
    let (mut out, mut borrow, mut i) = ([0; K], 0, 0);
    while i < K {
        let wide = (a[i] as u128).wrapping_sub(b[i] as u128).wrapping_sub(borrow as u128);
        (out[i], borrow) = (wide as u64, (wide >> 127) as u64);
        i += 1;
    }
    (out, borrow)
}

/// Returns a small number.
pub(crate) const fn small<const K: usize>(number: u64) -> [u64; K] {
    let mut words = [0; K];
    words[0] = number;
    words
}

/// Returns `one` if the mask is all ones, `other` if it is zero.
const fn select<const K: usize>(mask: u64, one: [u64; K], other: [u64; K]) -> [u64; K] {
    let (mut out, mut i) = ([0; K], 0);
    while i < K {
        out[i] = other[i] ^ mask & (one[i] ^ other[i]);
        i += 1;
    }
    out
}

/// Returns the words of bytes, the lowest first.
pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Number {
    let (words, _) = bytes.as_chunks::<8>();
    core::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// Returns the bytes of words, the lowest first.
pub(crate) fn to_bytes(words: Number) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (chunks, _) = bytes.as_chunks_mut::<8>();
    chunks.iter_mut().zip(words).for_each(|(chunk, word)| *chunk = word.to_le_bytes());
    bytes
}

/// Returns the words of bytes, the highest first. There are eight bytes for each word, or fewer for
/// the highest one.
pub(crate) fn from_be_bytes<const K: usize>(bytes: &[u8]) -> [u64; K] {
    let (mut words, (first, chunks)) = ([0; K], bytes.as_rchunks::<8>());
    let (low, high) = words.split_at_mut(chunks.len());
    low.iter_mut().rev().zip(chunks).for_each(|(word, chunk)| *word = u64::from_be_bytes(*chunk));
    if let Some(highest) = high.first_mut() {
        *highest = first.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// Writes the bytes of words, the highest first, of which there are eight for each word, or fewer
/// for the highest one.
pub(crate) fn put_be_bytes(words: &[u64], bytes: &mut [u8]) {
    let (first, chunks) = bytes.as_rchunks_mut::<8>();
    let (low, high) = words.split_at(chunks.len());
    chunks.iter_mut().zip(low.iter().rev()).for_each(|(chunk, word)| *chunk = word.to_be_bytes());
    if let Some(highest) = high.first() {
        let len = first.len();
        first.copy_from_slice(&highest.to_be_bytes()[8 - len..]);
    }
}

/// Returns one if a number is zero.
pub(crate) fn is_zero<const K: usize>(number: &[u64; K]) -> Choice {
    number.iter().fold(0, |all, word| all | word).ct_eq(&0)
}

/// Returns a number below 2^253 and eight times the sum of all powers of 16: its hexadecimal
/// digits, less eight each, are the number's digits from -8 to 7.
pub(crate) fn signed_digits(number: Number) -> Number {
    plus_each(number, 0x8888_8888_8888_8888)
}

/// Returns a number below 2^253 and 128 times the sum of all powers of 256: its bytes, less 128
/// each, are the number's digits from -128 to 127.
pub(crate) fn signed_bytes(number: Number) -> Number {
    plus_each(number, 0x8080_8080_8080_8080)
}

/// Returns a number and another one, all of whose words are the same.
fn plus_each(number: Number, all: u64) -> Number {
    let mut carry = 0;
    number.map(|word| {
        let wide = u128::from(word) + u128::from(all) + carry;
        carry = wide >> 64;
        wide as u64
    })
}
