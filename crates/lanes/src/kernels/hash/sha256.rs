//! SHA-224 and SHA-256 (FIPS 180-4, section 6.2).

use super::algorithm::declare_hash;
use super::compression::{Compression, rounds};
use crate::vector::{Vector, each};

declare_hash! {
    /// SHA-224: 28-byte digests, 64-byte blocks (FIPS 180-4).
    Sha224, "sha224", 28, sha224,
    [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4]
}

declare_hash! {
    /// SHA-256: 32-byte digests, 64-byte blocks (FIPS 180-4).
    Sha256, "sha256", 32, sha256,
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]
}

/// The compression function of SHA-224 and SHA-256.
#[derive(Clone, Copy)]
pub struct Core;

/// The round constants: the first 32 bits of the fractional parts of the cube roots of the primes.
#[rustfmt::skip]
pub const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

impl Compression for Core {
    type Word = u32;
    const STATE_WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; 8], mut w: [V; 16]) {
        let mut s = *state;
        let [first, later @ ..] = K.as_chunks().0 else { unreachable!("there are some") };
        rounds!(round(&mut s, &mut w, first), 16);
        // The names of words and variables are the same again after sixteen rounds: a loop is as
        // fast as all rounds written out, and takes the compiler a tenth of the time.
        for k in later {
            rounds!(later_round(&mut s, &mut w, k), 16);
        }
        for i in 0..8 {
            state[i] = state[i].add(s[i]);
        }
    }
}

/// Does round `t` of sixteen after the first, with the word that the message is extended by.
#[inline(always)]
fn later_round<V: Vector<Word = u32>>(s: &mut [V; 8], w: &mut [V; 16], k: &[u32; 16], t: usize) {
    let (w2, w15) = (w[(t + 14) % 16], w[(t + 1) % 16]);
    let sigma1 = w2.rotate_right::<17>().xor3(w2.rotate_right::<19>(), w2.shift_right::<10>());
    let sigma0 = w15.rotate_right::<7>().xor3(w15.rotate_right::<18>(), w15.shift_right::<3>());
    w[t] = w[t].add(sigma0).add(w[(t + 9) % 16]).add(sigma1);
    round(s, w, k, t);
}

/// Does round `t` of sixteen. The eight working variables stay where they are; their names move on
/// by one each round.
#[inline(always)]
fn round<V: Vector<Word = u32>>(s: &mut [V; 8], w: &mut [V; 16], k: &[u32; 16], t: usize) {
    let [a, b, c, d, e, f, g, h] = each!(i in 8 => (16 - t + i) % 8);
    // SAFETY: a value of V is proof that the CPU has its instruction set.
    let k = unsafe { V::splat(k[t]) };
    let sum1 = s[e].rotate_right::<6>().xor3(s[e].rotate_right::<11>(), s[e].rotate_right::<25>());
    // What is known first is added up first: the chain from one round to the next is then no longer
    // than it has to be.
    let known = s[h].add(w[t].add(k).settled()).settled();
    let t1 = known.add(s[e].choose(s[f], s[g])).settled().add(sum1).settled();
    let sum0 = s[a].rotate_right::<2>().xor3(s[a].rotate_right::<13>(), s[a].rotate_right::<22>());
    s[d] = s[d].add(t1).settled();
    s[h] = t1.add(sum0.add(s[a].majority(s[b], s[c])).settled()).settled();
}
