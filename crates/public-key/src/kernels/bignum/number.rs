//! Numbers outside of lanes: limbs of 64 bits, the lowest first.

use broadloom_lanes::public;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

/// Limbs of the largest number: one more than of the largest modulus.
pub(crate) const WORDS: usize = 65;

/// A number of up to 4160 bits. Wiped when dropped.
///
/// How many limbs it has is public, what is in them is not.
#[derive(Clone)]
pub(crate) struct Number {
    words: [u64; WORDS],
    len: usize,
}

impl Number {
    /// Returns zero, in so many limbs.
    pub fn zero(len: usize) -> Self {
        assert!(len <= WORDS, "{len} limbs");
        Number { words: [0; WORDS], len }
    }

    /// Returns one limb's number, in so many limbs.
    pub fn small(value: u64, len: usize) -> Self {
        let mut number = Number::zero(len);
        number.words[0] = value;
        number
    }

    /// Makes a big-endian number, in so many limbs; `None` if it has more, but for zeros in front.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Option<Self> {
        let zeros = bytes.len().saturating_sub(8 * len);
        let (above, bytes) = bytes.split_at(zeros);
        let mut number = Number::zero(len);
        for (word, chunk) in number.words.iter_mut().zip(bytes.rchunks(8)) {
            *word = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let fits = above.iter().fold(0, |all, byte| all | byte).ct_eq(&0);
        public(fits).then_some(number)
    }

    /// Writes the number, big-endian, into as many bytes as its limbs have.
    pub fn to_bytes(&self, bytes: &mut [u8]) {
        assert_eq!(bytes.len(), 8 * self.len, "a byte for each of the number");
        for (word, chunk) in self.words().iter().zip(bytes.rchunks_mut(8)) {
            chunk.copy_from_slice(&word.to_be_bytes());
        }
    }

    /// Returns the limbs.
    pub fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }

    /// Returns the limbs.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words[..self.len]
    }

    /// Returns the number in more limbs or in fewer, which must hold it.
    pub fn resized(&self, len: usize) -> Self {
        debug_assert!(self.words[len.min(self.len)..].iter().all(|word| *word == 0));
        Number { len, ..self.clone() }
    }

    /// Returns one if the highest bit of all limbs is set.
    pub fn is_full(&self) -> Choice {
        Choice::from((self.words[self.len - 1] >> 63) as u8)
    }

    /// Returns one if the lowest bit is set.
    pub fn is_odd(&self) -> Choice {
        Choice::from((self.words[0] & 1) as u8)
    }

    /// Returns `count` bits from bit `at` on; those above the number are zero.
    pub fn bits_at(&self, at: usize, count: usize) -> u64 {
        let word = |i: usize| if i < self.len { self.words[i] } else { 0 };
        let (index, shift) = (at / 64, at % 64);
        let both = u128::from(word(index)) | u128::from(word(index + 1)) << 64;
        (both >> shift) as u64 & (u64::MAX >> (64 - count))
    }

    /// Adds a number of as many limbs; gives what is carried.
    pub fn add(&mut self, other: &Number) -> u64 {
        let mut carry = 0;
        for (word, other) in self.words[..self.len].iter_mut().zip(other.words()) {
            let sum = u128::from(*word) + u128::from(*other) + u128::from(carry);
            (*word, carry) = (sum as u64, (sum >> 64) as u64);
        }
        carry
    }

    /// Subtracts a number of as many limbs, or of fewer; gives what is borrowed.
    pub fn subtract(&mut self, other: &Number) -> u64 {
        let mut borrow = 0;
        for (i, word) in self.words[..self.len].iter_mut().enumerate() {
            let (difference, first) = word.overflowing_sub(other.words[i]);
            let (difference, second) = difference.overflowing_sub(borrow);
            (*word, borrow) = (difference, u64::from(first | second));
        }
        borrow
    }

    /// Returns one if this is below another number of as many limbs.
    pub fn is_below(&self, other: &Number) -> Choice {
        Choice::from(self.clone().subtract(other) as u8)
    }

    /// Takes another number's value where that is chosen.
    pub fn assign(&mut self, other: &Number, choice: Choice) {
        for (word, other) in self.words[..self.len].iter_mut().zip(&other.words) {
            word.conditional_assign(other, choice);
        }
    }

    /// Subtracts the modulus from a number below twice the modulus, whose limb above the others is
    /// `over`, if it is not below.
    pub fn reduce_once(&mut self, over: u64, modulus: &Number) {
        let mut reduced = self.clone();
        let borrow = reduced.subtract(modulus);
        self.assign(&reduced, over.ct_eq(&borrow));
    }

    /// Returns the product, in as many limbs as both factors have.
    pub fn times(&self, other: &Number) -> Number {
        let mut product = Number::zero(self.len + other.len);
        for (i, x) in self.words().iter().enumerate() {
            let mut carry = 0;
            for (j, y) in other.words().iter().enumerate() {
                let place = &mut product.words[i + j];
                let sum = u128::from(*x) * u128::from(*y) + u128::from(*place) + u128::from(carry);
                (*place, carry) = (sum as u64, (sum >> 64) as u64);
            }
            product.words[i + other.len] = carry;
        }
        product
    }

    /// Returns the remainder by a modulus that is not zero, in as many limbs as that has: a bit
    /// after the other, for what is done once.
    pub fn remainder(&self, modulus: &Number) -> Number {
        let mut rest = Number::zero(modulus.len);
        for at in (0..64 * self.len).rev() {
            let twice = rest.clone();
            let over = rest.add(&twice);
            rest.words[0] |= self.bits_at(at, 1);
            rest.reduce_once(over, modulus);
        }
        rest
    }
}

impl ConstantTimeEq for Number {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.words().ct_eq(other.words())
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}
