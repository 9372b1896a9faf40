//! What a kernel knows of a polynomial.

use super::{DEGREE, WINDOW};

/// Numbers and maps for one polynomial `P`. All arithmetic is on polynomials over the field of two
/// elements.
pub(crate) struct Constants {
    /// `x^117 / P` without its highest term, `x^64`.
    pub inverse: u64,
    /// The lower coefficients of `P`, the highest of them first: as states are kept.
    pub modulus: u64,
    /// `x^512` modulo `P`, kept likewise: what a bit that leaves the window is multiplied by.
    pub leaving: u64,
    /// For a byte that enters and for one that leaves: see [`Quotients`].
    pub quotients: [Quotients; 2],
    /// The bits that are zero in the lowest byte of a fingerprint and in the one above.
    pub masks: [u8; 2],
}

/// The multiple `y` of `P`, of degree 7 at most, that makes the lowest eight bits of `d + y P`
/// zero, for what a byte adds to a fingerprint, `d`.
pub(crate) struct Quotients {
    /// `y`.
    pub first: ByteMap,
    /// The multiple that does so for `(d + y P) / x^8`.
    pub next: ByteMap,
}

/// A linear map of bytes: the image of each bit.
pub(crate) struct ByteMap([u8; 8]);

impl Constants {
    /// The fewest of the lowest bits that kernels look for.
    pub const FEWEST_BITS: u32 = 8;

    pub fn new(polynomial: u64, bits: u32) -> Self {
        let kept = |remainder| remainder << (u64::BITS - DEGREE);
        let leaving = (0..WINDOW * 8).fold(1, |rest, _| shifted(rest, polynomial));
        let upper = (bits - Self::FEWEST_BITS).min(8);
        Constants {
            inverse: inverse(polynomial),
            modulus: kept(polynomial),
            leaving: kept(leaving),
            quotients: [1, leaving].map(|factor| Quotients::new(factor, polynomial)),
            masks: [0xff, ((1u32 << upper) - 1) as u8],
        }
    }
}

impl Quotients {
    fn new(factor: u64, polynomial: u64) -> Self {
        let first = |bit| divide(factor << bit, polynomial);
        let next = |bit| divide(first(bit).1, polynomial);
        Quotients { first: ByteMap::new(|bit| first(bit).0), next: ByteMap::new(|bit| next(bit).0) }
    }
}

#[allow(dead_code, reason = "architectures differ in what they use")]
impl ByteMap {
    fn new(image: impl Fn(usize) -> u64) -> Self {
        ByteMap(core::array::from_fn(|bit| image(bit) as u8))
    }

    /// Returns the images of the lower four bits of a byte, and of the upper four.
    pub fn tables(&self) -> [[u8; 16]; 2] {
        [0, 4].map(|shift| core::array::from_fn(|bits| self.image((bits as u8) << shift)))
    }

    /// Returns the map as a matrix of GF2P8AFFINEQB: the first row, for the highest bit, in the
    /// last byte.
    pub fn matrix(&self) -> u64 {
        let row = |to: usize| (0..8).fold(0, |row, from| row | (self.0[from] >> to & 1) << from);
        u64::from_be_bytes(core::array::from_fn(row))
    }

    fn image(&self, byte: u8) -> u8 {
        (0..8).filter(|bit| byte >> bit & 1 == 1).fold(0, |image, bit| image ^ self.0[bit])
    }
}

/// Returns `y`, of degree 7 at most, with `y P = value` modulo `x^8`, and `(value + y P) / x^8`.
fn divide(value: u64, polynomial: u64) -> (u64, u64) {
    let (quotient, rest) = (0..8).fold((0, value), |(quotient, rest), bit| match rest >> bit & 1 {
        0 => (quotient, rest),
        _ => (quotient | 1 << bit, rest ^ polynomial << bit),
    });
    (quotient, rest >> 8)
}

/// Divides by long division: `x^64` is the first term of the quotient, and the others follow.
fn inverse(polynomial: u64) -> u64 {
    let rest = polynomial ^ 1 << DEGREE;
    let (quotient, _) = (0..u64::BITS).fold((0, rest), |(quotient, rest), _| {
        (quotient << 1 | rest >> (DEGREE - 1), shifted(rest, polynomial))
    });
    quotient
}

/// Returns a remainder multiplied by `x`.
fn shifted(rest: u64, polynomial: u64) -> u64 {
    match rest >> (DEGREE - 1) {
        0 => rest << 1,
        _ => rest << 1 ^ polynomial,
    }
}
