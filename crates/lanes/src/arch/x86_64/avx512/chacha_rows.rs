//! A few blocks of ChaCha20 in rows: a register has one row of four states side by side.
//!
//! A vector with a block in each of sixteen lanes takes as long for two blocks as for sixteen. In
//! rows, four blocks take as long as the additions, rotations and shuffles that wait for one
//! another, and eight hardly longer, because two groups of four go through the ports beside each
//! other. This is how the key of a short message and its text are made, or the keys of a few.

use core::arch::x86_64::*;

use super::vectors::transpose_quarters;
use crate::kernels::aes::register::Lanewise;
use crate::kernels::chacha::block::{Blocks, CONSTANTS};
use crate::vector::each;

/// Blocks in the rows of a register.
const SIDE_BY_SIDE: usize = 4;

/// The most blocks that [`make`] makes.
pub(super) const MOST: usize = 2 * SIDE_BY_SIDE;

/// Makes the blocks of the first `count` lanes, of which there is at least one and at most
/// [`MOST`].
///
/// # Safety
/// - The CPU has AVX-512 F.
/// - In each of these lanes, `key` is readable for eight words and `row` for four.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn make(blocks: &mut Blocks, count: usize) {
    // SAFETY: the lanes are as this function's contract says; a group has lanes from its first to
    // the last that is used.
    unsafe {
        match count {
            ..=SIDE_BY_SIDE => make_groups::<1>(blocks, count),
            _ => make_groups::<2>(blocks, count),
        }
    }
}

/// The rows of four states.
type Rows = [__m512i; 4];

/// Makes the blocks of `GROUPS` groups of four lanes. A lane from `count` on does as the last one
/// before.
///
/// # Safety
/// The conditions of [`make`]; each group has a lane below `count`.
#[inline(always)]
unsafe fn make_groups<const GROUPS: usize>(blocks: &mut Blocks, count: usize) {
    // SAFETY: the keys and rows of all lanes below `count` are readable, by this function's
    // contract, and a block has room for a register.
    unsafe {
        let mut before = [[_mm512_setzero_si512(); 4]; GROUPS];
        for (group, rows) in before.iter_mut().enumerate() {
            let lanes = each!(i in 4 => (SIDE_BY_SIDE * group + i).min(count - 1));
            let keys = each!(i in 4 => blocks.key[lanes[i]].cast::<u8>());
            let last = each!(i in 4 => blocks.row[lanes[i]].cast::<u8>());
            let numbers = each!(i in 4 => blocks.number[lanes[i]].cast_signed());
            let [a, b, c, d] = numbers;
            let numbers = _mm512_set_epi32(0, 0, 0, d, 0, 0, 0, c, 0, 0, 0, b, 0, 0, 0, a);
            *rows = [
                _mm512_broadcast_i32x4(_mm_loadu_si128(CONSTANTS.as_ptr().cast())),
                Lanewise::gather(keys.as_ptr(), 0),
                Lanewise::gather(keys.as_ptr(), 16),
                _mm512_add_epi32(Lanewise::gather(last.as_ptr(), 0), numbers),
            ];
        }
        let mut groups = before;
        for _ in 0..10 {
            groups.iter_mut().for_each(|rows| *rows = quarter_rounds(*rows));
            groups.iter_mut().for_each(|rows| *rows = turned::<0x93, 0x39>(*rows));
            groups.iter_mut().for_each(|rows| *rows = quarter_rounds(*rows));
            groups.iter_mut().for_each(|rows| *rows = turned::<0x39, 0x93>(*rows));
        }
        for (group, (rows, before)) in groups.iter().zip(&before).enumerate() {
            let made = transpose_quarters(each!(i in 4 => _mm512_add_epi32(rows[i], before[i])));
            let streams = blocks.stream.iter_mut().skip(SIDE_BY_SIDE * group);
            for (stream, made) in streams.zip(made) {
                _mm512_storeu_si512(stream.as_mut_ptr().cast(), made);
            }
        }
    }
}

/// The four quarter rounds (RFC 8439, 2.1) on the columns of each state.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn quarter_rounds([a, b, c, d]: Rows) -> Rows {
    // SAFETY: the CPU has AVX-512 F, by this function's contract.
    unsafe {
        let a = _mm512_add_epi32(a, b);
        let d = _mm512_rol_epi32::<16>(_mm512_xor_si512(d, a));
        let c = _mm512_add_epi32(c, d);
        let b = _mm512_rol_epi32::<12>(_mm512_xor_si512(b, c));
        let a = _mm512_add_epi32(a, b);
        let d = _mm512_rol_epi32::<8>(_mm512_xor_si512(d, a));
        let c = _mm512_add_epi32(c, d);
        let b = _mm512_rol_epi32::<7>(_mm512_xor_si512(b, c));
        [a, b, c, d]
    }
}

/// Turns the first row of each state by three words, the third by one, and the last by two, so that
/// diagonals become columns: `THREE` and `ONE` are the orders of the words. Swapped, these turn the
/// rows back. The second row stays, since it is the last that a quarter round makes, and the next
/// one begins with it: the others are turned while it is made.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn turned<const THREE: i32, const ONE: i32>([a, b, c, d]: Rows) -> Rows {
    // SAFETY: the CPU has AVX-512 F, by this function's contract.
    unsafe {
        [
            _mm512_shuffle_epi32::<THREE>(a),
            b,
            _mm512_shuffle_epi32::<ONE>(c),
            _mm512_shuffle_epi32::<0x4e>(d),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::x86_64::avx512::vectors::U32x16;
    use crate::cpu::{Cpu, Isa};
    use crate::kernels::chacha::block::MAX_BLOCKS;

    /// Makes the blocks of lanes in rows, and in the lanes of a vector.
    ///
    /// # Safety
    /// The CPU has AVX-512 F, BW, DQ and VL; the lanes are as [`make`] asks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn both(blocks: &mut Blocks, count: usize) -> [[[u32; 16]; MAX_BLOCKS]; 2] {
        // SAFETY: these are the conditions of this function's own contract.
        unsafe {
            make(blocks, count);
            let rows = blocks.stream;
            blocks.make::<U32x16>();
            [rows, blocks.stream]
        }
    }

    #[test]
    fn blocks_in_rows_are_as_those_in_lanes() {
        if Cpu::detect().isa() != Isa::Avx512 {
            std::println!("kernel not run: chacha20 in rows needs avx512");
            return;
        }
        let keys: [[u32; 8]; 16] = each!(i in 16 => [0x0302_0100 + i as u32; 8]);
        let rows: [[u32; 4]; 16] = each!(i in 16 => [u32::MAX - i as u32, 7, i as u32, 9]);
        for count in 1..=MOST {
            let mut blocks = Blocks::new();
            for lane in 0..16 {
                blocks.key[lane] = keys[lane].as_ptr();
                blocks.row[lane] = rows[lane].as_ptr();
                // The key's block of a message is the one before its text.
                blocks.number[lane] = (lane as u32).wrapping_sub(1);
            }
            // SAFETY: this machine has AVX-512, and all lanes have a key and a row.
            let [few, all] = unsafe { both(&mut blocks, count) };
            assert_eq!(few[..count], all[..count], "{count} blocks");
        }
        std::println!("kernel tested: chacha20 in rows");
    }
}
