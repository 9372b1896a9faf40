//! SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018).

use super::algorithm::declare_hash;
use super::compression::{Compression, rounds};
use crate::vector::{Vector, each};

declare_hash! {
    /// SM3: 32-byte digests, 64-byte blocks (GB/T 32905-2016).
    Sm3, "sm3", 32, sm3,
    [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e]
}

/// The compression function of SM3.
#[derive(Clone, Copy)]
pub struct Core;

/// The round constants: one word for the first sixteen rounds and one for the others, rotated to
/// the left by the number of the round.
const T: [u32; 64] = {
    let mut constants = [0; 64];
    let mut round = 0;
    while round < 64 {
        let word: u32 = if round < 16 { 0x79cc4519 } else { 0x7a879d8a };
        constants[round] = word.rotate_left(round as u32 % 32);
        round += 1;
    }
    constants
};

impl Compression for Core {
    type Word = u32;
    const STATE_WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; 8], mut w: [V; 16]) {
        let mut s = *state;
        let [first, later @ ..] = T.as_chunks().0 else { unreachable!("there are some") };
        rounds!(first_round(&mut s, &mut w, first), 16);
        // The names of words and variables are the same again after sixteen rounds.
        for constants in later {
            rounds!(later_round(&mut s, &mut w, constants), 16);
        }
        for i in 0..8 {
            state[i] = state[i].xor(s[i]);
        }
    }
}

/// Does one of the first sixteen rounds, whose two Boolean functions are parities.
#[inline(always)]
fn first_round<V: Vector<Word = u32>>(
    s: &mut [V; 8],
    w: &mut [V; 16],
    constants: &[u32; 16],
    t: usize,
) {
    let [a, b, c, _, e, f, g, _] = names(t);
    let (ff, gg) = (s[a].xor3(s[b], s[c]), s[e].xor3(s[f], s[g]));
    if t >= 12 {
        extend(w, t);
    }
    round(s, w, constants, t, ff, gg);
}

/// Does round `t` of sixteen after the first sixteen.
#[inline(always)]
fn later_round<V: Vector<Word = u32>>(
    s: &mut [V; 8],
    w: &mut [V; 16],
    constants: &[u32; 16],
    t: usize,
) {
    let [a, b, c, _, e, f, g, _] = names(t);
    let (ff, gg) = (s[a].majority(s[b], s[c]), s[e].choose(s[f], s[g]));
    extend(w, t);
    round(s, w, constants, t, ff, gg);
}

/// Returns the places of the eight working variables in round `t`. Each half of them stays where it
/// is; the names move on by one each round.
#[inline(always)]
fn names(t: usize) -> [usize; 8] {
    each!(i in 8 => i / 4 * 4 + (64 - t + i) % 4)
}

/// Replaces the word that round `t` needs no more by the word that comes sixteen later: round `t`
/// is the first that needs it, as it takes a word and the one four later.
#[inline(always)]
fn extend<V: Vector<Word = u32>>(w: &mut [V; 16], t: usize) {
    let at = |back: usize| (t + 4 + 16 - back) % 16;
    let mixed = w[at(16)].xor3(w[at(9)], w[at(3)].rotate_right::<17>());
    let permuted = mixed.xor3(mixed.rotate_right::<17>(), mixed.rotate_right::<9>());
    w[at(16)] = permuted.xor3(w[at(13)].rotate_right::<25>(), w[at(6)]);
}

/// Does round `t` of sixteen, with the results of its two Boolean functions.
#[inline(always)]
fn round<V: Vector<Word = u32>>(
    s: &mut [V; 8],
    w: &[V; 16],
    constants: &[u32; 16],
    t: usize,
    ff: V,
    gg: V,
) {
    let [a, b, _, d, e, f, _, h] = names(t);
    // SAFETY: a value of V is proof that the CPU has its instruction set.
    let constant = unsafe { V::splat(constants[t]) };
    let turned = s[a].rotate_right::<20>();
    let first = turned.add(s[e].add(constant)).rotate_right::<25>();
    let sum = s[d].add(ff).add(w[t % 16].xor(w[(t + 4) % 16]));
    s[d] = sum.add(first.xor(turned));
    s[b] = s[b].rotate_right::<23>();
    let sum = s[h].add(w[t % 16]).add(gg).add(first);
    s[f] = s[f].rotate_right::<13>();
    s[h] = sum.xor3(sum.rotate_right::<23>(), sum.rotate_right::<15>());
}
