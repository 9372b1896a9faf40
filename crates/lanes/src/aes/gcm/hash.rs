//! GHASH (SP 800-38D, 6.4) written once over the registers of an instruction set.
//!
//! Many blocks are multiplied by powers of the hash key and added up, and the sum is reduced once.

use super::field::Element;
use super::key::{HashPowers, POWERS};
use super::pipeline::{Groups, Text};
use crate::aes::register::{Beside, Wide};

/// Registers whose blocks are elements of GCM's field.
///
/// # Safety
/// As [`Aes`](crate::aes::register::Aes).
pub(crate) trait Field: Wide {
    /// Whether there are registers to spare beside a group of eight, and a sum of three is one
    /// instruction.
    const TERNARY: bool;

    /// Blocks of a message as elements, and back: their bytes in reverse order.
    unsafe fn reversed(self) -> Self;

    /// Elements that are side by side in memory; `from` is valid for as many as there are places.
    unsafe fn elements(from: *const Element) -> Self;

    /// The products of the low halves of the blocks.
    unsafe fn low_products(self, other: Self) -> Self;

    /// The products of the high halves.
    unsafe fn high_products(self, other: Self) -> Self;

    /// The halves of each block changed round.
    unsafe fn swapped(self) -> Self;

    /// The low half of each block as the high one, above zeros.
    unsafe fn low_as_high(self) -> Self;

    /// The high half of each block as the low one, below zeros.
    unsafe fn high_as_low(self) -> Self;

    /// [`REDUCTION`](super::field::REDUCTION), in the low half of every place.
    unsafe fn reduction() -> Self;

    /// The sum of all blocks in the first place, zeros in the others.
    unsafe fn total(self) -> Self;

    /// [`Groups::hashed`], with its contract: the way that is best for these registers. `INTEGERS`
    /// asks for counters by integer instructions where there is such a way.
    #[inline(always)]
    unsafe fn hashed<const INTEGERS: bool>(
        groups: &mut Groups<Self>,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        so_far: Self,
    ) -> Self {
        // SAFETY: the contract.
        unsafe { groups.hashed(powers, text, count, so_far) }
    }
}

/// A sum of products that is not reduced yet: low, middle and high parts by Karatsuba's method.
#[derive(Clone, Copy)]
pub(crate) struct Sum<W> {
    low: W,
    middle: W,
    high: W,
}

impl<W: Field> Sum<W> {
    /// # Safety
    /// The contract of [`Field`].
    #[inline(always)]
    pub unsafe fn new() -> Self {
        // SAFETY: the caller's.
        let zero = unsafe { W::zero() };
        Sum { low: zero, middle: zero, high: zero }
    }

    /// Adds elements, each times a power: the first times the `exponent`, and so on downwards. With
    /// two registers of elements, adds both, each with its exponent.
    ///
    /// # Safety
    /// The contract of [`Field`]; the key is valid, and exponents are 1 to [`POWERS`].
    #[inline(always)]
    unsafe fn add<const N: usize>(&mut self, x: [(W, usize); N], key: *const HashPowers) {
        // SAFETY: the caller's; after the lowest power there are enough elements for a register.
        unsafe {
            let power = x.map(|(_, exponent)| W::elements((*key).from(exponent)));
            let fold = x.map(|(_, exponent)| W::elements((*key).folds_from(exponent)));
            self.add_products(x.map(|(x, _)| x), power, fold);
        }
    }

    /// Adds elements, each times a power whose [folded](Element::folded) form is given, too.
    ///
    /// The sums are pinned, lest the compiler put off all additions to make a tree of them.
    ///
    /// # Safety
    /// The contract of [`Field`].
    #[inline(always)]
    pub unsafe fn add_products<const N: usize>(&mut self, x: [W; N], power: [W; N], fold: [W; N]) {
        // SAFETY: the caller's.
        unsafe {
            let mut low = x[0].low_products(power[0]);
            for i in 1..N {
                low = low.xor(x[i].low_products(power[i]));
            }
            self.low = self.low.xor(low).pin();
            let mut high = x[0].high_products(power[0]);
            for i in 1..N {
                high = high.xor(x[i].high_products(power[i]));
            }
            self.high = self.high.xor(high).pin();
            let mut middle = x[0].xor(x[0].swapped()).low_products(fold[0]);
            for i in 1..N {
                middle = middle.xor(x[i].xor(x[i].swapped()).low_products(fold[i]));
            }
            self.middle = self.middle.xor(middle).pin();
        }
    }

    /// The element that all of it is.
    ///
    /// # Safety
    /// The contract of [`Field`].
    #[inline(always)]
    unsafe fn reduce(self) -> W {
        // SAFETY: the caller's.
        unsafe { self.reduce_places().total() }
    }

    /// The element that each place is.
    ///
    /// # Safety
    /// The contract of [`Field`].
    #[inline(always)]
    pub unsafe fn reduce_places(self) -> W {
        // SAFETY: the caller's.
        unsafe {
            let middle = self.middle.xor(self.low).xor(self.high);
            let low = self.low.xor(middle.low_as_high());
            let high = self.high.xor(middle.high_as_low());
            let reduction = W::reduction();
            // Twice, 64 bits at the bottom are made zero by adding a multiple of the polynomial.
            let low = low.swapped().xor(low.low_products(reduction));
            let low = low.swapped().xor(low.low_products(reduction));
            low.xor(high)
        }
    }
}

/// A hash in progress. Blocks are absorbed in groups, whose lengths are known at their start.
pub(crate) struct Hash<W> {
    key: *const HashPowers,
    /// The hash so far, to be added to the next block.
    so_far: W,
    sum: Sum<W>,
    /// Blocks that the group still has to come.
    left: usize,
}

impl<W: Field> Hash<W> {
    /// Goes on after what was hashed before.
    ///
    /// # Safety
    /// Here and in all that follows: the contract of [`Field`]; the key is valid as long as the
    /// hash is.
    #[inline(always)]
    pub unsafe fn new(key: *const HashPowers, so_far: W) -> Self {
        // SAFETY: the caller's.
        Hash { key, so_far, sum: unsafe { Sum::new() }, left: 0 }
    }

    /// Hashes texts of whole messages, each filled up with zeros, and their lengths: the first
    /// text, the second, and the bits of both.
    ///
    /// # Safety
    /// The texts are readable for their lengths.
    #[inline(always)]
    pub unsafe fn finish(
        mut self,
        (first, first_len): (*const u8, usize),
        (second, second_len): (*const u8, usize),
        lengths: Element,
    ) -> W {
        let (mut first_len, mut at) = (first_len, 0);
        // SAFETY: the caller's; a group's length is what is then absorbed.
        unsafe {
            if first_len.div_ceil(16) + second_len.div_ceil(16) >= POWERS {
                at = second_len / GROUP * GROUP;
                if (second_len - at).div_ceil(16) == POWERS {
                    // No power would be left for the lengths.
                    at = second_len;
                }
                for (text, len) in [(first, first_len), (second, at)] {
                    self.groups(text, len);
                }
                first_len = 0;
            }
            let (second, second_len) = (second.wrapping_add(at), second_len - at);
            self.begin(first_len.div_ceil(16) + second_len.div_ceil(16) + 1);
            self.absorb(first, first_len);
            self.absorb(second, second_len);
            self.add(W::from_number(lengths.number()), 1);
            self.end();
        }
        self.so_far
    }

    /// Hashes a text, filled up with zeros, in as many groups as it takes.
    ///
    /// # Safety
    /// The text is readable for its length.
    #[inline(always)]
    pub unsafe fn groups(&mut self, from: *const u8, len: usize) {
        for at in (0..len).step_by(GROUP) {
            let len = GROUP.min(len - at);
            // SAFETY: the caller's; a group's length is what is then absorbed.
            unsafe {
                self.begin(len.div_ceil(16));
                self.absorb(from.add(at), len);
                self.end();
            }
        }
    }

    /// The hash so far.
    #[inline(always)]
    pub fn so_far(&self) -> W {
        self.so_far
    }

    /// # Safety
    /// There are 1 to [`POWERS`] blocks.
    #[inline(always)]
    unsafe fn begin(&mut self, blocks: usize) {
        self.left = blocks;
        // SAFETY: the contract.
        self.sum = unsafe { Sum::new() };
    }

    /// # Safety
    /// The text is readable for its length, and the group has room for its blocks.
    #[inline(always)]
    unsafe fn absorb(&mut self, from: *const u8, len: usize) {
        let width = 16 * W::BLOCKS;
        let mut at = 0;
        // SAFETY: the caller's.
        unsafe {
            while len - at >= width {
                self.add(W::load(from.add(at)).reversed(), W::BLOCKS);
                at += width;
            }
            if at < len {
                let part = W::load_part(from.add(at), len - at).reversed();
                self.add(part, (len - at).div_ceil(16));
            }
        }
    }

    /// Adds so many blocks, the first places of a register that has zeros in the others.
    ///
    /// # Safety
    /// The group has room for them.
    #[inline(always)]
    unsafe fn add(&mut self, x: W, blocks: usize) {
        // SAFETY: the contract; `left` is at least 1.
        unsafe {
            self.sum.add([(x.xor(self.so_far), self.left)], self.key);
            self.so_far = W::zero();
        }
        self.left -= blocks;
    }

    /// # Safety
    /// All blocks of the group have come.
    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the contract.
        self.so_far = unsafe { self.sum.reduce() };
    }
}

/// Bytes of the longest group.
const GROUP: usize = 16 * POWERS;

/// Registers of a group, one for each step of the cipher between which something is done.
pub(crate) const STEPS: usize = 8;

/// A group of [`STEPS`] whole registers, hashed between the rounds of a cipher.
pub(crate) struct HashBeside<W> {
    key: *const HashPowers,
    from: *const u8,
    so_far: W,
    sum: Sum<W>,
}

impl<W: Field> HashBeside<W> {
    /// # Safety
    /// The contract of [`Field`]; the key is valid, and the registers are readable, as long as this
    /// is used.
    #[inline(always)]
    pub unsafe fn new(key: *const HashPowers, from: *const u8, so_far: W) -> Self {
        // SAFETY: the caller's.
        HashBeside { key, from, so_far, sum: unsafe { Sum::new() } }
    }

    /// The hash so far.
    ///
    /// # Safety
    /// The contract of [`Field`]; all steps were called.
    #[inline(always)]
    pub unsafe fn end(self) -> W {
        // SAFETY: the caller's.
        unsafe { self.sum.reduce() }
    }

    /// The elements of a register, and the exponent of the first.
    ///
    /// # Safety
    /// The contract of [`Field`]; there is that register.
    #[inline(always)]
    unsafe fn register(&self, register: usize) -> (W, usize) {
        // SAFETY: the caller's.
        unsafe {
            let mut x = W::load(self.from.add(register * W::BLOCKS * 16)).reversed();
            if register == 0 {
                x = x.xor(self.so_far);
            }
            (x, (STEPS - register) * W::BLOCKS)
        }
    }
}

impl<W: Field> Beside for HashBeside<W> {
    /// A register in each step. The first of the group comes last: it waits for the group before.
    /// Or two in every other step, whose products go into the sums together.
    #[inline(always)]
    unsafe fn after(&mut self, step: usize) {
        // SAFETY: the contract.
        unsafe {
            if !W::TERNARY {
                self.sum.add([self.register(step % STEPS)], self.key);
            } else if step.is_multiple_of(2) {
                self.sum.add([self.register(step - 1), self.register(step % STEPS)], self.key);
            }
        }
    }
}
