//! Ends of messages of one algorithm.

use super::algorithm::Hash;
use super::kernel::{Messages, Shape, Task, pad_outer, shorter, whole};

impl<W> Task<W> {
    /// Makes the task of a [`WideFinish`](super::kernel::WideFinish) of `A` from its arguments.
    #[inline(always)]
    pub(crate) fn finish<A: Hash<Word = W>>(
        messages: &Messages<W>,
        first: usize,
        shape: Shape,
    ) -> Self {
        const { assert!(A::DIGEST_LEN == whole::<A>() || A::DIGEST_LEN == shorter::<A>()) };
        Task {
            start: messages.start[first..].as_ptr(),
            data: messages.data[first..].as_ptr(),
            state: messages.state[first..].as_ptr(),
            messages,
            first,
            shape,
            digest_len: A::DIGEST_LEN,
        }
    }
}

/// Returns the words of HMAC's outer block behind the digest.
#[allow(dead_code, reason = "only hash instructions need it")]
#[inline(always)]
pub(crate) fn outer_padding<A: Hash>() -> [A::Word; 16] {
    let zero = A::Word::default();
    pad_outer::<A, A::Word>([zero; 8], A::DIGEST_LEN, zero, |word| word)
}
