//! Several blocks at once, on vectors of 64-bit words: blocks of one text, or one block of each of
//! several texts.
//!
//! In one text, with `n` lanes, lane `i` takes every `n`-th block from block `i` on, and multiplies
//! its sum by the `n`-th power of the key. At the end, each lane is multiplied by the power that
//! its last block's position requires, and the lanes are added. With several texts, each lane takes
//! a text. Either way a step absorbs four blocks in each lane, multiplied by four powers, before
//! carries are propagated.
//!
//! A [`Field`] decides how numbers are kept in limbs and multiplied.

use core::marker::PhantomData;

use super::{BLOCK, Number, Part, Wide, fold, times};
use crate::vector::{Vector, each};

/// Vectors of 64-bit words that blocks are read into.
///
/// # Safety
/// The contract of [`Vector`]. Furthermore, [`gather`](Vector::gather) of an implementor reads
/// words at any alignment, because blocks of texts have any.
pub(crate) unsafe trait Words: Vector<Word = u64> {
    /// Blocks of one text from which on vectors pay; at least as many as there are lanes.
    const WORTH: usize;

    /// The lane of each of consecutive blocks, as [`blocks`](Words::blocks) puts them.
    const ORDER: [usize; MAX_LANES];

    /// Shifts each lane left by `N` bits, zeros coming in.
    fn shift_left<const N: i32>(self) -> Self;

    /// Reads consecutive blocks, one for each lane, and returns their lower and their upper words.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `from` is readable for a block for each lane, at any alignment.
    unsafe fn blocks(from: *const u8) -> [Self; 2];

    /// Reads the block behind each lane's pointer, and returns the lower and the upper words.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `lanes` is readable for `LANES` pointers, and each of these for a block, at any alignment.
    unsafe fn block_of_each(lanes: *const *const u8) -> [Self; 2];
}

/// The most lanes that there are.
pub(crate) const MAX_LANES: usize = 8;

/// Numbers modulo 2^130 - 5, one in each lane.
///
/// # Safety
/// The methods use only instructions that the implementor names.
pub(crate) unsafe trait Field {
    /// The vector that holds a limb.
    type Vector: Words;
    /// A number whose limbs have been carried, or the sum of two.
    type Limbs: Copy;
    /// A factor, in the form that products need.
    type Factor: Copy;
    /// The sum of up to four products.
    type Sum: Copy;

    /// Makes numbers from their lowest 64 bits, the next 64 bits, and the few above.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn split(words: [Self::Vector; 3]) -> Self::Limbs;

    /// Undoes [`split`](Field::split), for carried numbers.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn join(limbs: Self::Limbs) -> [Self::Vector; 3];

    /// Returns a sum, not carried.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn plus(a: Self::Limbs, b: Self::Limbs) -> Self::Limbs;

    /// Makes a factor of a number that has been carried.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn factor(limbs: Self::Limbs) -> Self::Factor;

    /// Returns a sum of no product.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn zero() -> Self::Sum;

    /// Adds one more product to a sum.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn plus_product(sum: Self::Sum, x: Self::Limbs, factor: &Self::Factor) -> Self::Sum;

    /// Carries a sum: its limbs then have hardly more bits than they need.
    ///
    /// # Safety
    /// The CPU has the instructions.
    unsafe fn carried(sum: Self::Sum) -> Self::Limbs;
}

/// Vectors on which numbers are kept in the form of `F`.
pub(crate) struct PolyLanes<F>(PhantomData<F>);

/// Returns the number of lanes of `F`.
const fn lanes<F: Field>() -> usize {
    <F::Vector as Vector>::LANES
}

// SAFETY: only F's instructions are used.
unsafe impl<F: Field> Wide for PolyLanes<F> {
    const WORTH: usize = F::Vector::WORTH;
    const LANES: usize = lanes::<F>();

    #[inline(always)]
    unsafe fn absorb(sum: &mut Number, r: [u64; 2], from: *const u8, blocks: usize) -> usize {
        let steps = blocks / lanes::<F>();
        let mut power = (u128::from(r[0]) | u128::from(r[1]) << 64, 0);
        // For every lane: the power that it ends with, and what was absorbed before.
        let (mut last, mut before) = (EachLane::NONE, EachLane::NONE);
        for block in (0..lanes::<F>()).rev() {
            last.put(F::Vector::ORDER[block], power);
            if block > 0 {
                power = times(power, r);
            }
        }
        before.put(F::Vector::ORDER[0], *sum);
        // SAFETY: the CPU has F's instructions, and `from` is readable for `blocks` blocks, by this
        // method's contract. WORTH is at least the number of lanes, so `steps` is at least 1, and
        // the loops read `steps` times a block for each lane.
        unsafe {
            let mut sums = before.load::<F>();
            let (low, high) = power;
            let power = [low as u64, (low >> 64) as u64, high];
            let powers = powers::<F>(F::split(each!(i in 3 => F::Vector::splat(power[i]))));
            let mut at = from;
            let mut next = || {
                let block = F::Vector::blocks(at);
                at = at.add(BLOCK * lanes::<F>());
                block
            };
            for _ in 0..(steps - 1) / 4 {
                sums = four_blocks::<F>(sums, [next(), next(), next(), next()], &powers);
            }
            for _ in 0..(steps - 1) % 4 {
                sums = one_block::<F>(sums, next(), &powers[0]);
            }
            let sums = one_block::<F>(sums, next(), &F::factor(last.load::<F>()));
            let mut ends = EachLane::NONE;
            ends.store::<F>(sums);
            let (mut low, mut high) = ends.get(0);
            for lane in 1..lanes::<F>() {
                let (more, above) = ends.get(lane);
                let (sum, carry) = low.overflowing_add(more);
                (low, high) = (sum, high + above + u64::from(carry));
            }
            *sum = fold((low, high));
            last.wipe();
            before.wipe();
            ends.wipe();
        }
        steps * lanes::<F>()
    }

    #[inline(always)]
    unsafe fn absorb_each(parts: &mut [Part]) {
        let (mut sums, mut keys) = (EachLane::NONE, EachLane::NONE);
        let mut from = [parts[0].from; MAX_LANES];
        for (lane, part) in parts.iter().enumerate() {
            sums.put(lane, part.sum);
            keys.put(lane, (u128::from(part.r[0]) | u128::from(part.r[1]) << 64, 0));
            from[lane] = part.from;
        }
        let mut active = parts.len();
        // SAFETY: each text is readable for its whole blocks, by this method's contract. A turn of
        // the loop reads the blocks that the shortest active text has left, which every active lane
        // has; lanes without a text read the first text, the longest. `gather` of a vector of
        // `Words` reads at any alignment.
        unsafe {
            let powers = powers::<F>(keys.load::<F>());
            let mut limbs = sums.load::<F>();
            let mut absorbed = 0;
            while active > lanes::<F>() / 2 {
                // The last one is the shortest.
                let blocks = parts[active - 1].blocks() - absorbed;
                for lane in active..lanes::<F>() {
                    from[lane] = from[0];
                }
                for _ in 0..blocks / 4 {
                    let words = F::Vector::gather(from.as_ptr().cast());
                    limbs = four_blocks::<F>(
                        limbs,
                        each!(i in 4 => [words[2 * i], words[2 * i + 1]]),
                        &powers,
                    );
                    advance(&mut from[..lanes::<F>()], 4);
                }
                for _ in 0..blocks % 4 {
                    limbs =
                        one_block::<F>(limbs, F::Vector::block_of_each(from.as_ptr()), &powers[0]);
                    advance(&mut from[..lanes::<F>()], 1);
                }
                absorbed += blocks;
                sums.store::<F>(limbs);
                while active > 0 && parts[active - 1].blocks() == absorbed {
                    active -= 1;
                    parts[active].advance(absorbed, sums.get(active));
                }
            }
            for (lane, part) in parts[..active].iter_mut().enumerate() {
                part.advance(absorbed, sums.get(lane));
            }
            keys.wipe();
            sums.wipe();
        }
    }
}

/// Moves each lane's pointer forward by some blocks.
#[inline(always)]
fn advance(lanes: &mut [*const u8], blocks: usize) {
    for pointer in lanes {
        *pointer = pointer.wrapping_add(BLOCK * blocks);
    }
}

/// The words of a number in each lane.
struct EachLane([[u64; MAX_LANES]; 3]);

impl EachLane {
    const NONE: EachLane = EachLane([[0; MAX_LANES]; 3]);

    #[inline(always)]
    fn put(&mut self, lane: usize, (low, high): Number) {
        self.0[0][lane] = low as u64;
        self.0[1][lane] = (low >> 64) as u64;
        self.0[2][lane] = high;
    }

    #[inline(always)]
    fn get(&self, lane: usize) -> Number {
        (u128::from(self.0[0][lane]) | u128::from(self.0[1][lane]) << 64, self.0[2][lane])
    }

    /// Overwrites the numbers, in a way that the compiler may not leave out.
    #[inline(always)]
    fn wipe(&mut self) {
        // SAFETY: a reference is valid for writes and aligned.
        self.0.iter_mut().for_each(|row| unsafe { core::ptr::write_volatile(row, [0; MAX_LANES]) });
    }

    /// Loads the numbers of all lanes.
    ///
    /// # Safety
    /// The CPU has F's instructions.
    #[inline(always)]
    unsafe fn load<F: Field>(&self) -> F::Limbs {
        // SAFETY: the CPU has F's instructions, by this function's contract; a row has MAX_LANES
        // words, at least as many as there are lanes.
        unsafe { F::split(each!(i in 3 => F::Vector::load(self.0[i].as_ptr()))) }
    }

    /// Stores numbers in place. If they were returned, a copy might stay elsewhere, unwiped.
    ///
    /// # Safety
    /// The CPU has F's instructions.
    #[inline(always)]
    unsafe fn store<F: Field>(&mut self, limbs: F::Limbs) {
        // SAFETY: the CPU has F's instructions, by this function's contract; a row has MAX_LANES
        // words, at least as many as there are lanes.
        unsafe {
            let words = F::join(limbs);
            each!(i in 3 => words[i].store(self.0[i].as_mut_ptr()));
        }
    }
}

/// Returns the first four powers.
///
/// # Safety
/// The CPU has F's instructions.
#[inline(always)]
unsafe fn powers<F: Field>(first: F::Limbs) -> [F::Factor; 4] {
    // SAFETY: the CPU has F's instructions, by this function's contract.
    unsafe {
        let one = F::factor(first);
        let second = F::carried(F::plus_product(F::zero(), first, &one));
        let two = F::factor(second);
        let third = F::carried(F::plus_product(F::zero(), first, &two));
        let fourth = F::carried(F::plus_product(F::zero(), second, &two));
        [one, two, F::factor(third), F::factor(fourth)]
    }
}

/// Absorbs four blocks in each lane.
///
/// # Safety
/// The CPU has F's instructions.
#[inline(always)]
unsafe fn four_blocks<F: Field>(
    sums: F::Limbs,
    blocks: [[F::Vector; 2]; 4],
    powers: &[F::Factor; 4],
) -> F::Limbs {
    // SAFETY: the CPU has F's instructions, by this function's contract.
    unsafe {
        // Products that need the sums come last, so that the others do not wait.
        let products = F::plus_product(F::zero(), block::<F>(blocks[3]), &powers[0]);
        let products = F::plus_product(products, block::<F>(blocks[2]), &powers[1]);
        let products = F::plus_product(products, block::<F>(blocks[1]), &powers[2]);
        F::carried(F::plus_product(products, F::plus(sums, block::<F>(blocks[0])), &powers[3]))
    }
}

/// Absorbs one block in each lane.
///
/// # Safety
/// The CPU has F's instructions.
#[inline(always)]
unsafe fn one_block<F: Field>(
    sums: F::Limbs,
    words: [F::Vector; 2],
    power: &F::Factor,
) -> F::Limbs {
    // SAFETY: the CPU has F's instructions, by this function's contract.
    unsafe { F::carried(F::plus_product(F::zero(), F::plus(sums, block::<F>(words)), power)) }
}

/// Makes the number of a block, with the bit above it.
///
/// # Safety
/// The CPU has F's instructions.
#[inline(always)]
unsafe fn block<F: Field>([low, high]: [F::Vector; 2]) -> F::Limbs {
    // SAFETY: the CPU has F's instructions, by this function's contract.
    unsafe { F::split([low, high, F::Vector::splat(1)]) }
}
