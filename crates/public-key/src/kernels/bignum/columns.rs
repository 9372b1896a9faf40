//! Montgomery multiplication on vectors, a block of columns after the other.
//!
//! Column `k` of a product sums the products of limbs whose places add up to `k`. A block of
//! columns has its sums in registers; a *row* multiplies one limb with as many neighbours as there
//! are columns, one product for each. At the edges of the product rows are shorter: those are
//! written out. In the lower half of the columns, each block finds the quotients by which the
//! modulus is to be multiplied so that its columns vanish; in the upper half, it has the result.
//!
//! In the upper half everything is mirrored: limbs are counted from the highest one down, and the
//! columns from the highest one that has products. So both halves go by the same rows.

#![expect(
    clippy::absurd_extreme_comparisons,
    reason = "every number of a loop that is written out is compared, the first one too"
)]

use broadloom_lanes::inside::each;

use super::kernel::Modulo;
use super::select::SelectLanes;

/// The most columns in a block, whose sums, a factor and a product fill sixteen registers.
const WIDEST: usize = 13;

/// The sums of a block's columns, and of the column after them.
type Sums<L> = [L; WIDEST + 1];

/// Sums while products are added. The upper halves of products have sums of their own where a
/// product comes in two halves: otherwise each row would wait for two additions of the row before
/// it, one after the other. Elsewhere the second sums stay zero.
type Halves<L> = [Sums<L>; 2];

/// The same limb of every lane, in vectors that multiply.
///
/// # Safety
/// The contract of [`SelectLanes`].
pub(crate) unsafe trait Limbs: SelectLanes {
    /// The number of limbs above which numbers need carries between their product and the
    /// reduction.
    const ROOM: usize;

    /// `true` if a product has an upper half, which belongs to the next column.
    const HALVES: bool;

    /// Adds a product of limbs to the sums of a column and of the next one.
    fn plus_product(sums: (Self, Self), x: Self, y: Self) -> (Self, Self);

    /// Returns the lowest limb.
    fn limb(self) -> Self;

    /// Returns what is above the lowest limb.
    fn above(self) -> Self;

    /// Returns the same pointer, of which the compiler does not know what it has already read
    /// there. Otherwise it keeps in registers what each row reads again, for which there are not
    /// enough.
    fn anew(limbs: *const u64) -> *const u64;

    /// Adds the product of a limb with another to a column of a block of `W` columns. The other
    /// limb is `further` limbs from `y`, in the direction in which a half is counted.
    ///
    /// # Safety
    /// - The CPU has the instruction set.
    /// - The other limb is readable for a word of every lane.
    #[inline(always)]
    unsafe fn plus<const W: usize, const UP: bool>(
        [low, high]: &mut Halves<Self>,
        column: usize,
        x: &Self,
        y: *const u64,
        further: usize,
    ) {
        let place = if UP { column } else { W - 1 - column };
        // SAFETY: the limb at `further` is readable for every lane and the CPU has the instruction
        // set, by this function's contract.
        let y = unsafe { Self::load(step::<Self, UP>(y, further as isize)) };
        (low[place], high[place + 1]) = Self::plus_product((low[place], high[place + 1]), *x, y);
    }
}

/// The operands of a block of columns.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub a: *const u64,
    pub b: *const u64,
    pub out: *mut u64,
    pub modulo: &'a Modulo,
    /// The first column, counted from the start of its half.
    pub first: usize,
    /// A word for each lane: what is carried from block to block.
    pub carry: *mut u64,
}

/// Columns of the next block, where so many limbs are left: all blocks of a number differ by one at
/// most.
pub(crate) const fn width(left: usize) -> usize {
    left.div_ceil(left.div_ceil(WIDEST))
}

/// Returns the limb so many further, in the direction in which a half is counted.
#[inline(always)]
fn step<L: SelectLanes, const UP: bool>(limb: *const u64, by: isize) -> *const u64 {
    let words = by * L::LANES as isize;
    limb.wrapping_offset(if UP { words } else { -words })
}

/// Adds `count` rows over all columns: limbs from `x` on, and for column 0 of the first row the
/// limb at `y`.
///
/// # Safety
/// - The CPU has the instruction set.
/// - All limbs of these rows are readable, for a word of every lane each.
#[inline(always)]
unsafe fn rows<L: Limbs, const W: usize, const UP: bool>(
    sums: &mut Halves<L>,
    mut x: *const u64,
    mut y: *const u64,
    count: usize,
) {
    // SAFETY: every limb that is loaded here is one of the rows', which are readable by this
    // function's contract.
    unsafe {
        for _ in 0..count {
            let limb = L::load(x);
            each!(const J in 13 => {
                if const { J < W } {
                    L::plus::<W, UP>(sums, J, &limb, y, J);
                }
            });
            x = step::<L, UP>(x, 1);
            y = step::<L, UP>(y, -1);
        }
    }
}

/// Adds rows that begin one column later each: limbs from `x` on, the first of them from column
/// `FIRST` on, each with the limbs from `y` on.
///
/// # Safety
/// The conditions of [`rows`].
#[inline(always)]
unsafe fn triangle<L: Limbs, const W: usize, const UP: bool, const FIRST: usize>(
    sums: &mut Halves<L>,
    x: *const u64,
    y: *const u64,
) {
    // SAFETY: every limb that is loaded here is one of the rows', which are readable by this
    // function's contract.
    unsafe {
        each!(const R in 13 => {
            if const { R + FIRST < W } {
                let (limb, y) = (L::load(step::<L, UP>(x, R as isize)), L::anew(y));
                each!(const J in 13 => {
                    if const { R + FIRST <= J && J < W } {
                        L::plus::<W, UP>(sums, J, &limb, y, J - (R + FIRST));
                    }
                });
            }
        });
    }
}

/// Adds the products of different limbs of one number that the full rows leave out, once each. Rows
/// begin two columns later each: limbs from `x` on. The first of them is squared in column `ODD`,
/// and this square is left out.
///
/// # Safety
/// The conditions of [`rows`].
#[inline(always)]
unsafe fn half_triangle<L: Limbs, const W: usize, const UP: bool, const ODD: usize>(
    sums: &mut Halves<L>,
    x: *const u64,
) {
    // SAFETY: every limb that is loaded here is one of the rows', which are readable by this
    // function's contract.
    unsafe {
        each!(const R in 8 => {
            if const { ODD + 2 * R + 1 < W } {
                let (limb, y) = (L::load(step::<L, UP>(x, R as isize)), L::anew(x));
                each!(const J in 13 => {
                    if const { ODD + 2 * R < J && J < W } {
                        L::plus::<W, UP>(sums, J, &limb, y, J - (R + ODD));
                    }
                });
            }
        });
    }
}

/// Adds the squares of limbs from `x` on, the first of them to column `ODD`.
///
/// # Safety
/// The conditions of [`rows`].
#[inline(always)]
unsafe fn squares<L: Limbs, const W: usize, const UP: bool, const ODD: usize>(
    sums: &mut Halves<L>,
    x: *const u64,
) {
    // SAFETY: every limb that is loaded here is one of the rows', which are readable by this
    // function's contract.
    unsafe {
        each!(const R in 8 => {
            if const { ODD + 2 * R < W } {
                let x = step::<L, UP>(x, R as isize);
                L::plus::<W, UP>(sums, ODD + 2 * R, &L::load(x), x, 0);
            }
        });
    }
}

/// Returns sums that are zero.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn zeros<L: Limbs>() -> Halves<L> {
    // SAFETY: the CPU has the instruction set, by this function's contract.
    unsafe { [[L::splat(0); WIDEST + 1]; 2] }
}

/// Adds the sums of upper halves to the others, and sets them to zero.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn join<L: Limbs>([low, high]: &mut Halves<L>) {
    if L::HALVES {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        let zero = unsafe { L::splat(0) };
        each!(j in 14 => {
            low[j] = low[j].add(high[j]);
            high[j] = zero;
        });
    }
}

/// Returns the sums of a block of columns of a square, from the column `first` of a half on.
/// `first` is -1 if the upper half has one column more than it has products; `x` is the half's
/// first limb.
///
/// # Safety
/// The conditions of [`rows`]; `carry` is readable for a word of every lane.
#[inline(always)]
unsafe fn square_sums<L: Limbs, const W: usize, const UP: bool>(
    x: *const u64,
    first: isize,
    carry: *const u64,
) -> Halves<L> {
    // SAFETY: the limbs of the number and the carry are readable, by this function's contract;
    // column `first` has the limbs 0 to `first`.
    unsafe {
        let mut sums = zeros::<L>();
        let full = (first + 1) / 2;
        rows::<L, W, UP>(&mut sums, x, step::<L, UP>(x, first), full as usize);
        let x = step::<L, UP>(x, full);
        if 2 * full == first {
            half_triangle::<L, W, UP, 0>(&mut sums, x);
        } else {
            half_triangle::<L, W, UP, 1>(&mut sums, x);
        }
        join(&mut sums);
        let low = &mut sums[0];
        each!(j in 14 => low[j] = low[j].add(low[j]));
        low[0] = low[0].add(L::load(carry));
        if 2 * full == first {
            squares::<L, W, UP, 0>(&mut sums, x);
        } else {
            squares::<L, W, UP, 1>(&mut sums, x);
        }
        sums
    }
}

/// Makes room for as many products again, where a number is so long that it takes that.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn carry_if_long<L: Limbs, const W: usize>(sums: &mut Halves<L>, limbs: usize) {
    if limbs > L::ROOM {
        // SAFETY: the CPU has the instruction set, by this function's contract.
        unsafe { join(sums) };
        let sums = &mut sums[0];
        each!(const J in 13 => {
            if const { J < W } {
                sums[J + 1] = sums[J + 1].add(sums[J].above());
                sums[J] = sums[J].limb();
            }
        });
    }
}

/// Computes a block of the lower half: finds as many quotients as it has columns.
///
/// # Safety
/// - The CPU has the instruction set.
/// - `a` and `b` are readable for the limbs of the modulus, and `out` and `carry` are writable as
///   `Block` documents.
/// - The blocks below have been computed by this function.
#[inline(always)]
pub(crate) unsafe fn low<L: Limbs, const W: usize, const SQUARE: bool>(block: &Block<'_>) {
    let Block { a, b, modulo, first, carry, .. } = *block;
    let c = first as isize;
    // SAFETY: the pointers of the block are valid, by this function's contract, and column k of
    // this half has the limbs 0 to k, all of which the number has.
    unsafe {
        let mut sums = if SQUARE {
            square_sums::<L, W, true>(a, c, carry)
        } else {
            let mut sums = zeros::<L>();
            sums[0][0] = L::load(carry);
            rows::<L, W, true>(&mut sums, a, step::<L, true>(b, c), first);
            triangle::<L, W, true, 0>(&mut sums, step::<L, true>(a, c), b);
            sums
        };
        carry_if_long::<L, W>(&mut sums, modulo.limbs);
        let n = modulo.modulus;
        rows::<L, W, true>(&mut sums, modulo.quotients, step::<L, true>(n, c), first);
        let quotients = modulo.quotients.add(first * L::LANES);
        each!(const R in 13 => {
            if const { R < W } {
                // What is added to this column is the quotient less the quotient.
                let sum = total::<L, R>(&sums);
                let quotient = sum.limb();
                quotient.store(quotients.add(R * L::LANES));
                sums[0][R + 1] = sums[0][R + 1].add(sum.above());
                each!(const J in 13 => {
                    if R < J && const { J < W } {
                        L::plus::<W, true>(&mut sums, J, &quotient, n, J - R);
                    }
                });
            }
        });
        total::<L, W>(&sums).store(carry);
    }
}

/// Returns the sum of a column.
#[inline(always)]
fn total<L: Limbs, const COLUMN: usize>([low, high]: &Halves<L>) -> L {
    if L::HALVES { low[COLUMN].add(high[COLUMN]) } else { low[COLUMN] }
}

/// Computes a block of the upper half: writes as many limbs of the result as it has columns.
///
/// # Safety
/// - The CPU has the instruction set.
/// - The pointers of the block are valid, as [`low`] asks.
/// - The lower half has been computed by [`low`], and the blocks below by this function.
///
/// Limbs that are written are not read any more, even if `out` is also a factor.
#[inline(always)]
pub(crate) unsafe fn high<L: Limbs, const W: usize, const SQUARE: bool>(block: &Block<'_>) {
    let Block { a, b, out, modulo, first, carry } = *block;
    let last = modulo.limbs as isize - 1;
    let top = |limbs: *const u64| step::<L, true>(limbs, last);
    // The block's column 0, counted from the highest column that has products. It is -1 for the
    // last block: the highest column of the result has none.
    let c = last - (first + W) as isize;
    // SAFETY: the pointers of the block are valid, by this function's contract, and column k of
    // this half has the limbs 0 to k, counted from the highest, all of which the number has.
    unsafe {
        let mut sums = if SQUARE {
            square_sums::<L, W, false>(top(a), c, carry)
        } else {
            let mut sums = zeros::<L>();
            sums[0][0] = L::load(carry);
            products::<L, W>(&mut sums, top(a), top(b), c);
            sums
        };
        carry_if_long::<L, W>(&mut sums, modulo.limbs);
        products::<L, W>(&mut sums, top(modulo.quotients), top(modulo.modulus), c);
        let out = out.add(first * L::LANES);
        each!(const J in 13 => {
            if const { J < W } {
                let sum = total::<L, J>(&sums);
                sum.limb().store(out.add(J * L::LANES));
                sums[0][J + 1] = sums[0][J + 1].add(sum.above());
            }
        });
        total::<L, W>(&sums).store(carry);
    }
}

/// Adds the products of two numbers in a block of the upper half whose column 0 is `c`.
///
/// # Safety
/// The conditions of [`rows`].
#[inline(always)]
unsafe fn products<L: Limbs, const W: usize>(
    sums: &mut Halves<L>,
    x: *const u64,
    y: *const u64,
    c: isize,
) {
    // SAFETY: every limb that is loaded here is one of the rows', which are readable by this
    // function's contract.
    unsafe {
        rows::<L, W, false>(sums, x, step::<L, false>(y, c), (c + 1) as usize);
        triangle::<L, W, false, 1>(sums, step::<L, false>(x, c + 1), y);
    }
}
