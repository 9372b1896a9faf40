//! The curve of Ed25519 (RFC 8032, 5.1), over lanes: -x² + y² = 1 + d·x²·y².
//!
//! Points have the coordinates X, Y, Z and T, where x is X/Z, y is Y/Z and x·y is T/Z (Hisil, Wong,
//! Carter and Dawson, 2008). Their additions are complete.

use broadloom_lanes::inside::{Plain, each};

use super::columns::{Columns, MAX_LANES};
use super::element::Multiply;
use super::prime25519::{Fe, PRIME};
use super::scalar::{self, Number};
use super::words::Words;

/// A point that is to be added: the words of y + x, of y - x, and of 2·d·x·y.
pub(crate) type Affine = [u64; 12];

/// The multiples of a point from 1 to 8.
pub(crate) type Multiples = [Affine; 8];

/// The point that adds nothing.
const NEUTRAL: Affine = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

/// A point in coordinates of one lane, as [`PRIME`] has numbers.
#[derive(Clone, Copy)]
struct Extended {
    x: Number,
    y: Number,
    z: Number,
    t: Number,
}

/// The constant d, and twice it.
const D: Number = {
    let negative = PRIME.sub([0; 4], PRIME.enter([121_665, 0, 0, 0]));
    PRIME.multiply(negative, PRIME.invert(PRIME.enter([121_666, 0, 0, 0])))
};
const D2: Number = PRIME.add(D, D);

/// The base point (RFC 8032, 5.1).
const BASE: Extended = {
    let x = PRIME.enter([
        0xc956_2d60_8f25_d51a,
        0x692c_c760_9525_a7b2,
        0xc0a4_e231_fdd6_dc5c,
        0x2169_36d3_cd6e_53fe,
    ]);
    let y =
        PRIME.enter([0x6666_6666_6666_6658, u64::MAX / 5 * 2, u64::MAX / 5 * 2, u64::MAX / 5 * 2]);
    Extended { x, y, z: PRIME.one(), t: PRIME.multiply(x, y) }
};

/// Returns the sum of two points, which may be the same.
const fn sum(p: &Extended, q: &Extended) -> Extended {
    let (a, b) = (PRIME.multiply(p.x, q.x), PRIME.multiply(p.y, q.y));
    let c = PRIME.multiply(PRIME.multiply(p.t, q.t), D);
    let d = PRIME.multiply(p.z, q.z);
    let both = PRIME.multiply(PRIME.add(p.x, p.y), PRIME.add(q.x, q.y));
    let (e, h) = (PRIME.sub(both, PRIME.add(a, b)), PRIME.add(a, b));
    let (f, g) = (PRIME.sub(d, c), PRIME.add(d, c));
    let (x, y) = (PRIME.multiply(e, f), PRIME.multiply(g, h));
    Extended { x, y, z: PRIME.multiply(f, g), t: PRIME.multiply(e, h) }
}

/// Rows of the base point's table.
const ROWS: usize = 32;

/// In row i, the multiples from 1 to 8 of 256^i times the base point.
#[allow(long_running_const_eval, reason = "it takes a second")]
pub(crate) static TABLE: [Multiples; ROWS] = {
    let mut points = [BASE; 8 * ROWS];
    let mut i = 1;
    while i < 8 * ROWS {
        points[i] = if i % 8 == 0 {
            // 8 times a row's first point comes before; 32 times that begins the next one.
            let (mut point, mut doublings) = (points[i - 1], 0);
            while doublings < 5 {
                point = sum(&point, &point);
                doublings += 1;
            }
            point
        } else {
            sum(&points[i - 1], &points[i - i % 8])
        };
        i += 1;
    }
    let (mut table, all, mut i) = ([[NEUTRAL; 8]; ROWS], affine(&points), 0);
    while i < 8 * ROWS {
        table[i / 8][i % 8] = all[i];
        i += 1;
    }
    table
};

/// Multiples of the base point that [`multiply_both`] finds in a table.
const WIDE: usize = 128;

/// The multiples of the base point from 1 to [`WIDE`].
static WIDE_TABLE: [Affine; WIDE] = {
    let (mut points, mut i) = ([BASE; WIDE], 1);
    while i < WIDE {
        points[i] = sum(&points[i - 1], &BASE);
        i += 1;
    }
    affine(&points)
};

/// Returns the words of points, as they are added.
const fn affine<const POINTS: usize>(points: &[Extended; POINTS]) -> [Affine; POINTS] {
    let (before, product) = products(points);
    divided(points, &before, PRIME.invert(product))
}

/// Products of the coordinates Z: for each point of those before it, and of all.
const fn products<const POINTS: usize>(points: &[Extended; POINTS]) -> ([Number; POINTS], Number) {
    let (mut before, mut product, mut i) = ([[0; 4]; POINTS], PRIME.one(), 0);
    while i < POINTS {
        before[i] = product;
        product = PRIME.multiply(product, points[i].z);
        i += 1;
    }
    (before, product)
}

/// Returns the words of points, with the inverse of the product of all Z, from which those of each
/// Z are taken one by one.
const fn divided<const POINTS: usize>(
    points: &[Extended; POINTS],
    before: &[Number; POINTS],
    mut inverse: Number,
) -> [Affine; POINTS] {
    let (mut all, mut i) = ([NEUTRAL; POINTS], POINTS);
    while i > 0 {
        i -= 1;
        let own = PRIME.multiply(inverse, before[i]);
        inverse = PRIME.multiply(inverse, points[i].z);
        let (x, y) = (PRIME.multiply(points[i].x, own), PRIME.multiply(points[i].y, own));
        let product = PRIME.multiply(PRIME.multiply(x, y), D2);
        let numbers = [PRIME.add(y, x), PRIME.sub(y, x), product];
        let mut j = 0;
        while j < 12 {
            all[i][j] = PRIME.leave(numbers[j / 4])[j % 4];
            j += 1;
        }
    }
    all
}

/// The square root of -1: 2 to the power (p - 1)/4.
const ROOT: Number =
    PRIME.power(PRIME.enter([2, 0, 0, 0]), [u64::MAX - 4, u64::MAX, u64::MAX, u64::MAX >> 3]);

/// Returns the multiples of the negative of a point that is written as the standard says (RFC 8032,
/// 5.1.3); nothing of what is no point. Its time depends on the point.
pub(crate) fn negative_multiples(bytes: &[u8; 32]) -> Option<Multiples> {
    let mut y = scalar::from_bytes(bytes);
    let sign = y[3] >> 63;
    y[3] &= u64::MAX >> 1;
    if !PRIME.is_below(y) {
        return None;
    }
    let (one, y) = (PRIME.one(), PRIME.enter(y));
    let square = |number| PRIME.multiply(number, number);
    let (u, v) = (PRIME.sub(square(y), one), PRIME.add(PRIME.multiply(D, square(y)), one));
    // The root of u/v is u·v³·(u·v⁷)^((p - 5)/8), or that times a root of -1.
    let v3 = PRIME.multiply(square(v), v);
    let base = PRIME.multiply(u, PRIME.multiply(square(v3), v));
    let power = in_limbs(base, Single::root_power);
    let mut x = PRIME.multiply(PRIME.multiply(u, v3), power);
    let product = PRIME.multiply(v, square(x));
    if product == PRIME.sub([0; 4], u) {
        x = PRIME.multiply(x, ROOT);
    } else if product != u {
        return None;
    }
    let is_zero = x == [0; 4];
    if is_zero && sign == 1 {
        return None;
    }
    if PRIME.leave(x)[0] & 1 == sign {
        x = PRIME.sub([0; 4], x);
    }
    let mut points = [Extended { x, y, z: one, t: PRIME.multiply(x, y) }; 8];
    for i in 1..8 {
        points[i] = sum(&points[i - 1], &points[0]);
    }
    let (before, product) = products(&points);
    Some(divided(&points, &before, in_limbs(product, Single::inverse)))
}

/// A number of one lane.
type Single = Fe<Plain<u64>, 5>;

/// Returns a function of what stands for a number, computed in limbs, which is faster.
fn in_limbs(number: Number, function: impl Fn(&Single) -> Single) -> Number {
    let number = Fe::splat(Plain::of(0), PRIME.leave(number));
    PRIME.enter(function(&number).to_words()[0])
}

/// A point of each lane.
#[derive(Clone, Copy)]
pub(crate) struct Point<W, const N: usize> {
    x: Fe<W, N>,
    y: Fe<W, N>,
    z: Fe<W, N>,
    t: Fe<W, N>,
}

/// A point of each lane that is to be added.
pub(crate) struct Addend<W, const N: usize> {
    plus: Fe<W, N>,
    minus: Fe<W, N>,
    product: Fe<W, N>,
}

impl<W: Words, const N: usize> Addend<W, N> {
    /// Returns the point of these words, or in lanes where the mask is all ones, its negative.
    #[inline(always)]
    fn new(words: &[W; 12], negative: W) -> Self {
        // No closure makes these: it would be compiled without the kernel's instruction set.
        let plus = Fe::<W, N>::from_words(&each!(i in 4 => words[i]));
        let minus = Fe::<W, N>::from_words(&each!(i in 4 => words[4 + i]));
        let product = Fe::<W, N>::from_words(&each!(i in 4 => words[8 + i]));
        let negated = Fe::splat(negative, Fe::<W, N>::ZERO).minus(&product);
        Addend {
            plus: plus.replaced(negative, &minus),
            minus: minus.replaced(negative, &plus),
            product: product.replaced(negative, &negated),
        }
    }

    /// Returns the multiple of each lane by the digit `at`, of one table that all lanes have, which
    /// is read whole.
    #[inline(always)]
    fn of_all(table: &Multiples, digits: &[W; 4], at: usize) -> Self {
        let (size, negative) = digit(digits, at, 4);
        let mut words = each!(i in 12 => size.splat(NEUTRAL[i]));
        for (multiple, entry) in table.iter().enumerate() {
            let is_it = size.equal(size.splat(multiple as u64 + 1));
            each!(i in 12 => words[i] = is_it.select(size.splat(entry[i]), words[i]));
        }
        Addend::new(&words, negative)
    }

    /// Returns the multiple of each lane by the digit `at` of so many bits, which is public, from
    /// the lane's own table.
    #[inline(always)]
    fn of_each(tables: &[&[Affine]; MAX_LANES], digits: &[W; 4], at: usize, bits: usize) -> Self {
        let (size, negative) = digit(digits, at, bits);
        let mut sizes = Columns::<1>::ZERO;
        let mut words = Columns::<12>::ZERO;
        // SAFETY: a column has MAX_LANES words, at least as many as there are lanes.
        unsafe { size.store(sizes.0[0].as_mut_ptr()) };
        for (lane, table) in tables.iter().enumerate().take(W::LANES) {
            let entry = (sizes.0[0][lane] as usize).checked_sub(1).map(|index| &table[index]);
            words.put(lane, entry.unwrap_or(&NEUTRAL));
        }
        // SAFETY: a value of `W` is proof of its instruction set; a column has MAX_LANES words, at
        // least as many as there are lanes.
        let words = unsafe { each!(i in 12 => W::load(words.0[i].as_ptr())) };
        Addend::new(&words, negative)
    }
}

/// Returns the digit `at` of each lane, of so many bits: its absolute value, and all ones where it
/// is negative.
#[inline(always)]
fn digit<W: Words>(digits: &[W; 4], at: usize, bits: usize) -> (W, W) {
    let (word, shift) = (digits[at * bits / 64], at * bits % 64);
    let digit = word.shift_right(shift as u32).and(word.splat((1 << bits) - 1));
    let digit = digit.sub(word.splat(1 << (bits - 1)));
    let negative = word.splat(0).sub(digit.shift_right(63));
    (digit.xor(negative).sub(negative), negative)
}

impl<W: Words, const N: usize> Point<W, N>
where
    Fe<W, N>: Multiply,
{
    /// Returns the neutral point in all lanes.
    #[inline(always)]
    fn neutral(proof: W) -> Self {
        let (zero, one) = (Fe::splat(proof, Fe::<W, N>::ZERO), Fe::splat(proof, Fe::<W, N>::ONE));
        Point { x: zero, y: one, z: one, t: zero }
    }

    /// Returns twice the point; without T, if that is not asked for.
    #[inline(always)]
    fn double<const T: bool>(&self) -> Self {
        let (xx, yy, zz) = (self.x.square(), self.y.square(), self.z.square());
        let both = self.x.plus(&self.y).square();
        let (y, z) = (yy.plus(&xx), yy.minus(&xx));
        let (x, t) = (both.minus(&y), zz.plus(&zz).minus(&z));
        Point::made::<T>(&x, &y, &z, &t)
    }

    /// Returns the sum; without T, if that is not asked for.
    #[inline(always)]
    fn plus<const T: bool>(&self, other: &Addend<W, N>) -> Self {
        let a = self.y.plus(&self.x).times(&other.plus);
        let b = self.y.minus(&self.x).times(&other.minus);
        let (c, d) = (other.product.times(&self.t), self.z.plus(&self.z));
        Point::made::<T>(&a.minus(&b), &a.plus(&b), &d.plus(&c), &d.minus(&c))
    }

    /// Returns the point where x is X/Z, and y is Y/T.
    #[inline(always)]
    fn made<const T: bool>(x: &Fe<W, N>, y: &Fe<W, N>, z: &Fe<W, N>, t: &Fe<W, N>) -> Self {
        let product = if T { x.times(y) } else { *x };
        Point { x: x.times(t), y: y.times(z), z: z.times(t), t: product }
    }

    /// Returns the points as the standard writes them (RFC 8032, 5.1.2), in words.
    #[inline(always)]
    fn encoded(&self) -> [Number; MAX_LANES] {
        let inverse = self.z.inverse();
        let x = self.x.times(&inverse).to_words();
        let mut y = self.y.times(&inverse).to_words();
        y.iter_mut().zip(x).for_each(|(y, x)| y[3] |= x[0] << 63);
        y
    }
}

/// Is the body of every kernel's `ed25519_base`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_base<W: Words, const N: usize>(numbers: &mut Columns<4>)
where
    Fe<W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract; a column has MAX_LANES
    // words, at least as many as there are lanes.
    let digits = unsafe { each!(i in 4 => W::load(numbers.0[i].as_ptr())) };
    let mut point = Point::<W, N>::neutral(digits[0]);
    for (row, table) in TABLE.iter().enumerate() {
        point = point.plus::<true>(&Addend::of_all(table, &digits, 2 * row + 1));
    }
    for last in [false, false, false, true] {
        point = if last { point.double::<true>() } else { point.double::<false>() };
    }
    for (row, table) in TABLE.iter().enumerate() {
        point = point.plus::<true>(&Addend::of_all(table, &digits, 2 * row));
    }
    for (lane, words) in point.encoded().iter().enumerate() {
        numbers.put(lane, words);
    }
}

/// Is the body of every kernel's `ed25519_both`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_both<W: Words, const N: usize>(
    base: &mut Columns<4>,
    own: &Columns<4>,
    tables: &[&[Affine]; MAX_LANES],
) where
    Fe<W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract; a column has MAX_LANES
    // words, at least as many as there are lanes.
    let [bases, owns] =
        unsafe { [&*base, own].map(|columns| each!(i in 4 => W::load(columns.0[i].as_ptr()))) };
    let mut point = Point::<W, N>::neutral(bases[0]);
    for at in (0..64).rev() {
        if at < 63 {
            // In a loop of its own, a doubling has its products inlined on AVX2, where the compiler
            // then makes products of 64 bits out of those of 32.
            point = point.double::<false>().double::<false>();
            point = point.double::<false>().double::<true>();
        }
        if at % 2 == 1 {
            point = point.plus::<false>(&Addend::of_each(tables, &owns, at, 4));
        } else {
            point = point.plus::<true>(&Addend::of_each(tables, &owns, at, 4));
            let all = [&WIDE_TABLE[..]; MAX_LANES];
            point = point.plus::<false>(&Addend::of_each(&all, &bases, at / 2, 8));
        }
    }
    for (lane, words) in point.encoded().iter().enumerate() {
        base.put(lane, words);
    }
}
