//! Hashes and HMAC: the algorithms, their kernels, and the jobs that use them.

mod ends;
mod group;
mod hmac;
mod job;
pub(crate) mod kernel;
mod lanes;
pub(crate) mod md5;
mod select;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod tail;
mod whole;

use crate::vector::{Vector, Word};

pub use hmac::HmacKey;
pub(crate) use hmac::write_digest;
pub(crate) use job::room;
pub use job::{HashJob, Stream};
pub(crate) use kernel::{HashKernel, Messages, Shape, SingleKernel};
pub use lanes::HashLanes;
pub use md5::Md5;
#[allow(unused_imports, reason = "not every architecture has kernels of fewer lanes")]
pub(crate) use select::Middle;
pub(crate) use select::{HashKernels, Kernels, plain};
pub use sha1::Sha1;
pub use sha256::{Sha224, Sha256};
pub use sha512::{Sha384, Sha512};

/// The chaining state of one buffer. Hashes that need fewer words leave the rest alone.
pub(crate) type State<W> = [W; 8];

/// A compression function, written once for any vector.
///
/// SHA-224 and SHA-256 share one, as do SHA-384 and SHA-512.
///
/// ```
/// use broadloom_lanes::{Compression, Sha256, Sha512};
///
/// assert_eq!((Sha256::BLOCK_LEN, Sha512::BLOCK_LEN), (64, 128));
/// ```
pub trait Compression: Copy + 'static {
    /// The integer that it computes with.
    type Word: Word;
    /// Words of state.
    const STATE_WORDS: usize;
    /// Bytes in a block: sixteen words.
    const BLOCK_LEN: usize = 16 * Self::Word::BYTES;
    /// The order of bytes in a word of the message, of the digest, and of the length.
    const BIG_ENDIAN: bool;
    /// Whether each round waits for the one before with little else to do meanwhile; two vectors
    /// are then interleaved ([`Pair`](crate::vector::Pair)).
    const WAITS: bool = false;

    /// Adds one block to the state of every lane.
    fn compress<V: Vector<Word = Self::Word>>(state: &mut [V; 8], block: [V; 16]);
}

/// A hash algorithm.
///
/// Implemented by [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`] and [`Sha512`]; it cannot
/// be implemented elsewhere.
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

mod sealed {
    use super::kernel::SingleKernel;
    use super::select::{HashKernels, Kernels};
    use crate::features::Choice;

    /// The parts of a hash that users need not see.
    pub trait Sealed: super::Compression {
        /// Its kernels among the kernels of all hashes.
        fn kernels(of: &HashKernels) -> &Choice<Kernels<Self::Word>>;
        /// The kernel for one buffer that every machine has.
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

        impl crate::hash::sealed::Sealed for $name {
            fn kernels(
                of: &crate::hash::HashKernels,
            ) -> &crate::features::Choice<crate::hash::select::Kernels<Self::Word>> {
                &of.$field
            }
            fn plain() -> crate::hash::SingleKernel<Self::Word> {
                crate::hash::select::plain::<Core>()
            }
        }

        impl crate::hash::Compression for $name {
            type Word = <Core as crate::hash::Compression>::Word;
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

        impl crate::hash::Hash for $name {
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

/// Calls a function with each of the numbers 0, 1, 2 … as its last argument. As it is always
/// inlined, every round is code of its own, for which its number is a constant.
macro_rules! rounds {
    ($f:ident::<$r:ident>$args:tt, 16) => {
        crate::hash::rounds!([$f::<$r>] $args, 16)
    };
    ($f:tt $args:tt, 16) => {
        crate::hash::rounds!(@ $f $args,
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($f:tt $args:tt, 64) => {
        crate::hash::rounds!(@ $f $args,
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
            61 62 63)
    };
    ($f:tt $args:tt, 80) => {
        crate::hash::rounds!($f $args, 64);
        crate::hash::rounds!(@ $f $args, 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79)
    };
    (@ $f:tt $args:tt, $($t:literal)*) => { $( crate::hash::rounds!(@@ $f $args $t); )* };
    (@@ [$($f:tt)*] ($($args:expr),*) $t:literal) => { $($f)*($($args),*, $t) };
    (@@ $f:ident ($($args:expr),*) $t:literal) => { $f($($args),*, $t) };
}
pub(crate) use rounds;
