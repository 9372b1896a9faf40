//! The modes of operation, applied to the blocks of lanes (SP 800-38A).

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use crate::vector::each;

/// Bytes in a block of DES.
pub(super) const BLOCK: usize = 8;

/// A mode, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt,
    CbcDecrypt,
    Counter,
}

impl Mode {
    /// Whether the cipher runs backwards.
    #[inline(always)]
    pub fn decrypts(self) -> bool {
        matches!(self, Mode::EcbDecrypt | Mode::CbcDecrypt)
    }

    /// Whether each block needs what became of the one before.
    #[inline(always)]
    pub fn is_serial(self) -> bool {
        self == Mode::CbcEncrypt
    }
}

/// Whole blocks that one lane ciphers one after the other: a buffer, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub mode: Mode,
    pub src: *const u8,
    pub dst: *mut u8,
    pub blocks: usize,
    /// For CBC the last block of ciphertext, at first the IV, as a little-endian integer; in
    /// counter mode the next counter.
    pub chain: u64,
}

/// The runs of lanes, by what they have.
pub(super) struct Runs {
    mode: Box<[Mode]>,
    src: Box<[*const u8]>,
    dst: Box<[*mut u8]>,
    chain: Box<[u64]>,
    /// The next blocks of all lanes, number by number, where they were read ahead; and what became
    /// of them, in their places, until it is written.
    ahead: Box<[u64]>,
}

/// Blocks of a lane that are read ahead: a cache line.
pub(super) const AHEAD: usize = 8;

/// The number of lanes for which the first-level cache has room for a line each, beside everything
/// else. With more lanes, each line would be fetched again for every block in it.
const NEAR: usize = 256;

impl Runs {
    pub fn new(lanes: usize) -> Self {
        Runs {
            mode: vec![Mode::EcbEncrypt; lanes].into(),
            src: vec![core::ptr::null(); lanes].into(),
            dst: vec![core::ptr::null_mut(); lanes].into(),
            chain: vec![0; lanes].into(),
            ahead: vec![0; AHEAD * row(lanes)].into(),
        }
    }

    /// Gives a lane a run.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, run: &Run) {
        self.mode[lane] = run.mode;
        self.src[lane] = run.src;
        self.dst[lane] = run.dst;
        self.chain[lane] = run.chain;
    }

    /// Moves a lane's run to another lane.
    #[inline(always)]
    pub fn copy(&mut self, from: usize, to: usize) {
        self.mode[to] = self.mode[from];
        self.src[to] = self.src[from];
        self.dst[to] = self.dst[from];
        self.chain[to] = self.chain[from];
    }

    /// Goes on by so many blocks in a lane.
    ///
    /// # Safety
    /// The run has as many.
    #[inline(always)]
    pub unsafe fn advance(&mut self, lane: usize, blocks: usize) {
        // SAFETY: the caller's.
        unsafe {
            self.src[lane] = self.src[lane].add(BLOCK * blocks);
            self.dst[lane] = self.dst[lane].add(BLOCK * blocks);
        }
    }

    /// Reads blocks from this number on of the first lanes, if they have a mode that gains by it:
    /// at most [`AHEAD`]. Returns whether it did.
    ///
    /// # Safety
    /// Their runs have so many blocks, whose sources are readable.
    pub unsafe fn read_ahead(&mut self, number: usize, blocks: usize, lanes: usize) -> bool {
        if lanes <= NEAR || self.shared(lanes) != Some(Mode::CbcEncrypt) {
            return false;
        }
        let row = row(self.src.len());
        for (lane, src) in self.src[..lanes].iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let from = src.add(BLOCK * number);
                if blocks == AHEAD {
                    let line = from.cast::<[u64; AHEAD]>().read_unaligned();
                    each!(i in 8 => self.ahead[i * row + lane] = line[i].to_le());
                } else {
                    for i in 0..blocks {
                        self.ahead[i * row + lane] = read(from.add(BLOCK * i));
                    }
                }
            }
        }
        true
    }

    /// As [`input`](Runs::input), for the block of this number among those read ahead.
    pub fn input_ahead(&self, number: usize, blocks: &mut [u64]) {
        let row = row(self.src.len());
        let chain = match number {
            0 => &self.chain,
            _ => &self.ahead[(number - 1) * row..],
        };
        let ahead = &self.ahead[number * row..][..blocks.len()];
        for ((block, ahead), chain) in blocks.iter_mut().zip(ahead).zip(chain) {
            *block = ahead ^ chain;
        }
    }

    /// As [`output`](Runs::output), of those, but that nothing is written yet.
    pub fn output_ahead(&mut self, number: usize, blocks: &[u64]) {
        let row = row(self.src.len());
        self.ahead[number * row..][..blocks.len()].copy_from_slice(blocks);
    }

    /// Writes what became of all blocks that were read ahead, given as they were to
    /// [`read_ahead`](Runs::read_ahead); the last of each lane is then its chain.
    ///
    /// # Safety
    /// The first lanes' runs have so many blocks, whose destinations are writable.
    pub unsafe fn write_behind(&mut self, number: usize, blocks: usize, lanes: usize) {
        let row = row(self.src.len());
        self.chain[..lanes].copy_from_slice(&self.ahead[(blocks - 1) * row..][..lanes]);
        for (lane, dst) in self.dst[..lanes].iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let to = dst.add(BLOCK * number);
                if blocks == AHEAD {
                    let line = each!(i in 8 => self.ahead[i * row + lane].to_le());
                    to.cast::<[u64; AHEAD]>().write_unaligned(line);
                } else {
                    for i in 0..blocks {
                        write(to.add(BLOCK * i), self.ahead[i * row + lane]);
                    }
                }
            }
        }
    }

    /// The cipher's inputs for one block of each of the first lanes, as many as there are blocks.
    ///
    /// # Safety
    /// Their runs have so many blocks, whose sources are readable.
    pub unsafe fn input(&self, number: usize, blocks: &mut [u64]) {
        // SAFETY: the caller's.
        unsafe {
            match self.shared(blocks.len()) {
                Some(Mode::CbcEncrypt) => self.each_input(number, blocks, |_| Mode::CbcEncrypt),
                Some(Mode::Counter) => self.each_input(number, blocks, |_| Mode::Counter),
                Some(_) => self.each_input(number, blocks, |_| Mode::CbcDecrypt),
                None => self.each_input(number, blocks, |mode| mode),
            }
        }
    }

    /// Takes what the cipher gave for the block of this number of the first lanes.
    ///
    /// # Safety
    /// As [`input`](Runs::input), and their destinations are writable.
    pub unsafe fn output(&mut self, number: usize, blocks: &[u64]) {
        // SAFETY: the caller's.
        unsafe {
            match self.shared(blocks.len()) {
                Some(Mode::CbcEncrypt) => self.each_output(number, blocks, |_| Mode::CbcEncrypt),
                Some(Mode::CbcDecrypt) => self.each_output(number, blocks, |_| Mode::CbcDecrypt),
                Some(Mode::Counter) => self.each_output(number, blocks, |_| Mode::Counter),
                Some(_) => self.each_output(number, blocks, |_| Mode::EcbEncrypt),
                None => self.each_output(number, blocks, |mode| mode),
            }
        }
    }

    /// The mode of the first lanes, if they have one.
    fn shared(&self, lanes: usize) -> Option<Mode> {
        let modes = &self.mode[..lanes];
        let first = *modes.first()?;
        let differ = modes.iter().fold(false, |differ, mode| differ | (*mode != first));
        (!differ).then_some(first)
    }

    /// # Safety
    /// As [`input`](Runs::input); `known` gives the mode that it is given.
    #[inline(always)]
    unsafe fn each_input(&self, number: usize, blocks: &mut [u64], known: impl Fn(Mode) -> Mode) {
        let lanes = self.mode.iter().zip(&self.src).zip(&self.chain);
        for (block, ((mode, src), chain)) in blocks.iter_mut().zip(lanes) {
            // SAFETY: the caller's.
            unsafe {
                *block = match known(*mode) {
                    Mode::EcbEncrypt | Mode::EcbDecrypt | Mode::CbcDecrypt => {
                        read(src.add(BLOCK * number))
                    }
                    Mode::CbcEncrypt => read(src.add(BLOCK * number)) ^ chain,
                    Mode::Counter => chain.swap_bytes(),
                };
            }
        }
    }

    /// # Safety
    /// As [`output`](Runs::output); `known` gives the mode that it is given.
    #[inline(always)]
    unsafe fn each_output(&mut self, number: usize, blocks: &[u64], known: impl Fn(Mode) -> Mode) {
        let lanes = self.mode.iter().zip(&self.src).zip(&self.dst).zip(&mut self.chain);
        for (block, (((mode, src), dst), chain)) in blocks.iter().zip(lanes) {
            // SAFETY: the caller's. Sources are read before destinations are written: they may be
            // the same.
            unsafe {
                let (src, dst) = (src.add(BLOCK * number), dst.add(BLOCK * number));
                match known(*mode) {
                    Mode::EcbEncrypt | Mode::EcbDecrypt => write(dst, *block),
                    Mode::CbcEncrypt => {
                        *chain = *block;
                        write(dst, *block);
                    }
                    Mode::CbcDecrypt => {
                        let ciphertext = read(src);
                        write(dst, block ^ *chain);
                        *chain = ciphertext;
                    }
                    Mode::Counter => {
                        *chain = chain.wrapping_add(1);
                        write(dst, read(src) ^ block);
                    }
                }
            }
        }
    }
}

/// Words from a row of blocks that were read ahead to the next: not a power of two, so that blocks
/// of one lane are in different sets of the cache.
fn row(lanes: usize) -> usize {
    lanes + 8
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.chain.zeroize();
        self.ahead.zeroize();
    }
}

/// A block as a little-endian integer.
///
/// # Safety
/// Eight bytes are readable.
#[inline(always)]
pub(super) unsafe fn read(from: *const u8) -> u64 {
    // SAFETY: the caller's.
    u64::from_le_bytes(unsafe { from.cast::<[u8; BLOCK]>().read() })
}

/// Writes an integer as a block.
///
/// # Safety
/// Eight bytes are writable.
#[inline(always)]
unsafe fn write(to: *mut u8, block: u64) {
    // SAFETY: the caller's.
    unsafe { to.cast::<[u8; BLOCK]>().write(block.to_le_bytes()) }
}
