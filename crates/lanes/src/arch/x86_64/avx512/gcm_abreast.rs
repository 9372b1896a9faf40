//! Short messages side by side: a block of each of four messages in a register (AVX-512).
//!
//! A short message alone leaves places of a register empty. Its tag needs a block of its own, and
//! each message loads the powers of the hash key and reduces a sum. With four messages in the four
//! places of each register, all blocks are used, the block of the tag is one among others, and four
//! messages share each load of a power and one reduction:
//!
//! ```text
//! while two or more short messages are left:
//!     take the next four (the last message fills the places that are left)
//!     one key, equal numbers of blocks, one direction?   Alike: one round key for all places
//!     otherwise, if it pays:                             Near: put keys and powers side by side
//!     otherwise, or if each is faster alone:             leave them to the other function
//!
//! four messages:
//!     for each group of up to four blocks, the first together with the block of the tag:
//!         cipher counter blocks: register i has block i of each message
//!         transpose: now register m has the group's blocks of message m; add its text; store
//!         transpose the ciphertext back, and hash it while the next group is ciphered
//!     hash associated data, lengths, and the last group; reduce once; write four tags
//! ```
//!
//! For example, four messages of 64 bytes need 4 blocks of text and one for the tag each: five
//! registers, 20 blocks, of which none is wasted. A message alone needs two registers, eight places
//! for five blocks.
//!
//! Where `gcm_alone` is used as well, longer texts are faster alone, because they need no
//! transposing there, and so are most texts of messages that leave places empty. On AMD Zen 5, a
//! message that is sealed with 16 bytes of associated data takes so many cycles of the counter. In
//! the first two columns of cycles, it is one of 64 messages under one key. In the last two, it is
//! one of 16 messages, of which each has a key of its own:
//!
//! | bytes of text | 64, side by side | 64, alone | 16, side by side | 16, alone |
//! |---|---|---|---|---|
//! | 64 | 43 | 62 | 51 | 65 |
//! | 128 | 51 | 66 | 63 | 68 |
//! | 256 | 72 | 78 | 89 | 79 |
//! | 400 | 95 | 106 | 136, in the two steps of `pipeline` | 112 |

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use super::gcm_alone;
use super::vectors::{first, transpose_quarters};
use crate::kernels::aes::gcm::hash::{Field, Sum};
use crate::kernels::aes::gcm::key::{Ladder, MANY};
use crate::kernels::aes::gcm::{LONG, Message};
use crate::kernels::aes::key::MAX_ROUNDS;
use crate::kernels::aes::register::{Aes, Lanewise, Wide, every_step, round_key};
use crate::vector::each;
use core::arch::x86_64::*;

/// Messages in a register: as many as it has blocks.
const ABREAST: usize = 4;

/// Which messages are faster alone, by `gcm_alone`: those with a text of more blocks.
#[derive(Clone, Copy)]
pub(in crate::arch) struct Apart {
    /// If the messages are alike: of two messages, of three, and of four.
    pub alike: [usize; ABREAST - 1],
    /// If they are not.
    pub near: usize,
}

/// Processes messages: the short ones side by side, where that pays, and the others by `others`,
/// which processes those that [fit](gcm_alone::fits) by `gcm_alone` if there is an `apart`.
///
/// # Safety
/// - The contract of [`GcmKernel`](crate::kernels::aes::gcm::GcmKernel), for the messages.
/// - `others` has the same contract.
#[inline(always)]
pub(in crate::arch) unsafe fn process(
    messages: &[Message],
    apart: Option<Apart>,
    others: unsafe fn(&[Message]),
) {
    let (mut done, mut at) = (0, 0);
    // A message alone gains nothing. No short messages follow a long one.
    while at + 1 < messages.len() && messages[at].len < LONG {
        let last = messages.len() - 1;
        // The last message fills all places that are left.
        let four = each!(lane in 4 => &messages[last.min(at + lane)]);
        let count = (last - at).min(ABREAST - 1) + 1;
        let never = (usize::MAX, usize::MAX);
        let limits = apart.map_or(never, |apart| (apart.alike[count - 2], apart.near));
        // SAFETY: the messages are as this function's contract says. Those from `done` to `at` are
        // not processed yet, and `kind` has found out that the four are short, and that their keys
        // have one number of rounds, or that they are alike.
        unsafe {
            let go = match kind(four, limits) {
                Kind::Alike => four_alike,
                Kind::Near => four_near,
                Kind::Apart => {
                    at += ABREAST;
                    continue;
                }
            };
            if done < at {
                others(&messages[done..at]);
            }
            go(four);
        }
        at += ABREAST;
        done = at;
    }
    if done < messages.len() {
        // SAFETY: the remaining messages are as this function's contract says.
        unsafe { others(&messages[done..]) };
    }
}

/// The best way to process four messages.
enum Kind {
    /// Side by side: they are short, have one key, equal numbers of blocks, and one direction.
    Alike,
    /// Side by side, but each has its own key, length and direction.
    Near,
    /// One after another.
    Apart,
}

/// Finds the best way to process four messages. If they are alike, and a text has more blocks than
/// `alike`, `gcm_alone` is faster, and so it is in any case if a text has more than `near`.
///
/// # Safety
/// The contract of [`GcmKernel`](crate::kernels::aes::gcm::GcmKernel).
#[inline(always)]
unsafe fn kind(messages: [&Message; ABREAST], (alike, near): (usize, usize)) -> Kind {
    let first = messages[0];
    let associated = each!(lane in 4 => blocks(messages[lane]).0);
    let text = each!(lane in 4 => blocks(messages[lane]).1);
    let blocks = each!(lane in 4 => associated[lane] + text[lane]);
    let most = blocks[0].max(blocks[1]).max(blocks[2].max(blocks[3]));
    let texts = text[0].max(text[1]).max(text[2].max(text[3]));
    if most >= MANY || texts > alike && fit(messages) {
        return Kind::Apart;
    }
    let differs = each!(lane in 4 => {
        let lengths = (associated[lane] ^ associated[0]) | (text[lane] ^ text[0]);
        lengths
            | usize::from(messages[lane].key != first.key)
            | usize::from(messages[lane].seals != first.seals)
    });
    if differs[1] | differs[2] | differs[3] == 0 {
        return Kind::Alike;
    }
    if texts > near && fit(messages) {
        return Kind::Apart;
    }
    // Keys and powers have to be put side by side then, and all take as long as the longest: as
    // measured, four take as long one after another as 51 blocks do this way, and a seventh of the
    // time of such a block for each of their own.
    let pays = 7 * most <= 51 + blocks.iter().sum::<usize>();
    // SAFETY: the keys of the messages are valid, by this function's contract.
    let bits = each!(lane in 4 => unsafe { (*messages[lane].key).bits() });
    let differs = each!(lane in 4 => bits[lane] ^ bits[0]);
    match pays && differs[1] | differs[2] | differs[3] == 0 {
        true => Kind::Near,
        false => Kind::Apart,
    }
}

/// Returns `true` if `gcm_alone` takes each of the messages.
#[inline(always)]
fn fit(messages: [&Message; ABREAST]) -> bool {
    messages.iter().all(|message| gcm_alone::fits(message))
}

/// Returns the numbers of blocks of associated data and of text.
#[inline(always)]
fn blocks(message: &Message) -> (usize, usize) {
    // No length comes near the end of the numbers: no carry need be minded, as `div_ceil` does.
    ((message.associated.1 + 15) >> 4, (message.len + 15) >> 4)
}

/// Processes four messages, of which one may be in several places.
///
/// # Safety
/// - The conditions of [`process`], for these messages.
/// - All have fewer than [`MANY`] blocks, and their keys have one number of rounds.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
unsafe fn four_near(messages: [&Message; ABREAST]) {
    // SAFETY: the messages are as this function's contract says, and this function enables the
    // instructions.
    unsafe { Four::<false>::new(messages).process() }
}

/// Processes four messages that have one key, equal numbers of blocks, and one direction.
///
/// # Safety
/// The conditions of [`four_near`], and what the first sentence says.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
unsafe fn four_alike(messages: [&Message; ABREAST]) {
    // SAFETY: the messages are as this function's contract says, and this function enables the
    // instructions.
    unsafe { Four::<true>::new(messages).process() }
}

/// Registers of text in a group: the blocks that a register has if it is one message's.
const GROUP: usize = 4;

/// Four messages under way, with all values in registers.
///
/// # Safety
/// This is the contract of every method:
///
/// - The instructions are enabled where the method is inlined.
/// - The messages are as [`four_near`] asks, and as [`four_alike`] asks if `ALIKE` is set.
struct Four<'a, const ALIKE: bool> {
    messages: [&'a Message; ABREAST],
    /// The powers of each message's hash key.
    powers: [Ladder; ABREAST],
    /// Bytes of the shortest text.
    fewest: usize,
    /// The counters of the next blocks.
    counters: __m512i,
    /// The blocks that the tags are the sums of, with the hashes: the first counters, ciphered.
    masks: __m512i,
    sum: Sum<__m512i>,
    /// Blocks of text that are still to be hashed, from some place on, behind zeros.
    ciphered: [__m512i; GROUP],
}

/// Which part of the messages is hashed.
#[derive(Clone, Copy)]
enum Part {
    Associated,
    Text,
    Lengths,
}

impl Part {
    /// Returns the exponent of its first block in a message, and how many blocks it has.
    #[inline(always)]
    fn of(self, message: &Message) -> (usize, usize) {
        let (associated, text) = blocks(message);
        match self {
            Part::Associated => (associated + text + 1, associated),
            Part::Text => (text + 1, text),
            Part::Lengths => (1, 1),
        }
    }
}

impl<'a, const ALIKE: bool> Four<'a, ALIKE> {
    #[inline(always)]
    unsafe fn new(messages: [&'a Message; ABREAST]) -> Self {
        let fewest = messages.iter().fold(LONG, |fewest, message| fewest.min(message.len));
        let counters = each!(lane in 4 => messages[lane].counter.as_ptr().cast());
        // The lengths need a power, too.
        let exponents = each!(lane in 4 => Part::Associated.of(messages[lane]).0);
        // SAFETY: the instructions are enabled and the keys valid, by the contract of `Four`; a
        // counter is a block.
        unsafe {
            let powers = each!(lane in 4 => (*messages[lane].key).ladder(exponents[lane]));
            let masks = <__m512i as Lanewise>::gather(counters.as_ptr(), 0);
            let (counters, zero) = (masks.counter_blocks(), __m512i::zero());
            Four {
                messages,
                powers,
                fewest,
                counters,
                masks,
                sum: Sum::new(),
                ciphered: [zero; GROUP],
            }
        }
    }

    #[inline(always)]
    unsafe fn process(mut self) {
        let most = |part: Part| match ALIKE {
            true => part.of(self.messages[0]).1,
            false => self.messages.iter().fold(0, |most, message| most.max(part.of(message).1)),
        };
        let (associated, text) = (most(Part::Associated), most(Part::Text));
        // SAFETY: the instructions are enabled and the messages valid, by the contract of `Four`; a
        // tag has 16 bytes.
        unsafe {
            // The first group is the one that may have fewer registers: it has that of the tags
            // besides.
            let mut at = match (text + GROUP - 1) % GROUP + 1 {
                _ if text == 0 => self.cipher::<0, 1>(0),
                1 => self.cipher::<1, 2>(0),
                2 => self.cipher::<2, 3>(0),
                3 => self.cipher::<3, 4>(0),
                _ => self.cipher::<4, 5>(0),
            };
            while at < text {
                at = self.cipher::<GROUP, GROUP>(at);
            }
            for at in 0..associated {
                self.hash(Part::Associated, [self.associated(at)], at);
            }
            self.hash(Part::Lengths, [self.lengths()], 0);
            let [a, b, c, d] = self.ciphered;
            match text {
                0 => {}
                1 => self.hash(Part::Text, [d], 0),
                2 => self.hash(Part::Text, [c, d], 0),
                3 => self.hash(Part::Text, [b, c, d], 0),
                _ => self.hash(Part::Text, [a, b, c, d], text - GROUP),
            }
            let tags = self.sum.reduce_places().reversed().xor(self.masks);
            let [a, b, c, d] = each!(lane in 4 => self.messages[lane].tag.cast());
            _mm_storeu_si128(a, _mm512_castsi512_si128(tags));
            _mm_storeu_si128(b, _mm512_extracti64x2_epi64::<1>(tags));
            _mm_storeu_si128(c, _mm512_extracti64x2_epi64::<2>(tags));
            _mm_storeu_si128(d, _mm512_extracti64x2_epi64::<3>(tags));
        }
    }

    /// Ciphers the `R` blocks of each text from block `at` on. If `N` is one more, it also ciphers
    /// the blocks for the tags; otherwise the group before is hashed meanwhile. Returns the first
    /// block of the next group.
    #[inline(always)]
    unsafe fn cipher<const R: usize, const N: usize>(&mut self, at: usize) -> usize {
        // SAFETY: the instructions are enabled and the messages valid, by the contract of `Four`. A
        // row is added whole only if every text has all of it, and otherwise under a mask that ends
        // where the text does.
        unsafe {
            let mut x = [self.masks; N];
            for i in 0..N {
                x[i] = self.counters.count(i as u32).counter_blocks();
            }
            self.counters = self.counters.count(N as u32);
            every_step!((*self.messages[0].key).aes().rounds(), STEP, round => {
                self.step(&mut x, STEP, round);
                if const { N == R && hashed_after(STEP).is_some() }
                    && let Some(i) = const { hashed_after(STEP) }
                {
                    self.hash(Part::Text, [self.ciphered[i]], (at + i).saturating_sub(GROUP));
                }
            });
            if N > R {
                self.masks = x[0];
            }
            let mut rows = [__m512i::zero(); GROUP];
            rows[..R].copy_from_slice(&x[N - R..]);
            let stream = transpose_quarters(rows);
            let ciphertext = match R == GROUP && 16 * (at + R) <= self.fewest {
                true => self.add(stream, [Whole; ABREAST], at),
                false => {
                    let left = each!(lane in 4 => self.messages[lane].len.saturating_sub(16 * at));
                    self.add(stream, each!(lane in 4 => Masked(first(left[lane].min(16 * R)))), at)
                }
            };
            let columns = transpose_quarters(ciphertext);
            self.ciphered = [__m512i::zero(); GROUP];
            self.ciphered[GROUP - R..].copy_from_slice(&columns[..R]);
        }
        at + R
    }

    /// Does a step of the cipher, which adds round key `round`.
    #[inline(always)]
    unsafe fn step<const N: usize>(&self, x: &mut [__m512i; N], step: usize, round: usize) {
        // SAFETY: the key is valid, has this round key, and the instructions are enabled, by the
        // contract of `Four`.
        unsafe {
            let key = self.round_key(round);
            for x in x {
                *x = x.encrypt_step(step, MAX_ROUNDS, key).pin();
            }
        }
    }

    /// Adds key stream to a row of each text, and returns the elements of the rows of ciphertext.
    ///
    /// All rows are loaded before any is stored, because two messages may be one.
    #[inline(always)]
    unsafe fn add<S: Row>(
        &self,
        stream: [__m512i; ABREAST],
        rows: [S; ABREAST],
        at: usize,
    ) -> [__m512i; ABREAST] {
        // SAFETY: `src` is readable and `dst` writable for the bytes of the row that `rows` names,
        // which lie within the text; the instructions are enabled, by the contract of `Four`.
        unsafe {
            let mut text = stream;
            for i in 0..ABREAST {
                text[i] = rows[i].load(self.messages[i].src.wrapping_add(16 * at));
            }
            let mut ciphertext = text;
            for i in 0..ABREAST {
                let other = text[i].xor(stream[i]);
                rows[i].store(other, self.messages[i].dst.wrapping_add(16 * at));
                if self.messages[if ALIKE { 0 } else { i }].seals {
                    ciphertext[i] = rows[i].only(other);
                }
                ciphertext[i] = ciphertext[i].reversed();
            }
            ciphertext
        }
    }

    /// Returns the round keys of a step.
    #[inline(always)]
    unsafe fn round_key(&self, step: usize) -> __m512i {
        // SAFETY: all keys are valid and have this round key, by the contract of `Four`, because
        // their numbers of rounds are equal.
        unsafe {
            if ALIKE {
                return round_key((*self.messages[0].key).aes(), step);
            }
            let keys =
                each!(lane in 4 => (*self.messages[lane].key).aes().encryption().as_ptr().cast());
            <__m512i as Lanewise>::gather(keys.as_ptr(), 16 * step)
        }
    }

    /// Returns a block of the associated data of each message, if it has that block, as elements.
    #[inline(always)]
    unsafe fn associated(&self, at: usize) -> __m512i {
        // SAFETY: the associated data are readable for their length, by the contract of `Four`, and
        // bytes that the mask leaves out are not touched.
        unsafe {
            let parts = each!(lane in 4 => {
                let (from, len) = self.messages[lane].associated;
                let mask = first(len.saturating_sub(16 * at).min(16));
                _mm_maskz_loadu_epi8(mask as __mmask16, from.wrapping_add(16 * at).cast())
            });
            side_by_side(parts).reversed()
        }
    }

    /// Returns the lengths of each message as an element.
    #[inline(always)]
    unsafe fn lengths(&self) -> __m512i {
        // SAFETY: the instructions are enabled, by the contract of `Four`.
        unsafe {
            let bytes = each!(lane in 4 => {
                let Message { associated: (_, associated), len, .. } = *self.messages[lane];
                _mm_set_epi64x(associated.cast_signed() as i64, len.cast_signed() as i64)
            });
            _mm512_slli_epi64::<3>(side_by_side(bytes))
        }
    }

    /// Adds neighbouring blocks of a part to the hashes, those that a message does not have being
    /// zero.
    #[inline(always)]
    unsafe fn hash<const N: usize>(&mut self, part: Part, x: [__m512i; N], at: usize) {
        let (mut power, mut fold) = (x, x);
        // SAFETY: the instructions are enabled and the keys valid, by the contract of `Four`.
        unsafe {
            for i in 0..N {
                (power[i], fold[i]) = self.powers(part, at, i);
            }
            self.sum.add_products(x, power, fold);
        }
    }

    /// Returns the powers that a block of a part is multiplied by, `behind` blocks behind block
    /// `at`, and the folds of these.
    #[inline(always)]
    unsafe fn powers(&self, part: Part, at: usize, behind: usize) -> (__m512i, __m512i) {
        // SAFETY: the keys are valid, by the contract of `Four`. Exponents are at most the first of
        // a message, for which there are powers; they are at least 1, because at most the part's
        // blocks are subtracted from its first exponent.
        unsafe {
            let power = if ALIKE {
                let exponent = part.of(self.messages[0]).0 - at;
                let power = self.powers[0].from(exponent).wrapping_add(behind);
                __m512i::round_key(power.cast())
            } else {
                let powers = each!(lane in 4 => {
                    let (first, blocks) = part.of(self.messages[lane]);
                    self.powers[lane].from(first - (at + behind).min(blocks)).cast()
                });
                <__m512i as Lanewise>::gather(powers.as_ptr(), 0)
            };
            (power, power.xor(power.swapped()))
        }
    }
}

/// Returns the register of the group before that is hashed after a step.
const fn hashed_after(step: usize) -> Option<usize> {
    match step {
        2 => Some(0),
        4 => Some(1),
        6 => Some(2),
        8 => Some(3),
        _ => None,
    }
}

/// The part of a message's row in a group that is text.
///
/// # Safety
/// - The instructions are enabled where a method is inlined.
/// - Pointers are valid for the bytes of the row that are text.
trait Row {
    unsafe fn load(&self, from: *const u8) -> __m512i;
    unsafe fn store(&self, x: __m512i, to: *mut u8);

    /// Returns the text, and zeros.
    unsafe fn only(&self, x: __m512i) -> __m512i;
}

/// All of the row.
#[derive(Clone, Copy)]
struct Whole;

impl Row for Whole {
    #[inline(always)]
    unsafe fn load(&self, from: *const u8) -> __m512i {
        // SAFETY: `from` is readable for a register, by the contract of `Row`.
        unsafe { __m512i::load(from) }
    }

    #[inline(always)]
    unsafe fn store(&self, x: __m512i, to: *mut u8) {
        // SAFETY: `to` is writable for a register, by the contract of `Row`.
        unsafe { x.store(to) };
    }

    #[inline(always)]
    unsafe fn only(&self, x: __m512i) -> __m512i {
        x
    }
}

/// Some first bytes of the row, or none.
struct Masked(__mmask64);

impl Row for Masked {
    #[inline(always)]
    unsafe fn load(&self, from: *const u8) -> __m512i {
        // SAFETY: `from` is readable for the bytes of the mask, by the contract of `Row`, and the
        // others are not touched; AVX-512 BW is enabled.
        unsafe { _mm512_maskz_loadu_epi8(self.0, from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(&self, x: __m512i, to: *mut u8) {
        // SAFETY: `to` is writable for the bytes of the mask, by the contract of `Row`, and the
        // others are not touched; AVX-512 BW is enabled.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), self.0, x) }
    }

    #[inline(always)]
    unsafe fn only(&self, x: __m512i) -> __m512i {
        // SAFETY: AVX-512 BW is enabled, by the contract of `Row`.
        unsafe { _mm512_maskz_mov_epi8(self.0, x) }
    }
}

/// Puts four blocks into a register.
///
/// # Safety
/// AVX-512 F is enabled where this is inlined.
#[inline(always)]
unsafe fn side_by_side([a, b, c, d]: [__m128i; ABREAST]) -> __m512i {
    // SAFETY: AVX-512 F is enabled, by this function's contract.
    unsafe {
        let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}
