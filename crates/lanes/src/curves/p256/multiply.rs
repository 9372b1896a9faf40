//! Products of points of P-256 with numbers, one in each lane: the bodies of the kernels.
//!
//! Points have the coordinates X, Y and Z, where x is X/Z² and y is Y/Z³. Their sums are right for
//! different points that are not each other's negative, of which the neutral point is none.
//!
//! A number is the sum of its digits from -16 to 15, each times a power of 32. No product needs
//! another sum than that:
//!
//! - A sum of some digits with their powers, one of them not zero, is not zero: the lowest of these
//!   digits is no multiple of 32. So only a multiple of the order can stand in for zero.
//! - From the lowest digit on, what was added is less in value than the next power: a multiple of
//!   the order is possible at the highest digit alone. There, the sum and the digit differ by the
//!   order for numbers above the order only.
//! - From the highest digit on, the same holds for the lowest one, where 32 times what comes before
//!   differs from the digit by the order, which is 17 modulo 32: the digit would be 15, and the
//!   number above the order.
//!
//! A verification adds products of two numbers, so that anything can happen. Z is zero from then
//! on.

use super::super::element::Multiply;
use super::super::kernel::{Columns, MAX_LANES};
use super::super::prime256::Fe;
use super::super::scalar::Number;
use super::super::words::Words;
use super::points::{Affine, Multiples, Rows, TABLE};
use crate::vector::each;

/// Digits of a number.
pub(crate) const DIGITS: usize = 52;

/// Rows of the table that a key has of its point.
pub(crate) const OWN_ROWS: usize = 2;

/// Digits that each row of a key's table is for.
const OWN_DIGITS: usize = DIGITS / OWN_ROWS;

const _: () = assert!(DIGITS.is_multiple_of(OWN_ROWS), "rows have equally many digits");

/// Two coordinates of each lane's point.
pub(crate) type Coordinates = [Columns<4>; 2];

/// A number below 2^256, and 16 times the sum of all powers of 32: groups of five bits, less 16
/// each, are the number's digits.
pub(crate) fn digits(number: Number) -> [u64; 5] {
    const SIXTEENS: [u64; 5] = {
        let (mut words, mut at) = ([0; 5], 4);
        while at < 5 * DIGITS {
            words[at / 64] |= 1 << (at % 64);
            at += 5;
        }
        words
    };
    let [n0, n1, n2, n3] = number;
    let mut carry = 0;
    let mut sum = [n0, n1, n2, n3, 0];
    for (word, other) in sum.iter_mut().zip(SIXTEENS) {
        let wide = u128::from(*word) + u128::from(other) + carry;
        (*word, carry) = (wide as u64, wide >> 64);
    }
    sum
}

/// The digit at a place, of each lane.
#[derive(Clone, Copy)]
struct Digit<W> {
    /// Its absolute value.
    size: W,
    /// All ones where it is negative.
    negative: W,
    /// All ones where it is zero.
    zero: W,
}

impl<W: Words> Digit<W> {
    #[inline(always)]
    fn new(words: &[W; 5], at: usize) -> Self {
        let (word, shift) = (5 * at / 64, (5 * at % 64) as u32);
        let low = words[word].shift_right(shift);
        let group = match shift > 64 - 5 {
            true => low.or(words[word + 1].shift_left(64 - shift)),
            false => low,
        };
        let zero = low.splat(0);
        let digit = group.and(low.splat(31)).sub(low.splat(16));
        let negative = zero.sub(digit.shift_right(63));
        let size = digit.xor(negative).sub(negative);
        Digit { size, negative, zero: size.equal(zero) }
    }
}

/// A point of each lane by its coordinates x and y.
struct Addend<W, const N: usize> {
    x: Fe<W, N>,
    y: Fe<W, N>,
}

impl<W: Words, const N: usize> Addend<W, N>
where
    Fe<W, N>: Multiply,
{
    /// The point of these words, or where the digit is negative, its negative.
    #[inline(always)]
    fn new(words: &[W; 8], digit: &Digit<W>) -> Self {
        // No closure makes these: it would be compiled without the kernel's instruction set.
        let x = Fe::<W, N>::from_words(&each!(i in 4 => words[i]));
        let y = Fe::<W, N>::from_words(&each!(i in 4 => words[4 + i]));
        let negated = Fe::splat(digit.size, [0; 4]).minus(&y);
        Addend { x, y: y.replaced(digit.negative, &negated) }
    }

    /// The multiple of each lane, of one table that all lanes have, which is read whole.
    #[inline(always)]
    fn of_all(table: &Multiples, digit: &Digit<W>) -> Self {
        let size = digit.size;
        let mut words = each!(_i in 8 => size.splat(0));
        for (multiple, entry) in table.iter().enumerate() {
            let is_it = size.equal(size.splat(multiple as u64 + 1));
            each!(i in 8 => words[i] = is_it.select(size.splat(entry[i]), words[i]));
        }
        Addend::new(&words, digit)
    }

    /// The multiple of each lane, whose digit is public, from the lane's own table.
    #[inline(always)]
    fn of_each(tables: &[&Multiples; MAX_LANES], digit: &Digit<W>) -> Self {
        const NONE: &Affine = &[0; 8];
        let mut sizes = Columns::<1>::ZERO;
        let mut words = Columns::<8>::ZERO;
        // SAFETY: there is room for a word of every lane.
        unsafe { digit.size.store(sizes.0[0].as_mut_ptr()) };
        for (lane, table) in tables.iter().enumerate().take(W::LANES) {
            let entry = (sizes.0[0][lane] as usize).checked_sub(1).map(|index| &table[index]);
            words.put(lane, entry.unwrap_or(NONE));
        }
        // SAFETY: a value is proof of the instruction set; there is a word for every lane.
        let words = unsafe { each!(i in 8 => W::load(words.0[i].as_ptr())) };
        Addend::new(&words, digit)
    }
}

/// A point of each lane.
#[derive(Clone, Copy)]
struct Point<W, const N: usize> {
    x: Fe<W, N>,
    y: Fe<W, N>,
    z: Fe<W, N>,
}

impl<W: Words, const N: usize> Point<W, N>
where
    Fe<W, N>: Multiply,
{
    /// Twice the point.
    #[inline(always)]
    fn double(&self) -> Self {
        let (zz, yy) = (self.z.square(), self.y.square());
        let beta = self.x.times(&yy);
        let sum = self.x.plus(&zz);
        let alpha = self.x.minus(&zz).times(&sum.plus(&sum).plus(&sum).factor());
        let (two, yyyy) = (beta.plus(&beta), yy.square());
        let (four, two_yyyy) = (two.plus(&two), yyyy.plus(&yyyy));
        let x = alpha.square().minus(&four.plus(&four));
        let four_yyyy = two_yyyy.plus(&two_yyyy);
        let y = alpha.times(&four.minus(&x)).minus(&four_yyyy.plus(&four_yyyy));
        Point { x, y, z: self.y.times(&self.z.plus(&self.z).factor()) }
    }

    /// The sum.
    #[inline(always)]
    fn plus_affine(&self, other: &Addend<W, N>) -> Self {
        let zz = self.z.square();
        let h = other.x.times(&zz).minus(&self.x);
        let r = other.y.times(&zz.times(&self.z)).minus(&self.y);
        Point::sum(&self.x, &self.y, &h, &r, &self.z)
    }

    /// The sum.
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let (zz, other_zz) = (self.z.square(), other.z.square());
        let u = self.x.times(&other_zz);
        let s = self.y.times(&other_zz.times(&other.z));
        let h = other.x.times(&zz).minus(&u);
        let r = other.y.times(&zz.times(&self.z)).minus(&s);
        Point::sum(&u, &s, &h, &r, &self.z.times(&other.z))
    }

    /// The sum of points whose coordinates over a common Z are `u` and `s`, and larger by `h`
    /// and `r`.
    #[inline(always)]
    fn sum(u: &Fe<W, N>, s: &Fe<W, N>, h: &Fe<W, N>, r: &Fe<W, N>, z: &Fe<W, N>) -> Self {
        let hh = h.square();
        let (hhh, v) = (hh.times(h), u.times(&hh));
        let x = r.square().minus(&hhh.plus(&v).plus(&v));
        let y = r.times(&v.minus(&x)).minus(&s.times(&hhh));
        Point { x, y, z: z.times(h) }
    }

    /// `self` in lanes where the mask is zero, `other` where it is all ones.
    #[inline(always)]
    fn replaced(&self, mask: W, other: &Self) -> Self {
        Point {
            x: self.x.replaced(mask, &other.x),
            y: self.y.replaced(mask, &other.y),
            z: self.z.replaced(mask, &other.z),
        }
    }
}

/// The sum of what was added so far.
struct Sum<W, const N: usize> {
    point: Point<W, N>,
    /// All ones where nothing was added yet, so that the point does not count.
    neutral: W,
}

impl<W: Words, const N: usize> Sum<W, N>
where
    Fe<W, N>: Multiply,
{
    #[inline(always)]
    fn new(proof: W) -> Self {
        let one = Fe::one(proof);
        Sum { point: Point { x: one, y: one, z: one }, neutral: proof.splat(0).sub(proof.splat(1)) }
    }

    #[inline(always)]
    fn double_times(&mut self, times: usize) {
        for _ in 0..times {
            self.point = self.point.double();
        }
    }

    /// Adds a point, where the digit is not zero.
    #[inline(always)]
    fn add_affine(&mut self, addend: &Addend<W, N>, digit: &Digit<W>) {
        let sum = self.point.plus_affine(addend);
        let first = Point { x: addend.x, y: addend.y, z: Fe::one(digit.zero) };
        self.settle(&sum, &first, digit);
    }

    /// Adds a point, where the digit is not zero.
    #[inline(always)]
    fn add(&mut self, addend: &Point<W, N>, digit: &Digit<W>) {
        let sum = self.point.plus(addend);
        self.settle(&sum, addend, digit);
    }

    /// Adds the products of the base point with numbers, which are public.
    #[inline(always)]
    fn add_base(&mut self, numbers: &[W; 5]) {
        for (at, table) in TABLE.iter().enumerate() {
            let digit = Digit::new(numbers, at);
            self.add_affine(&Addend::of_each(&[table; MAX_LANES], &digit), &digit);
        }
    }

    #[inline(always)]
    fn settle(&mut self, sum: &Point<W, N>, first: &Point<W, N>, digit: &Digit<W>) {
        let sum = sum.replaced(self.neutral, first);
        self.point = sum.replaced(digit.zero, &self.point);
        self.neutral = self.neutral.and(digit.zero);
    }

    /// The coordinates X and Z.
    #[inline(always)]
    fn store(&self, products: &mut Coordinates) {
        let (x, z) = (self.point.x.to_words(), self.point.z.to_words());
        for lane in 0..W::LANES {
            products[0].put(lane, &x[lane]);
            products[1].put(lane, &z[lane]);
        }
    }
}

/// The words of numbers, a column each.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn load<W: Words>(numbers: &Columns<5>) -> [W; 5] {
    // SAFETY: the caller's; there is a word for each lane in every column.
    unsafe { each!(i in 5 => W::load(numbers.0[i].as_ptr())) }
}

/// The body of every kernel's `p256_base`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_base<W: Words, const N: usize>(
    numbers: &Columns<5>,
    products: &mut Coordinates,
) where
    Fe<W, N>: Multiply,
{
    // SAFETY: the caller's.
    let words = unsafe { load::<W>(numbers) };
    let mut sum = Sum::<W, N>::new(words[0]);
    for (at, table) in TABLE.iter().enumerate() {
        let digit = Digit::new(&words, at);
        sum.add_affine(&Addend::of_all(table, &digit), &digit);
    }
    sum.store(products);
}

/// The products of points with numbers.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn product<W: Words, const N: usize>(numbers: &Columns<5>, points: &Coordinates) -> Sum<W, N>
where
    Fe<W, N>: Multiply,
{
    // SAFETY: the caller's; there is a word for each lane in every column.
    let (words, x, y) = unsafe {
        let x = each!(i in 4 => W::load(points[0].0[i].as_ptr()));
        let y = each!(i in 4 => W::load(points[1].0[i].as_ptr()));
        (load::<W>(numbers), Fe::<W, N>::entered(&x), Fe::<W, N>::entered(&y))
    };
    let mut sum = Sum::<W, N>::new(words[0]);
    let own = Addend { x, y };
    let mut multiples = [Point { x, y, z: Fe::one(words[0]) }; 16];
    for i in 1..16 {
        multiples[i] = match i % 2 {
            1 => multiples[i / 2].double(),
            _ => multiples[i - 1].plus_affine(&own),
        };
    }
    for at in (0..DIGITS).rev() {
        if at + 1 < DIGITS {
            sum.double_times(5);
        }
        let digit = Digit::new(&words, at);
        let mut addend = multiples[0];
        for (multiple, entry) in multiples.iter().enumerate().skip(1) {
            let is_it = digit.size.equal(digit.size.splat(multiple as u64 + 1));
            addend = addend.replaced(is_it, entry);
        }
        let negated = Fe::splat(digit.size, [0; 4]).minus(&addend.y);
        addend.y = addend.y.replaced(digit.negative, &negated);
        sum.add(&addend, &digit);
    }
    sum
}

/// The body of every kernel's `p256_point`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_point<W: Words, const N: usize>(
    numbers: &Columns<5>,
    points: &mut Coordinates,
) where
    Fe<W, N>: Multiply,
{
    // SAFETY: the caller's.
    let sum = unsafe { product::<W, N>(numbers, points) };
    sum.store(points);
}

/// The body of every kernel's `p256_both`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_both<W: Words, const N: usize>(
    base: &Columns<5>,
    own: &Columns<5>,
    tables: &[&Rows; MAX_LANES],
    products: &mut Coordinates,
) where
    Fe<W, N>: Multiply,
{
    // SAFETY: the caller's.
    let (bases, owns) = unsafe { (load::<W>(base), load::<W>(own)) };
    let mut sum = Sum::<W, N>::new(bases[0]);
    for at in (0..OWN_DIGITS).rev() {
        if at + 1 < OWN_DIGITS {
            sum.double_times(5);
        }
        for (row, first) in (0..DIGITS).step_by(OWN_DIGITS).enumerate() {
            let digit = Digit::new(&owns, first + at);
            let row = each!(lane in 8 => &tables[lane][row]);
            sum.add_affine(&Addend::of_each(&row, &digit), &digit);
        }
    }
    sum.add_base(&bases);
    sum.store(products);
}

/// The body of every kernel's `p256_both_anew`.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_both_anew<W: Words, const N: usize>(
    base: &Columns<5>,
    own: &Columns<5>,
    points: &mut Coordinates,
) where
    Fe<W, N>: Multiply,
{
    // SAFETY: the caller's.
    let (bases, mut sum) = unsafe { (load::<W>(base), product::<W, N>(own, points)) };
    sum.add_base(&bases);
    sum.store(points);
}
