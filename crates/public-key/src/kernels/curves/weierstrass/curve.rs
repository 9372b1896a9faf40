//! What a curve is to the code that all curves share.

use crate::kernels::curves::montgomery::Montgomery;
use crate::kernels::curves::scalar::{Modulus, Odd};

/// Coordinates of a point as lanes read them: x, and then y.
pub(crate) type Affine<const K: usize> = [[u64; K]; 2];

/// The multiples of a point from 1 to 16.
pub(crate) type Multiples<const K: usize> = [Affine<K>; 16];

/// Rows of the table that a key has of its point.
pub(crate) const OWN_ROWS: usize = 2;

/// What a key has of its point: in each row, the multiples of as many digits' worth times the point
/// as rows come before.
pub(crate) type Rows<const K: usize> = [Multiples<K>; OWN_ROWS];

/// A curve y² = x³ + a·x + b, where a is -3 or 0, whose numbers have `K` words. The number of its
/// points is a prime, which is the order of the base point: less than the prime of the field, and
/// more than half of it.
pub trait Curve<const K: usize>: Copy + 'static {
    /// The name of the curve in the names of its keys.
    const NAME: &'static str;

    /// The bytes of a number: an array.
    type Scalar: AsRef<[u8]> + Copy;

    /// The bytes of two coordinates: an array.
    type Coordinates: AsRef<[u8]> + Copy;

    /// Bytes of a number, which fill its words, but for the highest one perhaps.
    const BYTES: usize = size_of::<Self::Scalar>();

    /// The prime of the field.
    type Prime: Montgomery + Odd<K>;

    /// The order of the base point.
    type Order: Odd<K>;

    /// Arithmetic modulo the prime of the field.
    const PRIME: Modulus<Self::Prime, K> = Modulus::new();

    /// Arithmetic modulo the order of the base point.
    const ORDER: Modulus<Self::Order, K> = Modulus::new();

    /// Whether the coefficient a is 0, and not -3.
    const A_IS_ZERO: bool;

    /// The coefficient b.
    const B: [u64; K];

    /// The coordinates of the base point.
    const BASE: [[u64; K]; 2];

    /// Digits of five bits that a number has: as many for each row of a key's table.
    const DIGITS: usize;

    /// In row i, the multiples from 1 to 16 of 32^i times the base point, as
    /// [`table`](super::points::table) makes them. The compiler takes many seconds for that. So a
    /// test does it, and compares; it writes the file anew if the variable `BROADLOOM_WRITE_TABLE`
    /// is set.
    const TABLE: &'static [Multiples<K>];
}

/// Returns the table that is written in a file, in which a row follows a row.
pub(super) const fn read<const K: usize, const ROWS: usize>(bytes: &[u8]) -> [Multiples<K>; ROWS] {
    let (words, rest) = bytes.as_chunks::<8>();
    assert!(words.len() == 32 * K * ROWS && rest.is_empty(), "a word for each");
    let (mut table, mut at) = ([[[[0; K]; 2]; 16]; ROWS], 0);
    while at < words.len() {
        let (entry, word) = (at / K, at % K);
        table[entry / 32][entry / 2 % 16][entry % 2][word] = u64::from_le_bytes(words[at]);
        at += 1;
    }
    table
}
