//! Curves y² = x³ + a·x + b by their definition, on num-bigint.

use std::vec::Vec;

use num_bigint::BigUint;

/// A point; `None` is the neutral one.
pub(super) type Point = Option<(BigUint, BigUint)>;

/// A point whose coordinates are `x / z` and `y / z`.
struct Fractions {
    x: BigUint,
    y: BigUint,
    z: BigUint,
}

/// A curve.
pub(super) struct Reference {
    a: BigUint,
    pub(super) prime: BigUint,
    pub(super) order: BigUint,
    pub(super) base: Point,
    /// Bytes of a number.
    pub(super) bytes: usize,
}

impl Reference {
    /// Makes the curve of hexadecimal digits, of the prime, the order, and the base point's
    /// coordinates. The coefficient a is 0 or -3.
    pub(super) fn new(digits: [&str; 4], a_is_zero: bool) -> Self {
        let number =
            |digits: &str| BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits");
        let [prime, order, x, y] = digits.map(number);
        let a = if a_is_zero { BigUint::ZERO } else { &prime - 3u8 };
        Reference { a, prime, order, base: Some((x, y)), bytes: digits[0].len() / 2 }
    }

    pub(super) fn negative(&self, point: &Point) -> Point {
        point.clone().map(|(x, y)| (x, &self.prime - y))
    }

    pub(super) fn sum(&self, one: &Point, other: &Point) -> Point {
        let (Some((x1, y1)), Some((x2, y2))) = (one, other) else {
            return one.clone().or(other.clone());
        };
        let p = &self.prime;
        if x1 == x2 && y1 != y2 {
            return None;
        }
        let slope =
            if x1 == x2 { (x1 * x1 * 3u8 + &self.a, y1 + y1) } else { (y2 + p - y1, x2 + p - x1) };
        let slope = slope.0 * (slope.1 % p).modinv(p).expect("it is not zero") % p;
        let x = (&slope * &slope + p + p - x1 - x2) % p;
        let y = (slope * (x1 + p - &x) + p - y1) % p;
        Some((x, y))
    }

    /// Returns a multiple of a point, by doublings and sums of fractions, whose denominators are
    /// inverted only at the end. A test compares it with sums by the definition.
    pub(super) fn multiple(&self, number: &BigUint, point: &Point) -> Point {
        let (x, y) = point.as_ref()?;
        let product = (0..number.bits()).rev().fold(None, |product, at| {
            let twice = product.map(|product| self.doubled(&product));
            if number.bit(at) { self.with(twice, x, y) } else { twice }
        });
        let Fractions { x, y, z } = product?;
        let inverse = z.modinv(&self.prime).expect("it is not zero");
        Some((x * &inverse % &self.prime, y * inverse % &self.prime))
    }

    fn doubled(&self, point: &Fractions) -> Fractions {
        let Fractions { x, y, z } = point;
        let rise = (x * x * 3u8 + z * z * &self.a) % &self.prime;
        self.sum_on_line(point, &rise, &(y * z * 2u8 % &self.prime), x)
    }

    /// Returns the sum of a point and one of these coordinates.
    fn with(&self, point: Option<Fractions>, x: &BigUint, y: &BigUint) -> Option<Fractions> {
        let Some(point) = point else {
            return Some(Fractions { x: x.clone(), y: y.clone(), z: BigUint::from(1u8) });
        };
        let (other_x, other_y) = (x * &point.z % &self.prime, y * &point.z % &self.prime);
        let rise = self.difference(&other_y, &point.y);
        let run = self.difference(&other_x, &point.x);
        match (rise == BigUint::ZERO, run == BigUint::ZERO) {
            (true, true) => Some(self.doubled(&point)),
            (false, true) => None,
            _ => Some(self.sum_on_line(&point, &rise, &run, &other_x)),
        }
    }

    /// Returns the sum of a point and another one, whose abscissa has the same denominator. The
    /// line through both, or the tangent where they are equal, has the slope `rise / run`.
    fn sum_on_line(
        &self,
        point: &Fractions,
        rise: &BigUint,
        run: &BigUint,
        other_x: &BigUint,
    ) -> Fractions {
        let p = &self.prime;
        let (square, cube) = (run * run % p, run * run * run % p);
        let abscissa =
            self.difference(&(rise * rise * &point.z), &(&square * (&point.x + other_x)));
        let fall = self.difference(&(square * &point.x), &abscissa);
        Fractions {
            x: abscissa * run % p,
            y: self.difference(&(rise * fall), &(&cube * &point.y)),
            z: cube * &point.z % p,
        }
    }

    fn difference(&self, one: &BigUint, other: &BigUint) -> BigUint {
        (one + &self.prime - other % &self.prime) % &self.prime
    }

    /// Returns the bytes of a number, the highest first.
    pub(super) fn bytes(&self, number: &BigUint) -> Vec<u8> {
        let digits = number.to_bytes_be();
        let mut bytes = std::vec![0; self.bytes - digits.len()];
        bytes.extend(digits);
        bytes
    }

    /// Returns the coordinates of a point.
    pub(super) fn coordinates(&self, point: &Point) -> Vec<u8> {
        let (x, y) = point.as_ref().expect("not the neutral point");
        [self.bytes(x), self.bytes(y)].concat()
    }

    /// Returns the signature of a number: `r` and `s`.
    pub(super) fn signature(&self, key: &BigUint, nonce: &BigUint, number: &BigUint) -> Vec<u8> {
        let n = &self.order;
        let r = self.multiple(nonce, &self.base).expect("the nonce is below the order").0 % n;
        let s = nonce.modinv(n).expect("the order is prime") * (number + &r * key) % n;
        [self.bytes(&r), self.bytes(&s)].concat()
    }
}
