//! The Montgomery ladder of X25519 over lanes (RFC 7748, 5).

use broadloom_lanes::inside::each;
use broadloom_lanes::inside::wiped::clear;

use super::columns::Columns;
use super::element::Multiply;
use super::prime25519::Fe;
use super::words::Words;

/// Computes `x25519` of every kernel.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
pub(crate) unsafe fn multiply<W: Words, const N: usize>(
    scalars: &Columns<4>,
    points: &mut Columns<4>,
) where
    Fe<W, N>: Multiply,
{
    // The highest bit of a point is ignored.
    points.0[3].iter_mut().for_each(|word| *word &= u64::MAX >> 1);
    // SAFETY: the CPU has the instruction set, by this function's contract; a column has MAX_LANES
    // words, at least as many as there are lanes.
    let (x, mut bits) =
        unsafe { (Fe::<W, N>::load(points), each!(i in 4 => W::load(scalars.0[i].as_ptr()))) };
    let proof = bits[0];
    let (one, zero) = (Fe::splat(proof, Fe::<W, N>::ONE), Fe::splat(proof, Fe::<W, N>::ZERO));
    let (mut x2, mut z2, mut x3, mut z3) = (one, zero, x, one);
    let mut swapped = proof.splat(0);
    for at in (0..255).rev() {
        let bit = bits[at / 64].shift_right(at as u32 % 64).and(proof.splat(1));
        let bit = proof.splat(0).sub(bit);
        let swap = swapped.xor(bit);
        swapped = bit;
        (x2, x3) = (x2.replaced(swap, &x3), x3.replaced(swap, &x2));
        (z2, z3) = (z2.replaced(swap, &z3), z3.replaced(swap, &z2));
        let (a, b) = (x2.plus(&z2), x2.minus(&z2));
        let (c, d) = (x3.plus(&z3), x3.minus(&z3));
        let (da, cb) = (d.times(&a), c.times(&b));
        let (aa, bb) = (a.square(), b.square());
        let e = aa.minus(&bb);
        x3 = da.plus(&cb).square();
        z3 = da.minus(&cb).square().times(&x);
        x2 = aa.times(&bb);
        z2 = e.scaled(121_665).plus(&aa).times(&e);
    }
    // The words are found by an index, and therefore lie on the stack.
    bits.iter_mut().for_each(|word| clear(word, proof.splat(0)));
    let (x2, z2) = (x2.replaced(swapped, &x3), z2.replaced(swapped, &z3));
    let result = x2.times(&z2.inverse()).to_words();
    for (lane, words) in result.iter().enumerate() {
        points.put(lane, words);
    }
}
