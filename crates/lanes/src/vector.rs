//! The only view that an algorithm has of an instruction set.
//!
//! A hash is written once, over [`Vector`]. It then runs on registers of 512, 256 and 128 bits and
//! on plain integers.

use core::ops::BitXor;

/// An array written out element by element: `each!(i in 4 => value)`. In a kernel, unlike a loop or
/// `array::from_fn`, it leaves the compiler nothing to unroll or to inline.
///
/// With `each!(const I in 4 => value)`, the number is a constant. What stands under `if const` of
/// it is then compiled only where it is to run, in each instance of a generic function.
#[doc(hidden)]
#[macro_export]
macro_rules! each {
    ($i:ident in $count:tt => $value:expr) => {
        $crate::each!($count, [let $i] $value)
    };
    (const $i:ident in $count:tt => $value:expr) => {
        $crate::each!($count, [const $i] $value)
    };
    (2, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1) };
    (3, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2) };
    (4, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2 3) };
    (5, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2 3 4) };
    (8, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7) };
    (10, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9) };
    (12, $i:tt $value:expr) => { $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9 10 11) };
    (13, $i:tt $value:expr) => {
        $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9 10 11 12)
    };
    (14, $i:tt $value:expr) => {
        $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
    };
    (16, $i:tt $value:expr) => {
        $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (22, $i:tt $value:expr) => {
        $crate::each!(@ $i $value, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)
    };
    (@ $i:tt $value:expr, $($n:literal)*) => { [$($crate::each!(@ $i $n, $value)),*] };
    (@ [let $i:ident] $n:literal, $value:expr) => {{ let $i: usize = $n; $value }};
    (@ [const $i:ident] $n:literal, $value:expr) => {{ const $i: usize = $n; $value }};
}
pub use each;

/// The most lanes a vector has: two interleaved 512-bit vectors of 32-bit words.
pub const MAX_LANES: usize = 32;

/// The integer that a lane computes with: `u32` for MD5, SHA-1 and SHA-256, `u64` for SHA-512.
///
/// ```
/// use broadloom_lanes::Word;
///
/// assert_eq!((u32::BYTES, u64::BYTES), (4, 8));
/// ```
pub trait Word:
    Copy
    + Send
    + Sync
    + Default
    + Eq
    + BitXor<Output = Self>
    + core::fmt::Debug
    + zeroize::DefaultIsZeroes
    + 'static
{
    /// Bytes in a word.
    const BYTES: usize = size_of::<Self>();
    /// Converts between a word and its bytes in big-endian or little-endian order.
    fn ordered(self, big_endian: bool) -> Self;
    /// Returns the low bits of `value`.
    fn truncate(value: u64) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn ordered(self, big_endian: bool) -> Self {
        if big_endian { self.to_be() } else { self.to_le() }
    }
    #[inline(always)]
    fn truncate(value: u64) -> Self {
        value as u32
    }
}

impl Word for u64 {
    #[inline(always)]
    fn ordered(self, big_endian: bool) -> Self {
        if big_endian { self.to_be() } else { self.to_le() }
    }
    #[inline(always)]
    fn truncate(value: u64) -> Self {
        value
    }
}

/// One word of every lane, in one register (or a few).
///
/// ```
/// use broadloom_lanes::Vector;
///
/// /// The choice function of SHA-2 in every lane (FIPS 180-4, 4.1.2).
/// fn choose<V: Vector>(x: V, y: V, z: V) -> V {
///     x.and(y).xor(x.not().and(z))
/// }
/// ```
///
/// # Safety
///
/// A value of an implementing type is proof that the CPU has the instructions that its methods use.
/// The methods that make a value from nothing ([`splat`](Vector::splat), [`load`](Vector::load),
/// [`load_block`](Vector::load_block), [`gather`](Vector::gather)) are `unsafe` and have the
/// instruction set among their conditions; every other method starts from a value. An implementor
/// uses no instruction outside the set that its documentation names, and marks every method
/// `#[inline(always)]`, so that the method is compiled for the caller's instruction set.
pub unsafe trait Vector: Copy {
    /// The word in one lane.
    type Word: Word;
    /// Lanes in this vector.
    const LANES: usize;

    /// `true` if this is two vectors, whose chains of operations overlap.
    const IS_PAIR: bool = false;

    /// Returns the same word in every lane.
    ///
    /// # Safety
    /// The CPU has this vector's instruction set.
    unsafe fn splat(word: Self::Word) -> Self;

    /// Reads `LANES` consecutive words, one for each lane.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `words` is readable for `LANES` words, at any alignment.
    unsafe fn load(words: *const Self::Word) -> Self;

    /// Writes each lane's word to `LANES` consecutive places.
    ///
    /// # Safety
    /// `words` is writable for `LANES` words, at any alignment.
    unsafe fn store(self, words: *mut Self::Word);

    /// Reads the sixteen words of every lane's block: word `i` of lane `l`, read at `lanes[l] +
    /// offset`, is lane `l` of element `i`. Words are big-endian in memory if `BIG_ENDIAN`, else
    /// little-endian.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `lanes` is readable for `LANES` pointers.
    /// - Each of these pointers is readable for sixteen words from `offset` bytes on, at any
    ///   alignment.
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16];

    /// Reads the first eight words behind each lane's pointer: word `i` of lane `l` is lane `l` of
    /// element `i`.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `lanes` is readable for `LANES` pointers.
    /// - Each of these pointers is readable for eight words, and aligned for a word.
    #[inline(always)]
    unsafe fn gather(lanes: *const *const Self::Word) -> [Self; 8] {
        let mut rows = [[Self::Word::default(); MAX_LANES]; 8];
        for lane in 0..Self::LANES {
            for (i, row) in rows.iter_mut().enumerate() {
                // SAFETY: by this function's contract `lanes` is readable for `LANES` pointers,
                // `lane` is below `LANES`, and the pointer is readable for eight words, `i` among
                // them.
                row[lane] = unsafe { *(*lanes.add(lane)).add(i) };
            }
        }
        // SAFETY: the CPU has the instruction set by this function's contract; a row holds
        // `MAX_LANES` words, and no vector has more lanes.
        unsafe { each!(i in 8 => Self::load(rows[i].as_ptr())) }
    }

    /// Reads the first four words behind each lane's pointer, as [`gather`](Vector::gather) reads
    /// eight.
    ///
    /// # Safety
    /// The conditions of [`gather`](Vector::gather), with four words in place of eight.
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const Self::Word) -> [Self; 4] {
        let mut rows = [[Self::Word::default(); MAX_LANES]; 4];
        for lane in 0..Self::LANES {
            for (i, row) in rows.iter_mut().enumerate() {
                // SAFETY: by this function's contract `lanes` is readable for `LANES` pointers,
                // `lane` is below `LANES`, and the pointer is readable for four words, `i` among
                // them.
                row[lane] = unsafe { *(*lanes.add(lane)).add(i) };
            }
        }
        // SAFETY: the CPU has the instruction set by this function's contract; a row holds
        // `MAX_LANES` words, and no vector has more lanes.
        unsafe { each!(i in 4 => Self::load(rows[i].as_ptr())) }
    }

    /// Writes eight words behind each lane's pointer, in the order in which
    /// [`gather`](Vector::gather) reads them. If two pointers are equal, the words of one of the
    /// two lanes remain.
    ///
    /// # Safety
    /// - `lanes` is readable for `LANES` pointers.
    /// - Each of these pointers is writable for eight words, and aligned for a word.
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut Self::Word) {
        let mut rows = [[Self::Word::default(); MAX_LANES]; 8];
        for (row, vector) in rows.iter_mut().zip(words) {
            // SAFETY: a row holds `MAX_LANES` words, and no vector has more lanes.
            unsafe { vector.store(row.as_mut_ptr()) };
        }
        for lane in 0..Self::LANES {
            for (i, row) in rows.iter().enumerate() {
                // SAFETY: by this function's contract `lanes` is readable for `LANES` pointers,
                // `lane` is below `LANES`, and the pointer is writable for eight words, `i` among
                // them.
                unsafe { *(*lanes.add(lane)).add(i) = row[lane] };
            }
        }
    }

    /// Writes the sixteen words of every lane, one lane after the other.
    ///
    /// # Safety
    /// `blocks` is writable for sixteen words for each lane, and aligned for a word.
    #[inline(always)]
    unsafe fn store_blocks(words: &[Self; 16], blocks: *mut Self::Word) {
        let (mut low, mut high) = ([blocks; MAX_LANES], [blocks; MAX_LANES]);
        for lane in 0..Self::LANES {
            // SAFETY: `lane` is below `LANES`, so both places lie within the `16 * LANES` words
            // that `blocks` is writable for by this function's contract.
            unsafe {
                low[lane] = blocks.add(16 * lane);
                high[lane] = blocks.add(16 * lane + 8);
            }
        }
        // SAFETY: every pointer of the two arrays is writable for eight words (its half of a lane's
        // sixteen), and aligned as `blocks` is.
        unsafe {
            Self::scatter(&each!(i in 8 => words[i]), low.as_ptr());
            Self::scatter(&each!(i in 8 => words[i + 8]), high.as_ptr());
        }
    }

    /// Writes the exclusive or of the bytes at `from` and of the words that
    /// [`store_blocks`](Vector::store_blocks) writes, which are little-endian here.
    ///
    /// # Safety
    /// With sixteen words for each lane:
    /// - `from` is readable and `to` is writable for these words, at any alignment.
    /// - `from` and `to` are equal, or their words do not overlap.
    /// - `room` is writable for these words and aligned for a word, unless the vector implements
    ///   this method without a use of `room`, as those of AVX2 and AVX-512 do.
    #[inline(always)]
    unsafe fn add_blocks(words: &[Self; 16], room: *mut Self::Word, from: *const u8, to: *mut u8) {
        // SAFETY: by this function's contract `room` fulfils the contract of `store_blocks`; `from`
        // is readable and `to` writable for `16 * LANES` words, and the sixteen words of a lane are
        // read before any of them is written.
        unsafe {
            Self::store_blocks(words, room);
            for lane in 0..Self::LANES {
                let (from, to) = (from.cast::<Self::Word>(), to.cast::<Self::Word>());
                let text = each!(i in 16 => from.add(16 * lane + i).read_unaligned());
                each!(i in 16 => {
                    let word = room.add(16 * lane + i).read_unaligned().ordered(false);
                    to.add(16 * lane + i).write_unaligned(text[i] ^ word)
                });
            }
        }
    }

    /// Adds lane by lane, modulo 2^32 or 2^64.
    fn add(self, other: Self) -> Self;
    /// Returns the exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Returns the logical and.
    fn and(self, other: Self) -> Self;
    /// Returns the logical or.
    fn or(self, other: Self) -> Self;
    /// Returns the complement.
    fn not(self) -> Self;
    /// Rotates each lane right by `N` bits, `0 < N <` the word's width.
    fn rotate_right<const N: i32>(self) -> Self;
    /// Shifts each lane right by `N` bits, zeros coming in.
    fn shift_right<const N: i32>(self) -> Self;

    /// Returns the same value, as one that the compiler takes as given: it does not add up in
    /// another order what the value is the sum of. Without this, a term that is known late may come
    /// first, and a chain of rounds is then longer than it was written.
    #[inline(always)]
    fn settled(self) -> Self {
        self
    }

    /// Returns `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// Returns `b` where `self` has a one, and `c` where it has a zero (the *Ch* of FIPS 180-4).
    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        self.and(b.xor(c)).xor(c)
    }

    /// Returns the bits that at least two of the three have (the *Maj* of FIPS 180-4).
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b.xor(c)).xor(b.and(c))
    }

    /// Returns `self ^ (b | !c)` (the *I* of RFC 1321).
    #[inline(always)]
    fn xor_or_not(self, b: Self, c: Self) -> Self {
        self.xor(b.or(c.not()))
    }
}

/// Vectors that read a part of each lane's block and pad it, without a copy in memory.
///
/// # Safety
/// The contract of [`Vector`].
#[allow(dead_code, reason = "not every architecture has masked loads")]
pub unsafe trait Pads: Vector {
    /// Reads the sixteen words of a block of every lane that the method pads: the first bytes
    /// behind the lane's pointer, as many as `lens` has for the lane, a byte 0x80, and zeros. Words
    /// are in the order of [`load_block`](Vector::load_block).
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `lanes` is readable for `LANES` pointers, and `lens` for `LANES` numbers.
    /// - Each pointer is readable for as many bytes as its number, which is less than sixteen
    ///   words.
    unsafe fn load_padded<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        lens: *const u8,
    ) -> [Self; 16];
}

/// Two vectors as one with twice the lanes: for an algorithm whose rounds wait for each other
/// (MD5), so that one half computes while the other waits.
///
/// ```
/// use broadloom_lanes::{Pair, Vector};
///
/// fn lanes_of_a_pair<V: Vector>() -> usize {
///     assert_eq!(Pair::<V>::LANES, 2 * V::LANES);
///     Pair::<V>::LANES
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Pair<V>(pub(crate) V, pub(crate) V);

#[allow(dead_code, reason = "not every architecture has kernels of two vectors in assembly")]
impl<V: Copy> Pair<V> {
    /// Returns one of the two.
    #[inline(always)]
    pub(crate) fn half(self, half: usize) -> V {
        if half == 0 { self.0 } else { self.1 }
    }
}

// SAFETY: the impl uses V's instructions only, and every method is `inline(always)`.
unsafe impl<V: Pads> Pads for Pair<V> {
    #[inline(always)]
    unsafe fn load_padded<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        lens: *const u8,
    ) -> [Self; 16] {
        // SAFETY: by this method's contract there are `2 * V::LANES` pointers and numbers; each
        // call gets its half of them, and the CPU has V's instruction set.
        let (a, b) = unsafe {
            (
                V::load_padded::<BIG_ENDIAN>(lanes, lens),
                V::load_padded::<BIG_ENDIAN>(lanes.add(V::LANES), lens.add(V::LANES)),
            )
        };
        each!(i in 16 => Pair(a[i], b[i]))
    }
}

// SAFETY: the impl uses V's instructions only, and every method is `inline(always)`.
unsafe impl<V: Vector> Vector for Pair<V> {
    type Word = V::Word;
    const LANES: usize = 2 * V::LANES;
    const IS_PAIR: bool = true;

    #[inline(always)]
    unsafe fn splat(word: V::Word) -> Self {
        // SAFETY: the instruction set of a pair is V's, which the CPU has by this method's
        // contract.
        let v = unsafe { V::splat(word) };
        Pair(v, v)
    }
    #[inline(always)]
    unsafe fn load(words: *const V::Word) -> Self {
        // SAFETY: by this method's contract the CPU has V's instruction set, and `words` is
        // readable for `2 * V::LANES` words, half of them for each call.
        unsafe { Pair(V::load(words), V::load(words.add(V::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut V::Word) {
        // SAFETY: by this method's contract `words` is writable for `2 * V::LANES` words, half of
        // them for each call.
        unsafe {
            self.0.store(words);
            self.1.store(words.add(V::LANES));
        }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by this method's contract the CPU has V's instruction set, and there are `2 *
        // V::LANES` pointers, each readable for sixteen words from `offset`; each call gets half of
        // them.
        let (a, b) = unsafe {
            (
                V::load_block::<BIG_ENDIAN>(lanes, offset),
                V::load_block::<BIG_ENDIAN>(lanes.add(V::LANES), offset),
            )
        };
        each!(i in 16 => Pair(a[i], b[i]))
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const V::Word) -> [Self; 8] {
        // SAFETY: by this method's contract the CPU has V's instruction set, and there are `2 *
        // V::LANES` pointers, each readable for eight words; each call gets half of them.
        let (a, b) = unsafe { (V::gather(lanes), V::gather(lanes.add(V::LANES))) };
        each!(i in 8 => Pair(a[i], b[i]))
    }
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const V::Word) -> [Self; 4] {
        // SAFETY: by this method's contract the CPU has V's instruction set, and there are `2 *
        // V::LANES` pointers, each readable for four words; each call gets half of them.
        let (a, b) = unsafe { (V::gather_four(lanes), V::gather_four(lanes.add(V::LANES))) };
        each!(i in 4 => Pair(a[i], b[i]))
    }
    #[inline(always)]
    unsafe fn store_blocks(words: &[Self; 16], blocks: *mut V::Word) {
        // SAFETY: by this method's contract `blocks` is writable for sixteen words for each of `2 *
        // V::LANES` lanes, half of them for each call.
        unsafe {
            V::store_blocks(&each!(i in 16 => words[i].0), blocks);
            V::store_blocks(&each!(i in 16 => words[i].1), blocks.add(16 * V::LANES));
        }
    }
    #[inline(always)]
    unsafe fn add_blocks(words: &[Self; 16], room: *mut V::Word, from: *const u8, to: *mut u8) {
        let half = 16 * V::LANES;
        let bytes = half * V::Word::BYTES;
        // SAFETY: by this method's contract all places have sixteen words for each of `2 *
        // V::LANES` lanes, half of them for each call; `room` may be null if V does not use it, and
        // is then not read either. If `from` and `to` are equal, so are their halves.
        unsafe {
            V::add_blocks(&each!(i in 16 => words[i].0), room, from, to);
            let (from, to) = (from.add(bytes), to.add(bytes));
            V::add_blocks(&each!(i in 16 => words[i].1), room.wrapping_add(half), from, to);
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut V::Word) {
        // SAFETY: by this method's contract there are `2 * V::LANES` pointers, each writable for
        // eight words; each call gets half of them.
        unsafe {
            V::scatter(&each!(i in 8 => words[i].0), lanes);
            V::scatter(&each!(i in 8 => words[i].1), lanes.add(V::LANES));
        }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Pair(self.0.add(o.0), self.1.add(o.1))
    }
    #[inline(always)]
    fn xor(self, o: Self) -> Self {
        Pair(self.0.xor(o.0), self.1.xor(o.1))
    }
    #[inline(always)]
    fn and(self, o: Self) -> Self {
        Pair(self.0.and(o.0), self.1.and(o.1))
    }
    #[inline(always)]
    fn or(self, o: Self) -> Self {
        Pair(self.0.or(o.0), self.1.or(o.1))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Pair(self.0.not(), self.1.not())
    }
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        Pair(self.0.rotate_right::<N>(), self.1.rotate_right::<N>())
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Pair(self.0.shift_right::<N>(), self.1.shift_right::<N>())
    }
    #[inline(always)]
    fn settled(self) -> Self {
        Pair(self.0.settled(), self.1.settled())
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Pair(self.0.xor3(b.0, c.0), self.1.xor3(b.1, c.1))
    }
    #[inline(always)]
    fn choose(self, b: Self, c: Self) -> Self {
        Pair(self.0.choose(b.0, c.0), self.1.choose(b.1, c.1))
    }
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        Pair(self.0.majority(b.0, c.0), self.1.majority(b.1, c.1))
    }
    #[inline(always)]
    fn xor_or_not(self, b: Self, c: Self) -> Self {
        Pair(self.0.xor_or_not(b.0, c.0), self.1.xor_or_not(b.1, c.1))
    }
}
