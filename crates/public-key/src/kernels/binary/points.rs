//! Points on a curve, one in each lane: the bodies of the kernels.

use super::curve::Parameters;
use super::element::{Column, Element, ElementWords, Multiply, trace, zeros};

/// The element one.
const ONE: ElementWords = [1, 0, 0, 0, 0];

/// Points in affine coordinates, one in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Points {
    pub x: Column,
    pub y: Column,
}

impl Points {
    pub const ZERO: Self = Points { x: Column::ZERO, y: Column::ZERO };
}

impl zeroize::Zeroize for Points {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.y.zeroize();
    }
}

/// Multiplies points by scalars that are below the order, with the ladder of López and Dahab (CHES
/// 1999): two points whose difference is the point, each step an addition and a doubling without y.
///
/// The x coordinate is right for all scalars but zero. `with_y`, y is right too, for all scalars
/// but the order less one.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply<P: Multiply>(
    curve: &Parameters,
    scalars: &Column,
    points: &mut Points,
    with_y: bool,
) {
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let (x, y, bits) = unsafe {
        (Element::<P>::load(&points.x), Element::<P>::load(&points.y), Element::<P>::load(scalars))
    };
    let proof = bits.0[0];
    let (zero, one) = (Element::splat(proof, [0; 5]), Element::splat(proof, ONE));
    let b = Element::splat(proof, curve.b);
    let (mut x1, mut z1, mut x2, mut z2) = (one, zero, x, one);
    let mut swapped = zero.0[0];
    // Orders have 282 bits at most.
    for at in (0..282).rev() {
        let bit = bits.0[at / 128].mask(at / 64 % 2 == 1, at as u32 % 64);
        let swap = bit.xor(swapped);
        swapped = bit;
        x1.exchange(&mut x2, swap);
        z1.exchange(&mut z2, swap);
        let (cross, other) = (x1.times(&z2), x2.times(&z1));
        z2 = cross.plus(&other).square();
        x2 = x.times(&z2).plus(&cross.times(&other));
        let (xx, zz) = (x1.square(), z1.square());
        z1 = xx.times(&zz);
        let mut low = zz.square();
        if curve.b != ONE {
            low = low.times(&b);
        }
        x1 = xx.square().plus(&low);
    }
    x1.exchange(&mut x2, swapped);
    z1.exchange(&mut z2, swapped);
    if !with_y {
        x1.times(&z1.inverse()).store(&mut points.x);
        return;
    }
    let both = z1.times(&z2);
    let inverse = x.times(&both).inverse();
    let affine = |own: &Element<P>, other: &Element<P>| own.times(other).times(&x).times(&inverse);
    let (result, next) = (affine(&x1, &z2), affine(&x2, &z1));
    let sum = result.plus(&x);
    let slope = sum.times(&next.plus(&x)).plus(&x.square()).plus(&y);
    let result_y = sum.times(&slope).times(&both.times(&inverse)).plus(&y);
    result.store(&mut points.x);
    result_y.store(&mut points.y);
}

/// Puts the x coordinates of sums of points in place of those of the first points. The x
/// coordinates of the two points differ.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn add<P: Multiply>(curve: &Parameters, first: &mut Points, second: &Points) {
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let [x1, y1, x2, y2] = unsafe {
        [&first.x, &first.y, &second.x, &second.y].map(|column| Element::<P>::load(column))
    };
    let a = Element::splat(x1.0[0], [u64::from(curve.a), 0, 0, 0, 0]);
    let across = x1.plus(&x2);
    let slope = y1.plus(&y2).times(&across.inverse());
    slope.square().plus(&slope).plus(&across).plus(&a).store(&mut first.x);
}

/// Which points are good, a bit for each lane.
#[derive(Clone, Copy)]
pub(crate) struct Validity {
    /// Those on the curve.
    pub on_curve: u32,
    /// Of these, multiples of the base point.
    pub in_subgroup: u32,
}

/// Finds out which points are good, in a time that depends on the points.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn valid<P: Multiply>(curve: &Parameters, points: &Points) -> Validity {
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let (x, y) = unsafe { (Element::<P>::load(&points.x), Element::<P>::load(&points.y)) };
    let a = Element::splat(x.0[0], [u64::from(curve.a), 0, 0, 0, 0]);
    let b = Element::splat(x.0[0], curve.b);
    // y^2 + xy = x^3 + ax^2 + b
    let left = y.plus(&x).times(&y);
    let right = x.plus(&a).times(&x.square()).plus(&b);
    let on_curve = zeros(&left.plus(&right));
    // A point is twice another where the trace of x is that of a, which is a. On K-283, whose
    // points are four times as many as the multiples of the base point, the half is twice a point,
    // too: where its x coordinate has the trace 0. The square of that is y + (l + 1) x, for l with
    // l^2 + l = x, and x has the trace 0.
    let half = y.plus(&x.half_trace().times(&x));
    let mut halves = Column::ZERO;
    half.store(&mut halves);
    let is_multiple = |lane: &usize| {
        trace(&points.x.lane(*lane)) == u64::from(curve.a)
            && (curve.a || trace(&halves.lane(*lane)) == 0)
    };
    let multiples = (0..P::LANES).filter(is_multiple).fold(0, |lanes, lane| lanes | 1 << lane);
    // The point whose x is zero has the order two.
    Validity { on_curve, in_subgroup: on_curve & multiples & !zeros(&x) }
}
