//! SHA-1 (FIPS 180-4, section 6.1; RFC 3174).

use super::algorithm::declare_hash;
use super::compression::{Compression, rounds};
use crate::vector::{Vector, each};

declare_hash! {
    /// SHA-1: 20-byte digests, 64-byte blocks (FIPS 180-4, RFC 3174). Not collision resistant any
    /// more; for HMAC, and for formats that fix it.
    Sha1, "sha1", 20, sha1,
    [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0]
}

/// The compression function of SHA-1.
#[derive(Clone, Copy)]
pub struct Core;

/// The round constants, one for each twenty rounds.
pub(crate) const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

impl Compression for Core {
    type Word = u32;
    const STATE_WORDS: usize = 5;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; 8], mut w: [V; 16]) {
        let mut s = *state;
        rounds!(round(&mut s, &mut w), 80);
        for i in 0..5 {
            state[i] = state[i].add(s[i]);
        }
    }
}

/// Does round `t`. The five working variables stay where they are; their names move on by one each
/// round.
#[inline(always)]
fn round<V: Vector<Word = u32>>(s: &mut [V; 8], w: &mut [V; 16], t: usize) {
    let [a, b, c, d, e] = each!(i in 5 => (80 - t + i) % 5);
    if t >= 16 {
        w[t % 16] = w[(t - 3) % 16]
            .xor(w[(t - 8) % 16])
            .xor3(w[(t - 14) % 16], w[t % 16])
            .rotate_right::<31>();
    }
    let f = match t / 20 {
        0 => s[b].choose(s[c], s[d]),
        2 => s[b].majority(s[c], s[d]),
        _ => s[b].xor3(s[c], s[d]),
    };
    // SAFETY: a value of V is proof that the CPU has its instruction set.
    let k = unsafe { V::splat(K[t / 20]) };
    // What is known since the round before is added up first. In a pair, neither vector waits for
    // its chain, and the order that the compiler finds takes less time.
    let known = s[e].add(w[t % 16].add(k));
    let sum = if V::IS_PAIR { known } else { known.settled() }.add(f);
    s[e] = sum.add(s[a].rotate_right::<27>());
    s[b] = s[b].rotate_right::<2>();
}
