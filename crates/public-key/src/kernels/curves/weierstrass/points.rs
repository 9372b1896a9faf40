//! Points, one at a time, and the tables that lanes read. All of it takes a time that depends on
//! the points.

use core::marker::PhantomData;

use super::curve::{Curve, Multiples, OWN_ROWS, Rows};
use super::error::CurveKeyError;

/// A point in coordinates as [`PRIME`](Curve::PRIME) has numbers: x is X/Z², and y is Y/Z³. Where Z
/// is zero, it is the neutral point.
#[derive(Clone, Copy)]
pub(crate) struct Point<C, const K: usize> {
    x: [u64; K],
    y: [u64; K],
    z: [u64; K],
    curve: PhantomData<C>,
}

impl<C: Curve<K>, const K: usize> Point<C, K> {
    /// Makes the point of three coordinates.
    const fn of(x: [u64; K], y: [u64; K], z: [u64; K]) -> Self {
        Point { x, y, z, curve: PhantomData }
    }

    pub(crate) const NEUTRAL: Self = Point::of([0; K], [0; K], [0; K]);
    pub(crate) const BASE: Self =
        Point::of(C::PRIME.enter(C::BASE[0]), C::PRIME.enter(C::BASE[1]), C::PRIME.one());

    /// Returns the point with these coordinates.
    ///
    /// # Errors
    /// [`CurveKeyError::Coordinate`] or [`CurveKeyError::OffCurve`].
    pub(crate) fn new(x: [u64; K], y: [u64; K]) -> Result<Self, CurveKeyError> {
        let prime = C::PRIME;
        if !prime.is_below(x) || !prime.is_below(y) {
            return Err(CurveKeyError::Coordinate);
        }
        let (x, y) = (prime.enter(x), prime.enter(y));
        let three = prime.add(prime.one(), prime.twice(prime.one()));
        let minus_a = if C::A_IS_ZERO { [0; K] } else { three };
        let b = const { C::PRIME.enter(C::B) };
        let right = prime.add(prime.multiply(x, prime.sub(prime.square(x), minus_a)), b);
        match prime.square(y) == right {
            true => Ok(Point::of(x, y, prime.one())),
            false => Err(CurveKeyError::OffCurve),
        }
    }

    pub(crate) fn is_neutral(&self) -> bool {
        self.z == [0; K]
    }

    /// Returns `true` if the x coordinate, modulo the order, is this number, which is below the
    /// order.
    pub(crate) fn has_x_modulo_order(&self, number: [u64; K]) -> bool {
        let prime = C::PRIME;
        let zz = prime.square(self.z);
        let has_x = |x| prime.multiply(prime.enter(x), zz) == self.x;
        // The prime is above the order, but not twice as large.
        let other = C::ORDER.plus_modulus(number).filter(|other| prime.is_below(*other));
        !self.is_neutral() && (has_x(number) || other.is_some_and(has_x))
    }

    /// Returns the point X/Z² of lanes, of which Y is not known.
    pub(crate) fn from_lanes(x: [u64; K], z: [u64; K]) -> Self {
        let prime = C::PRIME;
        Point::of(prime.enter(x), [0; K], prime.enter(z))
    }

    fn double(&self) -> Self {
        let prime = C::PRIME;
        let gamma = prime.square(self.y);
        let beta = prime.multiply(self.x, gamma);
        // A third of 3·x² + a·z⁴.
        let product = if C::A_IS_ZERO {
            prime.square(self.x)
        } else {
            let delta = prime.square(self.z);
            prime.multiply(prime.sub(self.x, delta), prime.add(self.x, delta))
        };
        let (alpha, four) =
            (prime.add(product, prime.twice(product)), prime.twice(prime.twice(beta)));
        let x = prime.sub(prime.square(alpha), prime.twice(four));
        let eight = prime.twice(prime.twice(prime.twice(prime.square(gamma))));
        let y = prime.sub(prime.multiply(alpha, prime.sub(four, x)), eight);
        Point::of(x, y, prime.twice(prime.multiply(self.y, self.z)))
    }

    /// Returns the sum of any two points.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        if self.is_neutral() {
            return *other;
        } else if other.is_neutral() {
            return *self;
        }
        let prime = C::PRIME;
        let (zz, other_zz) = (prime.square(self.z), prime.square(other.z));
        let u = prime.multiply(self.x, other_zz);
        let s = prime.multiply(prime.multiply(self.y, other.z), other_zz);
        let h = prime.sub(prime.multiply(other.x, zz), u);
        let r = prime.sub(prime.multiply(prime.multiply(other.y, self.z), zz), s);
        if h == [0; K] {
            return if r == [0; K] { self.double() } else { Point::NEUTRAL };
        }
        let hh = prime.square(h);
        let (hhh, v) = (prime.multiply(h, hh), prime.multiply(u, hh));
        let x = prime.sub(prime.square(r), prime.add(hhh, prime.twice(v)));
        let y = prime.sub(prime.multiply(r, prime.sub(v, x)), prime.multiply(s, hhh));
        Point::of(x, y, prime.multiply(prime.multiply(self.z, other.z), h))
    }

    /// Returns the sum of the products of a number with the base point, and of another one with
    /// this.
    pub(crate) fn both(&self, base: [u64; K], own: [u64; K]) -> Self {
        let addends = [Point::BASE, *self, Point::BASE.plus(self)];
        (0..64 * K).rev().fold(Point::NEUTRAL, |sum, at| {
            let [base, own] = [base, own].map(|number| (number[at / 64] >> (at % 64) & 1) as usize);
            let sum = sum.double();
            match base | own << 1 {
                0 => sum,
                which => sum.plus(&addends[which - 1]),
            }
        })
    }

    /// Returns what lanes read of a key with this point, which is not the neutral one.
    pub(crate) fn rows(&self) -> Rows<K> {
        table(self, 5 * C::DIGITS / OWN_ROWS)
    }
}

/// Returns the multiples from 1 to 16 of a point, and in each further row those of 2 to so many
/// bits times the row before.
pub(crate) fn table<C: Curve<K>, const K: usize, const ROWS: usize>(
    point: &Point<C, K>,
    bits: usize,
) -> [Multiples<K>; ROWS] {
    let mut points = [[*point; 16]; ROWS];
    for row in 0..ROWS {
        if row > 0 {
            // 16 times a row's first point comes before.
            let last = points[row - 1][15];
            points[row][0] = (4..bits).fold(last, |point, _| point.double());
        }
        for i in 1..16 {
            points[row][i] = match i % 2 {
                1 => points[row][i / 2].double(),
                _ => points[row][i - 1].plus(&points[row][0]),
            };
        }
    }
    affine(&points)
}

/// Returns the coordinates of points, none of which is the neutral one.
fn affine<C: Curve<K>, const K: usize, const ROWS: usize>(
    points: &[[Point<C, K>; 16]; ROWS],
) -> [Multiples<K>; ROWS] {
    let prime = C::PRIME;
    // One inversion for all: of the product, from which the others are taken one by one.
    let (mut before, mut product) = ([[[0; K]; 16]; ROWS], prime.one());
    for (before, point) in before.as_flattened_mut().iter_mut().zip(points.as_flattened()) {
        *before = product;
        product = prime.multiply(product, point.z);
    }
    let (mut inverse, mut all) = (prime.invert(product), [[[[0; K]; 2]; 16]; ROWS]);
    let places = all.as_flattened_mut().iter_mut().zip(before.as_flattened());
    for ((affine, before), point) in places.zip(points.as_flattened()).rev() {
        let own = prime.multiply(inverse, *before);
        inverse = prime.multiply(inverse, point.z);
        let own_square = prime.square(own);
        let x = prime.multiply(point.x, own_square);
        let y = prime.multiply(point.y, prime.multiply(own, own_square));
        *affine = [x, y].map(|coordinate| prime.in_lanes(coordinate));
    }
    all
}
