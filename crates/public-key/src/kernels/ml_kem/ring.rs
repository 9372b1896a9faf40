//! Polynomials of 256 numbers modulo 3329 (FIPS 203, sections 2.4 and 4.3), in columns: number `i`
//! of every lane, then number `i + 1`.
//!
//! Products are Montgomery's, with 2^16: the product of `a` and `b` is `a * b / 2^16`, and its
//! amount is below 3329 if that of `a * b` is below 3329 * 2^15.

use broadloom_lanes::inside::each;

use super::numbers::Numbers;

/// The modulus.
pub(crate) const Q: i16 = 3329;

/// Numbers of a polynomial.
pub(crate) const N: usize = 256;

/// The most polynomials of a vector.
pub(crate) const MAX_K: usize = 4;

/// The inverse of the modulus modulo 2^16.
const Q_INVERSE: i16 = {
    let (mut inverse, mut i) = (1_i16, 0);
    while i < 4 {
        inverse = inverse.wrapping_mul(2_i16.wrapping_sub(Q.wrapping_mul(inverse)));
        i += 1;
    }
    inverse
};

/// A constant that vectors are multiplied with.
#[derive(Clone, Copy)]
struct Factor {
    /// It times 2^16.
    value: i16,
    /// That times the inverse of the modulus.
    inverse: i16,
}

impl Factor {
    /// Returns the factor that a number is, modulo 3329.
    const fn new(number: i64) -> Self {
        let mut value = (number << 16).rem_euclid(Q as i64);
        if value > Q as i64 / 2 {
            value -= Q as i64;
        }
        let value = value as i16;
        Factor { value, inverse: value.wrapping_mul(Q_INVERSE) }
    }
}

/// Returns a power of 17, modulo 3329.
const fn power(exponent: usize) -> i64 {
    let (mut power, mut i) = (1, 0);
    while i < exponent {
        power = power * 17 % Q as i64;
        i += 1;
    }
    power
}

/// Powers of 17, whose exponents are the numbers of seven bits in reverse (FIPS 203, appendix A).
static ZETAS: [Factor; 128] = {
    let mut zetas = [Factor::new(1); 128];
    let mut i = 0;
    while i < 128 {
        zetas[i] = Factor::new(power((i as u8).reverse_bits() as usize >> 1));
        i += 1;
    }
    zetas
};

/// The inverses of [`ZETAS`].
static INVERSES: [Factor; 128] = {
    let mut zetas = [Factor::new(1); 128];
    let mut i = 1;
    while i < 128 {
        zetas[i] = Factor::new(power(256 - ((i as u8).reverse_bits() as usize >> 1)));
        i += 1;
    }
    zetas
};

/// 2^16 / 128: an inverse transform ends with it, after a product that lacks the 2^16.
const LAST: Factor = Factor::new((1 << 16) * 3303);

/// The last layer's factor of differences: that of [`INVERSES`] times [`LAST`].
const LAST_ZETA: Factor = Factor::new(power(256 - 64) * ((1 << 16) * 3303 % Q as i64));

/// 2^16: gives a product back what it lacks.
const WHOLE: Factor = Factor::new(1 << 16);

/// Vectors that all functions use.
#[derive(Clone, Copy)]
struct Constants<V> {
    q: V,
    inverse: V,
    /// 2^26 / 3329, rounded.
    reciprocal: V,
    half: V,
}

impl<V: Numbers> Constants<V> {
    /// # Safety
    /// The CPU has the vector's instruction set.
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        unsafe {
            Constants {
                q: V::splat(Q),
                inverse: V::splat(Q_INVERSE),
                reciprocal: V::splat(20159),
                half: V::splat(Q / 2),
            }
        }
    }

    /// Returns a number in `0..=3329` that is congruent to any.
    #[inline(always)]
    fn reduce(&self, a: V) -> V {
        a.sub(a.high(self.reciprocal).right_ten().low(self.q))
    }

    /// Returns a number in `-1664..=1665` that is congruent to one below `32768 - 1664`.
    #[inline(always)]
    fn centre(&self, a: V) -> V {
        self.reduce(a.add(self.half)).sub(self.half)
    }

    /// Multiplies two numbers.
    #[inline(always)]
    fn multiply(&self, a: V, b: V) -> V {
        let low = a.low(b).low(self.inverse);
        a.high(b).sub(low.high(self.q))
    }

    /// Multiplies a number with a constant: the result does not lack 2^16.
    #[inline(always)]
    fn scale(&self, a: V, factor: &Factor) -> V {
        // SAFETY: `a` is proof of the instruction set.
        let (value, inverse) = unsafe { (V::splat(factor.value), V::splat(factor.inverse)) };
        a.high(value).sub(a.low(inverse).high(self.q))
    }

    /// A butterfly of the transform.
    #[inline(always)]
    fn forward(&self, a: V, b: V, zeta: &Factor) -> (V, V) {
        let b = self.scale(b, zeta);
        (a.add(b), a.sub(b))
    }

    /// A butterfly of the inverse.
    #[inline(always)]
    fn inverse(&self, a: V, b: V, zeta: &Factor) -> (V, V) {
        (a.add(b), self.scale(a.sub(b), zeta))
    }
}

/// Transforms a polynomial (FIPS 203, algorithm 9). The amounts of its numbers are 3329 at most;
/// afterwards they are in `0..=3329`.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `poly` is readable and writable for 256 vectors.
#[inline(always)]
pub(crate) unsafe fn forward<V: Numbers>(poly: *mut i16) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        let at = |i: usize| poly.add(i * V::LANES);
        for i in 0..N / 8 {
            let mut x: [V; 8] = each!(j in 8 => V::load(at(i + 32 * j)));
            each!(j in 4 => (x[j], x[j + 4]) = c.forward(x[j], x[j + 4], &ZETAS[1]));
            each!(j in 4 => {
                let (a, b) = (j / 2 * 4 + j % 2, j / 2 * 4 + j % 2 + 2);
                (x[a], x[b]) = c.forward(x[a], x[b], &ZETAS[2 + j / 2]);
            });
            each!(j in 4 => {
                (x[2 * j], x[2 * j + 1]) = c.forward(x[2 * j], x[2 * j + 1], &ZETAS[4 + j]);
            });
            each!(j in 8 => x[j].store(at(i + 32 * j)));
        }
        for block in 0..8 {
            let (zeta, next) = (&ZETAS[8 + block], &ZETAS[16 + 2 * block..][..2]);
            for i in 32 * block..32 * block + 8 {
                let x: [V; 4] = each!(j in 4 => V::load(at(i + 8 * j)));
                let x = forward_four(&c, x, zeta, &next[0], &next[1]);
                each!(j in 4 => x[j].store(at(i + 8 * j)));
            }
        }
        for block in 0..32 {
            let (zeta, next) = (&ZETAS[32 + block], &ZETAS[64 + 2 * block..][..2]);
            for i in 8 * block..8 * block + 2 {
                let x: [V; 4] = each!(j in 4 => V::load(at(i + 2 * j)));
                let x = forward_four(&c, x, zeta, &next[0], &next[1]);
                each!(j in 4 => c.reduce(x[j]).store(at(i + 2 * j)));
            }
        }
    }
}

/// Two layers of the transform.
#[inline(always)]
fn forward_four<V: Numbers>(
    c: &Constants<V>,
    x: [V; 4],
    first: &Factor,
    low: &Factor,
    high: &Factor,
) -> [V; 4] {
    let (a, b) = c.forward(x[0], x[2], first);
    let (d, e) = c.forward(x[1], x[3], first);
    let (a, d) = c.forward(a, d, low);
    let (b, e) = c.forward(b, e, high);
    [a, d, b, e]
}

/// Transforms a polynomial back (FIPS 203, algorithm 10), after a product that lacks 2^16. The
/// numbers are in `0..=3329`; afterwards their amounts are below 3329.
///
/// # Safety
/// The contract of [`forward`].
#[inline(always)]
pub(crate) unsafe fn inverse<V: Numbers>(poly: *mut i16) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        let at = |i: usize| poly.add(i * V::LANES);
        for block in 0..32 {
            let (next, zeta) = (&INVERSES[64 + 2 * block..][..2], &INVERSES[32 + block]);
            for i in 8 * block..8 * block + 2 {
                let x: [V; 4] = each!(j in 4 => V::load(at(i + 2 * j)));
                let mut x = inverse_four(&c, x, &next[0], &next[1], zeta);
                // It was below four times the modulus, the next one is below twice.
                x[0] = c.centre(x[0]);
                each!(j in 4 => x[j].store(at(i + 2 * j)));
            }
        }
        for block in 0..8 {
            let (next, zeta) = (&INVERSES[16 + 2 * block..][..2], &INVERSES[8 + block]);
            for i in 32 * block..32 * block + 8 {
                let x: [V; 4] = each!(j in 4 => V::load(at(i + 8 * j)));
                let mut x = inverse_four(&c, x, &next[0], &next[1], zeta);
                (x[0], x[1]) = (c.centre(x[0]), c.centre(x[1]));
                each!(j in 4 => x[j].store(at(i + 8 * j)));
            }
        }
        for i in 0..N / 8 {
            let mut x: [V; 8] = each!(j in 8 => V::load(at(i + 32 * j)));
            each!(j in 4 => {
                (x[2 * j], x[2 * j + 1]) = c.inverse(x[2 * j], x[2 * j + 1], &INVERSES[4 + j]);
            });
            each!(j in 4 => {
                let (a, b) = (j / 2 * 4 + j % 2, j / 2 * 4 + j % 2 + 2);
                (x[a], x[b]) = c.inverse(x[a], x[b], &INVERSES[2 + j / 2]);
            });
            each!(j in 4 => {
                let (sum, difference) = (x[j].add(x[j + 4]), x[j].sub(x[j + 4]));
                (x[j], x[j + 4]) = (c.scale(sum, &LAST), c.scale(difference, &LAST_ZETA));
            });
            each!(j in 8 => x[j].store(at(i + 32 * j)));
        }
    }
}

/// Two layers of the inverse.
#[inline(always)]
fn inverse_four<V: Numbers>(
    c: &Constants<V>,
    x: [V; 4],
    low: &Factor,
    high: &Factor,
    last: &Factor,
) -> [V; 4] {
    let (a, b) = c.inverse(x[0], x[1], low);
    let (d, e) = c.inverse(x[2], x[3], high);
    let (a, d) = c.inverse(a, d, last);
    let (b, e) = c.inverse(b, e, last);
    [a, b, d, e]
}

/// Writes the sum of the products of `k` transformed polynomials each at `a` and `b` (FIPS 203,
/// algorithm 11) to `to`, which lacks 2^16. All numbers are in `0..=3329`, afterwards too.
///
/// A product of two numbers and two others, (a0 + a1 X)(b0 + b1 X), takes three products: the
/// middle one is (a0 + a1)(b0 + b1) - a0 b0 - a1 b1.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `to` is writable for 256 vectors; `a` and `b` are readable for `k` times as many.
/// - `k` is at most [`MAX_K`].
#[inline(always)]
pub(crate) unsafe fn dot<V: Numbers>(to: *mut i16, a: *const i16, b: *const i16, k: usize) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors of each of `k`
    // polynomials, by this function's contract.
    unsafe {
        let c = Constants::<V>::new();
        for block in 0..N / 4 {
            let zeta = &ZETAS[64 + block];
            each!(half in 2 => {
                let place = (4 * block + 2 * half) * V::LANES;
                let mut sums = [V::splat(0); 3];
                for poly in 0..k {
                    let place = place + poly * N * V::LANES;
                    let (a0, a1) = (V::load(a.add(place)), V::load(a.add(place + V::LANES)));
                    let (b0, b1) = (V::load(b.add(place)), V::load(b.add(place + V::LANES)));
                    sums[0] = sums[0].add(c.multiply(a0, b0));
                    sums[1] = sums[1].add(c.multiply(a1, b1));
                    sums[2] = sums[2].add(c.multiply(a0.add(a1), b0.add(b1)));
                }
                let [low, high, both] = sums;
                let turned = c.scale(high, zeta);
                let even = if half == 0 { low.add(turned) } else { low.sub(turned) };
                let odd = c.centre(both.sub(low)).sub(high);
                c.reduce(even).store(to.add(place));
                c.reduce(odd).store(to.add(place + V::LANES));
            });
        }
    }
}

/// Changes every number of a polynomial.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `to` is readable and writable, and `other` readable, for 256 vectors.
#[inline(always)]
unsafe fn each_number<V: Numbers>(
    to: *mut i16,
    other: *const i16,
    change: impl Fn(&Constants<V>, V, V) -> V,
) {
    // SAFETY: the CPU has the instruction set and all places are below 256 vectors, by this
    // function's contract.
    unsafe {
        let c = Constants::<V>::new();
        for i in 0..N {
            let place = to.add(i * V::LANES);
            change(&c, V::load(place), V::load(other.add(i * V::LANES))).store(place);
        }
    }
}

/// Adds a polynomial to another: the numbers of the sum are in `0..=3329`.
///
/// # Safety
/// The contract of [`each_number`].
#[inline(always)]
pub(crate) unsafe fn add<V: Numbers>(to: *mut i16, other: *const i16) {
    // SAFETY: the contract is the same.
    unsafe {
        each_number::<V>(
            to,
            other,
            #[inline(always)]
            |c, a, b| c.reduce(a.add(b)),
        )
    }
}

/// Subtracts a polynomial from another: the numbers of the difference are in `0..=3329`.
///
/// # Safety
/// The contract of [`each_number`].
#[inline(always)]
pub(crate) unsafe fn subtract<V: Numbers>(to: *mut i16, other: *const i16) {
    // SAFETY: the contract is the same.
    unsafe {
        each_number::<V>(
            to,
            other,
            #[inline(always)]
            |c, a, b| c.reduce(a.sub(b)),
        )
    }
}

/// Gives a product what it lacks, and adds a polynomial to it: the numbers are in `0..=3329`.
///
/// # Safety
/// The contract of [`each_number`].
#[inline(always)]
pub(crate) unsafe fn add_to_product<V: Numbers>(to: *mut i16, other: *const i16) {
    // SAFETY: the contract is the same.
    unsafe {
        each_number::<V>(
            to,
            other,
            #[inline(always)]
            |c, a, b| c.reduce(c.scale(a, &WHOLE).add(b)),
        )
    }
}

/// Returns numbers in `0..3329` that are congruent to any.
#[inline(always)]
pub(super) fn canonical<V: Numbers>(a: V) -> V {
    // SAFETY: `a` is proof of the instruction set.
    let c = unsafe { Constants::<V>::new() };
    let reduced = c.reduce(a);
    reduced.min_unsigned(reduced.sub(c.q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_standard() {
        assert_eq!(Q.wrapping_mul(Q_INVERSE), 1);
        assert_eq!(128 * 3303 % 3329, 1);
        assert_eq!([power(64), power(32), power(127)], [1729, 2580, 2154]);
        assert_eq!(power(128), 3328);
    }
}
