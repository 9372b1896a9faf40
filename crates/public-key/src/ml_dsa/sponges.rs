//! SHAKE (FIPS 202) for the operations of a group: messages side by side in the lanes of the widest
//! kernel of Keccak.

use alloc::boxed::Box;
use core::ops::Range;
use core::{array, ptr};

use broadloom_lanes::inside::sponge::{self, KeccakKernel, MAX_LANES, MAX_RATE, Rate, WORDS};
use broadloom_lanes::inside::wiped::clear_all;
use broadloom_lanes::{Cpu, Occupancy};

use super::params::{DIGEST, LEN, MAX_COMMITMENT};
use crate::kernels::ml_dsa::kernel::MlDsaKernel;
use crate::kernels::ml_dsa::ring::N;
use crate::kernels::ml_dsa::sample::{FIRST, ROOM, SLACK};

/// The suffix of SHAKE.
const SHAKE: u8 = 0x1f;

/// Bytes of a row: five blocks of SHAKE128 and what is written or read behind them.
pub(super) const ROW: usize = (FIRST + SLACK).next_multiple_of(64) + 64;

/// The most pieces of a message.
const PIECES: usize = 6;

/// A message in pieces that lie apart.
pub(super) type Pieces<'m> = [&'m [u8]; PIECES];

/// Room for what a sponge gives.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Row([u8; ROW]);

/// The words of all lanes, and blocks to absorb.
#[repr(C, align(64))]
struct States {
    words: [u64; WORDS * MAX_LANES],
    blocks: [[u8; MAX_RATE]; MAX_LANES],
}

/// Sponges in lanes, and what they give.
pub(super) struct Sponges {
    kernel: KeccakKernel,
    states: Box<States>,
    /// Streams of each lane.
    streams: Box<[Row; MAX_LANES]>,
    /// The numbers that were sampled from a stream, and those that are too many.
    samples: Box<[u32; ROOM]>,
    pub occupancy: Occupancy,
}

/// How far a message is absorbed.
#[derive(Clone, Copy)]
struct Cursor {
    piece: usize,
    at: usize,
    /// What is absorbed next, and how many blocks of it.
    data: *const u8,
    left: usize,
    /// Whether these are the last.
    is_last: bool,
}

/// The rate of SHAKE256, in bytes.
pub(super) const RATE: usize = Rate::Bytes136.bytes();

impl Cursor {
    const NEW: Cursor = Cursor { piece: 0, at: 0, data: ptr::null(), left: 0, is_last: false };

    /// Moves to the next blocks of a message: those of one piece, where they are, or one that is
    /// brought together in `block`, padded where it is the last.
    fn turn(&mut self, pieces: &Pieces<'_>, block: &mut [u8; MAX_RATE]) {
        let skip = |cursor: &mut Cursor| {
            while cursor.piece < PIECES && cursor.at == pieces[cursor.piece].len() {
                (cursor.piece, cursor.at) = (cursor.piece + 1, 0);
            }
        };
        skip(self);
        if let Some(piece) = pieces.get(self.piece) {
            let blocks = (piece.len() - self.at) / RATE;
            if blocks > 0 {
                (self.data, self.left) = (piece[self.at..].as_ptr(), blocks);
                self.at += blocks * RATE;
                return;
            }
        }
        let mut filled = 0;
        while filled < RATE && self.piece < PIECES {
            let piece = &pieces[self.piece][self.at..];
            let len = piece.len().min(RATE - filled);
            block[filled..][..len].copy_from_slice(&piece[..len]);
            (filled, self.at) = (filled + len, self.at + len);
            skip(self);
        }
        if filled < RATE {
            block[filled..].fill(0);
            block[filled] = SHAKE;
            block[RATE - 1] |= 0x80;
            self.is_last = true;
        }
        (self.data, self.left) = (block.as_ptr(), 1);
    }
}

/// Streams that go side by side, for which more blocks can be had.
pub(super) struct Batch<'s> {
    sponges: &'s mut Sponges,
    /// The number of the first stream.
    pub first: usize,
    pub count: usize,
    rate: Rate,
}

impl Batch<'_> {
    /// Returns what the stream of a lane has given.
    pub fn row(&self, lane: usize) -> &[u8; ROW] {
        &self.sponges.streams[lane].0
    }

    /// Goes on with the streams: their next block is at the beginning of the rows.
    pub fn next(&mut self) {
        self.sponges.squeeze((self.count, self.rate), (0, 1));
    }

    /// Samples a polynomial of the stream of each lane, which has given so many blocks, and takes
    /// the streams on as long as one needs more: `sample` appends the numbers that the bytes of a
    /// pointer and a length stand for to those that there are at a pointer, and returns how many
    /// there are then, and `to` returns where the polynomial of a lane goes.
    ///
    /// The bytes have [`SLACK`] behind them, and there is [`ROOM`] for numbers.
    ///
    /// # Safety
    /// The pointers are writable for polynomials.
    pub unsafe fn sample(
        &mut self,
        blocks: usize,
        sample: impl Fn(*const u8, usize, *mut u32, usize) -> usize,
        mut to: impl FnMut(usize) -> *mut u32,
    ) {
        let mut have = [0; MAX_LANES];
        let have = &mut have[..self.count];
        let mut len = blocks * self.rate.bytes();
        loop {
            for (lane, have) in have.iter_mut().enumerate().filter(|(_, have)| **have < N) {
                let to = to(lane);
                let Sponges { streams, samples, .. } = &mut *self.sponges;
                let samples = samples.as_mut_ptr();
                // SAFETY: there is room for at most 255 numbers, and for a polynomial. The pointer
                // is writable for one, by this function's contract.
                unsafe {
                    samples.copy_from_nonoverlapping(to, *have);
                    *have = sample(streams[lane].0.as_ptr(), len, samples, *have);
                    to.copy_from_nonoverlapping(samples, N.min(*have));
                }
            }
            // Nearly all streams are sampled to their ends at once.
            if have.iter().all(|have| *have >= N) {
                return;
            }
            self.next();
            len = self.rate.bytes();
        }
    }
}

impl Sponges {
    pub fn new(cpu: &Cpu) -> Self {
        Sponges {
            kernel: sponge::kernels(cpu).wide,
            states: Box::new(States {
                words: [0; WORDS * MAX_LANES],
                blocks: [[0; MAX_RATE]; MAX_LANES],
            }),
            streams: Box::new([Row([0; ROW]); MAX_LANES]),
            samples: Box::new([0; ROOM]),
            occupancy: Occupancy::default(),
        }
    }

    /// Absorbs blocks.
    ///
    /// # Safety
    /// Every pointer is readable for so many blocks.
    unsafe fn absorb(
        &mut self,
        data: &[*const u8; MAX_LANES],
        count: usize,
        rate: Rate,
        blocks: usize,
    ) {
        self.occupancy.count(count, self.kernel.lanes, blocks);
        // SAFETY: the kernel is for this CPU; there are words and pointers for the most lanes, and
        // the pointers are readable, by this function's contract.
        unsafe { (self.kernel.absorb)(self.states.words.as_mut_ptr(), data.as_ptr(), rate, blocks) }
    }

    /// Takes the states on to the next blocks of their streams, and writes these to the rows, from
    /// the row's block `first` on.
    fn squeeze(&mut self, (count, rate): (usize, Rate), (first, blocks): (usize, usize)) {
        if blocks == 0 {
            return;
        }
        let at = first * rate.bytes();
        assert!(at + (blocks - 1) * rate.bytes() + 192 <= ROW, "a row has room");
        self.occupancy.count(count, self.kernel.lanes, blocks);
        let rows = self.streams.each_mut().map(|row| row.0[at..].as_mut_ptr().cast());
        let states = self.states.words.as_mut_ptr();
        // SAFETY: the kernel is for this CPU; there are states and rows for the most lanes, a row
        // has the blocks and 24 words from the last one on, and they are aligned.
        unsafe { (self.kernel.squeeze)(states, rate, blocks, rows.as_ptr()) }
    }

    /// Writes the first 24 words of every lane to its row.
    fn extract_block(&mut self) {
        let rows = self.streams.each_mut().map(|row| row.0.as_mut_ptr().cast());
        // SAFETY: the kernel is for this CPU; there are states and rows for the most lanes, a row
        // has 24 words, and they are aligned.
        unsafe { (self.kernel.extract)(self.states.words.as_ptr(), 3, rows.as_ptr()) }
    }

    /// Makes `total` streams, of `blocks` blocks each: `seed` writes the seed of a stream, shorter
    /// than a block, and returns its length.
    fn expand(
        &mut self,
        (total, rate, blocks): (usize, Rate, usize),
        seed: impl Fn(usize, &mut [u8; MAX_RATE]) -> usize,
        mut done: impl FnMut(&mut Batch<'_>),
    ) {
        let lanes = self.kernel.lanes;
        for first in (0..total).step_by(lanes) {
            let count = lanes.min(total - first);
            self.states.words.fill(0);
            for (lane, block) in self.states.blocks[..count].iter_mut().enumerate() {
                *block = [0; MAX_RATE];
                let len = seed(first + lane, block);
                block[len] = SHAKE;
                block[rate.bytes() - 1] |= 0x80;
            }
            let blocks_of = &self.states.blocks;
            let data =
                array::from_fn(|lane| blocks_of[if lane < count { lane } else { 0 }].as_ptr());
            // SAFETY: a block has `MAX_RATE` bytes.
            unsafe { self.absorb(&data, count, rate, 1) };
            self.extract_block();
            self.squeeze((count, rate), (1, blocks - 1));
            done(&mut Batch { sponges: self, first, count, rate });
        }
    }

    /// Makes `total` streams of SHAKE256 of short seeds, of up to five blocks.
    pub fn streams(
        &mut self,
        (total, blocks): (usize, usize),
        seed: impl Fn(usize, &mut [u8; MAX_RATE]) -> usize,
        done: impl FnMut(&mut Batch<'_>),
    ) {
        self.expand((total, Rate::Bytes136, blocks), seed, done);
    }

    /// Samples the polynomials of matrices (FIPS 204, algorithm 32) of `n` operations: `rho`
    /// returns the seed of an operation, and `to` where a polynomial goes. These are those of some
    /// rows, of `l` polynomials each, and are numbered row by row.
    ///
    /// # Safety
    /// The pointers are writable for polynomials.
    pub unsafe fn matrices<'t>(
        &mut self,
        kernel: &MlDsaKernel,
        (n, some, l): (usize, Range<usize>, usize),
        rho: impl Fn(usize) -> &'t [u8],
        mut to: impl FnMut(usize, usize) -> *mut u32,
    ) {
        let (start, polys) = (some.start * l, some.len() * l);
        let rate = Rate::Bytes168;
        let seed = |stream: usize, block: &mut [u8; MAX_RATE]| {
            let poly = start + stream % polys;
            block[..LEN].copy_from_slice(rho(stream / polys));
            [block[LEN], block[LEN + 1]] = [(poly % l) as u8, (poly / l) as u8];
            LEN + 2
        };
        self.expand((n * polys, rate, FIRST / rate.bytes()), seed, |batch| {
            let first = batch.first;
            let to = |lane: usize| to((first + lane) / polys, start + (first + lane) % polys);
            let sample = |bytes, len, numbers, have| {
                // SAFETY: the kernel is for this CPU; the pointers are as a batch gives them.
                unsafe { (kernel.sample)(bytes, len, numbers, have) }
            };
            // SAFETY: the pointers are writable for polynomials, by this function's contract.
            unsafe { batch.sample(FIRST / rate.bytes(), sample, to) };
        });
    }

    /// Hashes `n` messages with SHAKE256: `done` gets the number of each and the first 136 bytes of
    /// the result.
    pub fn hash<'m>(
        &mut self,
        n: usize,
        message: impl Fn(usize) -> Pieces<'m>,
        mut done: impl FnMut(usize, &[u8; RATE]),
    ) {
        let lanes = self.kernel.lanes;
        for first in (0..n).step_by(lanes) {
            let count = lanes.min(n - first);
            self.states.words.fill(0);
            let mut cursors = [Cursor::NEW; MAX_LANES];
            let cursors = &mut cursors[..count];
            for (lane, cursor) in cursors.iter_mut().enumerate() {
                cursor.turn(&message(first + lane), &mut self.states.blocks[lane]);
            }
            while let Some(active) = cursors.iter().find(|cursor| cursor.left > 0).copied() {
                let left = cursors.iter().map(|cursor| cursor.left).filter(|left| *left > 0);
                let blocks = left.min().unwrap_or(0);
                let mut data = [active.data; MAX_LANES];
                for (data, cursor) in data.iter_mut().zip(&*cursors) {
                    if cursor.left > 0 {
                        *data = cursor.data;
                    }
                }
                let used = cursors.iter().filter(|cursor| cursor.left > 0).count();
                // SAFETY: each lane has at least so many blocks left, or reads those of one that
                // has.
                unsafe { self.absorb(&data, used, Rate::Bytes136, blocks) };
                let mut is_extracted = false;
                for (lane, cursor) in cursors.iter_mut().enumerate() {
                    if cursor.left == 0 {
                        continue;
                    }
                    cursor.left -= blocks;
                    // Within the data, or at its end.
                    cursor.data = cursor.data.wrapping_add(blocks * RATE);
                    if cursor.left > 0 {
                        continue;
                    }
                    if !cursor.is_last {
                        cursor.turn(&message(first + lane), &mut self.states.blocks[lane]);
                        continue;
                    }
                    if !is_extracted {
                        self.extract_block();
                        is_extracted = true;
                    }
                    let row = self.streams[lane].0.first_chunk().expect("it is longer");
                    done(first + lane, row);
                }
            }
        }
    }

    /// Wipes what secrets went through.
    pub fn wipe(&mut self) {
        clear_all(&mut self.states.words, 0);
        clear_all(&mut self.states.blocks, [0; MAX_RATE]);
        clear_all(&mut self.streams[..], Row([0; ROW]));
        clear_all(&mut self.samples[..], 0);
    }
}

/// The digest of a message, and behind it the higher parts of a commitment, which are hashed
/// together.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Transcript(pub [u8; DIGEST + MAX_COMMITMENT]);

impl Transcript {
    pub const NEW: Transcript = Transcript([0; DIGEST + MAX_COMMITMENT]);
}
