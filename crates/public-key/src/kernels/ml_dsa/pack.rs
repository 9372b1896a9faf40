//! Numbers of fewer bits in rows of bytes, one row for each lane (FIPS 204, section 7.1).

use broadloom_lanes::inside::each;

use super::numbers::{MAX_LANES, Numbers};
use super::ring::N;

/// How numbers are packed: as they are, or as what is left of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// The higher part of a public key's numbers.
    T1,
    /// The lower part of them: what is left of 2^12.
    T0,
    /// Secrets: what is left of two.
    Eta2,
    /// Secrets: what is left of four.
    Eta4,
    /// Masks and responses: what is left of 2^17.
    Gamma17,
    /// Masks and responses: what is left of 2^19.
    Gamma19,
    /// Higher parts of commitments, up to 43.
    High43,
    /// Higher parts of commitments, up to 15.
    High15,
    /// A word for each number, as it is.
    Whole,
}

impl Packing {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Packing; 9] = [
        Packing::T1,
        Packing::T0,
        Packing::Eta2,
        Packing::Eta4,
        Packing::Gamma17,
        Packing::Gamma19,
        Packing::High43,
        Packing::High15,
        Packing::Whole,
    ];

    /// Returns the bits of a number.
    pub(crate) const fn bits(self) -> usize {
        match self {
            Packing::T1 => 10,
            Packing::T0 => 13,
            Packing::Eta2 => 3,
            Packing::Eta4 | Packing::High15 => 4,
            Packing::Gamma17 => 18,
            Packing::Gamma19 => 20,
            Packing::High43 => 6,
            Packing::Whole => 32,
        }
    }

    /// Returns the bound that numbers are subtracted from; `None` if they are as they are.
    pub(crate) const fn bound(self) -> Option<u32> {
        match self {
            Packing::T0 => Some(1 << 12),
            Packing::Eta2 => Some(2),
            Packing::Eta4 => Some(4),
            Packing::Gamma17 => Some(1 << 17),
            Packing::Gamma19 => Some(1 << 19),
            Packing::T1 | Packing::High43 | Packing::High15 | Packing::Whole => None,
        }
    }

    /// Returns the bytes of a packed polynomial.
    pub(crate) const fn bytes(self) -> usize {
        32 * self.bits()
    }
}

/// Returns the word that has the lowest bit of number `i`.
const fn word_of(i: usize, bits: u32) -> usize {
    i * bits as usize / 32
}

/// Returns how many bits of that word belong to earlier numbers.
const fn used(i: usize, bits: u32) -> u32 {
    i as u32 * bits % 32
}

/// Writes numbers of `BITS` bits, those of a polynomial or, if `LEFT`, what is left of `bound`, to
/// `room`: words of every lane.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `poly` is readable for 256 vectors, and `room` is writable for `8 * BITS`.
#[inline(always)]
unsafe fn pack_bits<const BITS: u32, const LEFT: bool, V: Numbers>(
    poly: *const u32,
    room: *mut u32,
    bound: V,
) {
    // SAFETY: the CPU has the instruction set, by this function's contract. 256 vectors are read,
    // and `8 * BITS` written.
    unsafe {
        for group in 0..N / 32 {
            let from = poly.add(32 * group * V::LANES);
            let to = room.add(group * BITS as usize * V::LANES);
            let mut word = V::splat(0);
            each!(const HALF in 2 => each!(const I in 16 => {
                let number = V::load(from.add(const { (16 * HALF + I) * V::LANES }));
                let number = if LEFT { bound.sub(number) } else { number };
                word = word.or(number.left(const { used(16 * HALF + I, BITS) }));
                if const { used(16 * HALF + I, BITS) + BITS >= 32 } {
                    word.store(to.add(const { word_of(16 * HALF + I, BITS) * V::LANES }));
                    word = number.right(const { (32 - used(16 * HALF + I, BITS)) % 32 });
                }
            }));
        }
    }
}

/// Makes a polynomial of numbers of `BITS` bits in the words at `room`, or, if `LEFT`, of what is
/// left of `bound`.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `poly` is writable for 256 vectors, and `room` is readable for `8 * BITS`.
#[inline(always)]
unsafe fn unpack_bits<const BITS: u32, const LEFT: bool, V: Numbers>(
    room: *const u32,
    poly: *mut u32,
    bound: V,
) {
    // SAFETY: the CPU has the instruction set, by this function's contract. `8 * BITS` vectors are
    // read, and 256 written.
    unsafe {
        let mask = V::splat((1 << BITS) - 1);
        for group in 0..N / 32 {
            let from = room.add(group * BITS as usize * V::LANES);
            let to = poly.add(32 * group * V::LANES);
            each!(const HALF in 2 => each!(const I in 16 => {
                let word = V::load(from.add(const { word_of(16 * HALF + I, BITS) * V::LANES }));
                let mut number = word.right(const { used(16 * HALF + I, BITS) });
                if const { used(16 * HALF + I, BITS) + BITS > 32 } {
                    let next = const { (word_of(16 * HALF + I, BITS) + 1) * V::LANES };
                    let left = const { (32 - used(16 * HALF + I, BITS)) % 32 };
                    number = number.or(V::load(from.add(next)).left(left));
                }
                let number = number.and(mask);
                let number = if LEFT { bound.sub(number) } else { number };
                number.store(to.add(const { (16 * HALF + I) * V::LANES }));
            }));
        }
    }
}

/// Calls a function for a packing of fewer than 32 bits.
macro_rules! of_bits {
    ($packing:expr, $function:ident::<$v:ty>($from:expr, $to:expr)) => {{
        let packing: Packing = $packing;
        let bound = <$v>::splat(packing.bound().unwrap_or(0));
        match packing {
            Packing::T1 => $function::<10, false, $v>($from, $to, bound),
            Packing::T0 => $function::<13, true, $v>($from, $to, bound),
            Packing::Eta2 => $function::<3, true, $v>($from, $to, bound),
            Packing::Eta4 => $function::<4, true, $v>($from, $to, bound),
            Packing::Gamma17 => $function::<18, true, $v>($from, $to, bound),
            Packing::Gamma19 => $function::<20, true, $v>($from, $to, bound),
            Packing::High43 => $function::<6, false, $v>($from, $to, bound),
            Packing::High15 => $function::<4, false, $v>($from, $to, bound),
            Packing::Whole => unreachable!("whole words are not packed"),
        }
    }};
}

/// Writes eights of words of every lane at `room` to the rows.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `room` is readable for `8 * eights` vectors.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is writable for
///   `8 * eights` words and aligned for a word.
#[inline(always)]
unsafe fn write_rows<V: Numbers>(room: *const u32, eights: usize, rows: *const *mut u32) {
    // SAFETY: the CPU has the instruction set, and all places are within the words, by this
    // function's contract.
    unsafe {
        for eight in 0..eights {
            let words = each!(i in 8 => V::load(room.add((8 * eight + i) * V::LANES)));
            let mut to = [core::ptr::null_mut(); MAX_LANES];
            for (lane, to) in to.iter_mut().enumerate().take(V::LANES) {
                *to = (*rows.add(lane)).add(8 * eight);
            }
            V::scatter(&words, to.as_ptr());
        }
    }
}

/// Writes a polynomial to rows: the contract of [`Pack`](super::kernel::Pack).
///
/// # Safety
/// The contract of [`Pack`](super::kernel::Pack), for this vector.
#[inline(always)]
pub(crate) unsafe fn pack<V: Numbers>(
    poly: *const u32,
    room: *mut u32,
    packing: Packing,
    rows: *const *mut u32,
) {
    // SAFETY: the contract is the same: a row has eight words for each bit of a number.
    unsafe {
        if packing == Packing::Whole {
            write_rows::<V>(poly, N / 8, rows);
            return;
        }
        of_bits!(packing, pack_bits::<V>(poly, room));
        write_rows::<V>(room, packing.bits(), rows);
        if cfg!(target_endian = "big") {
            for lane in 0..V::LANES {
                for i in 0..8 * packing.bits() {
                    let word = (*rows.add(lane)).add(i);
                    *word = (*word).to_le();
                }
            }
        }
    }
}

/// Reads a polynomial from rows: the contract of [`Unpack`](super::kernel::Unpack).
///
/// # Safety
/// The contract of [`Unpack`](super::kernel::Unpack), for this vector.
#[inline(always)]
pub(crate) unsafe fn unpack<V: Numbers>(
    rows: *const *const u8,
    offset: usize,
    packing: Packing,
    poly: *mut u32,
    room: *mut u32,
) {
    // SAFETY: the contract is the same: a row has eight words for each bit of a number, which are
    // sixteen at least. The last sixteen are read together, some of them a second time.
    unsafe {
        let (words, whole) = (8 * packing.bits(), packing == Packing::Whole);
        let to = if whole { poly } else { room };
        for block in 0..words.div_ceil(16) {
            let first = (16 * block).min(words - 16);
            let block = if whole && cfg!(target_endian = "big") {
                V::load_block::<true>(rows, offset + 4 * first)
            } else {
                V::load_block::<false>(rows, offset + 4 * first)
            };
            each!(i in 16 => block[i].store(to.add((first + i) * V::LANES)));
        }
        if !whole {
            of_bits!(packing, unpack_bits::<V>(room, poly));
        }
    }
}
