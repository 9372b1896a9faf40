//! SHA-3 and SHAKE (FIPS 202) for the operations of a group: messages side by side in the lanes of
//! the widest kernel of Keccak.

use alloc::boxed::Box;
use core::array;

use broadloom_lanes::inside::sponge::{self, KeccakKernel, MAX_LANES, MAX_RATE, Rate, WORDS};
use broadloom_lanes::inside::wiped::clear_all;
use broadloom_lanes::{Cpu, Occupancy};

use super::params::LEN;
use crate::kernels::ml_kem::kernel::{MAX_LANES as MAX_GROUP, MlKemKernel};
use crate::kernels::ml_kem::ring::N;
use crate::kernels::ml_kem::sample::{FIRST, ROOM, SLACK};

/// A hash of one length.
#[derive(Clone, Copy)]
pub(super) struct Digest {
    rate: Rate,
    suffix: u8,
}

/// H (FIPS 203, section 4.1): SHA3-256.
pub(super) const H: Digest = Digest { rate: Rate::Bytes136, suffix: 0x06 };

/// G: SHA3-512.
pub(super) const G: Digest = Digest { rate: Rate::Bytes72, suffix: 0x06 };

/// J: SHAKE256, of 32 bytes.
pub(super) const J: Digest = Digest { rate: Rate::Bytes136, suffix: 0x1f };

/// The suffix of SHAKE.
const SHAKE: u8 = 0x1f;

/// Results that may wait for their polynomial to be complete: a group, and one call of the kernel.
const WAITING: usize = MAX_GROUP + MAX_LANES;

/// Bytes of a row: three blocks of SHAKE128 and what is written or read behind them.
const ROW: usize = (FIRST + SLACK).next_multiple_of(64) + 64;

/// Room for what a sponge gives.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Row([u8; ROW]);

/// Room for the numbers of a polynomial, and those that are too many.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Samples([i16; ROOM]);

/// The words of all lanes, and zeros to absorb.
#[repr(C, align(64))]
struct States {
    words: [u64; WORDS * MAX_LANES],
    blocks: [[u8; MAX_RATE]; MAX_LANES],
}

/// Nothing to absorb.
static ZEROS: [u8; MAX_RATE] = [0; MAX_RATE];

/// Rows of a group: one for each lane of its kernel.
pub(super) type Rows = [*const u8; MAX_GROUP];

/// Sponges in lanes, and what they make.
pub(super) struct Sponges {
    kernel: KeccakKernel,
    states: Box<States>,
    /// Streams of each lane.
    streams: Box<[Row; MAX_LANES]>,
    /// Random bits of secrets: those that wait, and one for lanes that nobody has.
    noise: Box<[Row; WAITING + 1]>,
    /// How many of these have random bits.
    noisy: usize,
    samples: Box<[Samples; WAITING]>,
    pub occupancy: Occupancy,
}

impl Sponges {
    pub fn new(cpu: &Cpu) -> Self {
        let row = Row([0; ROW]);
        Sponges {
            kernel: sponge::kernels(cpu).wide,
            states: Box::new(States {
                words: [0; WORDS * MAX_LANES],
                blocks: [[0; MAX_RATE]; MAX_LANES],
            }),
            streams: Box::new([row; MAX_LANES]),
            noise: Box::new([row; WAITING + 1]),
            noisy: 0,
            samples: Box::new([Samples([0; ROOM]); WAITING]),
            occupancy: Occupancy::default(),
        }
    }

    /// Begins with empty states.
    fn begin(&mut self) {
        self.states.words.fill(0);
    }

    /// Puts the last block of a lane's message, which is `fill`'s, and pads it.
    fn put(
        &mut self,
        lane: usize,
        Digest { rate, suffix }: Digest,
        fill: impl FnOnce(&mut [u8; MAX_RATE]) -> usize,
    ) {
        let block = &mut self.states.blocks[lane];
        *block = [0; MAX_RATE];
        let len = fill(block);
        block[len] = suffix;
        block[rate.bytes() - 1] |= 0x80;
    }

    /// Absorbs the blocks that were put in lanes `0..count`.
    fn absorb_put(&mut self, count: usize, rate: Rate) {
        let blocks = &self.states.blocks;
        let data = array::from_fn(|lane| blocks[if lane < count { lane } else { 0 }].as_ptr());
        // SAFETY: a block has `MAX_RATE` bytes.
        unsafe { self.absorb(&data, count, rate, 1) };
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

    /// Takes the states on to the next block of a stream.
    fn next(&mut self, count: usize, rate: Rate) {
        // SAFETY: the zeros are as many as the longest block has.
        unsafe { self.absorb(&[ZEROS.as_ptr(); MAX_LANES], count, rate, 1) };
    }

    /// Writes the first `8 * eights` words of every lane to its row.
    ///
    /// # Safety
    /// Every row is writable for these words and aligned for a word.
    unsafe fn extract(&self, eights: usize, rows: [*mut u8; MAX_LANES]) {
        let rows: [*mut u64; MAX_LANES] = rows.map(<*mut u8>::cast);
        // SAFETY: the kernel is for this CPU, there are states and rows for the most lanes, and the
        // rows are writable, by this function's contract.
        unsafe { (self.kernel.extract)(self.states.words.as_ptr(), eights, rows.as_ptr()) }
    }

    /// Hashes a message of each of `n` operations: the bytes that `head` writes, `len` of them,
    /// which are fewer than a block has, and those that `body` returns, as many for each
    /// operation. The results are 64 bytes, of which the first count.
    pub fn hash<'t>(
        &mut self,
        n: usize,
        digest: Digest,
        len: usize,
        head: impl Fn(usize, &mut [u8]),
        body: impl Fn(usize) -> &'t [u8],
        mut done: impl FnMut(usize, &[u8; 64]),
    ) {
        let (rate, lanes) = (digest.rate.bytes(), self.kernel.lanes);
        for first in (0..n).step_by(lanes) {
            let count = lanes.min(n - first);
            let operation = |lane: usize| first + if lane < count { lane } else { 0 };
            self.begin();
            let total = body(first).len();
            // What goes with the head into the first block, if both fill it.
            let mut at = 0;
            if len > 0 && len + total >= rate {
                at = rate - len;
                for lane in 0..count {
                    let block = &mut self.states.blocks[lane];
                    head(operation(lane), &mut block[..len]);
                    block[len..rate].copy_from_slice(&body(operation(lane))[..at]);
                }
                self.absorb_put(count, digest.rate);
            }
            let blocks = if len == 0 || at > 0 { (total - at) / rate } else { 0 };
            if blocks > 0 {
                let data = array::from_fn(|lane| body(operation(lane))[at..].as_ptr());
                // SAFETY: so many blocks are behind the place in each body.
                unsafe { self.absorb(&data, count, digest.rate, blocks) };
            }
            let rest = at + blocks * rate;
            for lane in 0..count {
                self.put(lane, digest, |block| {
                    let len = if at == 0 { len } else { 0 };
                    if len > 0 {
                        head(operation(lane), &mut block[..len]);
                    }
                    let rest = &body(operation(lane))[rest..];
                    block[len..][..rest.len()].copy_from_slice(rest);
                    len + rest.len()
                });
            }
            self.absorb_put(count, digest.rate);
            let rows = self.streams.each_mut().map(|row| row.0.as_mut_ptr());
            // SAFETY: a row has more than eight words.
            unsafe { self.extract(1, rows) };
            for lane in 0..count {
                let (result, _) = self.streams[lane].0.split_first_chunk().expect("it is longer");
                done(first + lane, result);
            }
        }
    }

    /// Samples polynomials of uniform numbers of public seeds (FIPS 203, algorithm 7): `seed`
    /// writes the 34 bytes for a polynomial of an operation. `done` gets the number of each
    /// polynomial, and for each lane of the kernel a row with its 256 numbers.
    pub fn uniform(
        &mut self,
        kernel: &MlKemKernel,
        (n, polys): (usize, usize),
        seed: impl Fn(usize, usize, &mut [u8; LEN + 2]),
        mut done: impl FnMut(usize, &Rows),
    ) {
        let (rate, lanes, total) = (Rate::Bytes168, self.kernel.lanes, n * polys);
        let mut next = 0;
        for first in (0..total).step_by(lanes) {
            let count = lanes.min(total - first);
            self.begin();
            for lane in 0..count {
                let (poly, operation) = ((first + lane) / n, (first + lane) % n);
                self.put(lane, Digest { rate, suffix: SHAKE }, |block| {
                    seed(poly, operation, block.first_chunk_mut().expect("it is longer"));
                    LEN + 2
                });
            }
            self.absorb_put(count, rate);
            for block in 0..FIRST / rate.bytes() {
                if block > 0 {
                    self.next(count, rate);
                }
                self.extract_block(block);
            }
            let mut have = [N; MAX_LANES];
            for (lane, have) in have[..count].iter_mut().enumerate() {
                *have = self.sample(kernel, lane, (first + lane) % WAITING, FIRST, 0);
            }
            while have.iter().any(|have| *have < N) {
                self.next(count, rate);
                self.extract_block(0);
                for (lane, have) in have[..count].iter_mut().enumerate() {
                    if *have < N {
                        let to = (first + lane) % WAITING;
                        *have = self.sample(kernel, lane, to, rate.bytes(), *have);
                    }
                }
            }
            while next < polys && (next + 1) * n <= first + count {
                let row = |lane: usize| (next * n + if lane < n { lane } else { 0 }) % WAITING;
                done(next, &array::from_fn(|lane| self.samples[row(lane)].0.as_ptr().cast()));
                next += 1;
            }
        }
    }

    /// Writes a block of SHAKE128 of every lane to its place in the lane's row.
    fn extract_block(&mut self, block: usize) {
        let at = Rate::Bytes168.bytes() * block;
        let rows = self.streams.each_mut().map(|row| row.0[at..].as_mut_ptr());
        // SAFETY: a row has three blocks, of 21 words each, and 64 bytes more; the words of a block
        // are aligned, as the blocks before it have whole words.
        unsafe { self.extract(3, rows) };
    }

    /// Samples numbers of the first `len` bytes of a lane's row.
    fn sample(
        &mut self,
        kernel: &MlKemKernel,
        lane: usize,
        to: usize,
        len: usize,
        have: usize,
    ) -> usize {
        debug_assert!(have + len / 3 * 2 + 16 <= ROOM, "there is room");
        let (row, samples) = (&self.streams[lane].0, &mut self.samples[to].0);
        // SAFETY: the kernel is for this CPU; the row has `len` bytes and the slack, and there is
        // room for the numbers, of which there are at most 255 where there are not enough yet.
        unsafe { (kernel.sample)(row.as_ptr(), len, samples.as_mut_ptr(), have) }
    }

    /// Makes the random bits of secret polynomials (FIPS 203, section 4.1): SHAKE256 of the 32
    /// bytes that `seed` returns for an operation and a byte, which is `byte` for the first
    /// polynomial. `done` gets the number of each polynomial, and for each lane of the kernel a row
    /// with `64 * eta` bytes.
    pub fn noise<'t>(
        &mut self,
        (n, polys, eta): (usize, usize, usize),
        byte: usize,
        seed: impl Fn(usize) -> &'t [u8],
        mut done: impl FnMut(usize, &Rows),
    ) {
        let (rate, lanes, total) = (Rate::Bytes136, self.kernel.lanes, n * polys);
        self.noisy = self.noisy.max(total.min(WAITING));
        let mut next = 0;
        for first in (0..total).step_by(lanes) {
            let count = lanes.min(total - first);
            self.begin();
            for lane in 0..count {
                let (poly, operation) = ((first + lane) / n, (first + lane) % n);
                self.put(lane, Digest { rate, suffix: SHAKE }, |block| {
                    block[..LEN].copy_from_slice(seed(operation));
                    block[LEN] = (byte + poly) as u8;
                    LEN + 1
                });
            }
            self.absorb_put(count, rate);
            for block in 0..(64 * eta).div_ceil(rate.bytes()) {
                if block > 0 {
                    self.next(count, rate);
                }
                let noise = &mut *self.noise;
                let rows = array::from_fn(|lane| {
                    let row = if lane < count { (first + lane) % WAITING } else { WAITING };
                    noise[row].0[rate.bytes() * block..].as_mut_ptr()
                });
                // SAFETY: a row has two blocks of 17 words each, and room for seven words more,
                // which are aligned, as the first block has whole words.
                unsafe { self.extract(3, rows) };
            }
            while next < polys && (next + 1) * n <= first + count {
                let row = |lane: usize| (next * n + if lane < n { lane } else { 0 }) % WAITING;
                done(next, &array::from_fn(|lane| self.noise[row(lane)].0.as_ptr()));
                next += 1;
            }
        }
    }

    /// Wipes what secrets went through.
    pub fn wipe(&mut self) {
        clear_all(&mut self.states.words, 0);
        clear_all(&mut self.states.blocks, [0; MAX_RATE]);
        clear_all(&mut self.streams[..], Row([0; ROW]));
        clear_all(&mut self.noise[..self.noisy], Row([0; ROW]));
        clear_all(&mut self.noise[WAITING..], Row([0; ROW]));
        self.noisy = 0;
    }
}
