//! MD5 (RFC 1321).

use super::algorithm::declare_hash;
use super::compression::{Compression, rounds};
use crate::vector::{Vector, each};

declare_hash! {
    /// MD5: 16-byte digests, 64-byte blocks (RFC 1321). Broken as a cryptographic hash; for
    /// checksums of old, and for HMAC where a format fixes it.
    Md5, "md5", 16, md5,
    [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0, 0, 0, 0]
}

/// The compression function of MD5.
#[derive(Clone, Copy)]
pub struct Core;

/// Step constants: the integer part of 2^32 |sin(i + 1)|.
#[rustfmt::skip]
pub(crate) const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

impl Compression for Core {
    type Word = u32;
    const STATE_WORDS: usize = 4;
    const BIG_ENDIAN: bool = false;
    const WAITS: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; 8], x: [V; 16]) {
        let mut s = *state;
        rounds!(step(&mut s, &x), 64);
        for i in 0..4 {
            state[i] = state[i].add(s[i]);
        }
    }
}

/// Does step `t`. The four working variables stay where they are; their names move on by one each
/// step.
#[inline(always)]
fn step<V: Vector<Word = u32>>(s: &mut [V; 8], x: &[V; 16], t: usize) {
    let [a, b, c, d] = each!(i in 4 => (64 - t + i) % 4);
    let (f, word) = match t / 16 {
        0 => (s[b].choose(s[c], s[d]), t),
        1 => (s[d].choose(s[b], s[c]), (5 * t + 1) % 16),
        2 => (s[b].xor3(s[c], s[d]), (3 * t + 5) % 16),
        _ => (s[c].xor_or_not(s[b], s[d]), 7 * t % 16),
    };
    // SAFETY: a value of V is proof that the CPU has its instruction set.
    let k = unsafe { V::splat(K[t]) };
    let sum = s[a].add(x[word].add(k)).add(f);
    s[a] = s[b].add(rotate_left(sum, t));
}

/// Returns the rotation of step `t`.
#[inline(always)]
fn rotate_left<V: Vector<Word = u32>>(v: V, t: usize) -> V {
    match (t / 16, t % 4) {
        (0, 0) => v.rotate_right::<{ 32 - 7 }>(),
        (0, 1) => v.rotate_right::<{ 32 - 12 }>(),
        (0, 2) => v.rotate_right::<{ 32 - 17 }>(),
        (0, _) => v.rotate_right::<{ 32 - 22 }>(),
        (1, 0) => v.rotate_right::<{ 32 - 5 }>(),
        (1, 1) => v.rotate_right::<{ 32 - 9 }>(),
        (1, 2) => v.rotate_right::<{ 32 - 14 }>(),
        (1, _) => v.rotate_right::<{ 32 - 20 }>(),
        (2, 0) => v.rotate_right::<{ 32 - 4 }>(),
        (2, 1) => v.rotate_right::<{ 32 - 11 }>(),
        (2, 2) => v.rotate_right::<{ 32 - 16 }>(),
        (2, _) => v.rotate_right::<{ 32 - 23 }>(),
        (_, 0) => v.rotate_right::<{ 32 - 6 }>(),
        (_, 1) => v.rotate_right::<{ 32 - 10 }>(),
        (_, 2) => v.rotate_right::<{ 32 - 15 }>(),
        (_, _) => v.rotate_right::<{ 32 - 21 }>(),
    }
}
