//! Compression functions, and what they are written with.

use crate::vector::{Vector, Word};

/// The chaining state of one buffer. Hashes that need fewer words leave the rest alone.
pub type HashState<W> = [W; 8];

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
    /// `true` if each round waits for the one before with little else to do meanwhile; two vectors
    /// are then interleaved ([`Pair`](crate::vector::Pair)).
    const WAITS: bool = false;

    /// Adds one block to the state of every lane.
    fn compress<V: Vector<Word = Self::Word>>(state: &mut [V; 8], block: [V; 16]);
}

/// Calls a function with each of the numbers 0, 1, 2 … as its last argument. As it is always
/// inlined, every round is code of its own, for which its number is a constant.
macro_rules! rounds {
    ($f:ident::<$r:ident>$args:tt, 16) => {
        crate::kernels::hash::rounds!([$f::<$r>] $args, 16)
    };
    ($f:tt $args:tt, 16) => {
        crate::kernels::hash::rounds!(@ $f $args,
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($f:tt $args:tt, 64) => {
        crate::kernels::hash::rounds!(@ $f $args,
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
            61 62 63)
    };
    ($f:tt $args:tt, 80) => {
        crate::kernels::hash::rounds!($f $args, 64);
        crate::kernels::hash::rounds!(@ $f $args, 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79)
    };
    (@ $f:tt $args:tt, $($t:literal)*) => { $( crate::kernels::hash::rounds!(@@ $f $args $t); )* };
    (@@ [$($f:tt)*] ($($args:expr),*) $t:literal) => { $($f)*($($args),*, $t) };
    (@@ $f:ident ($($args:expr),*) $t:literal) => { $f($($args),*, $t) };
}
pub(crate) use rounds;
