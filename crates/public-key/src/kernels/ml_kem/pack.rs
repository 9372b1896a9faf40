//! Numbers of fewer bits in rows of bytes, one row for each lane (FIPS 203, section 4.2.1).

use broadloom_lanes::inside::each;

use super::numbers::Numbers;
use super::ring::{N, Q, canonical};

/// Returns `x * 2^BITS / 3329`, rounded, for a number below 3329 and up to eleven bits.
///
/// The quotient is estimated, one too small at most, and the remainder says whether it is.
#[inline(always)]
pub(super) fn compress<const BITS: u32, V: Numbers>(x: V) -> V {
    // SAFETY: `x` is proof of the instruction set.
    let (factor, round, q, half, mask) = unsafe {
        (
            // 2^27 / 3329, rounded down.
            V::splat(40317_u16.cast_signed()),
            V::splat(1 << (14 - BITS)),
            V::splat(Q),
            V::splat(Q / 2),
            V::splat((1 << BITS) - 1),
        )
    };
    let quotient = x.left(4).high_unsigned(factor).add(round).right(15 - BITS);
    let remainder = x.left(BITS).sub(quotient.low(q));
    quotient.add(half.sub(remainder).right(15)).and(mask)
}

/// Returns `x * 3329 / 2^BITS`, rounded, for a number of up to eleven bits.
#[inline(always)]
pub(super) fn decompress<const BITS: u32, V: Numbers>(x: V) -> V {
    // SAFETY: `x` is proof of the instruction set.
    let q = unsafe { V::splat(Q) };
    let x = x.left(16 - BITS);
    x.high_unsigned(q).add(x.low(q).right(15))
}

/// Bits of a number that fill no byte more than it needs: what a polynomial is packed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Bits {
    /// Compressed, as are all below twelve.
    One = 1,
    Four = 4,
    Five = 5,
    Ten = 10,
    Eleven = 11,
    /// As they are.
    Twelve = 12,
}

impl Bits {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Bits; 6] =
        [Bits::One, Bits::Four, Bits::Five, Bits::Ten, Bits::Eleven, Bits::Twelve];

    /// Returns the bytes of a packed polynomial.
    pub(crate) const fn bytes(self) -> usize {
        32 * self as usize
    }
}

/// Returns the word that has the lowest bit of number `i`.
const fn word_of(i: usize, bits: u32) -> usize {
    i * bits as usize / 16
}

/// Returns how many bits of that word belong to earlier numbers.
const fn used(i: usize, bits: u32) -> u32 {
    i as u32 * bits % 16
}

/// Writes a polynomial, whose numbers may be any, to `32 * BITS` bytes of each row, from `offset`
/// on.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `poly` is readable for 256 vectors, and `room` is writable for as many.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is writable for
///   these bytes.
#[inline(always)]
unsafe fn pack_bits<const BITS: u32, V: Numbers>(
    poly: *const i16,
    room: *mut i16,
    rows: *const *mut u8,
    offset: usize,
) {
    // SAFETY: the CPU has the instruction set, by this function's contract. 256 vectors are read,
    // and `16 * BITS`, up to 192, written; a row gets `2 * BITS` times sixteen bytes.
    unsafe {
        for group in 0..N / 16 {
            let from = poly.add(16 * group * V::LANES);
            let to = room.add(group * BITS as usize * V::LANES);
            let mut word = V::splat(0);
            each!(const I in 16 => {
                let number = canonical(V::load(from.add(const { I * V::LANES })));
                let number = if BITS < 12 { compress::<BITS, V>(number) } else { number };
                word = word.or(number.left(const { used(I, BITS) }));
                if const { used(I, BITS) + BITS >= 16 } {
                    word.store(to.add(const { word_of(I, BITS) * V::LANES }));
                    word = number.right(const { 16 - used(I, BITS) });
                }
            });
        }
        for eight in 0..2 * BITS as usize {
            let from = room.add(8 * eight * V::LANES);
            let words = each!(i in 8 => V::load(from.add(i * V::LANES)));
            V::store_eight(words, rows, offset + 16 * eight);
        }
    }
}

/// Reads a polynomial of numbers of `BITS` bits from `32 * BITS` bytes of each row, from `offset`
/// on, and passes each number through `change`.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `poly` and `room` are readable and writable for 256 vectors.
/// - `rows` is readable for as many pointers as there are lanes, and each of these is readable for
///   these bytes.
#[inline(always)]
unsafe fn unpack_bits<const BITS: u32, V: Numbers>(
    rows: *const *const u8,
    offset: usize,
    poly: *mut i16,
    room: *mut i16,
    change: impl Fn(V) -> V,
) {
    // SAFETY: the CPU has the instruction set, by this function's contract. A row has `2 * BITS`
    // times sixteen bytes; 256 vectors are written, and `16 * BITS`, up to 256, kept meanwhile.
    unsafe {
        for eight in 0..2 * BITS as usize {
            let words = V::load_eight(rows, offset + 16 * eight);
            let to = room.add(8 * eight * V::LANES);
            each!(i in 8 => words[i].store(to.add(i * V::LANES)));
        }
        let mask = V::splat(((1_u32 << BITS) - 1) as i16);
        for group in 0..N / 16 {
            let from = room.add(group * BITS as usize * V::LANES);
            let to = poly.add(16 * group * V::LANES);
            each!(const I in 16 => {
                let word = V::load(from.add(const { word_of(I, BITS) * V::LANES }));
                let mut number = word.right(const { used(I, BITS) });
                if const { used(I, BITS) + BITS > 16 } {
                    let next = const { (word_of(I, BITS) + 1) * V::LANES };
                    let left = const { 16 - used(I, BITS) };
                    number = number.or(V::load(from.add(next)).left(left));
                }
                change(number.and(mask)).store(to.add(const { I * V::LANES }));
            });
        }
    }
}

/// Writes a polynomial to rows, compressed to so many bits: the contract of
/// [`Pack`](super::kernel::Pack).
///
/// # Safety
/// The contract of [`Pack`](super::kernel::Pack), for this vector.
#[inline(always)]
pub(crate) unsafe fn pack<V: Numbers>(
    poly: *const i16,
    room: *mut i16,
    bits: Bits,
    rows: *const *mut u8,
    offset: usize,
) {
    // SAFETY: the contract is the same.
    unsafe {
        match bits {
            Bits::One => pack_bits::<1, V>(poly, room, rows, offset),
            Bits::Four => pack_bits::<4, V>(poly, room, rows, offset),
            Bits::Five => pack_bits::<5, V>(poly, room, rows, offset),
            Bits::Ten => pack_bits::<10, V>(poly, room, rows, offset),
            Bits::Eleven => pack_bits::<11, V>(poly, room, rows, offset),
            Bits::Twelve => pack_bits::<12, V>(poly, room, rows, offset),
        }
    }
}

/// Reads a polynomial that was compressed to so many bits: the contract of
/// [`Unpack`](super::kernel::Unpack).
///
/// # Safety
/// The contract of [`Unpack`](super::kernel::Unpack), for this vector.
#[inline(always)]
pub(crate) unsafe fn unpack<V: Numbers>(
    rows: *const *const u8,
    offset: usize,
    bits: Bits,
    poly: *mut i16,
    room: *mut i16,
) {
    macro_rules! compressed {
        ($bits:literal) => {
            unpack_bits::<$bits, V>(
                rows,
                offset,
                poly,
                room,
                #[inline(always)]
                |x| decompress::<$bits, V>(x),
            )
        };
    }
    // SAFETY: the contract is the same.
    unsafe {
        match bits {
            Bits::One => compressed!(1),
            Bits::Four => compressed!(4),
            Bits::Five => compressed!(5),
            Bits::Ten => compressed!(10),
            Bits::Eleven => compressed!(11),
            Bits::Twelve => unpack_bits::<12, V>(
                rows,
                offset,
                poly,
                room,
                #[inline(always)]
                |x| x,
            ),
        }
    }
}

/// Reads rows of 256 numbers of 16 bits: the contract of [`Columns`](super::kernel::Columns).
///
/// # Safety
/// The contract of [`Columns`](super::kernel::Columns), for this vector.
#[inline(always)]
pub(crate) unsafe fn columns<V: Numbers>(rows: *const *const u8, poly: *mut i16) {
    // SAFETY: the CPU has the instruction set and a row has 512 bytes, by this function's contract.
    unsafe {
        for eight in 0..N / 8 {
            let numbers = V::load_eight(rows, 16 * eight);
            let to = poly.add(8 * eight * V::LANES);
            each!(i in 8 => numbers[i].store(to.add(i * V::LANES)));
        }
    }
}

/// Makes small numbers of random bits: the contract of [`Noise`](super::kernel::Noise).
///
/// # Safety
/// The contract of [`Noise`](super::kernel::Noise), for this vector.
#[inline(always)]
pub(crate) unsafe fn noise<V: Numbers>(
    rows: *const *const u8,
    eta: usize,
    poly: *mut i16,
    room: *mut i16,
) {
    // SAFETY: the contract is the same, and four or six bits for each number are what it says.
    unsafe {
        if eta == 2 {
            let (pairs, low) = (V::splat(0b0101), V::splat(0b11));
            unpack_bits::<4, V>(
                rows,
                0,
                poly,
                room,
                #[inline(always)]
                |x| {
                    let sums = x.and(pairs).add(x.right(1).and(pairs));
                    sums.and(low).sub(sums.right(2))
                },
            );
        } else {
            let (triples, low) = (V::splat(0b001001), V::splat(0b111));
            unpack_bits::<6, V>(
                rows,
                0,
                poly,
                room,
                #[inline(always)]
                |x| {
                    let sums = x.and(triples).add(x.right(1).and(triples));
                    let sums = sums.add(x.right(2).and(triples));
                    sums.and(low).sub(sums.right(3))
                },
            );
        }
    }
}
