//! X25519 (RFC 7748): keys, and the Montgomery ladder over lanes.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::element::Multiply;
use super::kernel::Columns;
use super::prime25519::Fe;
use super::scalar;
use super::words::Words;
use crate::vector::each;

/// A private key of X25519 (RFC 7748, section 5): any 32 bytes. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Cpu, CurveJob, Planner, X25519Key};
///
/// let (one, other) = (X25519Key::new(&[1; 32]), X25519Key::new(&[2; 32]));
/// let mut base = vec![0; 32];
/// base[0] = 9;
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut public = [&one, &other].map(|key| CurveJob::x25519(key, base.clone(), ()).expect("32"));
/// planner.process_many(&mut public);
/// let [ours, theirs] = public.map(|job| job.into_parts().0);
/// let mut shared = [
///     CurveJob::x25519(&one, theirs, ()).expect("32 bytes"),
///     CurveJob::x25519(&other, ours, ()).expect("32 bytes"),
/// ];
/// planner.process_many(&mut shared);
/// assert_eq!(shared[0].output(), shared[1].output());
/// ```
#[derive(Clone)]
pub struct X25519Key {
    /// The clamped scalar.
    scalar: [u64; 4],
}

impl X25519Key {
    /// Takes the bytes, of which five bits are set or cleared as the standard says.
    pub fn new(bytes: &[u8; 32]) -> Self {
        let mut clamped = *bytes;
        clamped[0] &= 0xf8;
        clamped[31] = clamped[31] & 0x7f | 0x40;
        let scalar = scalar::from_bytes(&clamped);
        clamped.zeroize();
        X25519Key { scalar }
    }

    pub(super) fn scalar(&self) -> &[u64; 4] {
        &self.scalar
    }
}

impl Drop for X25519Key {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl ZeroizeOnDrop for X25519Key {}

impl fmt::Debug for X25519Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("X25519Key")
    }
}

/// The body of every kernel's `x25519`.
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
    // The highest bit of a point counts for nothing.
    points.0[3].iter_mut().for_each(|word| *word &= u64::MAX >> 1);
    // SAFETY: the caller's; there is a word for each lane in every column.
    let (x, bits) =
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
    let (x2, z2) = (x2.replaced(swapped, &x3), z2.replaced(swapped, &z3));
    let result = x2.times(&z2.inverse()).to_words();
    for (lane, words) in result.iter().enumerate() {
        points.put(lane, words);
    }
}
