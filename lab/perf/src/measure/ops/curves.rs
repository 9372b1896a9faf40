//! Elliptic curves: products in the field of a curve, by what lanes do with points.
//!
//! Sums in the field, tables, hashes, and the arithmetic modulo the order of a point are left out:
//! inversions there are one for all jobs of a call. So are squares in binary fields, which only
//! spread bits.

use broadloom_engine::{Curve, Direction, PublicKeyAlgorithm};
use broadloom_lanes::probe::Unit;

use super::limbs::Limbs;
use super::{KernelOps, OpCounts};

/// Products and squares of elements of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    products: usize,
    squares: usize,
}

const fn count(products: usize, squares: usize) -> Count {
    Count { products, squares }
}

impl Count {
    const fn times(self, times: usize) -> Count {
        count(times * self.products, times * self.squares)
    }

    const fn and(self, other: Count) -> Count {
        count(self.products + other.products, self.squares + other.squares)
    }
}

/// A doubling, a sum with a point of which Z is 1, and a sum, with coordinates of Jacobi. Where the
/// coefficient a of the curve is zero, a doubling does without the square of Z.
const fn double(curve: Curve) -> Count {
    match curve {
        Curve::Secp256k1 => count(4, 3),
        _ => count(4, 4),
    }
}
const ADD_AFFINE: Count = count(8, 3);
const ADD: Count = count(12, 4);

/// Digits of a scalar, of five bits.
const fn digits(curve: Curve) -> usize {
    match curve {
        Curve::P384 => 78,
        Curve::P521 => 106,
        _ => 52,
    }
}

/// The base point times a scalar: a sum for each digit, from a table; X and Z leave their form.
const fn base(curve: Curve) -> Count {
    ADD_AFFINE.times(digits(curve)).and(count(2, 0))
}

/// A point times a scalar: its multiples up to 16, and for each digit five doublings and a sum.
const fn point(curve: Curve) -> Count {
    let digits = digits(curve);
    double(curve)
        .times(8 + 5 * (digits - 1))
        .and(ADD_AFFINE.times(7))
        .and(ADD.times(digits))
        .and(count(4, 0))
}

/// Both, of a point with a table of two rows: half of the doublings.
const fn both(curve: Curve) -> Count {
    let digits = digits(curve);
    double(curve).times(5 * (digits / 2 - 1)).and(ADD_AFFINE.times(2 * digits)).and(count(2, 0))
}

/// An inverse modulo 2^255 - 19, by Fermat's theorem.
const INVERSE: Count = count(11, 254);

/// The ladder of X25519: 255 steps, and X over Z. The product with 121665 is left out.
const X25519: Count = count(5, 4).times(255).and(INVERSE).and(count(1, 0));

/// Ed25519, with extended coordinates: a doubling and a sum without T, which is one more product.
const EDWARDS_DOUBLE: Count = count(3, 4);
const EDWARDS_ADD: Count = count(6, 0);
const WITH_T: Count = count(1, 0);

/// X and Y over Z.
const ENCODE: Count = INVERSE.and(count(2, 0));

/// The base point times a scalar: a sum for each of 64 digits, and four doublings.
const ED25519_BASE: Count =
    EDWARDS_ADD.and(WITH_T).times(64).and(EDWARDS_DOUBLE.times(4)).and(WITH_T).and(ENCODE);

/// Both: 63 times four doublings, a sum for each of 64 digits of four bits of one scalar and of 32
/// digits of eight bits of the other. T is needed where a sum follows.
const ED25519_BOTH: Count = EDWARDS_DOUBLE
    .times(4 * 63)
    .and(EDWARDS_ADD.times(64 + 32))
    .and(WITH_T.times(63 + 32))
    .and(ENCODE);

/// The ladder of a binary curve: 282 steps, each of five products, with one more where the
/// curve's b is not one. Squares do not count.
const fn ladder(b_is_one: bool) -> usize {
    282 * if b_is_one { 5 } else { 6 }
}

/// Products of an inverse in the field of 2^283 elements (Itoh and Tsujii): 282 is 100011010 in
/// binary, of which eight bits double and three add.
const BINARY_INVERSE: usize = 8 + 3;

/// Products, besides those of the inverse, of both coordinates after the ladder.
const BINARY_COORDINATES: usize = 12;

/// Carry-less products of two elements of 283 bits, by Karatsuba's method.
const BINARY_PRODUCT: usize = 16;

/// Products of limbs of a product, of a square and of the reduction of either, which is counted as
/// the lanes do it. Powers of two are no products, but for instructions that add products.
struct Field {
    limbs: usize,
    reduction: usize,
}

impl Field {
    /// The prime of P-256: each quotient by Montgomery is multiplied with the limbs of the prime
    /// plus one that are not zero.
    fn p256(limbs: Limbs) -> Field {
        match limbs {
            Limbs::Integers => Field { limbs: 5, reduction: 5 },
            Limbs::Vectors(_) => Field { limbs: 10, reduction: 20 },
            Limbs::Fused => Field { limbs: 5, reduction: 15 },
        }
    }

    /// The prime of P-384, in the same way. Where its lowest limb is not minus one, a quotient
    /// takes a product, and so does what it is multiplied with.
    fn p384(limbs: Limbs) -> Field {
        match limbs {
            Limbs::Integers => Field { limbs: 7, reduction: 14 },
            Limbs::Vectors(_) => Field { limbs: 14, reduction: 0 },
            Limbs::Fused => Field { limbs: 8, reduction: 40 },
        }
    }

    /// The prime of P-521, in the same way: of its limbs plus one, the highest one is not zero.
    fn p521(limbs: Limbs) -> Field {
        match limbs {
            Limbs::Integers => Field { limbs: 11, reduction: 0 },
            Limbs::Vectors(_) => Field { limbs: 22, reduction: 0 },
            Limbs::Fused => Field { limbs: 11, reduction: 11 },
        }
    }

    /// The prime of secp256k1, in the same way: its lowest limb is neither minus one nor a power of
    /// two.
    fn secp256k1(limbs: Limbs) -> Field {
        match limbs {
            Limbs::Integers => Field { limbs: 5, reduction: 10 },
            Limbs::Vectors(_) => Field { limbs: 10, reduction: 20 },
            Limbs::Fused => Field { limbs: 5, reduction: 15 },
        }
    }

    /// The prime of a curve; `None` of a binary one.
    fn of(curve: Curve, limbs: Limbs) -> Option<Field> {
        match curve {
            Curve::P256 => Some(Field::p256(limbs)),
            Curve::P384 => Some(Field::p384(limbs)),
            Curve::P521 => Some(Field::p521(limbs)),
            Curve::Secp256k1 => Some(Field::secp256k1(limbs)),
            Curve::K283 | Curve::B283 => None,
        }
    }

    /// 2^255 - 19: what is above it is multiplied with 19, limb by limb.
    fn p25519(limbs: Limbs) -> Field {
        let limbs = if matches!(limbs, Limbs::Vectors(_)) { 10 } else { 5 };
        Field { limbs, reduction: limbs }
    }

    fn products(&self, count: Count) -> usize {
        let square = self.limbs * (self.limbs + 1) / 2;
        count.products * (self.limbs * self.limbs + self.reduction)
            + count.squares * (square + self.reduction)
    }
}

/// An operation on a prime curve, with products by `limbs`. Nothing for other algorithms.
pub fn prime_curve(
    algorithm: PublicKeyAlgorithm,
    direction: Direction,
    limbs: Limbs,
) -> Option<KernelOps> {
    use PublicKeyAlgorithm::{Ecdh, Ecdsa, Ed25519, X25519 as Montgomery};
    let (field, count) = match (algorithm, direction) {
        (Ecdsa(curve), Direction::Sign) => (Field::of(curve, limbs)?, base(curve)),
        (Ecdsa(curve), Direction::Verify) => (Field::of(curve, limbs)?, both(curve)),
        (Ecdh(curve), Direction::Agree) => (Field::of(curve, limbs)?, point(curve)),
        (Montgomery, Direction::Agree) => (Field::p25519(limbs), X25519),
        (Ed25519, Direction::Sign) => (Field::p25519(limbs), ED25519_BASE),
        (Ed25519, Direction::Verify) => (Field::p25519(limbs), ED25519_BOTH),
        _ => return None,
    };
    Some(limbs.kernel(limbs.lanes(), field.products(count)))
}

/// An operation on a binary curve, with carry-less products in such vectors. Nothing for other
/// algorithms.
pub fn binary_curve(
    algorithm: PublicKeyAlgorithm,
    direction: Direction,
    unit: Unit,
) -> Option<KernelOps> {
    let (PublicKeyAlgorithm::Ecdsa(curve) | PublicKeyAlgorithm::Ecdh(curve)) = algorithm else {
        return None;
    };
    let b_is_one = match curve {
        Curve::K283 => true,
        Curve::B283 => false,
        _ => return None,
    };
    // X over Z, or in a verification both coordinates of two points, and the slope between them.
    let one = ladder(b_is_one) + BINARY_INVERSE;
    let products = match direction {
        Direction::Sign | Direction::Agree => one + 1,
        Direction::Verify => 2 * (one + BINARY_COORDINATES) + BINARY_INVERSE + 1,
        _ => return None,
    };
    let counts = OpCounts { carry_less: (BINARY_PRODUCT * products) as u32, ..OpCounts::default() };
    Some(KernelOps { unit, word: 64, lanes: unit.bits() / 128, counts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_the_products_of_the_lanes_code() {
        assert_eq!(base(Curve::P256), count(52 * 8 + 2, 52 * 3));
        assert_eq!(
            point(Curve::P256),
            count(8 * 4 + 7 * 8 + 255 * 4 + 52 * 12 + 4, 8 * 4 + 7 * 3 + 255 * 4 + 52 * 4)
        );
        let both = [Curve::P256, Curve::P384, Curve::Secp256k1].map(both);
        assert_eq!(both[0], count(125 * 4 + 104 * 8 + 2, 125 * 4 + 104 * 3));
        assert_eq!(both[1], count(190 * 4 + 156 * 8 + 2, 190 * 4 + 156 * 3));
        assert_eq!(both[2], count(125 * 4 + 104 * 8 + 2, 125 * 3 + 104 * 3));
        assert_eq!(X25519, count(255 * 5 + 12, 255 * 4 + 254));
        assert_eq!(ED25519_BASE, count(64 * 7 + 13 + 13, 16 + 254));
        assert_eq!(ED25519_BOTH, count(63 * 13 + 32 * 6 + 32 * 13 + 13, 63 * 16 + 254));
    }

    #[test]
    fn products_of_limbs_follow_from_those_of_the_field() {
        let ecdsa = PublicKeyAlgorithm::Ecdsa(Curve::P256);
        let sign = |limbs| prime_curve(ecdsa, Direction::Sign, limbs).unwrap();
        let fused = sign(Limbs::Fused);
        assert_eq!((fused.lanes, fused.counts.fused), (8, 2 * (418 * 40 + 156 * 30)));
        let narrow = sign(Limbs::Vectors(Unit::Vec256));
        assert_eq!((narrow.lanes, narrow.counts.multiply), (4, 418 * 120 + 156 * 75));
        let integers = sign(Limbs::Integers);
        assert_eq!((integers.lanes, integers.counts.multiply), (1, 418 * 30 + 156 * 20));
        let binary = |curve| {
            let algorithm = PublicKeyAlgorithm::Ecdsa(curve);
            let is_prime = prime_curve(algorithm, Direction::Sign, Limbs::Fused).is_some();
            assert_eq!(is_prime, !matches!(curve, Curve::K283 | Curve::B283));
            binary_curve(algorithm, Direction::Sign, Unit::Vec512).map(|kernel| kernel.counts)
        };
        assert_eq!(binary(Curve::K283).unwrap().carry_less, 16 * (282 * 5 + 12));
        assert_eq!(binary(Curve::B283).unwrap().carry_less, 16 * (282 * 6 + 12));
        let prime = [Curve::P256, Curve::P384, Curve::P521, Curve::Secp256k1];
        assert_eq!(prime.map(binary), [None; 4]);
        let ecdsa = PublicKeyAlgorithm::Ecdsa(Curve::P384);
        let fused = prime_curve(ecdsa, Direction::Sign, Limbs::Fused).unwrap();
        assert_eq!(fused.counts.fused, 2 * ((78 * 8 + 2) * (64 + 40) + 78 * 3 * (36 + 40)));
        let ecdsa = PublicKeyAlgorithm::Ecdsa(Curve::P521);
        let fused = prime_curve(ecdsa, Direction::Sign, Limbs::Fused).unwrap();
        assert_eq!(fused.counts.fused, 2 * ((106 * 8 + 2) * (121 + 11) + 106 * 3 * (66 + 11)));
        let ecdsa = PublicKeyAlgorithm::Ecdsa(Curve::K283);
        let verify = binary_curve(ecdsa, Direction::Verify, Unit::Vec128).unwrap();
        assert_eq!((verify.lanes, verify.counts.carry_less), (1, 16 * 2878));
    }
}
