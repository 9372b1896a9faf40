//! HMAC keys (RFC 2104, FIPS 198-1).

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::compression::HashState;
use crate::vector::Word;

/// An HMAC key, expanded once: the states of the inner and the outer hash after their first block.
///
/// Shared freely between jobs and threads; wiped when dropped.
///
/// ```
/// use broadloom_lanes::{HmacKey, Sha256};
/// let key = HmacKey::<Sha256>::new(b"a key of any length");
/// # drop(key);
/// ```
pub struct HmacKey<A: Hash> {
    #[doc(hidden)]
    pub inner: HashState<A::Word>,
    #[doc(hidden)]
    pub outer: HashState<A::Word>,
}

impl<A: Hash> HmacKey<A> {
    /// Expands a key of any length; one longer than a block is hashed first, as RFC 2104 says.
    pub fn new(key: &[u8]) -> Self {
        let single = A::plain();
        let mut block = [0u8; 128];
        let block = &mut block[..A::BLOCK_LEN];
        if key.len() > A::BLOCK_LEN {
            let mut digest = digest_plainly::<A>(key);
            block[..A::DIGEST_LEN].copy_from_slice(digest.as_ref());
            digest.as_mut().zeroize();
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let mut state_after = |pad: u8| {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            let mut state = *A::INITIAL;
            single.absorb(&mut state, block);
            block.iter_mut().for_each(|byte| *byte ^= pad);
            state
        };
        let key = HmacKey { inner: state_after(0x36), outer: state_after(0x5c) };
        block.zeroize();
        key
    }
}

/// Returns the digest of a short input, with the single-buffer kernel that every machine has.
fn digest_plainly<A: Hash>(data: &[u8]) -> A::Digest {
    let single = A::plain();
    let whole = data.len() / A::BLOCK_LEN * A::BLOCK_LEN;
    let mut state = *A::INITIAL;
    single.absorb(&mut state, &data[..whole]);
    let mut tail = crate::kernels::hash::tail::Tail::EMPTY;
    let count = crate::kernels::hash::tail::Tail::count::<A>(data.len() - whole);
    // SAFETY: `data` is a slice and the whole message, so the tail has `count` blocks, by the rule
    // of `Tail::count`; `state` has eight words, and plain kernels run on every CPU.
    unsafe {
        tail.build::<A>(data.as_ptr(), data.len(), data.len() as u64);
        (single.one)(state.as_mut_ptr(), tail.blocks(), count);
    }
    tail.zeroize();
    let mut digest = A::ZERO_DIGEST;
    // SAFETY: the digest has `DIGEST_LEN` bytes.
    unsafe { write_digest::<A>(&state, digest.as_mut().as_mut_ptr()) };
    state.zeroize();
    digest
}

/// Writes the digest that a final state stands for.
///
/// # Safety
/// `to` is writable for `DIGEST_LEN` bytes.
pub unsafe fn write_digest<A: Hash>(state: &HashState<A::Word>, to: *mut u8) {
    for (i, word) in state.iter().enumerate().take(A::DIGEST_LEN / A::Word::BYTES) {
        // SAFETY: `i < DIGEST_LEN / BYTES`, so the word lies within the `DIGEST_LEN` bytes that
        // `to` is writable for by this function's contract.
        unsafe { to.cast::<A::Word>().add(i).write_unaligned(word.ordered(A::BIG_ENDIAN)) }
    }
}

impl<A: Hash> Drop for HmacKey<A> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl<A: Hash> ZeroizeOnDrop for HmacKey<A> {}
