//! Products of points with numbers, one in each lane: the bodies of the kernels.
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
//!   the order is possible at the highest digits alone, those times powers of at least a 32nd of
//!   the order. There, the sum and the digit differ by the order for numbers above the order only.
//! - From the highest digit on, what comes before a digit, times 32, is below the order, and more
//!   than the digit, if the number is at most half of the order. A point that is multiplied alone
//!   gets such a number ([`Modulus::lesser`]): that or its negative, whose product has the same x.
//!
//! A verification adds products of two numbers of any size, so that anything can happen. Z is zero
//! from then on.
//!
//! [`Modulus::lesser`]: crate::kernels::curves::scalar::Modulus::lesser

use broadloom_lanes::inside::each;

use super::curve::{Affine, Curve, Multiples, OWN_ROWS, Rows};
use crate::kernels::curves::columns::{Columns, MAX_LANES};
use crate::kernels::curves::element::{Element, Multiply};
use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::Odd;
use crate::kernels::curves::words::Words;

/// Three coordinates of each lane's point: X, Y and Z of a product. Of a point that is multiplied,
/// the first two are x and y, and nobody reads the third.
pub(crate) type Coordinates<const K: usize> = [Columns<K>; 3];

/// Returns a number, and 16 times the sum of all powers of 32, in one word more: groups of five
/// bits, less 16 each, are the number's digits.
pub(crate) fn digits<C: Curve<K>, const K: usize, const D: usize>(number: [u64; K]) -> [u64; D] {
    const {
        assert!(D == K + 1 && C::DIGITS.is_multiple_of(OWN_ROWS), "rows of equally many digits");
    }
    let sixteens = const { sixteens::<D>(C::DIGITS) };
    let (mut sum, mut carry) = ([0; D], 0);
    sum[..K].copy_from_slice(&number);
    for (word, other) in sum.iter_mut().zip(sixteens) {
        let wide = u128::from(*word) + u128::from(other) + carry;
        (*word, carry) = (wide as u64, wide >> 64);
    }
    sum
}

/// Returns 16 times the sum of the lowest powers of 32.
const fn sixteens<const D: usize>(powers: usize) -> [u64; D] {
    let (mut words, mut at) = ([0; D], 4);
    while at < 5 * powers {
        words[at / 64] |= 1 << (at % 64);
        at += 5;
    }
    words
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
    fn new<const D: usize>(words: &[W; D], at: usize) -> Self {
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
struct Addend<P, W, const N: usize> {
    x: Element<P, W, N>,
    y: Element<P, W, N>,
}

impl<P: Montgomery, W: Words, const N: usize> Addend<P, W, N>
where
    Element<P, W, N>: Multiply,
{
    /// Returns the point of these words, or where the digit is negative, its negative.
    #[inline(always)]
    fn new<const K: usize>([x, y]: &[[W; K]; 2], digit: &Digit<W>) -> Self {
        let (x, y) = (Element::from_words(x), Element::<P, W, N>::from_words(y));
        let negated = Element::<P, W, N>::zero(digit.size).minus(&y);
        Addend { x, y: y.replaced(digit.negative, &negated) }
    }

    /// Returns the multiple of each lane, of one table that all lanes have, which is read whole.
    #[inline(always)]
    fn of_all<const K: usize>(table: &Multiples<K>, digit: &Digit<W>) -> Self {
        let size = digit.size;
        let mut words = [[size.splat(0); K]; 2];
        for (multiple, entry) in table.iter().enumerate() {
            let is_it = size.equal(size.splat(multiple as u64 + 1));
            each!(const I in 10 => {
                if const { I < K } {
                    words[0][I] = is_it.select(size.splat(entry[0][I]), words[0][I]);
                    words[1][I] = is_it.select(size.splat(entry[1][I]), words[1][I]);
                }
            });
        }
        Addend::new(&words, digit)
    }

    /// Returns the multiple of each lane, whose digit is public, from the lane's own table.
    #[inline(always)]
    fn of_each<const K: usize>(tables: &[&Multiples<K>; MAX_LANES], digit: &Digit<W>) -> Self {
        let none: &Affine<K> = &[[0; K]; 2];
        let mut sizes = Columns::<1>::ZERO;
        let mut columns = [Columns::<K>::ZERO; 2];
        // SAFETY: a column has MAX_LANES words, at least as many as there are lanes.
        unsafe { digit.size.store(sizes.0[0].as_mut_ptr()) };
        for (lane, table) in tables.iter().enumerate().take(W::LANES) {
            let entry = (sizes.0[0][lane] as usize).checked_sub(1).map(|index| &table[index]);
            let entry = entry.unwrap_or(none);
            columns[0].put(lane, &entry[0]);
            columns[1].put(lane, &entry[1]);
        }
        // SAFETY: a value of `W` is proof of its instruction set.
        let words = unsafe { [load(&columns[0]), load(&columns[1])] };
        Addend::new(&words, digit)
    }
}

/// A point of each lane.
#[derive(Clone, Copy)]
struct Point<P, W, const N: usize> {
    x: Element<P, W, N>,
    y: Element<P, W, N>,
    z: Element<P, W, N>,
}

impl<P: Montgomery, W: Words, const N: usize> Point<P, W, N>
where
    Element<P, W, N>: Multiply,
{
    /// Returns twice the point, which is on the curve.
    #[inline(always)]
    fn double<C: Curve<K, Prime = P>, const K: usize>(&self) -> Self {
        let yy = self.y.square();
        let beta = self.x.times(&yy);
        // 3·x² + a·z⁴.
        let alpha = if const { C::A_IS_ZERO } {
            self.x.times(&self.x.plus(&self.x).plus(&self.x).factor())
        } else {
            let zz = self.z.square();
            let sum = self.x.plus(&zz);
            self.x.minus(&zz).times(&sum.plus(&sum).plus(&sum).factor())
        };
        let (two, yyyy) = (beta.plus(&beta), yy.square());
        let (four, two_yyyy) = (two.plus(&two), yyyy.plus(&yyyy));
        let x = alpha.square().minus(&four.plus(&four));
        let four_yyyy = two_yyyy.plus(&two_yyyy);
        let y = alpha.times(&four.minus(&x)).minus(&four_yyyy.plus(&four_yyyy));
        Point { x, y, z: self.y.times(&self.z.plus(&self.z).factor()) }
    }

    /// Returns the sum with a point whose Z is 1.
    #[inline(always)]
    fn plus_affine(&self, other: &Addend<P, W, N>) -> Self {
        let zz = self.z.square();
        let h = other.x.times(&zz).minus(&self.x);
        let r = other.y.times(&zz.times(&self.z)).minus(&self.y);
        Point::sum(&self.x, &self.y, &h, &r, &self.z)
    }

    /// Returns the sum.
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let (zz, other_zz) = (self.z.square(), other.z.square());
        let u = self.x.times(&other_zz);
        let s = self.y.times(&other_zz.times(&other.z));
        let h = other.x.times(&zz).minus(&u);
        let r = other.y.times(&zz.times(&self.z)).minus(&s);
        Point::sum(&u, &s, &h, &r, &self.z.times(&other.z))
    }

    /// Returns the sum of points whose coordinates over a common Z are `u` and `s` in the first,
    /// and larger by `h` and `r` in the second.
    #[inline(always)]
    fn sum(
        u: &Element<P, W, N>,
        s: &Element<P, W, N>,
        h: &Element<P, W, N>,
        r: &Element<P, W, N>,
        z: &Element<P, W, N>,
    ) -> Self {
        let hh = h.square();
        let (hhh, v) = (hh.times(h), u.times(&hh));
        let x = r.square().minus(&hhh.plus(&v).plus(&v));
        let y = r.times(&v.minus(&x)).minus(&s.times(&hhh));
        Point { x, y, z: z.times(h) }
    }

    /// Returns `self` in lanes where the mask is zero, and `other` where it is all ones.
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
struct Sum<P, W, const N: usize> {
    point: Point<P, W, N>,
    /// All ones where nothing was added yet, so that the point does not count.
    neutral: W,
}

impl<P: Montgomery, W: Words, const N: usize> Sum<P, W, N>
where
    Element<P, W, N>: Multiply,
{
    #[inline(always)]
    fn new<const K: usize>(proof: W) -> Self
    where
        P: Odd<K>,
    {
        let one = Element::one(proof);
        Sum { point: Point { x: one, y: one, z: one }, neutral: proof.splat(0).sub(proof.splat(1)) }
    }

    #[inline(always)]
    fn double_times<C: Curve<K, Prime = P>, const K: usize>(&mut self, times: usize) {
        for _ in 0..times {
            self.point = self.point.double::<C, K>();
        }
    }

    /// Adds a point in lanes whose digit is not zero.
    #[inline(always)]
    fn add_affine<const K: usize>(&mut self, addend: &Addend<P, W, N>, digit: &Digit<W>)
    where
        P: Odd<K>,
    {
        let sum = self.point.plus_affine(addend);
        let first = Point { x: addend.x, y: addend.y, z: Element::one(digit.zero) };
        self.settle(&sum, &first, digit);
    }

    /// Adds a point in lanes whose digit is not zero.
    #[inline(always)]
    fn add(&mut self, addend: &Point<P, W, N>, digit: &Digit<W>) {
        let sum = self.point.plus(addend);
        self.settle(&sum, addend, digit);
    }

    /// Adds the products of the base point with numbers, which are public.
    #[inline(always)]
    fn add_base<C, const K: usize, const D: usize>(&mut self, numbers: &[W; D])
    where
        C: Curve<K, Prime = P>,
        P: Odd<K>,
    {
        for (at, table) in C::TABLE.iter().enumerate() {
            let digit = Digit::new(numbers, at);
            self.add_affine(&Addend::of_each(&[table; MAX_LANES], &digit), &digit);
        }
    }

    #[inline(always)]
    fn settle(&mut self, sum: &Point<P, W, N>, first: &Point<P, W, N>, digit: &Digit<W>) {
        let sum = sum.replaced(self.neutral, first);
        self.point = sum.replaced(digit.zero, &self.point);
        self.neutral = self.neutral.and(digit.zero);
    }

    /// Stores the coordinates X, Y and Z.
    #[inline(always)]
    fn store<const K: usize>(&self, products: &mut Coordinates<K>)
    where
        P: Odd<K>,
    {
        let all = [self.point.x, self.point.y, self.point.z];
        for (column, coordinate) in products.iter_mut().zip(all) {
            let words = coordinate.to_words();
            for (lane, words) in words.iter().enumerate().take(W::LANES) {
                column.put(lane, words);
            }
        }
    }
}

/// Loads the words of numbers, a column each.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn load<W: Words, const K: usize>(numbers: &Columns<K>) -> [W; K] {
    // SAFETY: the CPU has the instruction set, by this function's contract; a column has MAX_LANES
    // words, at least as many as there are lanes.
    let mut words = [unsafe { W::load(numbers.0[0].as_ptr()) }; K];
    each!(const I in 12 => {
        if const { I < K } {
            // SAFETY: as above.
            words[I] = unsafe { W::load(numbers.0[I].as_ptr()) };
        }
    });
    words
}

/// Computes `base` of every kernel.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_base<C, W, const N: usize, const K: usize, const D: usize>(
    numbers: &Columns<D>,
    products: &mut Coordinates<K>,
) where
    C: Curve<K>,
    W: Words,
    Element<C::Prime, W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let words: [W; D] = unsafe { load(numbers) };
    let mut sum = Sum::<C::Prime, W, N>::new(words[0]);
    for (at, table) in C::TABLE.iter().enumerate() {
        let digit = Digit::new(&words, at);
        sum.add_affine(&Addend::of_all(table, &digit), &digit);
    }
    sum.store(products);
}

/// Returns the products of points with numbers.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn product<C, W, const N: usize, const K: usize, const D: usize>(
    numbers: &Columns<D>,
    points: &Coordinates<K>,
) -> Sum<C::Prime, W, N>
where
    C: Curve<K>,
    W: Words,
    Element<C::Prime, W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let (words, x, y): ([W; D], [W; K], [W; K]) =
        unsafe { (load(numbers), load(&points[0]), load(&points[1])) };
    let (x, y) = (Element::<C::Prime, W, N>::entered(&x), Element::entered(&y));
    let mut sum = Sum::<C::Prime, W, N>::new(words[0]);
    let own = Addend { x, y };
    let mut multiples = [Point { x, y, z: Element::one(words[0]) }; 16];
    for i in 1..16 {
        multiples[i] = match i % 2 {
            1 => multiples[i / 2].double::<C, K>(),
            _ => multiples[i - 1].plus_affine(&own),
        };
    }
    for at in (0..C::DIGITS).rev() {
        if at + 1 < C::DIGITS {
            sum.double_times::<C, K>(5);
        }
        let digit = Digit::new(&words, at);
        let mut addend = multiples[0];
        for (multiple, entry) in multiples.iter().enumerate().skip(1) {
            let is_it = digit.size.equal(digit.size.splat(multiple as u64 + 1));
            addend = addend.replaced(is_it, entry);
        }
        let negated = Element::<C::Prime, W, N>::zero(digit.size).minus(&addend.y);
        addend.y = addend.y.replaced(digit.negative, &negated);
        sum.add(&addend, &digit);
    }
    sum
}

/// Computes `point` of every kernel.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_point<C, W, const N: usize, const K: usize, const D: usize>(
    numbers: &Columns<D>,
    points: &mut Coordinates<K>,
) where
    C: Curve<K>,
    W: Words,
    Element<C::Prime, W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let sum = unsafe { product::<C, W, N, K, D>(numbers, points) };
    sum.store(points);
}

/// Computes `both` of every kernel.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_both<C, W, const N: usize, const K: usize, const D: usize>(
    base: &Columns<D>,
    own: &Columns<D>,
    tables: &[&Rows<K>; MAX_LANES],
    products: &mut Coordinates<K>,
) where
    C: Curve<K>,
    W: Words,
    Element<C::Prime, W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let (bases, owns): ([W; D], [W; D]) = unsafe { (load(base), load(own)) };
    let mut sum = Sum::<C::Prime, W, N>::new(bases[0]);
    let own_digits = const { C::DIGITS / OWN_ROWS };
    for at in (0..own_digits).rev() {
        if at + 1 < own_digits {
            sum.double_times::<C, K>(5);
        }
        for (row, first) in (0..C::DIGITS).step_by(own_digits).enumerate() {
            let digit = Digit::new(&owns, first + at);
            let row = each!(lane in 8 => &tables[lane][row]);
            sum.add_affine(&Addend::of_each(&row, &digit), &digit);
        }
    }
    sum.add_base::<C, K, D>(&bases);
    sum.store(products);
}

/// Computes `both_anew` of every kernel.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply_both_anew<C, W, const N: usize, const K: usize, const D: usize>(
    base: &Columns<D>,
    own: &Columns<D>,
    points: &mut Coordinates<K>,
) where
    C: Curve<K>,
    W: Words,
    Element<C::Prime, W, N>: Multiply,
{
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let (bases, mut sum): ([W; D], _) =
        unsafe { (load(base), product::<C, W, N, K, D>(own, points)) };
    sum.add_base::<C, K, D>(&bases);
    sum.store(points);
}
