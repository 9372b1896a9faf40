//! Short messages side by side: a block of each of four in a register (AVX-512).
//!
//! All blocks of a register are of use then, that of the tag is one among others, and a power of
//! the hash key is loaded, and a sum reduced, once for four messages. Texts are turned from a
//! message in a register to a block of each, and back, by shuffles.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use super::vectors::transpose_quarters;
use crate::aes::gcm::hash::{Field, Sum};
use crate::aes::gcm::key::POWERS;
use crate::aes::gcm::{LONG, Message};
use crate::aes::key::MAX_ROUNDS;
use crate::aes::register::{Aes, Lanewise, Wide, every_step, round_key};
use crate::vector::each;
use core::arch::x86_64::*;

/// Messages in a register: as many as it has blocks.
const ABREAST: usize = 4;

/// Processes messages: the short ones side by side, where that pays, and the others by another
/// function.
///
/// # Safety
/// The contract of [`GcmKernel`](crate::aes::gcm::GcmKernel), and of that function.
#[inline(always)]
pub(in crate::arch) unsafe fn process(messages: &[Message], others: unsafe fn(&[Message])) {
    let (mut done, mut at) = (0, 0);
    // One alone gains nothing. Behind a long one there are no short ones.
    while at + 1 < messages.len() && messages[at].len < LONG {
        let last = messages.len() - 1;
        // The last one is in all places that are left.
        let four = each!(lane in 4 => &messages[last.min(at + lane)]);
        // SAFETY: the caller's; what comes before is not done yet, and the four are as they have to
        // be.
        unsafe {
            let go = match kind(four) {
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
        // SAFETY: the caller's.
        unsafe { others(&messages[done..]) };
    }
}

/// How four messages go best.
enum Kind {
    /// Side by side: they are short, have one key and as many blocks, and go one way.
    Alike,
    /// Side by side, but each has its own key, length and way.
    Near,
    /// One after another.
    Apart,
}

/// # Safety
/// The contract of [`GcmKernel`](crate::aes::gcm::GcmKernel).
#[inline(always)]
unsafe fn kind(messages: [&Message; ABREAST]) -> Kind {
    let first = messages[0];
    let associated = each!(lane in 4 => blocks(messages[lane]).0);
    let text = each!(lane in 4 => blocks(messages[lane]).1);
    let blocks = each!(lane in 4 => associated[lane] + text[lane]);
    let most = blocks[0].max(blocks[1]).max(blocks[2].max(blocks[3]));
    if most >= POWERS {
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
    // Keys and powers have to be put side by side then, and all take as long as the longest: as
    // measured, four take as long one after another as 51 blocks do this way, and a seventh of the
    // time of such a block for each of their own.
    let pays = 7 * most <= 51 + blocks.iter().sum::<usize>();
    // SAFETY: the caller's.
    let bits = each!(lane in 4 => unsafe { (*messages[lane].key).bits() });
    let differs = each!(lane in 4 => bits[lane] ^ bits[0]);
    match pays && differs[1] | differs[2] | differs[3] == 0 {
        true => Kind::Near,
        false => Kind::Apart,
    }
}

/// Blocks of associated data and of text.
#[inline(always)]
fn blocks(message: &Message) -> (usize, usize) {
    // No length comes near the end of the numbers: no carry need be minded, as `div_ceil` does.
    ((message.associated.1 + 15) >> 4, (message.len + 15) >> 4)
}

/// Processes four messages, of which one may be in several places.
///
/// # Safety
/// As [`process`]; all are short, and their keys have as many rounds.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
unsafe fn four_near(messages: [&Message; ABREAST]) {
    // SAFETY: the caller's, and the instructions are enabled here.
    unsafe { Four::<false>::new(messages).process() }
}

/// The same for messages that have one key and as many blocks, and go one way.
///
/// # Safety
/// As [`four_near`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq")]
unsafe fn four_alike(messages: [&Message; ABREAST]) {
    // SAFETY: the caller's, and the instructions are enabled here.
    unsafe { Four::<true>::new(messages).process() }
}

/// Registers of text in a group: the blocks that a register has if it is one message's.
const GROUP: usize = 4;

/// Four messages under way, all of it in registers.
///
/// # Safety
/// The methods may only be called where the instructions are enabled; the messages are as
/// [`four_near`] has them, and where they are `ALIKE`, as [`four_alike`] has them.
struct Four<'a, const ALIKE: bool> {
    messages: [&'a Message; ABREAST],
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
    /// The exponent of its first block in a message, and how many blocks it has.
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
        // SAFETY: the contract; a counter is a block.
        unsafe {
            let masks = <__m512i as Lanewise>::gather(counters.as_ptr(), 0);
            let (counters, zero) = (masks.counter_blocks(), __m512i::zero());
            Four { messages, fewest, counters, masks, sum: Sum::new(), ciphered: [zero; GROUP] }
        }
    }

    #[inline(always)]
    unsafe fn process(mut self) {
        let most = |part: Part| match ALIKE {
            true => part.of(self.messages[0]).1,
            false => self.messages.iter().fold(0, |most, message| most.max(part.of(message).1)),
        };
        let (associated, text) = (most(Part::Associated), most(Part::Text));
        // SAFETY: the contract.
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

    /// Ciphers the `R` blocks of each text from block `at` on, and with `N` one more, the blocks
    /// for the tags besides. If not, the group before is hashed meanwhile. Returns where the next
    /// group starts.
    #[inline(always)]
    unsafe fn cipher<const R: usize, const N: usize>(&mut self, at: usize) -> usize {
        // SAFETY: the contract; rows are within the texts as far as masks leave them.
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

    /// A step of the cipher, which adds round key `round`.
    #[inline(always)]
    unsafe fn step<const N: usize>(&self, x: &mut [__m512i; N], step: usize, round: usize) {
        // SAFETY: the contract.
        unsafe {
            let key = self.round_key(round);
            for x in x {
                *x = x.encrypt_step(step, MAX_ROUNDS, key).pin();
            }
        }
    }

    /// Adds key stream to a row of each text, and returns the elements that the rows of ciphertext
    /// are.
    ///
    /// All are loaded before any is stored: two messages may be one.
    #[inline(always)]
    unsafe fn add<S: Row>(
        &self,
        stream: [__m512i; ABREAST],
        rows: [S; ABREAST],
        at: usize,
    ) -> [__m512i; ABREAST] {
        // SAFETY: the contract; the row is within the text.
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

    /// The round keys of a step.
    #[inline(always)]
    unsafe fn round_key(&self, step: usize) -> __m512i {
        // SAFETY: the contract.
        unsafe {
            if ALIKE {
                return round_key((*self.messages[0].key).aes(), step);
            }
            let keys =
                each!(lane in 4 => (*self.messages[lane].key).aes().encryption().as_ptr().cast());
            <__m512i as Lanewise>::gather(keys.as_ptr(), 16 * step)
        }
    }

    /// A block of the associated data of each message, if it has that block, as elements.
    #[inline(always)]
    unsafe fn associated(&self, at: usize) -> __m512i {
        // SAFETY: the contract; bytes that the mask leaves out are not touched.
        unsafe {
            let parts = each!(lane in 4 => {
                let (from, len) = self.messages[lane].associated;
                let mask = first(len.saturating_sub(16 * at).min(16));
                _mm_maskz_loadu_epi8(mask as __mmask16, from.wrapping_add(16 * at).cast())
            });
            side_by_side(parts).reversed()
        }
    }

    /// The lengths of each message as an element.
    #[inline(always)]
    unsafe fn lengths(&self) -> __m512i {
        // SAFETY: the contract.
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
        // SAFETY: the contract.
        unsafe {
            for i in 0..N {
                (power[i], fold[i]) = self.powers(part, at, i);
            }
            self.sum.add_products(x, power, fold);
        }
    }

    /// The powers that a block of a part is multiplied by, so many behind another, and the folds of
    /// these.
    #[inline(always)]
    unsafe fn powers(&self, part: Part, at: usize, behind: usize) -> (__m512i, __m512i) {
        // SAFETY: the contract; exponents are 1 to POWERS.
        unsafe {
            if ALIKE {
                let powers = (*self.messages[0].key).hash();
                let exponent = part.of(self.messages[0]).0 - at;
                let power = powers.from(exponent).wrapping_add(behind);
                let fold = powers.folds_from(exponent).wrapping_add(behind);
                return (__m512i::round_key(power.cast()), __m512i::round_key(fold.cast()));
            }
            let powers = each!(lane in 4 => {
                let message = self.messages[lane];
                let (first, blocks) = part.of(message);
                (*message.key).hash().from(first - (at + behind).min(blocks)).cast()
            });
            let power = <__m512i as Lanewise>::gather(powers.as_ptr(), 0);
            (power, power.xor(power.swapped()))
        }
    }
}

/// The register of the group before that is hashed after a step.
const fn hashed_after(step: usize) -> Option<usize> {
    match step {
        2 => Some(0),
        4 => Some(1),
        6 => Some(2),
        8 => Some(3),
        _ => None,
    }
}

/// What of a message's row in a group is text.
///
/// # Safety
/// The instructions are enabled, and pointers are good for what is text.
trait Row {
    unsafe fn load(&self, from: *const u8) -> __m512i;
    unsafe fn store(&self, x: __m512i, to: *mut u8);

    /// The text, and zeros.
    unsafe fn only(&self, x: __m512i) -> __m512i;
}

/// All of it.
#[derive(Clone, Copy)]
struct Whole;

impl Row for Whole {
    #[inline(always)]
    unsafe fn load(&self, from: *const u8) -> __m512i {
        // SAFETY: the contract.
        unsafe { __m512i::load(from) }
    }

    #[inline(always)]
    unsafe fn store(&self, x: __m512i, to: *mut u8) {
        // SAFETY: the contract.
        unsafe { x.store(to) };
    }

    #[inline(always)]
    unsafe fn only(&self, x: __m512i) -> __m512i {
        x
    }
}

/// Some first bytes, or none.
struct Masked(__mmask64);

impl Row for Masked {
    #[inline(always)]
    unsafe fn load(&self, from: *const u8) -> __m512i {
        // SAFETY: bytes that the mask leaves out are not touched; AVX-512 BW is enabled.
        unsafe { _mm512_maskz_loadu_epi8(self.0, from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(&self, x: __m512i, to: *mut u8) {
        // SAFETY: bytes that the mask leaves out are not touched; AVX-512 BW is enabled.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), self.0, x) }
    }

    #[inline(always)]
    unsafe fn only(&self, x: __m512i) -> __m512i {
        // SAFETY: AVX-512 BW is enabled.
        unsafe { _mm512_maskz_mov_epi8(self.0, x) }
    }
}

/// So many first bytes, at most 64.
///
/// # Safety
/// BMI2 is enabled.
#[inline(always)]
unsafe fn first(len: usize) -> __mmask64 {
    // SAFETY: the caller's.
    unsafe { _bzhi_u64(u64::MAX, len as u32) }
}

/// Four blocks in a register.
///
/// # Safety
/// AVX-512 F is enabled.
#[inline(always)]
unsafe fn side_by_side([a, b, c, d]: [__m128i; ABREAST]) -> __m512i {
    // SAFETY: the caller's.
    unsafe {
        let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}
