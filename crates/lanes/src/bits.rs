//! Bitslicing: registers as rows of one-bit lanes, for ciphers whose S-boxes are computed as logic.
//!
//! A kernel is written once, over [`Bits`]. Register `i` holds bit `i` of every lane's block, so
//! that one instruction is one gate in all lanes. [`transpose`] converts between blocks in memory
//! order and this form.

use crate::vector::each;

/// The most lanes a register has.
pub(crate) const MAX_BIT_LANES: usize = 512;

/// One bit of every lane, in one register: [`LANES`](Bits::LANES)` / 64` elements of 64 bits.
///
/// Lane `l` is bit `l / elements` of element `l % elements`. With that, the blocks of consecutive
/// lanes, consecutive in memory, are transposed after plain loads.
///
/// # Safety
///
/// A value of an implementing type is proof that the CPU has the instructions that its methods use.
/// The methods that make a value from nothing ([`splat`](Bits::splat), [`load`](Bits::load)) are
/// `unsafe` and have the instruction set among their conditions; every other method starts from a
/// value. An implementor uses no instruction outside the set that its documentation names, and
/// marks every method `#[inline(always)]`, so that the method is compiled for the caller's
/// instruction set.
pub(crate) unsafe trait Bits: Copy {
    /// Lanes in a register: 64, or more in powers of two.
    const LANES: usize;

    /// `true` if [`ternary`](Bits::ternary) is one instruction.
    const TERNARY: bool = false;

    /// Returns the same 64 bits in every element.
    ///
    /// # Safety
    /// The CPU has this register's instruction set.
    unsafe fn splat(element: u64) -> Self;

    /// Loads the elements in memory order, each in the machine's byte order.
    ///
    /// # Safety
    /// - The CPU has this register's instruction set.
    /// - `elements` is readable for `LANES / 8` bytes, at any alignment.
    unsafe fn load(elements: *const u64) -> Self;

    /// Stores the elements as [`load`](Bits::load) reads them.
    ///
    /// # Safety
    /// `elements` is writable for `LANES / 8` bytes, at any alignment.
    unsafe fn store(self, elements: *mut u64);

    /// Returns the exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Returns the logical and.
    fn and(self, other: Self) -> Self;
    /// Returns the logical or.
    fn or(self, other: Self) -> Self;
    /// Returns `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Returns the complement.
    fn not(self) -> Self;
    /// Returns a function of three bits: bit `4a + 2b + c` of `TABLE`, where `a` is of `self`.
    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        let none = self.xor(self);
        let row = |row: i32| {
            let [a, b, c] = [(self, 4), (b, 2), (c, 1)]
                .map(|(bits, place)| if row & place > 0 { bits } else { bits.not() });
            if TABLE >> row & 1 == 1 { a.and(b).and(c) } else { none }
        };
        let rows = each!(i in 8 => row(i as i32));
        rows.into_iter().fold(none, Self::or)
    }
    /// Shifts each element left by `N` bits, `0 < N < 64`, zeros coming in.
    fn shift_left<const N: i32>(self) -> Self;
    /// Shifts each element right by `N` bits, `0 < N < 64`, zeros coming in.
    fn shift_right<const N: i32>(self) -> Self;
}

/// 64 lanes in an integer: any machine.
// SAFETY: every machine has the instructions.
unsafe impl Bits for u64 {
    const LANES: usize = 64;

    #[inline(always)]
    unsafe fn splat(element: u64) -> Self {
        element
    }
    #[inline(always)]
    unsafe fn load(elements: *const u64) -> Self {
        // SAFETY: `elements` is readable for eight bytes (`LANES` is 64), by the contract of
        // `Bits::load`.
        unsafe { elements.read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, elements: *mut u64) {
        // SAFETY: `elements` is writable for eight bytes (`LANES` is 64), by the contract of
        // `Bits::store`.
        unsafe { elements.write_unaligned(self) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self & !other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        self << N
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        self >> N
    }
}

/// Transposes, in every element, the matrix of 64 by 64 bits whose row `i` is the element of
/// register `i`: bit `j` of row `i` goes to bit `i` of row `j`. It is its own inverse.
///
/// So registers that hold the 64-bit blocks of all lanes, `LANES / 64` consecutive ones each,
/// become registers that hold one bit of all lanes each, the blocks' lowest first; and back.
///
/// A butterfly of six steps (H. S. Warren, *Hacker's Delight*, 7-3), three at a time in eight
/// registers: each register is read and written twice.
///
/// # Safety
/// The CPU has the instruction set of `B`.
#[inline(always)]
pub(crate) unsafe fn transpose<B: Bits>(rows: &mut [B; 64]) {
    // SAFETY: the CPU has the instruction set, by this function's contract.
    let masks = unsafe {
        [
            B::splat(0x0000_0000_ffff_ffff),
            B::splat(0x0000_ffff_0000_ffff),
            B::splat(0x00ff_00ff_00ff_00ff),
            B::splat(0x0f0f_0f0f_0f0f_0f0f),
            B::splat(0x3333_3333_3333_3333),
            B::splat(0x5555_5555_5555_5555),
        ]
    };
    for first in 0..8 {
        let mut x = each!(i in 8 => rows[first + 8 * i]);
        x = halves::<B, 32>(x, masks[0]);
        x = quarters::<B, 16>(x, masks[1]);
        x = eighths::<B, 8>(x, masks[2]);
        each!(i in 8 => rows[first + 8 * i] = x[i]);
    }
    for eight in rows.as_chunks_mut::<8>().0 {
        let mut x = *eight;
        x = halves::<B, 4>(x, masks[3]);
        x = quarters::<B, 2>(x, masks[4]);
        x = eighths::<B, 1>(x, masks[5]);
        *eight = x;
    }
}

/// Does one step between rows that are four apart.
#[inline(always)]
fn halves<B: Bits, const STEP: i32>(x: [B; 8], mask: B) -> [B; 8] {
    let [a, b, c, d, e, f, g, h] = x;
    let (a, e) = exchange::<B, STEP>(a, e, mask);
    let (b, f) = exchange::<B, STEP>(b, f, mask);
    let (c, g) = exchange::<B, STEP>(c, g, mask);
    let (d, h) = exchange::<B, STEP>(d, h, mask);
    [a, b, c, d, e, f, g, h]
}

/// Does one step between rows that are two apart.
#[inline(always)]
fn quarters<B: Bits, const STEP: i32>(x: [B; 8], mask: B) -> [B; 8] {
    let [a, b, c, d, e, f, g, h] = x;
    let (a, c) = exchange::<B, STEP>(a, c, mask);
    let (b, d) = exchange::<B, STEP>(b, d, mask);
    let (e, g) = exchange::<B, STEP>(e, g, mask);
    let (f, h) = exchange::<B, STEP>(f, h, mask);
    [a, b, c, d, e, f, g, h]
}

/// Does one step between neighbours.
#[inline(always)]
fn eighths<B: Bits, const STEP: i32>(x: [B; 8], mask: B) -> [B; 8] {
    let [a, b, c, d, e, f, g, h] = x;
    let (a, b) = exchange::<B, STEP>(a, b, mask);
    let (c, d) = exchange::<B, STEP>(c, d, mask);
    let (e, f) = exchange::<B, STEP>(e, f, mask);
    let (g, h) = exchange::<B, STEP>(g, h, mask);
    [a, b, c, d, e, f, g, h]
}

/// Exchanges the bits of `a` whose number contains `STEP` with the bits of `b` that are `STEP`
/// lower. The mask has a one for each of the latter.
#[inline(always)]
fn exchange<B: Bits, const STEP: i32>(a: B, b: B, mask: B) -> (B, B) {
    let differ = a.shift_right::<STEP>().xor(b).and(mask);
    (a.xor(differ.shift_left::<STEP>()), b.xor(differ))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns blocks that differ in every lane.
    fn block(lane: usize) -> u64 {
        (lane as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn bit(elements: &[u64], lane: usize) -> u64 {
        elements[lane % elements.len()] >> (lane / elements.len()) & 1
    }

    /// Checks transpositions and gates on lanes of any width.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    pub(crate) unsafe fn transposes_and_computes<B: Bits>() {
        let mut blocks = [0u64; MAX_BIT_LANES];
        for (lane, to) in blocks.iter_mut().enumerate() {
            *to = block(lane);
        }
        let each = B::LANES / 64;
        let mut out = [0u64; MAX_BIT_LANES];
        // SAFETY: the CPU has the instruction set, by this function's contract; the arrays have the
        // blocks of all lanes, and at least a register.
        unsafe {
            let mut rows = [B::splat(0); 64];
            for (i, row) in rows.iter_mut().enumerate() {
                *row = B::load(blocks[each * i..][..each].as_ptr());
            }
            let memory_order = rows;
            transpose(&mut rows);
            for (number, row) in rows.iter().enumerate() {
                row.store(out.as_mut_ptr());
                for lane in 0..B::LANES {
                    assert_eq!(
                        bit(&out[..each], lane),
                        block(lane) >> number & 1,
                        "{number} of {lane}"
                    );
                }
            }
            let [a, b, c, ..] = rows;
            let results = [a.xor(b), a.and(b), a.or(b), a.and_not(b), a.not()];
            for (at, result) in results.into_iter().enumerate() {
                result.store(out.as_mut_ptr());
                for lane in 0..B::LANES {
                    let [a, b] = [block(lane) & 1, block(lane) >> 1 & 1];
                    let expected = [a ^ b, a & b, a | b, a & !b, a ^ 1][at];
                    assert_eq!(bit(&out[..each], lane), expected, "{at} of {lane}");
                }
            }
            let ternaries = [
                (a.ternary::<0x96>(b, c), 0x96),
                (a.ternary::<0xca>(b, c), 0xca),
                (a.ternary::<0x1b>(b, c), 0x1b),
                (a.ternary::<0x40>(b, c), 0x40),
            ];
            for (result, table) in ternaries {
                result.store(out.as_mut_ptr());
                for lane in 0..B::LANES {
                    let [a, b, c] = [0, 1, 2].map(|number| block(lane) >> number & 1);
                    let expected = table >> (4 * a + 2 * b + c) & 1;
                    assert_eq!(bit(&out[..each], lane), expected, "{table:x} of {lane}");
                }
            }
            transpose(&mut rows);
            for (row, before) in rows.into_iter().zip(memory_order) {
                let mut expected = [0u64; MAX_BIT_LANES];
                row.store(out.as_mut_ptr());
                before.store(expected.as_mut_ptr());
                assert_eq!(out[..each], expected[..each]);
            }
        }
    }

    #[test]
    fn integers_transpose_and_compute() {
        // SAFETY: integers need no instruction set.
        unsafe { transposes_and_computes::<u64>() }
    }
}
