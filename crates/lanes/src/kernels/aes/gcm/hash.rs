//! GHASH (SP 800-38D, 6.4) written once over the registers of an instruction set.
//!
//! Many blocks are multiplied by powers of the hash key and added up, and the sum is reduced once.

use super::field::Element;
use super::key::{FEW, HashPowers, Ladder};
use crate::kernels::aes::key::CipherKey;
use crate::kernels::aes::register::{Beside, Wide};

/// A text, and the ciphertext that is hashed beside it.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub src: *const u8,
    pub dst: *mut u8,
    pub ciphertext: *const u8,
}

/// The groups of one long text, of [`STEPS`] registers each, one after another.
pub(crate) struct Groups<W> {
    pub key: *const CipherKey,
    /// The blocks of the next group.
    pub counters: W,
}

/// Registers whose blocks are elements of GCM's field.
///
/// # Safety
/// The contract of [`Aes`](crate::kernels::aes::register::Aes).
pub(crate) trait Field: Wide {
    /// `true` if there are registers to spare beside a group of eight, and a sum of three is one
    /// instruction.
    const TERNARY: bool;

    /// Turns blocks of a message into elements, and back: puts their bytes in reverse order.
    unsafe fn reversed(self) -> Self;

    /// Loads elements that are side by side in memory; `from` is valid for as many as there are
    /// places.
    unsafe fn elements(from: *const Element) -> Self;

    /// Returns the products of the low halves of the blocks.
    unsafe fn low_products(self, other: Self) -> Self;

    /// Returns the products of the high halves.
    unsafe fn high_products(self, other: Self) -> Self;

    /// Returns the halves of each block changed round.
    unsafe fn swapped(self) -> Self;

    /// Returns the low half of each block as the high one, above zeros.
    unsafe fn low_as_high(self) -> Self;

    /// Returns the high half of each block as the low one, below zeros.
    unsafe fn high_as_low(self) -> Self;

    /// Returns [`REDUCTION`](super::field::REDUCTION) in the low half of every place.
    unsafe fn reduction() -> Self;

    /// Returns the sum of all blocks in the first place, zeros in the others.
    unsafe fn total(self) -> Self;

    /// Does what [`Groups::hashed`] does, with its contract, in the way that is best for these
    /// registers. `INTEGERS` asks for counters by integer instructions if there is such a way.
    #[inline(always)]
    unsafe fn hashed<const INTEGERS: bool>(
        groups: &mut Groups<Self>,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        so_far: Self,
    ) -> Self {
        // SAFETY: these are the conditions of `Groups::hashed`, which this method has by its
        // documentation.
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
    /// Makes a sum of nothing.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Field`]).
    #[inline(always)]
    pub unsafe fn new() -> Self {
        // SAFETY: the instructions are enabled by this function's contract.
        let zero = unsafe { W::zero() };
        Sum { low: zero, middle: zero, high: zero }
    }

    /// Adds elements, each times a power: the first is multiplied by the power `exponent`, the next
    /// by one less, and so on. With two registers of elements it adds both, each with its own
    /// exponent.
    ///
    /// # Safety
    /// - The instructions are enabled (the contract of [`Field`]).
    /// - The key of the powers is valid, and there are powers for the exponents.
    #[inline(always)]
    pub unsafe fn add<const N: usize>(&mut self, x: [(W, usize); N], powers: Ladder) {
        // SAFETY: the key is valid and the exponents are in range, by this function's contract;
        // behind the lowest power there are enough elements to fill a register.
        unsafe {
            let power = x.map(|(_, exponent)| W::elements(powers.from(exponent)));
            let fold = power.map(|power| power.xor(power.swapped()));
            self.add_products(x.map(|(x, _)| x), power, fold);
        }
    }

    /// Does what [`add`](Sum::add) does, with folds that the powers come with.
    ///
    /// # Safety
    /// - The instructions are enabled (the contract of [`Field`]).
    /// - `powers` is valid, and exponents are 1 to [`MANY`](super::key::MANY).
    #[inline(always)]
    unsafe fn add_with_folds<const N: usize>(
        &mut self,
        x: [(W, usize); N],
        powers: *const HashPowers,
    ) {
        // SAFETY: the powers are valid and the exponents are in range, by this function's contract;
        // behind the lowest power there are enough elements to fill a register.
        unsafe {
            let power = x.map(|(_, exponent)| W::elements((*powers).from(exponent)));
            let fold = x.map(|(_, exponent)| W::elements((*powers).folds_from(exponent)));
            self.add_products(x.map(|(x, _)| x), power, fold);
        }
    }

    /// Adds elements, each times a power that is given together with its [folded](Element::folded)
    /// form.
    ///
    /// The sums are pinned, because the compiler would put off all additions to make a tree of
    /// them.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Field`]).
    #[inline(always)]
    pub unsafe fn add_products<const N: usize>(&mut self, x: [W; N], power: [W; N], fold: [W; N]) {
        // SAFETY: the instructions are enabled by this function's contract.
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

    /// Returns the element that the whole sum stands for.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Field`]).
    #[inline(always)]
    pub unsafe fn reduce(self) -> W {
        // SAFETY: the instructions are enabled by this function's contract.
        unsafe { self.reduce_places().total() }
    }

    /// Returns the element that each place stands for.
    ///
    /// # Safety
    /// The instructions are enabled (the contract of [`Field`]).
    #[inline(always)]
    pub unsafe fn reduce_places(self) -> W {
        // SAFETY: the instructions are enabled by this function's contract.
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
    powers: Ladder,
    /// The hash so far, to be added to the next block.
    so_far: W,
    sum: Sum<W>,
    /// Blocks of the group that have not come yet.
    left: usize,
}

impl<W: Field> Hash<W> {
    /// Continues a hash after what was hashed before.
    ///
    /// # Safety
    /// For this function and for all methods:
    /// - The instructions are enabled (the contract of [`Field`]).
    /// - There are [`FEW`] powers, whose key is valid as long as the hash is used.
    #[inline(always)]
    pub unsafe fn new(powers: Ladder, so_far: W) -> Self {
        // SAFETY: the instructions are enabled by this function's contract.
        Hash { powers, so_far, sum: unsafe { Sum::new() }, left: 0 }
    }

    /// Hashes texts of whole messages, each filled up with zeros, and their lengths: the first
    /// text, the second, and the bits of both.
    ///
    /// # Safety
    /// `first` and `second` are readable for their lengths, and the conditions of
    /// [`new`](Hash::new) still hold.
    #[inline(always)]
    pub unsafe fn finish(
        mut self,
        (first, first_len): (*const u8, usize),
        (second, second_len): (*const u8, usize),
        lengths: Element,
    ) -> W {
        let (mut first_len, mut at) = (first_len, 0);
        // SAFETY: the texts are readable by this function's contract. The last group begins with
        // the number of blocks that is then absorbed, one more for the lengths, and that is at most
        // FEW: longer texts went into groups of their own before.
        unsafe {
            if first_len.div_ceil(16) + second_len.div_ceil(16) >= FEW {
                at = second_len / GROUP * GROUP;
                if (second_len - at).div_ceil(16) == FEW {
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
    /// `from` is readable for `len` bytes, and the conditions of [`new`](Hash::new) still hold.
    #[inline(always)]
    pub unsafe fn groups(&mut self, from: *const u8, len: usize) {
        for at in (0..len).step_by(GROUP) {
            let len = GROUP.min(len - at);
            // SAFETY: the text is readable by this function's contract; a group begins with the
            // number of blocks that is then absorbed, 1 to FEW.
            unsafe {
                self.begin(len.div_ceil(16));
                self.absorb(from.add(at), len);
                self.end();
            }
        }
    }

    /// Returns the hash so far.
    #[inline(always)]
    pub fn so_far(&self) -> W {
        self.so_far
    }

    /// Begins a group.
    ///
    /// # Safety
    /// `blocks` is 1 to [`FEW`], and the conditions of [`new`](Hash::new) still hold.
    #[inline(always)]
    unsafe fn begin(&mut self, blocks: usize) {
        self.left = blocks;
        // SAFETY: the instructions are enabled, by the contract of `new`.
        self.sum = unsafe { Sum::new() };
    }

    /// Absorbs a text, filled up with zeros.
    ///
    /// # Safety
    /// `from` is readable for `len` bytes, the group has room for their blocks, and the conditions
    /// of [`new`](Hash::new) still hold.
    #[inline(always)]
    unsafe fn absorb(&mut self, from: *const u8, len: usize) {
        let width = 16 * W::BLOCKS;
        let mut at = 0;
        // SAFETY: the text is readable for `len` bytes and the group has room for its blocks, by
        // this function's contract; each load lies within the text.
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

    /// Adds `blocks` blocks, which are the first places of a register that has zeros in the others.
    ///
    /// # Safety
    /// The group has room for these blocks, at least one, and the conditions of [`new`](Hash::new)
    /// still hold.
    #[inline(always)]
    unsafe fn add(&mut self, x: W, blocks: usize) {
        // SAFETY: the key is valid and the instructions are enabled, by the contract of `new`;
        // `left` is 1 to FEW, because the group has room for a block.
        unsafe {
            self.sum.add([(x.xor(self.so_far), self.left)], self.powers);
            self.so_far = W::zero();
        }
        self.left -= blocks;
    }

    /// Ends a group.
    ///
    /// # Safety
    /// All blocks of the group have come, and the conditions of [`new`](Hash::new) still hold.
    #[inline(always)]
    unsafe fn end(&mut self) {
        // SAFETY: the instructions are enabled, by the contract of `new`.
        self.so_far = unsafe { self.sum.reduce() };
    }
}

/// Bytes of the longest group.
const GROUP: usize = 16 * FEW;

/// Registers of a group, one for each step of the cipher between which something is done.
pub(crate) const STEPS: usize = 8;

/// A group of [`STEPS`] whole registers, hashed between the rounds of a cipher.
pub(crate) struct HashBeside<W> {
    powers: *const HashPowers,
    from: *const u8,
    so_far: W,
    sum: Sum<W>,
}

impl<W: Field> HashBeside<W> {
    /// Makes a hash of the [`STEPS`] registers at `from`.
    ///
    /// # Safety
    /// - The instructions are enabled (the contract of [`Field`]).
    /// - `powers` is valid, and `from` is readable for [`STEPS`] registers, as long as the value is
    ///   used.
    #[inline(always)]
    pub unsafe fn new(powers: *const HashPowers, from: *const u8, so_far: W) -> Self {
        // SAFETY: the instructions are enabled by this function's contract.
        HashBeside { powers, from, so_far, sum: unsafe { Sum::new() } }
    }

    /// Returns the hash so far.
    ///
    /// # Safety
    /// All steps were called, and the conditions of [`new`](HashBeside::new) still hold.
    #[inline(always)]
    pub unsafe fn end(self) -> W {
        // SAFETY: the instructions are enabled, by the contract of `new`.
        unsafe { self.sum.reduce() }
    }

    /// Returns the elements of a register, and the exponent of the first.
    ///
    /// # Safety
    /// `register` is less than [`STEPS`], and the conditions of [`new`](HashBeside::new) still
    /// hold.
    #[inline(always)]
    unsafe fn register(&self, register: usize) -> (W, usize) {
        // SAFETY: `from` is readable for STEPS registers, by the contract of `new`, and `register`
        // is less than STEPS by this function's contract.
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
    /// Adds a register in each step. The first of the group comes last, because it waits for the
    /// group before. With [`TERNARY`](Field::TERNARY), every second step multiplies two registers
    /// and adds both products at once.
    #[inline(always)]
    unsafe fn after(&mut self, step: usize) {
        // SAFETY: the step is 1 to 8, by the contract of `Beside`, so the registers are below
        // STEPS, and their exponents are 1 to MANY; the powers are valid, by the contract of `new`.
        unsafe {
            if !W::TERNARY {
                self.sum.add_with_folds([self.register(step % STEPS)], self.powers);
            } else if step.is_multiple_of(2) {
                self.sum.add_with_folds(
                    [self.register(step - 1), self.register(step % STEPS)],
                    self.powers,
                );
            }
        }
    }
}
