//! Adds the key stream to texts. Their blocks are dealt to lanes in order, across texts.

use super::block::{Blocks, Consecutive, MAX_BLOCKS};
use super::key::ChaChaKey;
use super::text::{BLOCK, ChaChaText, XChaChaMessage};
use crate::kernels::aes::bytes::{load_bytes, store_bytes};
use crate::occupancy::Occupancy;
use crate::vector::{Vector, each};

/// [`ChaChaKernel::cipher`](super::kernel::ChaChaKernel).
pub(crate) type ChaChaCipher = unsafe fn(texts: &[ChaChaText], lanes: &mut StreamLanes);

/// The part of a text that a lane's block is added to.
#[derive(Clone, Copy)]
pub(crate) struct TextPiece {
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

/// Lanes, and the texts that they work on.
pub(crate) struct StreamLanes {
    pub blocks: Blocks,
    pieces: [TextPiece; MAX_BLOCKS],
    /// Lanes in use: `0..active`.
    active: usize,
    occupancy: Occupancy,
}

impl StreamLanes {
    pub const fn new() -> Self {
        let piece = TextPiece { src: core::ptr::null(), dst: core::ptr::null_mut(), len: 0 };
        StreamLanes {
            blocks: Blocks::new(),
            pieces: [piece; MAX_BLOCKS],
            active: 0,
            occupancy: Occupancy { used: 0, offered: 0 },
        }
    }

    /// Frees all lanes.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.active = 0;
    }

    /// Returns the number of lanes in use.
    #[inline(always)]
    pub fn active(&self) -> usize {
        self.active
    }

    /// Returns how full the lanes have been so far.
    pub fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Puts a block that is added to no text into the next lane: the block whose counter is less by
    /// 1 than the text's.
    #[inline(always)]
    pub fn put_key_block(&mut self, text: &ChaChaText) {
        self.put(self.active, text, u32::MAX);
        self.active += 1;
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, text: &ChaChaText, number: u32) {
        let ChaChaText { key, row, .. } = text;
        self.blocks.key[lane] = words(*key);
        self.blocks.row[lane] = row.as_ptr();
        self.blocks.number[lane] = number;
    }

    /// Makes the blocks of all lanes in use.
    ///
    /// # Safety
    /// - The CPU has C's instructions.
    /// - At least one lane is in use, and at most as many as C's vector has.
    /// - The keys and rows that were put into these lanes are still valid.
    #[inline(always)]
    pub unsafe fn make<C: Consecutive>(&mut self) {
        let lanes = C::Vector::LANES;
        self.occupancy.count(self.active, lanes, 1);
        // SAFETY: the lanes in use have valid keys and rows, by this function's contract; every
        // other lane of the vector reads those of the first.
        unsafe {
            if self.active <= C::FEW {
                return C::make_few(&mut self.blocks, self.active);
            }
            self.blocks.idle(self.active, lanes);
            self.blocks.make::<C::Vector>();
        }
    }

    /// Adds the blocks of the lanes from `first` on to their pieces of text.
    ///
    /// # Safety
    /// The pieces of these lanes are still valid: `src` is readable and `dst` writable for `len`
    /// bytes, and they are equal or apart.
    #[inline(always)]
    pub unsafe fn add(&self, first: usize) {
        for lane in first..self.active {
            // SAFETY: the lane's piece is valid, by this function's contract, and no piece is
            // longer than a block.
            unsafe { add(&self.pieces[lane], &self.blocks.stream[lane]) };
        }
    }
}

fn words(key: *const ChaChaKey) -> *const u32 {
    key.cast()
}

/// A walk through the blocks of texts, in order.
pub(crate) struct Walk<'a, T> {
    texts: &'a [T],
    text: usize,
    block: usize,
}

impl<'a, T: AsRef<ChaChaText>> Walk<'a, T> {
    #[inline(always)]
    pub fn new(texts: &'a [T]) -> Self {
        Walk { texts, text: 0, block: 0 }
    }

    /// Ciphers blocks of one text, as long as there are some for all lanes of C's vector.
    ///
    /// # Safety
    /// The conditions of [`cipher`], for the texts of the walk.
    #[inline(always)]
    pub unsafe fn run_of_one<C: Consecutive>(&mut self, lanes: &mut StreamLanes) {
        let each = C::Vector::LANES;
        while let Some(text) = self.texts.get(self.text) {
            let text = text.as_ref();
            let blocks = text.len / BLOCK;
            while self.block + each <= blocks {
                lanes.occupancy.count(each, each, 1);
                // SAFETY: the text is as the contract of `ChaChaKernel` asks, and it has whole
                // blocks for all lanes from `self.block` on.
                unsafe { C::add_to_one(text, self.block, &mut lanes.blocks) };
                self.block += each;
            }
            if self.block * BLOCK < text.len {
                return;
            }
            self.text += 1;
            self.block = 0;
        }
    }

    /// Puts the next blocks into the free ones of the first `room` lanes.
    #[inline(always)]
    pub fn fill(&mut self, lanes: &mut StreamLanes, room: usize) {
        while lanes.active < room && self.text < self.texts.len() {
            let text = self.texts[self.text].as_ref();
            let start = self.block * BLOCK;
            let (mut src, mut dst) = (text.src.wrapping_add(start), text.dst.wrapping_add(start));
            let mut left = text.len - start;
            while left > 0 && lanes.active < room {
                let lane = lanes.active % MAX_BLOCKS;
                lanes.put(lane, text, self.block as u32);
                let len = left.min(BLOCK);
                lanes.pieces[lane] = TextPiece { src, dst, len };
                (src, dst) = (src.wrapping_add(len), dst.wrapping_add(len));
                left -= len;
                lanes.active += 1;
                self.block += 1;
            }
            if left == 0 {
                self.text += 1;
                self.block = 0;
            }
        }
    }
}

/// Ciphers texts to their end.
///
/// # Safety
/// The contract of [`ChaChaKernel`](super::kernel::ChaChaKernel), for C's instructions.
#[inline(always)]
pub(crate) unsafe fn cipher<C: Consecutive>(texts: &[ChaChaText], lanes: &mut StreamLanes) {
    let mut walk = Walk::new(texts);
    loop {
        lanes.clear();
        // SAFETY: the texts are as this function's contract says.
        unsafe { walk.run_of_one::<C>(lanes) };
        walk.fill(lanes, C::Vector::LANES);
        if lanes.active == 0 {
            return;
        }
        // SAFETY: at least one lane is in use, and what `fill` has put into the lanes comes from
        // the texts, which are valid by this function's contract.
        unsafe {
            lanes.make::<C>();
            lanes.add(0);
        }
    }
}

/// Derives the keys of messages, one for each.
///
/// # Safety The contract of [`ChaChaKernel`](super::kernel::ChaChaKernel), for V's instructions;
/// `keys` has room for the keys of all messages.
#[inline(always)]
pub(crate) unsafe fn subkeys<V: Vector<Word = u32>>(
    messages: &[XChaChaMessage],
    lanes: &mut StreamLanes,
    keys: &mut [ChaChaKey],
) {
    for (messages, keys) in messages.chunks(V::LANES).zip(keys.chunks_mut(V::LANES)) {
        for lane in 0..V::LANES {
            // Lanes that are not in use do as the last one does.
            let XChaChaMessage { row, message } = &messages[lane.min(messages.len() - 1)];
            lanes.blocks.key[lane] = words(message.text.key);
            lanes.blocks.row[lane] = row.as_ptr();
        }
        lanes.occupancy.count(messages.len(), V::LANES, 1);
        // SAFETY: every lane of V has the key and the row of a message, which are valid by this
        // function's contract.
        unsafe { lanes.blocks.make_unadded::<V>() };
        for (key, state) in keys.iter_mut().zip(&lanes.blocks.stream).take(messages.len()) {
            key.derive(state);
        }
    }
}

/// Adds a block of keystream to a piece of text.
///
/// # Safety
/// The piece is valid: `src` is readable and `dst` writable for `len` bytes, at most a block, and
/// they are equal or apart.
#[inline(always)]
unsafe fn add(piece: &TextPiece, stream: &[u32; 16]) {
    let TextPiece { src, dst, len } = *piece;
    // SAFETY: `src` and `dst` are valid for `len` bytes, by this function's contract, and each part
    // is read before it is written.
    unsafe {
        if len == BLOCK {
            let text = src.cast::<[u32; 16]>().read_unaligned();
            dst.cast::<[u32; 16]>().write_unaligned(each!(i in 16 => text[i] ^ stream[i].to_le()));
            return;
        }
        let mut at = 0;
        while len - at >= 16 {
            let text = u128::from_le(src.add(at).cast::<u128>().read_unaligned());
            dst.add(at).cast::<u128>().write_unaligned((text ^ quarter(stream, at)).to_le());
            at += 16;
        }
        if at < len {
            let text = load_bytes(src.add(at), len - at);
            store_bytes(text ^ quarter(stream, at), dst.add(at), len - at);
        }
    }
}

/// Returns sixteen bytes of a block.
#[inline(always)]
fn quarter(stream: &[u32; 16], at: usize) -> u128 {
    let word = |i: usize| u128::from(stream[(at / 4 + i) % 16]) << (32 * i);
    word(0) | word(1) | word(2) | word(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;
    use crate::kernels::chacha::text::ChaChaMessage;

    /// draft-irtf-cfrg-xchacha-03, 2.2.1, in every lane.
    #[test]
    fn keys_are_derived_as_in_the_draft() {
        let key = ChaChaKey::new(&core::array::from_fn(|i| i as u8));
        let row = [0x0900_0000, 0x4a00_0000, 0, 0x2759_4131];
        let text = ChaChaText { key: &key, ..ChaChaText::NONE };
        let extended =
            XChaChaMessage { row, message: ChaChaMessage { text, ..ChaChaMessage::NONE } };
        let other = XChaChaMessage { row: [1, 2, 3, 4], ..extended };
        let expected = [
            0x423b_4182,
            0xfe7b_b227,
            0x5042_0ed3,
            0x737d_878a,
            0xd5e4_f9a0,
            0x53a8_748a,
            0x13c4_2ec1,
            0xdcec_d326,
        ];
        for isa in Cpu::available() {
            let cpu = Cpu::with_isa(isa).expect("it is available");
            let kernel = cpu.pick(&cpu.kernels().chacha);
            for place in 0..20 {
                let mut messages = [other; 20];
                messages[place] = extended;
                for count in [place + 1, 20] {
                    let mut keys = [const { ChaChaKey::NONE }; 20];
                    let mut lanes = StreamLanes::new();
                    // SAFETY: the key is valid, the CPU has the kernel's instructions, and there is
                    // room for 20 keys.
                    unsafe { (kernel.subkeys)(&messages[..count], &mut lanes, &mut keys) };
                    for (i, derived) in keys.iter().enumerate() {
                        assert_eq!(derived.words() == expected, i == place, "lane {i}, {isa}");
                    }
                }
            }
        }
    }
}
