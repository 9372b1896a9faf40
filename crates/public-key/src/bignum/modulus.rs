//! A modulus, and what Montgomery multiplication needs of it.

use zeroize::Zeroize;

use crate::kernels::bignum::Number;
use crate::kernels::bignum::{BignumKernel, Modulo, Radix};

/// An odd modulus whose highest bit is the highest of its limbs. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Modulus {
    value: Number,
    /// The inverse of minus the modulus, modulo 2^64.
    inverse: u64,
    /// R² for the limbs of each radix.
    squares: [Number; Radix::ALL.len()],
}

impl Modulus {
    /// Computes all but the value with a kernel of one lane.
    pub fn new(value: Number, kernel: &BignumKernel) -> Self {
        let len = value.words().len();
        debug_assert!(bool::from(value.is_odd() & value.is_full()), "odd, and of full length");
        // Each step doubles the bits that are right, of which an odd number is its own inverse in
        // three.
        let n = value.words()[0];
        let inverse = (0..5).fold(n, |inverse, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(inverse)))
        });
        let squares = Radix::ALL.map(|_| Number::zero(len));
        let mut modulus = Modulus { value, inverse: inverse.wrapping_neg(), squares };
        // On limbs of 64 bits, R stands for 1, and R² for R. On others, R² has few bits more.
        let exponent = |radix: Radix| 2 * radix.bits() * radix.limbs(64 * len);
        let least = exponent(Radix::Bits64);
        let square = modulus.power_of_two(least / 2, kernel);
        let cube = modulus.multiply(&square, &square, kernel);
        modulus.squares = Radix::ALL.map(|radix| {
            let more = exponent(radix) - least;
            let mut power = Number::zero(len);
            power.words_mut()[more / 64] = 1 << (more % 64);
            modulus.multiply(&cube, &power, kernel)
        });
        modulus
    }

    /// Doubles a number below the modulus.
    fn double(&self, number: &mut Number) {
        let twice = number.clone();
        let over = number.add(&twice);
        number.reduce_once(over, &self.value);
    }

    /// Returns R² for the limbs of a radix.
    pub fn square(&self, radix: Radix) -> &Number {
        &self.squares[radix as usize]
    }

    /// Returns the modulus.
    pub fn value(&self) -> &Number {
        &self.value
    }

    /// Returns the bits of the modulus.
    pub fn bits(&self) -> usize {
        64 * self.value.words().len()
    }

    /// Returns the inverse of minus the modulus, modulo 2^64.
    pub fn inverse(&self) -> u64 {
        self.inverse
    }

    /// Returns what a kernel wants for a modulus: on vectors, one more than the multiple of it that
    /// is -1 modulo 2 to the number of bits in a limb.
    pub fn multiple(&self, radix: Radix) -> Number {
        let len = self.value.words().len();
        if radix == Radix::Bits64 {
            return self.value.clone();
        }
        let factor = self.inverse & (u64::MAX >> (64 - radix.bits()));
        let mut multiple = self.value.times(&Number::small(factor, 1));
        multiple.add(&Number::small(1, len + 1));
        multiple
    }

    /// Returns what stands for 1: R modulo the modulus, which is more than half of R.
    fn one(&self) -> Number {
        let mut one = Number::zero(self.value.words().len());
        one.subtract(&self.value);
        one
    }

    /// Returns what stands for 2 to a power, which is public.
    fn power_of_two(&self, exponent: usize, kernel: &BignumKernel) -> Number {
        let mut power = self.one();
        // Up to some tens, doublings are cheaper than products.
        let bits = usize::BITS - exponent.leading_zeros();
        let squarings = bits.saturating_sub(6);
        (0..exponent >> squarings).for_each(|_| self.double(&mut power));
        for bit in (0..squarings).rev() {
            power = self.multiply(&power, &power, kernel);
            if exponent >> bit & 1 == 1 {
                self.double(&mut power);
            }
        }
        power
    }

    /// Returns a·b/R by a kernel of one lane, for numbers one of which is below the modulus.
    pub fn multiply(&self, a: &Number, b: &Number, kernel: &BignumKernel) -> Number {
        let limbs = self.value.words().len();
        let equal = a.words().len() == limbs && b.words().len() == limbs;
        assert!(equal && kernel.lanes == 1 && kernel.radix == Radix::Bits64);
        let mut product = Number::zero(limbs);
        let modulo = Modulo {
            limbs,
            modulus: self.value.words().as_ptr(),
            inverse: &raw const self.inverse,
            quotients: core::ptr::null_mut(),
        };
        let out = product.words_mut().as_mut_ptr();
        // SAFETY: the kernel has limbs of 64 bits in one lane, which need no room for quotients; it
        // is from the table of this CPU.
        unsafe { (kernel.multiply)(out, a.words().as_ptr(), b.words().as_ptr(), &modulo) };
        product
    }

    /// Returns what stands for a number in products of 64-bit limbs.
    pub fn enter(&self, number: &Number, kernel: &BignumKernel) -> Number {
        self.multiply(number, self.square(Radix::Bits64), kernel)
    }

    /// Returns the remainder of a number of up to twice as many limbs.
    pub fn reduce(&self, number: &Number, kernel: &BignumKernel) -> Number {
        let len = self.value.words().len();
        let words = number.words();
        let (mut low, mut high) = (Number::zero(len), Number::zero(len));
        low.words_mut().copy_from_slice(&words[..len]);
        high.words_mut()[..words.len() - len].copy_from_slice(&words[len..]);
        // The modulus is more than half of R.
        low.reduce_once(0, &self.value);
        let over = low.add(&self.enter(&high, kernel));
        low.reduce_once(over, &self.value);
        low
    }

    /// Returns a number divided by 2^64, as products of 64-bit limbs are by R. The number has one
    /// limb more than the modulus, and is below the product of 2^64 and the modulus.
    pub fn divide_by_word(&self, number: &Number) -> Number {
        let (words, modulus) = (number.words(), self.value.words());
        let quotient = words[0].wrapping_mul(self.inverse);
        let mut result = Number::zero(modulus.len());
        // The lowest limb of the sum with a multiple of the modulus is zero, and left out.
        let mut carry = 0;
        for (i, (word, limb)) in words.iter().zip(modulus).enumerate() {
            let sum =
                u128::from(quotient) * u128::from(*limb) + u128::from(*word) + u128::from(carry);
            carry = (sum >> 64) as u64;
            if let Some(below) = i.checked_sub(1) {
                result.words_mut()[below] = sum as u64;
            }
        }
        let (top, over) = words[modulus.len()].overflowing_add(carry);
        result.words_mut()[modulus.len() - 1] = top;
        result.reduce_once(u64::from(over), &self.value);
        result
    }

    /// Returns the difference of two numbers below the modulus.
    pub fn difference(&self, a: &Number, b: &Number) -> Number {
        let mut difference = a.clone();
        let borrow = difference.subtract(b);
        let mut wrapped = difference.clone();
        wrapped.add(&self.value);
        difference.assign(&wrapped, subtle::Choice::from(borrow as u8));
        difference
    }
}

impl Drop for Modulus {
    fn drop(&mut self) {
        self.inverse.zeroize();
    }
}
