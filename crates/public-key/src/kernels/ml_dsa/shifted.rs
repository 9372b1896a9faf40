//! Products of a challenge and a polynomial of small numbers, of one operation.
//!
//! A challenge has few numbers that are not zero, and these are one or its negative. So the product
//! is the sum of as many copies of the other polynomial, each with its numbers moved up by as many
//! places as the challenge's number has below it. What is moved over the upper end comes in at the
//! lower end with the other sign, because X^256 is -1.
//!
//! A table has the polynomial, its negative, and the polynomial again, so that every such copy is
//! 256 numbers of the table in a row, from a place that follows from the challenge, which is
//! public. A bias makes all numbers of the table positive. They have eight bits or sixteen, and are
//! added as words of 32 bits, as long as no sum can become too large for its bits.

use broadloom_lanes::inside::each;

use super::numbers::{MAX_LANES, Numbers};
use super::pack::Packing;
use super::ring::N;

/// Numbers of a table.
pub(crate) const TABLE: usize = 3 * N;

/// Returns where in a table the numbers begin that are added for a number of a challenge, which is
/// one, or its negative.
pub(crate) const fn start(place: usize, is_negative: bool) -> u16 {
    (if is_negative { N - place } else { 2 * N - place }) as u16
}

/// Returns the bits of a number in a table of numbers that are packed like this: of secrets, or of
/// the lower part of a public key.
pub(crate) const fn bits(packing: Packing) -> usize {
    match packing {
        Packing::T0 => 16,
        _ => 8,
    }
}

/// The sums of a product before they have 32 bits.
#[repr(C, align(64))]
struct Sums([u32; N / 2]);

/// Makes a table: the contract of [`MakeTable`](super::kernel::MakeTable).
///
/// # Safety
/// The contract of [`MakeTable`](super::kernel::MakeTable).
#[inline(always)]
pub(crate) unsafe fn make_table(row: *const u32, packing: Packing, table: *mut u16) {
    let bias = packing.bound().unwrap_or(0);
    // SAFETY: the row has a polynomial, and the table as many numbers of these bits, by this
    // function's contract.
    unsafe {
        let row = &*row.cast::<[u32; N]>();
        if bits(packing) == 16 {
            let [first, second, third] = &mut *table.cast::<[[u16; N]; 3]>();
            for (i, number) in row.iter().enumerate() {
                first[i] = bias.wrapping_add(*number) as u16;
                second[i] = bias.wrapping_sub(*number) as u16;
                third[i] = first[i];
            }
        } else {
            let [first, second, third] = &mut *table.cast::<[[u8; N]; 3]>();
            for (i, number) in row.iter().enumerate() {
                first[i] = bias.wrapping_add(*number) as u8;
                second[i] = bias.wrapping_sub(*number) as u8;
                third[i] = first[i];
            }
        }
    }
}

/// Adds a product to a row: the contract of [`AddProduct`](super::kernel::AddProduct).
///
/// # Safety
/// The contract of [`AddProduct`](super::kernel::AddProduct), for this vector.
#[inline(always)]
pub(crate) unsafe fn add_product<V: Numbers>(
    row: *mut u32,
    table: *const u16,
    packing: Packing,
    starts: &[u16],
    bound: u32,
) -> u32 {
    let bias = packing.bound().unwrap_or(0);
    // SAFETY: the contract is the same, for a table of these bits.
    unsafe {
        match bits(packing) {
            16 => add_sums::<2, V>(row, table.cast(), bias, (starts, bound)),
            _ => add_sums::<1, V>(row, table.cast(), bias, (starts, bound)),
        }
    }
}

/// Adds a product to a row, with a table of numbers that have so many bytes.
///
/// # Safety
/// The contract of [`AddProduct`](super::kernel::AddProduct), for this vector and a table of
/// numbers of `BYTES` bytes, which are `2 * bias` at most.
#[inline(always)]
unsafe fn add_sums<const BYTES: usize, V: Numbers>(
    row: *mut u32,
    table: *const u8,
    bias: u32,
    (mut starts, bound): (&[u16], u32),
) -> u32 {
    // As many terms cannot become too large.
    let most = ((1 << (8 * BYTES)) - 1) / (2 * bias as usize);
    let bias = bias * starts.len() as u32;
    let mut sums = Sums([0; N / 2]);
    let to = sums.0.as_mut_ptr();
    // SAFETY: the CPU has the instruction set. Every start is at most `2 * N`, with 256 numbers of
    // the table from there on, and the sums have room for as many. The row has 256 numbers, and the
    // words have room for the lanes.
    unsafe {
        loop {
            let (terms, rest) = starts.split_at(starts.len().min(most));
            starts = rest;
            for first in (0..N * BYTES / 4).step_by(4 * V::LANES) {
                let mut sums = [V::splat(0); 4];
                for start in terms {
                    let from = table.add(BYTES * usize::from(*start)).cast::<u32>().add(first);
                    each!(i in 4 => sums[i] = sums[i].add(V::load(from.add(i * V::LANES))));
                }
                each!(i in 4 => sums[i].store(to.add(first + i * V::LANES)));
            }
            if starts.is_empty() {
                break;
            }
            for i in (0..N).step_by(V::LANES) {
                V::load(row.add(i)).add(widened::<BYTES, V>(to, i)).store(row.add(i));
            }
        }
        let (bias, limit) = (V::splat(bias), V::splat(bound - 1));
        let mut signs = V::splat(0);
        for i in (0..N).step_by(V::LANES) {
            let number = V::load(row.add(i)).add(widened::<BYTES, V>(to, i)).sub(bias);
            number.store(row.add(i));
            signs = signs.or(limit.sub(number)).or(limit.add(number));
        }
        let mut words = [0; MAX_LANES];
        signs.store(words.as_mut_ptr());
        words.iter().fold(0, |all, word| all | word) >> 31
    }
}

/// Returns sums of so many bytes in 32 bits, from the one with number `i` on.
///
/// # Safety
/// - The CPU has the vector's instruction set.
/// - `sums` is readable for 256 numbers of so many bytes, and `i` is at least a vector before their
///   end.
#[inline(always)]
unsafe fn widened<const BYTES: usize, V: Numbers>(sums: *const u32, i: usize) -> V {
    // SAFETY: the places are within the numbers, by this function's contract.
    unsafe {
        match BYTES {
            2 => V::load_shorts(sums.cast::<u16>().add(i)),
            _ => V::load_bytes(sums.cast::<u8>().add(i)),
        }
    }
}
