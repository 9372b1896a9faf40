//! The field of GCM (SP 800-38D, 6.3) in constant time on plain integers.
//!
//! GHASH numbers the bits of a block from the wrong end for integers. With the bytes reversed, and
//! the hash key multiplied by `x` once beforehand, elements are ordinary polynomials, and a product
//! is divided by x^128 as it is reduced. RFC 8452 (appendix A) shows why. Elements are kept in that
//! form.

use zeroize::Zeroize;

/// An element: the coefficient of `x^i` is bit `i`. The order of the halves is that of a vector
/// register on a little-endian machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Element {
    pub low: u64,
    pub high: u64,
}

/// Upper half of what products are reduced with: x^127 + x^126 + x^121, of
/// x^128 + x^127 + x^126 + x^121 + 1.
pub(crate) const REDUCTION: u64 = 0xc200_0000_0000_0000;

impl Element {
    /// Makes an element of a block of a message.
    pub fn of_block(block: &[u8; 16]) -> Self {
        Element::of_number(u128::from_be_bytes(*block))
    }

    /// Returns the block that stands for the element.
    pub fn to_block(self) -> [u8; 16] {
        self.number().to_be_bytes()
    }

    /// Returns the coefficients as an integer.
    #[inline(always)]
    pub fn number(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    fn of_number(number: u128) -> Self {
        Element { low: number as u64, high: (number >> 64) as u64 }
    }

    /// Returns the sum.
    pub fn plus(self, other: Element) -> Self {
        Element { low: self.low ^ other.low, high: self.high ^ other.high }
    }

    /// Times `x`.
    pub fn times_x(self) -> Self {
        let carry = self.high >> 63;
        Element {
            low: self.low << 1 ^ carry,
            high: self.high << 1 ^ self.low >> 63 ^ carry.wrapping_neg() & REDUCTION,
        }
    }

    /// Returns the product, divided by x^128.
    pub fn times(self, other: Element) -> Self {
        let low = product(self.low, other.low);
        let high = product(self.high, other.high);
        let middle = product(self.low ^ self.high, other.low ^ other.high) ^ low ^ high;
        reduced(low ^ middle << 64, high ^ middle >> 64)
    }

    /// Returns the product with itself, divided by x^128: in a sum of two squares there is nothing
    /// between them.
    pub fn squared(self) -> Self {
        reduced(spread(self.low), spread(self.high))
    }

    /// Returns both halves, added up, in each half: what Karatsuba's method multiplies.
    pub fn folded(self) -> Self {
        let fold = self.low ^ self.high;
        Element { low: fold, high: fold }
    }
}

impl Zeroize for Element {
    fn zeroize(&mut self) {
        self.low.zeroize();
        self.high.zeroize();
    }
}

/// Reduces a product, given as its lower 128 coefficients and its upper ones, and divides it by
/// x^128.
fn reduced(low: u128, high: u128) -> Element {
    // Twice, 64 bits at the bottom are made zero by adding a multiple of the polynomial.
    let low = low.rotate_left(64) ^ times_reduction(low as u64);
    let low = low.rotate_left(64) ^ times_reduction(low as u64);
    Element::of_number(low ^ high)
}

fn times_reduction(a: u64) -> u128 {
    let a = u128::from(a);
    a << 63 ^ a << 62 ^ a << 57
}

/// Returns the product of two polynomials.
///
/// Integers multiply like polynomials as long as no carry gets from one coefficient to the next: so
/// numbers with every fourth bit are multiplied, four times. The lower 64 bits of the products are
/// right; the upper ones are the lower ones of the product of the reversed numbers.
#[inline]
pub fn product(a: u64, b: u64) -> u128 {
    let high = low_product(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low_product(a, b))
}

/// Returns the square of a polynomial: a zero behind every coefficient.
#[inline]
pub fn spread(a: u64) -> u128 {
    /// Computes this of 32 coefficients.
    fn half(a: u64) -> u64 {
        let a = (a | a << 16) & 0x0000_ffff_0000_ffff;
        let a = (a | a << 8) & 0x00ff_00ff_00ff_00ff;
        let a = (a | a << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        let a = (a | a << 2) & 0x3333_3333_3333_3333;
        (a | a << 1) & 0x5555_5555_5555_5555
    }
    u128::from(half(a >> 32)) << 64 | u128::from(half(a & 0xffff_ffff))
}

/// Returns the lower 64 coefficients of a product.
#[inline]
fn low_product(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let part = |number: u64, place: u32| number & EVERY_FOURTH << place;
    let mut sum = 0;
    for place in 0..4 {
        let mut column = 0;
        for of_a in 0..4 {
            column ^= part(a, of_a).wrapping_mul(part(b, (place + 4 - of_a) % 4));
        }
        sum |= part(column, place);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies bit by bit, as SP 800-38D (6.3) has it.
    fn by_the_standard(x: &[u8; 16], y: &[u8; 16]) -> [u8; 16] {
        let (x, mut v) = (u128::from_be_bytes(*x), u128::from_be_bytes(*y));
        let mut z = 0;
        for i in 0..128 {
            if x >> (127 - i) & 1 == 1 {
                z ^= v;
            }
            v = if v & 1 == 1 { v >> 1 ^ 0xe1 << 120 } else { v >> 1 };
        }
        u128::to_be_bytes(z)
    }

    #[test]
    fn products_are_those_of_the_standard() {
        let mut state = 1u128;
        let mut next = || {
            state = state.wrapping_mul(0xda94_2042_e4dd_58b5_9e37_79b9_7f4a_7c15).wrapping_add(1);
            state.to_be_bytes()
        };
        let mut cases: std::vec::Vec<_> = (0..200).map(|_| (next(), next())).collect();
        for bit in 0..128 {
            cases.push(((1u128 << bit).to_be_bytes(), next()));
            cases.push((next(), (1u128 << bit).to_be_bytes()));
        }
        cases.extend([([0xff; 16], [0xff; 16]), ([0; 16], [0xff; 16])]);
        for (x, key) in cases {
            let product = Element::of_block(&x).times(Element::of_block(&key).times_x());
            assert_eq!(product.to_block(), by_the_standard(&x, &key), "{x:02x?} times {key:02x?}");
            let x = Element::of_block(&x);
            assert_eq!(x.squared(), x.times(x), "{x:x?}");
        }
    }
}
