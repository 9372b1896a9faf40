//! Points of P-256 (SP 800-186, 3.2.1.3), one at a time, and the tables that lanes read. All of it
//! takes a time that depends on the points.

use super::super::prime256::{PRIME, in_lanes};
use super::super::scalar::{Modulus, Number};
use super::key::P256KeyError;
use super::multiply::{DIGITS, OWN_ROWS};

/// The order of the base point.
pub(crate) const ORDER: Modulus<
    0xf3b9_cac2_fc63_2551,
    0xbce6_faad_a717_9e84,
    { u64::MAX },
    0xffff_ffff_0000_0000,
> = Modulus::new();

/// The coefficient of the curve y² = x³ - 3·x + b.
const B: Number = PRIME.enter([
    0x3bce_3c3e_27d2_604b,
    0x651d_06b0_cc53_b0f6,
    0xb3eb_bd55_7698_86bc,
    0x5ac6_35d8_aa3a_93e7,
]);

/// The coordinates of the base point.
pub(crate) const BASE: [Number; 2] = [
    [0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247],
    [0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b],
];

/// A point in coordinates as [`PRIME`] has numbers: x is X/Z², and y is Y/Z³. Where Z is zero, it
/// is the neutral point.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    x: Number,
    y: Number,
    z: Number,
}

/// Coordinates of a point as lanes read them: x, and then y.
pub(crate) type Affine = [u64; 8];

/// The multiples of a point from 1 to 16.
pub(crate) type Multiples = [Affine; 16];

/// What a key has of its point: in each row, the multiples of as many digits' worth times the point
/// as rows come before.
pub(crate) type Rows = [Multiples; OWN_ROWS];

/// In row i, the multiples from 1 to 16 of 32^i times the base point, as [`table`] makes them. The
/// compiler takes many seconds for that. So a test does it, and compares; it writes the file anew
/// if the variable `BROADLOOM_WRITE_TABLE` is set.
pub(crate) static TABLE: [Multiples; DIGITS] = {
    let (words, rest) = include_bytes!("table.bin").as_chunks::<8>();
    assert!(words.len() == 128 * DIGITS && rest.is_empty(), "a word for each");
    let (mut table, mut at) = ([[[0; 8]; 16]; DIGITS], 0);
    while at < words.len() {
        table[at / 128][at / 8 % 16][at % 8] = u64::from_le_bytes(words[at]);
        at += 1;
    }
    table
};

fn square(number: Number) -> Number {
    PRIME.multiply(number, number)
}

fn twice(number: Number) -> Number {
    PRIME.add(number, number)
}

impl Point {
    pub(crate) const NEUTRAL: Self = Point { x: [0; 4], y: [0; 4], z: [0; 4] };
    pub(crate) const BASE: Self =
        Point { x: PRIME.enter(BASE[0]), y: PRIME.enter(BASE[1]), z: PRIME.one() };

    /// The point with these coordinates.
    ///
    /// # Errors
    /// [`P256KeyError::Coordinate`] or [`P256KeyError::OffCurve`].
    pub(crate) fn new(x: Number, y: Number) -> Result<Self, P256KeyError> {
        if !PRIME.is_below(x) || !PRIME.is_below(y) {
            return Err(P256KeyError::Coordinate);
        }
        let (x, y) = (PRIME.enter(x), PRIME.enter(y));
        let three = PRIME.add(PRIME.one(), twice(PRIME.one()));
        let right = PRIME.add(PRIME.multiply(x, PRIME.sub(square(x), three)), B);
        match square(y) == right {
            true => Ok(Point { x, y, z: PRIME.one() }),
            false => Err(P256KeyError::OffCurve),
        }
    }

    pub(crate) fn is_neutral(&self) -> bool {
        self.z == [0; 4]
    }

    /// Whether the x coordinate, modulo the order, is this number, which is below the order.
    pub(crate) fn has_x_modulo_order(&self, number: Number) -> bool {
        let zz = square(self.z);
        let has_x = |x| PRIME.multiply(PRIME.enter(x), zz) == self.x;
        // The prime is above the order, but not twice as large.
        let other = ORDER.plus_modulus(number).filter(|other| PRIME.is_below(*other));
        !self.is_neutral() && (has_x(number) || other.is_some_and(has_x))
    }

    /// The point X/Z² of lanes, of which Y is not known.
    pub(crate) fn from_lanes(x: Number, z: Number) -> Self {
        Point { x: PRIME.enter(x), y: [0; 4], z: PRIME.enter(z) }
    }

    fn double(&self) -> Self {
        let (delta, gamma) = (square(self.z), square(self.y));
        let beta = PRIME.multiply(self.x, gamma);
        let product = PRIME.multiply(PRIME.sub(self.x, delta), PRIME.add(self.x, delta));
        let (alpha, four) = (PRIME.add(product, twice(product)), twice(twice(beta)));
        let x = PRIME.sub(square(alpha), twice(four));
        let eight = twice(twice(twice(square(gamma))));
        let y = PRIME.sub(PRIME.multiply(alpha, PRIME.sub(four, x)), eight);
        Point { x, y, z: twice(PRIME.multiply(self.y, self.z)) }
    }

    /// The sum of any two points.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        if self.is_neutral() {
            return *other;
        } else if other.is_neutral() {
            return *self;
        }
        let (zz, other_zz) = (square(self.z), square(other.z));
        let u = PRIME.multiply(self.x, other_zz);
        let s = PRIME.multiply(PRIME.multiply(self.y, other.z), other_zz);
        let h = PRIME.sub(PRIME.multiply(other.x, zz), u);
        let r = PRIME.sub(PRIME.multiply(PRIME.multiply(other.y, self.z), zz), s);
        if h == [0; 4] {
            return if r == [0; 4] { self.double() } else { Point::NEUTRAL };
        }
        let hh = square(h);
        let (hhh, v) = (PRIME.multiply(h, hh), PRIME.multiply(u, hh));
        let x = PRIME.sub(square(r), PRIME.add(hhh, twice(v)));
        let y = PRIME.sub(PRIME.multiply(r, PRIME.sub(v, x)), PRIME.multiply(s, hhh));
        Point { x, y, z: PRIME.multiply(PRIME.multiply(self.z, other.z), h) }
    }

    /// The sum of the products of a number with the base point, and of another one with this.
    pub(crate) fn both(&self, base: Number, own: Number) -> Self {
        let addends = [Point::BASE, *self, Point::BASE.plus(self)];
        (0..256).rev().fold(Point::NEUTRAL, |sum, at| {
            let [base, own] = [base, own].map(|number| (number[at / 64] >> (at % 64) & 1) as usize);
            let sum = sum.double();
            match base | own << 1 {
                0 => sum,
                which => sum.plus(&addends[which - 1]),
            }
        })
    }

    /// What lanes read of a key with this point, which is not the neutral one.
    pub(crate) fn rows(&self) -> Rows {
        table(self, 5 * DIGITS / OWN_ROWS)
    }
}

/// The multiples from 1 to 16 of a point, and in each further row those of 2 to so many bits times
/// the row before.
pub(crate) fn table<const ROWS: usize>(point: &Point, bits: usize) -> [Multiples; ROWS] {
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

/// The coordinates of points, none of which is the neutral one.
fn affine<const ROWS: usize>(points: &[[Point; 16]; ROWS]) -> [Multiples; ROWS] {
    // One inversion for all: of the product, from which the others are taken one by one.
    let (mut before, mut product) = ([[[0; 4]; 16]; ROWS], PRIME.one());
    for (before, point) in before.as_flattened_mut().iter_mut().zip(points.as_flattened()) {
        *before = product;
        product = PRIME.multiply(product, point.z);
    }
    let (mut inverse, mut all) = (PRIME.invert(product), [[[0; 8]; 16]; ROWS]);
    let places = all.as_flattened_mut().iter_mut().zip(before.as_flattened());
    for ((affine, before), point) in places.zip(points.as_flattened()).rev() {
        let own = PRIME.multiply(inverse, *before);
        inverse = PRIME.multiply(inverse, point.z);
        let own_square = square(own);
        let x = in_lanes(PRIME.multiply(point.x, own_square));
        let y = in_lanes(PRIME.multiply(point.y, PRIME.multiply(own, own_square)));
        affine[..4].copy_from_slice(&x);
        affine[4..].copy_from_slice(&y);
    }
    all
}
