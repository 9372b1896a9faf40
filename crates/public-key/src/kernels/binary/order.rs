//! Numbers modulo the order of a base point, in five words, without a branch on them.

use broadloom_lanes::inside::MAX_TASKS;
use zeroize::Zeroize;

use super::element::ElementWords;

/// The order of a base point, a prime.
pub(crate) struct BinaryOrder {
    value: ElementWords,
    /// `-1 / value`, modulo 2^64.
    negative_inverse: u64,
    /// `2^640` modulo the order.
    square: ElementWords,
}

impl BinaryOrder {
    /// Returns an odd number of 281 bits or more.
    pub(crate) const fn new(value: ElementWords) -> BinaryOrder {
        // Each step of Newton's doubles the bits that are right.
        let (mut inverse, mut step) = (1_u64, 0);
        while step < 6 {
            let error = 2_u64.wrapping_sub(value[0].wrapping_mul(inverse));
            inverse = inverse.wrapping_mul(error);
            step += 1;
        }
        // 1, doubled 640 times.
        let (mut square, mut step) = ([1, 0, 0, 0, 0], 0);
        while step < 640 {
            let (mut doubled, mut i) = ([0; 5], 0);
            while i < 5 {
                let below = if i == 0 { 0 } else { square[i - 1] >> 63 };
                doubled[i] = square[i] << 1 | below;
                i += 1;
            }
            square = reduced_once(doubled, &value);
            step += 1;
        }
        BinaryOrder { value, negative_inverse: inverse.wrapping_neg(), square }
    }

    /// Returns one if a number is a scalar: not zero, and below the order.
    pub(crate) fn has(&self, number: &ElementWords) -> subtle::Choice {
        use subtle::ConstantTimeEq;
        let (_, borrow) = subtract(*number, &self.value);
        borrow.ct_eq(&1) & !number.ct_eq(&[0; 5])
    }

    /// Returns a number of at most 283 bits, modulo the order.
    pub(crate) fn reduced(&self, number: ElementWords) -> ElementWords {
        // It is less than four times the order and some.
        (0..4).fold(number, |number, _| reduced_once(number, &self.value))
    }

    /// Returns `a + b`.
    pub(crate) fn sum(&self, a: &ElementWords, b: &ElementWords) -> ElementWords {
        let (mut sum, mut carry) = ([0; 5], 0);
        for (i, word) in sum.iter_mut().enumerate() {
            let wide = u128::from(a[i]) + u128::from(b[i]) + carry;
            (*word, carry) = (wide as u64, wide >> 64);
        }
        reduced_once(sum, &self.value)
    }

    /// Returns the order less one.
    pub(crate) fn minus_one(&self) -> ElementWords {
        let mut value = self.value;
        value[0] -= 1;
        value
    }

    /// Returns `a * b / 2^320`.
    pub(crate) fn product(&self, a: &ElementWords, b: &ElementWords) -> ElementWords {
        // Below twice the order, which leaves room in the last word.
        let mut sum = [0_u64; 6];
        for &digit in b {
            let mut carry = 0;
            for (word, &a) in sum.iter_mut().zip(a) {
                let wide = u128::from(a) * u128::from(digit) + u128::from(*word) + carry;
                (*word, carry) = (wide as u64, wide >> 64);
            }
            sum[5] = carry as u64;
            let factor = sum[0].wrapping_mul(self.negative_inverse);
            let wide = u128::from(factor) * u128::from(self.value[0]) + u128::from(sum[0]);
            let mut carry = wide >> 64;
            for i in 1..5 {
                let wide =
                    u128::from(factor) * u128::from(self.value[i]) + u128::from(sum[i]) + carry;
                (sum[i - 1], carry) = (wide as u64, wide >> 64);
            }
            let wide = u128::from(sum[5]) + carry;
            (sum[4], sum[5]) = (wide as u64, (wide >> 64) as u64);
        }
        let [a, b, c, d, e, _] = sum;
        reduced_once([a, b, c, d, e], &self.value)
    }

    /// Returns a number times 2^320: the form in which [`product`](BinaryOrder::product) leaves it
    /// alone.
    pub(crate) fn form(&self, number: &ElementWords) -> ElementWords {
        self.product(number, &self.square)
    }

    /// Inverts at most [`MAX_TASKS`] numbers that are not zero, in the [form](BinaryOrder::form),
    /// with one exponentiation for all: the power of the order less two of their product (Fermat).
    /// Each other number is then divided from it.
    pub(crate) fn invert(&self, numbers: &mut [ElementWords]) {
        let Some((first, others)) = numbers.split_first() else { return };
        let mut products = [[0; 5]; MAX_TASKS];
        products[0] = *first;
        for (i, number) in others.iter().enumerate() {
            products[i + 1] = self.product(&products[i], number);
        }
        let mut inverse = self.inverse(&products[numbers.len() - 1]);
        for i in (1..numbers.len()).rev() {
            let own = self.product(&inverse, &products[i - 1]);
            inverse = self.product(&inverse, &numbers[i]);
            numbers[i] = own;
        }
        numbers[0] = inverse;
        products.zeroize();
    }

    /// Returns the inverse of a number in the form, in the form.
    fn inverse(&self, number: &ElementWords) -> ElementWords {
        let mut exponent = self.value;
        exponent[0] -= 2;
        let mut powers = [self.form(&[1, 0, 0, 0, 0]); 16];
        for i in 1..16 {
            powers[i] = self.product(&powers[i - 1], number);
        }
        // The exponent is public.
        let mut power = powers[0];
        for place in (0..5 * 16).rev() {
            for _ in 0..4 {
                power = self.product(&power, &power);
            }
            let digit = exponent[place / 16] >> (4 * (place % 16)) & 15;
            power = self.product(&power, &powers[digit as usize]);
        }
        powers.zeroize();
        power
    }
}

/// Returns the difference, and what is borrowed: 0 or 1.
const fn subtract(a: ElementWords, b: &ElementWords) -> (ElementWords, u64) {
    let (mut out, mut borrow, mut i) = ([0; 5], 0, 0);
    while i < 5 {
        let wide = (a[i] as u128).wrapping_sub(b[i] as u128).wrapping_sub(borrow as u128);
        (out[i], borrow) = (wide as u64, (wide >> 127) as u64);
        i += 1;
    }
    (out, borrow)
}

/// Returns a number less a modulus, where it is not below it.
const fn reduced_once(number: ElementWords, modulus: &ElementWords) -> ElementWords {
    let (mut less, borrow) = subtract(number, modulus);
    let (keep, mut i) = (borrow.wrapping_neg(), 0);
    while i < 5 {
        less[i] ^= keep & (less[i] ^ number[i]);
        i += 1;
    }
    less
}
