//! Adds the key stream to texts. Their blocks are dealt to lanes in order, across texts.

use super::block::{Blocks, Consecutive, MAX_BLOCKS};
use super::{BLOCK, ChaChaKey, Extended, Text};
use crate::aes::bytes::{load_bytes, store_bytes};
use crate::manager::Occupancy;
use crate::vector::{Vector, each};

/// The part of a text that a lane's block is added to.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

/// Lanes, and what they work on.
pub(crate) struct Lanes {
    pub blocks: Blocks,
    pieces: [Piece; MAX_BLOCKS],
    /// Lanes in use: `0..active`.
    active: usize,
    occupancy: Occupancy,
}

impl Lanes {
    pub const fn new() -> Self {
        let piece = Piece { src: core::ptr::null(), dst: core::ptr::null_mut(), len: 0 };
        Lanes {
            blocks: Blocks::new(),
            pieces: [piece; MAX_BLOCKS],
            active: 0,
            occupancy: Occupancy { used: 0, offered: 0 },
        }
    }

    /// No lane is in use any more.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.active = 0;
    }

    /// Lanes in use.
    #[inline(always)]
    pub fn active(&self) -> usize {
        self.active
    }

    /// How full the lanes were so far.
    pub fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Puts a block into the next lane that adds to no text: that whose counter is less by 1 than
    /// the text's.
    #[inline(always)]
    pub fn put_key_block(&mut self, text: &Text) {
        self.put(self.active, text, u32::MAX);
        self.active += 1;
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, text: &Text, number: u32) {
        let Text { key, row, .. } = text;
        self.blocks.key[lane] = words(*key);
        self.blocks.row[lane] = row.as_ptr();
        self.blocks.number[lane] = number;
    }

    /// Makes the blocks of all lanes in use.
    ///
    /// # Safety
    /// The CPU has V's instructions, and what was put into the lanes is valid. At least one is in
    /// use.
    #[inline(always)]
    pub unsafe fn make<V: Vector<Word = u32>>(&mut self) {
        self.occupancy.count(self.active, V::LANES, 1);
        // SAFETY: the caller's; lanes that are not in use do as the first one does.
        unsafe {
            for lane in self.active..V::LANES {
                self.blocks.key[lane] = self.blocks.key[0];
                self.blocks.row[lane] = self.blocks.row[0];
            }
            self.blocks.make::<V>();
        }
    }

    /// Adds the blocks of the lanes from `first` on to what they are for.
    ///
    /// # Safety
    /// The pieces of the lanes in use are good.
    #[inline(always)]
    pub unsafe fn add(&self, first: usize) {
        for lane in first..self.active {
            // SAFETY: the caller's.
            unsafe { add(&self.pieces[lane], &self.blocks.stream[lane]) };
        }
    }
}

fn words(key: *const ChaChaKey) -> *const u32 {
    key.cast()
}

/// A way through the blocks of texts.
pub(crate) struct Walk<'a, T> {
    texts: &'a [T],
    text: usize,
    block: usize,
}

impl<'a, T: AsRef<Text>> Walk<'a, T> {
    #[inline(always)]
    pub fn new(texts: &'a [T]) -> Self {
        Walk { texts, text: 0, block: 0 }
    }

    /// Ciphers blocks of one text, as long as there are some for all lanes of C's vector.
    ///
    /// # Safety
    /// As [`cipher`].
    #[inline(always)]
    pub unsafe fn run_of_one<C: Consecutive>(&mut self, lanes: &mut Lanes) {
        let each = C::Vector::LANES;
        while let Some(text) = self.texts.get(self.text) {
            let text = text.as_ref();
            let blocks = text.len / BLOCK;
            while self.block + each <= blocks {
                lanes.occupancy.count(each, each, 1);
                // SAFETY: the caller's.
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

    /// Puts the next blocks into the lanes of `V` that are free.
    #[inline(always)]
    pub fn fill<V: Vector<Word = u32>>(&mut self, lanes: &mut Lanes) {
        while lanes.active < V::LANES && self.text < self.texts.len() {
            let text = self.texts[self.text].as_ref();
            let start = self.block * BLOCK;
            let (mut src, mut dst) = (text.src.wrapping_add(start), text.dst.wrapping_add(start));
            let mut left = text.len - start;
            while left > 0 && lanes.active < V::LANES {
                let lane = lanes.active % MAX_BLOCKS;
                lanes.put(lane, text, self.block as u32);
                let len = left.min(BLOCK);
                lanes.pieces[lane] = Piece { src, dst, len };
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
/// The contract of [`ChaChaKernel`](super::ChaChaKernel), for C's instructions.
#[inline(always)]
pub(crate) unsafe fn cipher<C: Consecutive>(texts: &[Text], lanes: &mut Lanes) {
    let mut walk = Walk::new(texts);
    loop {
        lanes.clear();
        // SAFETY: the caller's.
        unsafe { walk.run_of_one::<C>(lanes) };
        walk.fill::<C::Vector>(lanes);
        if lanes.active == 0 {
            return;
        }
        // SAFETY: the caller's.
        unsafe {
            lanes.make::<C::Vector>();
            lanes.add(0);
        }
    }
}

/// Derives the keys of messages, one for each.
///
/// # Safety
/// The contract of [`ChaChaKernel`](super::ChaChaKernel), for V's instructions. There is room for
/// as many keys.
#[inline(always)]
pub(crate) unsafe fn subkeys<V: Vector<Word = u32>>(
    messages: &[Extended],
    lanes: &mut Lanes,
    keys: &mut [ChaChaKey],
) {
    for (messages, keys) in messages.chunks(V::LANES).zip(keys.chunks_mut(V::LANES)) {
        for lane in 0..V::LANES {
            // Lanes that are not in use do as the last one does.
            let Extended { row, message } = &messages[lane.min(messages.len() - 1)];
            lanes.blocks.key[lane] = words(message.text.key);
            lanes.blocks.row[lane] = row.as_ptr();
        }
        lanes.occupancy.count(messages.len(), V::LANES, 1);
        // SAFETY: the caller's.
        unsafe { lanes.blocks.make_unadded::<V>() };
        for (key, state) in keys.iter_mut().zip(&lanes.blocks.stream).take(messages.len()) {
            key.derive(state);
        }
    }
}

/// Adds a block of keystream to a piece of text.
///
/// # Safety
/// The piece is good, and has at most as many bytes as the block.
#[inline(always)]
unsafe fn add(piece: &Piece, stream: &[u32; 16]) {
    let Piece { src, dst, len } = *piece;
    // SAFETY: the caller's; all is read before it is written.
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

/// Sixteen bytes of a block.
#[inline(always)]
fn quarter(stream: &[u32; 16], at: usize) -> u128 {
    let word = |i: usize| u128::from(stream[(at / 4 + i) % 16]) << (32 * i);
    word(0) | word(1) | word(2) | word(3)
}

#[cfg(test)]
mod tests {
    use super::super::Message;
    use super::*;
    use crate::cpu::Cpu;

    /// draft-irtf-cfrg-xchacha-03, 2.2.1, in every lane.
    #[test]
    fn keys_are_derived_as_in_the_draft() {
        let key = ChaChaKey::new(&core::array::from_fn(|i| i as u8));
        let row = [0x0900_0000, 0x4a00_0000, 0, 0x2759_4131];
        let text = Text { key: &key, ..Text::NONE };
        let extended = Extended { row, message: Message { text, ..Message::NONE } };
        let other = Extended { row: [1, 2, 3, 4], ..extended };
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
                    let mut lanes = Lanes::new();
                    // SAFETY: the key is valid, the CPU has the kernel's instructions, and there is
                    // room.
                    unsafe { (kernel.subkeys)(&messages[..count], &mut lanes, &mut keys) };
                    for (i, derived) in keys.iter().enumerate() {
                        assert_eq!(derived.words() == expected, i == place, "lane {i}, {isa}");
                    }
                }
            }
        }
    }
}
