//! Keys of KMAC (SP 800-185, section 4).

use core::marker::PhantomData;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::Xof;
use super::absorber::Absorber;
use super::tail::Encoded;
use crate::kernels::sponge::keccak::KeccakState;

/// A key of KMAC128 (over [`Shake128`](super::Shake128)) or KMAC256 (over
/// [`Shake256`](super::Shake256)), with a customization string. Both are absorbed once.
///
/// Shared freely between jobs and threads; wiped when dropped.
///
/// ```
/// use broadloom_lanes::{KmacKey, Shake128};
/// let key = KmacKey::<Shake128>::new(b"a key of any length", b"");
/// # drop(key);
/// ```
pub struct KmacKey<A: Xof> {
    pub(super) state: KeccakState,
    algorithm: PhantomData<A>,
}

impl<A: Xof> KmacKey<A> {
    /// Absorbs a key of any length and the customization string *S*, which may be empty.
    pub fn new(key: &[u8], customization: &[u8]) -> Self {
        let mut sponge = Absorber::new(A::RATE);
        pad_bytes::<A>(&mut sponge, &[b"KMAC", customization]);
        pad_bytes::<A>(&mut sponge, &[key]);
        KmacKey { state: *sponge.state(), algorithm: PhantomData }
    }
}

/// Absorbs `bytepad` of the strings, each encoded by `encode_string`, up to the end of a block.
fn pad_bytes<A: Xof>(sponge: &mut Absorber, strings: &[&[u8]]) {
    sponge.add(Encoded::new(A::BLOCK_LEN as u64).left());
    for string in strings {
        sponge.add(Encoded::new(8 * string.len() as u64).left());
        sponge.add(string);
    }
    sponge.fill();
}

impl<A: Xof> Drop for KmacKey<A> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

impl<A: Xof> ZeroizeOnDrop for KmacKey<A> {}
