//! Numbers in five limbs of 26 bits, whose products are sums of 32-bit products.

use core::marker::PhantomData;

use super::wide::{Field, Words};
use crate::vector::{Vector, each};

/// Vectors of 64-bit words that multiply.
///
/// # Safety
/// The contract of [`Vector`].
pub(crate) unsafe trait Products: Words {
    /// Returns the products of the lower halves.
    fn product(self, other: Self) -> Self;
}

/// Limbs in vectors of `V`.
pub(crate) struct Limbs<V>(PhantomData<V>);

/// Bits of a limb.
const LIMB: u64 = (1 << 26) - 1;

// SAFETY: only V's instructions are used.
unsafe impl<V: Products> Field for Limbs<V> {
    type Vector = V;
    type Limbs = [V; 5];
    type Factor = Factor<V>;
    type Sum = [V; 5];

    #[inline(always)]
    unsafe fn split([low, high, above]: [V; 3]) -> [V; 5] {
        // SAFETY: the CPU has V's instructions, by the contract of `Field::split`.
        let limb = unsafe { V::splat(LIMB) };
        let middle = low.shift_right::<52>().or(high.shift_left::<12>());
        [
            low.and(limb),
            low.shift_right::<26>().and(limb),
            middle.and(limb),
            high.shift_right::<14>().and(limb),
            high.shift_right::<40>().or(above.shift_left::<24>()),
        ]
    }

    #[inline(always)]
    unsafe fn join([d0, d1, d2, d3, d4]: [V; 5]) -> [V; 3] {
        // SAFETY: the CPU has V's instructions, by the contract of `Field::join`.
        let limb = unsafe { V::splat(LIMB) };
        let (d0, d1) = carry(d0, d1, limb);
        let (d1, d2) = carry(d1, d2, limb);
        let (d2, d3) = carry(d2, d3, limb);
        let (d3, d4) = carry(d3, d4, limb);
        [
            d0.or(d1.shift_left::<26>()).or(d2.shift_left::<52>()),
            d2.shift_right::<12>().or(d3.shift_left::<14>()).or(d4.shift_left::<40>()),
            d4.shift_right::<24>(),
        ]
    }

    #[inline(always)]
    unsafe fn plus(a: [V; 5], b: [V; 5]) -> [V; 5] {
        each!(i in 5 => a[i].add(b[i]))
    }

    #[inline(always)]
    unsafe fn factor(limbs: [V; 5]) -> Factor<V> {
        Factor { limbs, fives: each!(i in 5 => limbs[i].shift_left::<2>().add(limbs[i])) }
    }

    #[inline(always)]
    unsafe fn zero() -> [V; 5] {
        // SAFETY: the CPU has V's instructions, by the contract of `Field::zero`.
        unsafe { each!(_i in 5 => V::splat(0)) }
    }

    #[inline(always)]
    unsafe fn plus_product(sum: [V; 5], x: [V; 5], factor: &Factor<V>) -> [V; 5] {
        each!(i in 5 => {
            let low = x[0].product(factor.limb(i, 0)).add(x[1].product(factor.limb(i, 1)));
            let high = x[2].product(factor.limb(i, 2)).add(x[3].product(factor.limb(i, 3)));
            low.add(high).add(x[4].product(factor.limb(i, 4))).add(sum[i])
        })
    }

    /// Limbs of a sum have up to 62 bits.
    #[inline(always)]
    unsafe fn carried([d0, d1, d2, d3, d4]: [V; 5]) -> [V; 5] {
        // SAFETY: the CPU has V's instructions, by the contract of `Field::carried`.
        let limb = unsafe { V::splat(LIMB) };
        let (d0, d1) = carry(d0, d1, limb);
        let (d3, d4) = carry(d3, d4, limb);
        let over = d4.shift_right::<26>();
        let (d0, d4) = (d0.add(over).add(over.shift_left::<2>()), d4.and(limb));
        let (d1, d2) = carry(d1, d2, limb);
        let (d2, d3) = carry(d2, d3, limb);
        let (d0, d1) = carry(d0, d1, limb);
        let (d3, d4) = carry(d3, d4, limb);
        [d0, d1, d2, d3, d4]
    }
}

/// The limbs of a factor, and five times each.
#[derive(Clone, Copy)]
pub(crate) struct Factor<V> {
    limbs: [V; 5],
    fives: [V; 5],
}

impl<V: Vector> Factor<V> {
    /// Returns the factor of a limb in a limb of the product: 2^130 is 5.
    #[inline(always)]
    fn limb(&self, product: usize, limb: usize) -> V {
        if limb <= product { self.limbs[product - limb] } else { self.fives[5 + product - limb] }
    }
}

/// Returns a limb, and the next one with the bits above 26 added.
#[inline(always)]
fn carry<V: Vector>(from: V, to: V, limb: V) -> (V, V) {
    (from.and(limb), to.add(from.shift_right::<26>()))
}
