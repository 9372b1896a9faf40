//! P-256 by its definition, on num-bigint.

use num_bigint::BigUint;

/// A point; `None` is the neutral one.
pub(super) type Point = Option<(BigUint, BigUint)>;

fn number(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits")
}

pub(super) fn prime() -> BigUint {
    number("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
}

pub(super) fn order() -> BigUint {
    number("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
}

pub(super) fn base() -> Point {
    Some((
        number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
        number("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    ))
}

pub(super) fn negative(point: &Point) -> Point {
    point.clone().map(|(x, y)| (x, prime() - y))
}

pub(super) fn sum(one: &Point, other: &Point) -> Point {
    let (Some((x1, y1)), Some((x2, y2))) = (one, other) else {
        return one.clone().or(other.clone());
    };
    let p = prime();
    if x1 == x2 && y1 != y2 {
        return None;
    }
    let slope =
        if x1 == x2 { ((x1 * x1 + &p - 1u8) * 3u8, y1 + y1) } else { (y2 + &p - y1, x2 + &p - x1) };
    let slope = slope.0 * (slope.1 % &p).modinv(&p).expect("it is not zero") % &p;
    let x = (&slope * &slope + &p + &p - x1 - x2) % &p;
    let y = (slope * (x1 + &p - &x) + &p - y1) % &p;
    Some((x, y))
}

pub(super) fn multiple(number: &BigUint, point: &Point) -> Point {
    (0..number.bits()).rev().fold(None, |product, at| {
        let twice = sum(&product, &product);
        if number.bit(at) { sum(&twice, point) } else { twice }
    })
}

/// The 32 bytes of a number, the highest first.
pub(super) fn bytes(number: &BigUint) -> [u8; 32] {
    let (mut bytes, digits) = ([0; 32], number.to_bytes_be());
    bytes[32 - digits.len()..].copy_from_slice(&digits);
    bytes
}

/// The coordinates of a point.
pub(super) fn coordinates(point: &Point) -> [u8; 64] {
    let (x, y) = point.as_ref().expect("not the neutral point");
    let mut both = [0; 64];
    both[..32].copy_from_slice(&bytes(x));
    both[32..].copy_from_slice(&bytes(y));
    both
}

/// The signature of a number: `r` and `s`.
pub(super) fn signature(key: &BigUint, nonce: &BigUint, number: &BigUint) -> [u8; 64] {
    let n = order();
    let r = multiple(nonce, &base()).expect("the nonce is below the order").0 % &n;
    let s = nonce.modinv(&n).expect("the order is prime") * (number + &r * key) % &n;
    let mut both = [0; 64];
    both[..32].copy_from_slice(&bytes(&r));
    both[32..].copy_from_slice(&bytes(&s));
    both
}
