//! Hash algorithms: names, lengths and initial states over compression functions.

use super::compression::Compression;

/// A hash algorithm.
///
/// Implemented by the types that [`for_each_hash`](crate::for_each_hash) lists, from
/// [`Md5`](crate::Md5) to [`Sm3`](crate::Sm3); it cannot be implemented elsewhere.
///
/// ```
/// use broadloom_lanes::{Cpu, Hash, HashJob, Md5, Planner, Sha512};
///
/// fn digest<A: Hash>(message: &[u8]) -> A::Digest {
///     let mut jobs = [HashJob::<A, _>::digest(message, ())];
///     Planner::new(&Cpu::detect()).process_many(&mut jobs);
///     *jobs[0].output().expect("complete")
/// }
/// assert_eq!(digest::<Md5>(b"message").len(), 16);
/// assert_eq!(digest::<Sha512>(b"message").len(), Sha512::DIGEST_LEN);
/// ```
pub trait Hash: Compression + sealed::Sealed + Send + Sync {
    /// The compression function.
    type Core: Compression<Word = Self::Word>;
    /// The digest, [`DIGEST_LEN`](Hash::DIGEST_LEN) bytes.
    type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + core::fmt::Debug + Send + 'static;
    /// The name on command lines and in JSON.
    const NAME: &'static str;
    /// Bytes in a digest.
    const DIGEST_LEN: usize;
    /// The state before the first block.
    const INITIAL: &'static [Self::Word; 8];
    /// A digest of zeros, to be written over.
    const ZERO_DIGEST: Self::Digest;
}

pub(crate) mod sealed {
    use crate::features::Choice;
    use crate::kernels::hash::kernel::SingleKernel;
    use crate::kernels::hash::select::HashChoice;
    use crate::kernels::hash::select::HashKernels;

    /// The parts of a hash that users need not see.
    pub trait Sealed: super::Compression {
        /// Returns its kernels among the kernels of all hashes.
        fn kernels(of: &HashKernels) -> &Choice<HashChoice<Self::Word>>;
        /// Returns the kernel for one buffer that every machine has.
        fn plain() -> SingleKernel<Self::Word>;
    }
}

/// Declares a hash: its name, digest length and initial state over a compression function `Core`,
/// and the field of [`HashKernels`] that has its kernels.
macro_rules! declare_hash {
    (
        $(#[$doc:meta])*
        $name:ident, $text:literal, $len:literal, $field:ident, $initial:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl crate::kernels::hash::algorithm::sealed::Sealed for $name {
            fn kernels(
                of: &crate::kernels::hash::select::HashKernels,
            ) -> &crate::features::Choice<crate::kernels::hash::select::HashChoice<Self::Word>> {
                &of.$field
            }
            fn plain() -> crate::kernels::hash::kernel::SingleKernel<Self::Word> {
                crate::kernels::hash::select::plain::<Core>()
            }
        }

        impl crate::kernels::hash::compression::Compression for $name {
            type Word = <Core as crate::kernels::hash::compression::Compression>::Word;
            const STATE_WORDS: usize = <Core>::STATE_WORDS;
            const BIG_ENDIAN: bool = <Core>::BIG_ENDIAN;
            const WAITS: bool = <Core>::WAITS;
            #[inline(always)]
            fn compress<V: crate::vector::Vector<Word = Self::Word>>(
                state: &mut [V; 8],
                block: [V; 16],
            ) {
                <Core>::compress(state, block);
            }
        }

        impl crate::kernels::hash::algorithm::Hash for $name {
            type Core = Core;
            type Digest = [u8; $len];
            const NAME: &'static str = $text;
            const DIGEST_LEN: usize = $len;
            const INITIAL: &'static [Self::Word; 8] = &$initial;
            const ZERO_DIGEST: [u8; $len] = [0; $len];
        }
    };
}
pub(crate) use declare_hash;
