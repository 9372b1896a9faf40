//! The curves as the definitions have them: bit by bit, point by point.

use crate::kernels::binary::curve::Parameters;
use crate::kernels::binary::element::ElementWords;

fn bit(words: &ElementWords, at: usize) -> bool {
    words[at / 64] >> (at % 64) & 1 == 1
}

/// Returns the product modulo x^283 + x^12 + x^7 + x^5 + 1: for each bit of `b`, `a` is doubled.
pub fn product(a: &ElementWords, b: &ElementWords) -> ElementWords {
    let mut sum = [0; 5];
    for at in (0..283).rev() {
        let over = bit(&sum, 282);
        for i in (0..5).rev() {
            sum[i] = sum[i] << 1 | if i == 0 { 0 } else { sum[i - 1] >> 63 };
        }
        sum[4] &= (1 << 27) - 1;
        if over {
            sum[0] ^= 1 << 12 | 1 << 7 | 1 << 5 | 1;
        }
        if bit(b, at) {
            sum = plus(&sum, a);
        }
    }
    sum
}

pub fn plus(a: &ElementWords, b: &ElementWords) -> ElementWords {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// The polynomial that others are reduced by.
const MODULUS: ElementWords = [1 << 12 | 1 << 7 | 1 << 5 | 1, 0, 0, 0, 1 << 27];

fn degree(a: &ElementWords) -> usize {
    (0..320).rev().find(|at| bit(a, *at)).unwrap_or(0)
}

fn shifted(a: &ElementWords, by: usize) -> ElementWords {
    core::array::from_fn(|i| {
        let word = |at: Option<usize>| at.map_or(0, |at| a[at]);
        let low = word(i.checked_sub(by / 64)) << (by % 64);
        match by % 64 {
            0 => low,
            rest => low | word(i.checked_sub(by / 64 + 1)) >> (64 - rest),
        }
    })
}

/// `1 / a`, by Euclid's algorithm.
pub fn inverse(a: &ElementWords) -> ElementWords {
    let (mut u, mut v) = (*a, MODULUS);
    let (mut of_u, mut of_v) = ([1, 0, 0, 0, 0], [0; 5]);
    while degree(&u) > 0 {
        if degree(&u) < degree(&v) {
            (u, v, of_u, of_v) = (v, u, of_v, of_u);
        }
        let by = degree(&u) - degree(&v);
        u = plus(&u, &shifted(&v, by));
        of_u = plus(&of_u, &shifted(&of_v, by));
    }
    assert_eq!(product(&of_u, a), [1, 0, 0, 0, 0]);
    of_u
}

/// A point; `None` is the neutral element.
pub type Point = Option<(ElementWords, ElementWords)>;

/// Returns the sum of points, by the chord or the tangent.
pub fn add(curve: &Parameters, first: Point, second: Point) -> Point {
    let (Some((x1, y1)), Some((x2, y2))) = (first, second) else { return first.or(second) };
    let a = [u64::from(curve.a), 0, 0, 0, 0];
    let (slope, x) = if x1 != x2 {
        let slope = product(&plus(&y1, &y2), &inverse(&plus(&x1, &x2)));
        let x = plus(&plus(&product(&slope, &slope), &slope), &plus(&plus(&x1, &x2), &a));
        (slope, x)
    } else if y1 != y2 || x1 == [0; 5] {
        return None;
    } else {
        let slope = plus(&x1, &product(&y1, &inverse(&x1)));
        (slope, plus(&plus(&product(&slope, &slope), &slope), &a))
    };
    Some((x, plus(&plus(&product(&slope, &plus(&x1, &x)), &x), &y1)))
}

/// Returns a multiple of a point.
pub fn multiple(curve: &Parameters, scalar: &ElementWords, point: Point) -> Point {
    (0..283).rev().fold(None, |sum, at| {
        let twice = add(curve, sum, sum);
        if bit(scalar, at) { add(curve, twice, point) } else { twice }
    })
}
