//! The modes of operation, applied to the blocks of lanes (SP 800-38A).

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use crate::vector::each;

/// Bytes in a block of DES.
pub(super) const BLOCK: usize = 8;

/// A mode, and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DesMode {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt,
    CbcDecrypt,
    Counter,
}

impl DesMode {
    /// Returns `true` if the cipher runs backwards.
    #[inline(always)]
    pub fn decrypts(self) -> bool {
        matches!(self, DesMode::EcbDecrypt | DesMode::CbcDecrypt)
    }

    /// Returns `true` if each block needs what became of the one before.
    #[inline(always)]
    pub fn is_serial(self) -> bool {
        self == DesMode::CbcEncrypt
    }
}

/// Whole blocks that one lane ciphers one after the other: a buffer, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct DesRun {
    pub mode: DesMode,
    pub src: *const u8,
    pub dst: *mut u8,
    pub blocks: usize,
    /// For CBC the last block of ciphertext, at first the IV, as a little-endian integer; in
    /// counter mode the next counter.
    pub chain: u64,
}

/// The runs of lanes, by what they have.
pub(super) struct Runs {
    mode: Box<[DesMode]>,
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
            mode: vec![DesMode::EcbEncrypt; lanes].into(),
            src: vec![core::ptr::null(); lanes].into(),
            dst: vec![core::ptr::null_mut(); lanes].into(),
            chain: vec![0; lanes].into(),
            ahead: vec![0; AHEAD * row(lanes)].into(),
        }
    }

    /// Gives a lane a run.
    #[inline(always)]
    pub fn put(&mut self, lane: usize, run: &DesRun) {
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

    /// Moves a lane forward by `blocks` blocks.
    ///
    /// # Safety
    /// The lane's run has at least `blocks` blocks.
    #[inline(always)]
    pub unsafe fn advance(&mut self, lane: usize, blocks: usize) {
        // SAFETY: the run has these blocks, by this function's contract.
        unsafe {
            self.src[lane] = self.src[lane].add(BLOCK * blocks);
            self.dst[lane] = self.dst[lane].add(BLOCK * blocks);
        }
    }

    /// Reads `blocks` blocks, at most [`AHEAD`], from block `number` on of the first lanes, if they
    /// have a mode that gains by it. Returns `true` if it did.
    ///
    /// # Safety
    /// The runs of these lanes have these blocks, and their sources are readable.
    pub unsafe fn read_ahead(&mut self, number: usize, blocks: usize, lanes: usize) -> bool {
        if lanes <= NEAR || self.shared(lanes) != Some(DesMode::CbcEncrypt) {
            return false;
        }
        let row = row(self.src.len());
        for (lane, src) in self.src[..lanes].iter().enumerate() {
            // SAFETY: the lane's run has blocks `number..number + blocks`, by this function's
            // contract.
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

    /// Does what [`input`](Runs::input) does, for the block of this number among those read ahead.
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

    /// Does what [`output`](Runs::output) does, of those blocks, but writes nothing yet.
    pub fn output_ahead(&mut self, number: usize, blocks: &[u64]) {
        let row = row(self.src.len());
        self.ahead[number * row..][..blocks.len()].copy_from_slice(blocks);
    }

    /// Writes the results of all blocks that were read ahead, given the numbers that
    /// [`read_ahead`](Runs::read_ahead) was given; the last block of each lane is then its chain.
    ///
    /// # Safety
    /// The runs of the first lanes have these blocks, and their destinations are writable.
    pub unsafe fn write_behind(&mut self, number: usize, blocks: usize, lanes: usize) {
        let row = row(self.src.len());
        self.chain[..lanes].copy_from_slice(&self.ahead[(blocks - 1) * row..][..lanes]);
        for (lane, dst) in self.dst[..lanes].iter().enumerate() {
            // SAFETY: the lane's run has blocks `number..number + blocks`, by this function's
            // contract.
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

    /// Computes the cipher's inputs for block `number` of each of the first lanes, as many as
    /// `blocks` has.
    ///
    /// # Safety
    /// The runs of these lanes have this block, and their sources are readable.
    pub unsafe fn input(&self, number: usize, blocks: &mut [u64]) {
        // SAFETY: these are the conditions of this function's own contract, and each closure gives
        // the lanes' own mode, or one that takes the same input.
        unsafe {
            match self.shared(blocks.len()) {
                Some(DesMode::CbcEncrypt) => {
                    self.each_input(number, blocks, |_| DesMode::CbcEncrypt)
                }
                Some(DesMode::Counter) => self.each_input(number, blocks, |_| DesMode::Counter),
                Some(_) => self.each_input(number, blocks, |_| DesMode::CbcDecrypt),
                None => self.each_input(number, blocks, |mode| mode),
            }
        }
    }

    /// Takes the cipher's outputs for block `number` of the first lanes.
    ///
    /// # Safety
    /// The conditions of [`input`](Runs::input); the destinations are writable.
    pub unsafe fn output(&mut self, number: usize, blocks: &[u64]) {
        // SAFETY: these are the conditions of this function's own contract, and each closure gives
        // the lanes' own mode, or one that takes the same output.
        unsafe {
            match self.shared(blocks.len()) {
                Some(DesMode::CbcEncrypt) => {
                    self.each_output(number, blocks, |_| DesMode::CbcEncrypt)
                }
                Some(DesMode::CbcDecrypt) => {
                    self.each_output(number, blocks, |_| DesMode::CbcDecrypt)
                }
                Some(DesMode::Counter) => self.each_output(number, blocks, |_| DesMode::Counter),
                Some(_) => self.each_output(number, blocks, |_| DesMode::EcbEncrypt),
                None => self.each_output(number, blocks, |mode| mode),
            }
        }
    }

    /// Returns the mode of the first lanes, if they have one.
    fn shared(&self, lanes: usize) -> Option<DesMode> {
        let modes = &self.mode[..lanes];
        let first = *modes.first()?;
        let differ = modes.iter().fold(false, |differ, mode| differ | (*mode != first));
        (!differ).then_some(first)
    }

    /// Does the work of [`input`](Runs::input).
    ///
    /// # Safety
    /// The conditions of [`input`](Runs::input); `known` gives a mode that has the input of the
    /// mode that it is given.
    #[inline(always)]
    unsafe fn each_input(
        &self,
        number: usize,
        blocks: &mut [u64],
        known: impl Fn(DesMode) -> DesMode,
    ) {
        let lanes = self.mode.iter().zip(&self.src).zip(&self.chain);
        for (block, ((mode, src), chain)) in blocks.iter_mut().zip(lanes) {
            // SAFETY: the lane's run has this block and its source is readable, by this function's
            // contract.
            unsafe {
                *block = match known(*mode) {
                    DesMode::EcbEncrypt | DesMode::EcbDecrypt | DesMode::CbcDecrypt => {
                        read(src.add(BLOCK * number))
                    }
                    DesMode::CbcEncrypt => read(src.add(BLOCK * number)) ^ chain,
                    DesMode::Counter => chain.swap_bytes(),
                };
            }
        }
    }

    /// Does the work of [`output`](Runs::output).
    ///
    /// # Safety
    /// The conditions of [`output`](Runs::output); `known` gives a mode that has the output of the
    /// mode that it is given.
    #[inline(always)]
    unsafe fn each_output(
        &mut self,
        number: usize,
        blocks: &[u64],
        known: impl Fn(DesMode) -> DesMode,
    ) {
        let lanes = self.mode.iter().zip(&self.src).zip(&self.dst).zip(&mut self.chain);
        for (block, (((mode, src), dst), chain)) in blocks.iter().zip(lanes) {
            // SAFETY: the lane's run has this block, its source is readable and its destination
            // writable, by this function's contract. Sources are read before destinations are
            // written, because they may be the same.
            unsafe {
                let (src, dst) = (src.add(BLOCK * number), dst.add(BLOCK * number));
                match known(*mode) {
                    DesMode::EcbEncrypt | DesMode::EcbDecrypt => write(dst, *block),
                    DesMode::CbcEncrypt => {
                        *chain = *block;
                        write(dst, *block);
                    }
                    DesMode::CbcDecrypt => {
                        let ciphertext = read(src);
                        write(dst, block ^ *chain);
                        *chain = ciphertext;
                    }
                    DesMode::Counter => {
                        *chain = chain.wrapping_add(1);
                        write(dst, read(src) ^ block);
                    }
                }
            }
        }
    }
}

/// Returns the words from a row of blocks that were read ahead to the next: not a power of two, so
/// that blocks of one lane are in different sets of the cache.
fn row(lanes: usize) -> usize {
    lanes + 8
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.chain.zeroize();
        self.ahead.zeroize();
    }
}

/// Reads a block as a little-endian integer.
///
/// # Safety
/// `from` is readable for eight bytes.
#[inline(always)]
pub(super) unsafe fn read(from: *const u8) -> u64 {
    // SAFETY: `from` is readable for eight bytes, by this function's contract.
    u64::from_le_bytes(unsafe { from.cast::<[u8; BLOCK]>().read() })
}

/// Writes an integer as a block.
///
/// # Safety
/// `to` is writable for eight bytes.
#[inline(always)]
unsafe fn write(to: *mut u8, block: u64) {
    // SAFETY: `to` is writable for eight bytes, by this function's contract.
    unsafe { to.cast::<[u8; BLOCK]>().write(block.to_le_bytes()) }
}
