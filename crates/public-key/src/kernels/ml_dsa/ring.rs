//! Polynomials of 256 numbers modulo 8380417 (FIPS 204, section 2.3 and 7.5), in columns: number
//! `i` of every lane, then number `i + 1`.
//!
//! Products of two numbers are added in 64 bits, and the sum is reduced once, as Montgomery did,
//! with 2^32: it is divided by that, and half of the modulus is added to its amount at most.
//! Products with a constant are Barrett's: the quotient is estimated with a
//! multiple of the constant that was divided by the modulus before.

use broadloom_lanes::inside::each;

use super::numbers::{MAX_LANES, Numbers};

/// The modulus.
pub(crate) const Q: u32 = 8380417;

/// Numbers of a polynomial.
pub(crate) const N: usize = 256;

/// The most polynomials of a row of the matrix.
pub(crate) const MAX_L: usize = 7;

/// The most rows of the matrix.
pub(crate) const MAX_K: usize = 8;

/// The inverse of the modulus modulo 2^32.
const Q_INVERSE: u32 = {
    let (mut inverse, mut i) = (1_u32, 0);
    while i < 5 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(Q.wrapping_mul(inverse)));
        i += 1;
    }
    inverse
};

/// A constant that vectors are multiplied with.
#[derive(Clone, Copy)]
struct Factor {
    /// It, between the negative and the positive half of the modulus.
    value: u32,
    /// It times 2^32, divided by the modulus and rounded.
    quotient: u32,
}

impl Factor {
    /// Returns the factor that a number is, modulo 8380417.
    const fn new(number: u64) -> Self {
        let q = Q as i64;
        let mut value = (number % Q as u64) as i64;
        if value > q / 2 {
            value -= q;
        }
        let quotient = ((value << 33) + q).div_euclid(2 * q);
        Factor { value: value as u32, quotient: quotient as u32 }
    }
}

/// Returns a power of a number, modulo 8380417.
const fn power(base: u64, exponent: usize) -> u64 {
    let (mut power, mut i) = (1, 0);
    while i < exponent {
        power = power * base % Q as u64;
        i += 1;
    }
    power
}

/// Powers of 1753, whose exponents are the numbers of eight bits in reverse (FIPS 204, appendix B).
static ZETAS: [Factor; 256] = {
    let mut zetas = [Factor::new(1); 256];
    let mut i = 0;
    while i < 256 {
        zetas[i] = Factor::new(power(1753, (i as u8).reverse_bits() as usize));
        i += 1;
    }
    zetas
};

/// The inverses of [`ZETAS`].
static INVERSES: [Factor; 256] = {
    let mut zetas = [Factor::new(1); 256];
    let mut i = 1;
    while i < 256 {
        zetas[i] = Factor::new(power(1753, 512 - (i as u8).reverse_bits() as usize));
        i += 1;
    }
    zetas
};

/// The inverse of 256, times 2^32, which a product lacks: an inverse transform ends with it.
const LAST: u64 = (1 << 32) % Q as u64 * 8347681 % Q as u64;

/// The factor of the last layer's sums.
const LAST_SUM: Factor = Factor::new(LAST);

/// The factor of the last layer's differences: that of [`INVERSES`] times [`LAST`].
const LAST_DIFFERENCE: Factor = Factor::new(power(1753, 512 - 128) * LAST);

/// Vectors that all functions use.
#[derive(Clone, Copy)]
pub(super) struct Constants<V> {
    pub q: V,
    inverse: V,
    half: V,
}

impl<V: Numbers> Constants<V> {
    /// # Safety
    /// The CPU has the vector's instruction set.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        unsafe {
            Constants { q: V::splat(Q), inverse: V::splat(Q_INVERSE), half: V::splat(1 << 22) }
        }
    }

    /// Returns a number whose amount is below three quarters of the modulus, congruent to one whose
    /// amount is below 2^31 - 2^22.
    #[inline(always)]
    pub(super) fn reduce(&self, a: V) -> V {
        // The modulus is near 2^23.
        let quotient = a.add(self.half).right_signed(23);
        let product = quotient.left(23).sub(quotient.left(13)).add(quotient);
        a.sub(product)
    }

    /// Returns the canonical number that is congruent to one whose amount is below the modulus.
    #[inline(always)]
    pub(super) fn canonical(&self, a: V) -> V {
        a.min_unsigned(a.add(self.q))
    }

    /// Divides sums of products by 2^32: the amounts of the sums are below 228 times the square of
    /// the modulus, those of the results below 0.95 times the modulus.
    #[inline(always)]
    fn divide(&self, sums: V::Sums) -> V {
        let (low, high) = V::halves(sums);
        high.sub(low.low(self.inverse).high_same(self.q))
    }

    /// Multiplies any number with a constant: the result is between the negative quarter of the
    /// modulus and five quarters of it.
    #[inline(always)]
    fn scale(&self, a: V, factor: &Factor) -> V {
        // SAFETY: `a` is proof of the instruction set.
        let (value, quotient) = unsafe { (V::splat(factor.value), V::splat(factor.quotient)) };
        a.low(value).sub(a.high_same(quotient).low(self.q))
    }

    /// A butterfly of the transform: amounts grow by five quarters of the modulus.
    #[inline(always)]
    fn forward(&self, a: V, b: V, zeta: &Factor) -> (V, V) {
        let b = self.scale(b, zeta);
        (a.add(b), a.sub(b))
    }

    /// A butterfly of the inverse: the amount of the sum is twice as large at most.
    #[inline(always)]
    fn inverse(&self, a: V, b: V, zeta: &Factor) -> (V, V) {
        (a.add(b), self.scale(a.sub(b), zeta))
    }

    /// Two layers of the transform.
    #[inline(always)]
    fn forward_four(&self, x: [V; 4], first: &Factor, next: &[Factor]) -> [V; 4] {
        let (a, b) = self.forward(x[0], x[2], first);
        let (d, e) = self.forward(x[1], x[3], first);
        let (a, d) = self.forward(a, d, &next[0]);
        let (b, e) = self.forward(b, e, &next[1]);
        [a, d, b, e]
    }

    /// Two layers of the inverse.
    #[inline(always)]
    fn inverse_four(&self, x: [V; 4], next: &[Factor], last: &Factor) -> [V; 4] {
        let (a, b) = self.inverse(x[0], x[1], &next[0]);
        let (d, e) = self.inverse(x[2], x[3], &next[1]);
        let (a, d) = self.inverse(a, d, last);
        let (b, e) = self.inverse(b, e, last);
        [a, b, d, e]
    }
}

/// Transforms a polynomial: the contract of [`Transform`](super::kernel::Transform).
///
/// # Safety
/// The contract of [`Transform`](super::kernel::Transform), for this vector.
#[inline(always)]
pub(crate) unsafe fn forward<V: Numbers>(poly: *mut u32) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        // Two layers at a time: blocks of four quarters, `apart` from each other.
        for (level, apart) in [(0, 64), (2, 16), (4, 4), (6, 1)] {
            let blocks = 1 << level;
            for block in 0..blocks {
                let first = &ZETAS[blocks + block];
                let next = &ZETAS[2 * (blocks + block)..][..2];
                let start = 4 * apart * block;
                for i in start..start + apart {
                    let at = |j: usize| poly.add((i + apart * j) * V::LANES);
                    let x: [V; 4] = each!(j in 4 => V::load(at(j)));
                    let x = c.forward_four(x, first, next);
                    each!(j in 4 => x[j].store(at(j)));
                }
            }
        }
    }
}

/// Transforms a polynomial back, after a product that lacks 2^32: the contract of
/// [`Transform`](super::kernel::Transform).
///
/// The amounts of the numbers are below 0.95 times the modulus at first and twice as large at most
/// after each of eight layers: below 244 times the modulus, which is below 2^31 - 2^22.
///
/// # Safety
/// The contract of [`Transform`](super::kernel::Transform), for this vector.
#[inline(always)]
pub(crate) unsafe fn inverse<V: Numbers>(poly: *mut u32) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        for (level, apart) in [(6, 1), (4, 4), (2, 16)] {
            let blocks = 1 << level;
            for block in 0..blocks {
                let next = &INVERSES[2 * (blocks + block)..][..2];
                let last = &INVERSES[blocks + block];
                let start = 4 * apart * block;
                for i in start..start + apart {
                    let at = |j: usize| poly.add((i + apart * j) * V::LANES);
                    let x: [V; 4] = each!(j in 4 => V::load(at(j)));
                    let x = c.inverse_four(x, next, last);
                    each!(j in 4 => x[j].store(at(j)));
                }
            }
        }
        for i in 0..N / 4 {
            let at = |j: usize| poly.add((i + N / 4 * j) * V::LANES);
            let x: [V; 4] = each!(j in 4 => V::load(at(j)));
            let (a, b) = c.inverse(x[0], x[1], &INVERSES[2]);
            let (d, e) = c.inverse(x[2], x[3], &INVERSES[3]);
            let sums = [a.add(d), b.add(e)];
            let differences = [a.sub(d), b.sub(e)];
            each!(j in 2 => {
                let sum = c.scale(sums[j], &LAST_SUM);
                let difference = c.scale(differences[j], &LAST_DIFFERENCE);
                c.reduce(sum).store(at(j));
                c.reduce(difference).store(at(j + 2));
            });
        }
    }
}

/// Writes the sum of products: the contract of [`Dot`](super::kernel::Dot).
///
/// # Safety
/// The contract of [`Dot`](super::kernel::Dot), for this vector.
#[inline(always)]
pub(crate) unsafe fn dot<V: Numbers>(
    to: *mut u32,
    rows: *const *const u32,
    b: *const u32,
    k: usize,
) {
    // SAFETY: the CPU has the instruction set, all places are below 256 vectors of each of `k`
    // polynomials, and the rows have as many numbers, by this function's contract.
    unsafe {
        let c = Constants::<V>::new();
        let first = *rows;
        let is_shared = (1..V::LANES).all(|lane| *rows.add(lane) == first);
        for eight in 0..N / 8 {
            let mut sums = [V::no_sums(); 8];
            for poly in 0..k {
                let place = N * poly + 8 * eight;
                let other = |i: usize| V::load(b.add((place + i) * V::LANES));
                // Operations under one key have the same row.
                if is_shared {
                    each!(i in 8 => {
                        let same = V::splat(*first.add(place + i));
                        sums[i] = other(i).add_products_same(same, sums[i]);
                    });
                    continue;
                }
                let mut from = [core::ptr::null(); MAX_LANES];
                for (lane, from) in from.iter_mut().enumerate().take(V::LANES) {
                    *from = (*rows.add(lane)).add(place);
                }
                let numbers = V::gather(from.as_ptr());
                each!(i in 8 => sums[i] = numbers[i].add_products(other(i), sums[i]));
            }
            each!(i in 8 => c.divide(sums[i]).store(to.add((8 * eight + i) * V::LANES)));
        }
    }
}

/// Adds a polynomial to another: the contract of [`Combine`](super::kernel::Combine).
///
/// # Safety
/// The contract of [`Combine`](super::kernel::Combine), for this vector.
#[inline(always)]
pub(crate) unsafe fn add<V: Numbers>(to: *mut u32, other: *const u32) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        for i in 0..N {
            let place = to.add(i * V::LANES);
            c.reduce(V::load(place).add(V::load(other.add(i * V::LANES)))).store(place);
        }
    }
}

/// Says which lanes have a number that is too large: the contract of
/// [`Exceeds`](super::kernel::Exceeds).
///
/// # Safety
/// The contract of [`Exceeds`](super::kernel::Exceeds), for this vector.
#[inline(always)]
pub(crate) unsafe fn exceeds<V: Numbers>(poly: *const u32, bound: u32) -> u32 {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract; the words have room for the lanes.
    unsafe {
        let most = V::splat(bound - 1);
        let mut signs = V::splat(0);
        for i in 0..N {
            let a = V::load(poly.add(i * V::LANES));
            signs = signs.or(most.sub(a)).or(most.add(a));
        }
        let mut words = [0; MAX_LANES];
        signs.store(words.as_mut_ptr());
        let bits = words.iter().enumerate().take(V::LANES).map(|(lane, word)| word >> 31 << lane);
        bits.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_standard() {
        assert_eq!(Q.wrapping_mul(Q_INVERSE), 1);
        assert_eq!(256 * 8347681 % u64::from(Q), 1);
        assert_eq!(power(1753, 256), u64::from(Q) - 1);
        // The beginning of appendix B.
        let zetas = [0, 4808194, 3765607, 3761513, 5178923, 5496691, 5234739, 5178987];
        for (i, zeta) in zetas.into_iter().enumerate().skip(1) {
            let value = i64::from(ZETAS[i].value.cast_signed()).rem_euclid(i64::from(Q));
            assert_eq!(value, zeta);
        }
    }
}
