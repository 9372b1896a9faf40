//! Keys of HMAC over SHA-3 (RFC 2104, FIPS 198-1).

use core::marker::PhantomData;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::Sha3;
use super::absorber::Absorber;
use crate::kernels::sponge::keccak::KeccakState;
use crate::kernels::sponge::kernel::MAX_RATE;

/// A key of HMAC over SHA-3, expanded once: the states of the inner and the outer hash after their
/// first block.
///
/// Shared freely between jobs and threads; wiped when dropped.
///
/// ```
/// use broadloom_lanes::{HmacSha3Key, Sha3_256};
/// let key = HmacSha3Key::<Sha3_256>::new(b"a key of any length");
/// # drop(key);
/// ```
pub struct HmacSha3Key<A: Sha3> {
    pub(super) inner: KeccakState,
    pub(super) outer: KeccakState,
    algorithm: PhantomData<A>,
}

impl<A: Sha3> HmacSha3Key<A> {
    /// Expands a key of any length; one longer than a block is hashed first, as RFC 2104 says.
    pub fn new(key: &[u8]) -> Self {
        let mut block = [0; MAX_RATE];
        if key.len() > A::BLOCK_LEN {
            let mut hash = Absorber::new(A::RATE);
            hash.add(key);
            hash.pad(A::SUFFIX);
            for (bytes, word) in block[..A::DIGEST_LEN].chunks_mut(8).zip(hash.state()) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let mut state_after = |pad: u8| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            let mut hash = Absorber::new(A::RATE);
            hash.add(&block[..A::BLOCK_LEN]);
            block.iter_mut().for_each(|byte| *byte ^= pad);
            *hash.state()
        };
        let (inner, outer) = (state_after(0x36), state_after(0x5c));
        block.zeroize();
        HmacSha3Key { inner, outer, algorithm: PhantomData }
    }
}

impl<A: Sha3> Drop for HmacSha3Key<A> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl<A: Sha3> ZeroizeOnDrop for HmacSha3Key<A> {}
