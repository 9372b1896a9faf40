//! The scheduler of counter mode: one buffer after the other, each ciphered at once.

use core::fmt;

use crate::aes::select;
use crate::buffer::Span;
use crate::cpu::Cpu;
use crate::kernels::aes::ctr::CtrKernel;
use crate::kernels::aes::key::{AesKey, Block, BlockWords};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// One buffer, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the key is valid and the text's `src` is
/// readable and `dst` writable for `len` bytes, which are equal or apart.
#[derive(Clone, Copy)]
pub struct CtrTask {
    pub(super) key: *const AesKey,
    pub(super) counter: BlockWords,
    pub(super) text: Span,
}

/// The scheduler of counter-mode buffers.
///
/// A buffer needs no lane: its blocks do not depend on each other, so that a core can begin the
/// next buffer while the rounds of the last are under way.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{AesKey, Cpu, CtrJob, CtrLanes, Planner};
///
/// let mut planner: Planner<CtrLanes> = Planner::new(&Cpu::detect());
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [CtrJob::ctr(&key, [1; 16], vec![0; 40], ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct CtrLanes {
    kernel: &'static CtrKernel,
}

impl Lanes for CtrLanes {
    type Task = CtrTask;

    fn new(cpu: &Cpu) -> Self {
        CtrLanes { kernel: select::ctr(cpu) }
    }

    fn lanes(&self) -> usize {
        1
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }

    unsafe fn run(&mut self, source: &mut impl Source<CtrTask>) {
        let kernel = self.kernel;
        // SAFETY: the task is good until it is complete, by the contract of `run`, so the key and
        // the text are as the contract of `CtrKernel` asks; the kernel is for this CPU.
        while let Some(id) = source.next(|id, task| unsafe {
            let &CtrTask { key, ref counter, text } = task;
            cipher(kernel, &*key, counter.block(), text);
            id
        }) {
            source.done(id);
        }
    }
}

/// Ciphers a buffer: all of it at once, unless the last 32 bits of its counter pass zero on the
/// way.
///
/// # Safety
/// The contract of [`CtrKernel`], but that the counter may pass zero.
#[inline(always)]
pub(in crate::aes) unsafe fn cipher(kernel: &CtrKernel, key: &AesKey, counter: &Block, text: Span) {
    // SAFETY: the key and the text are as this function's contract says; `cipher` is only called
    // with a counter that does not pass zero.
    unsafe {
        if text.len as u64 <= room(counter) {
            (kernel.cipher)(key, counter, text.src, text.dst, text.len);
        } else {
            cipher_in_parts(kernel, key, *counter, text);
        }
    }
}

/// Ciphers a buffer whose counter carries.
///
/// # Safety
/// The conditions of [`cipher`].
#[cold]
unsafe fn cipher_in_parts(
    kernel: &CtrKernel,
    key: &AesKey,
    mut counter: Block,
    Span { mut src, mut dst, len: mut left }: Span,
) {
    while left > 0 {
        let room = room(&counter);
        let len = usize::try_from(room).map_or(left, |room| room.min(left));
        // SAFETY: `src` and `dst` are valid for the `left` remaining bytes, by this function's
        // contract, and `len` is at most `left`; the counter does not pass zero within `len` bytes.
        unsafe {
            (kernel.cipher)(key, &counter, src, dst, len);
            (src, dst) = (src.add(len), dst.add(len));
        }
        left -= len;
        // The last 32 bits are zero now, and the others one more.
        let high = (u128::from_be_bytes(counter) >> 32).wrapping_add(1);
        counter = (high << 32).to_be_bytes();
    }
}

/// Returns the number of bytes that can be ciphered before the last 32 bits of a counter pass zero.
#[inline(always)]
pub(super) fn room(counter: &Block) -> u64 {
    ((1 << 32) - u64::from(number(counter))) * 16
}

/// Returns the last 32 bits of a counter.
#[inline(always)]
fn number(counter: &Block) -> u32 {
    u32::from_be_bytes(*counter.last_chunk().expect("a block has four bytes"))
}

/// The cost of a buffer, the same for all, because no order of them has fewer steps.
pub(super) const COST: usize = 1;

/// A 32-bit counter would have passed zero.
///
/// ```
/// use broadloom_lanes::{AesKey, CtrJob};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let error = CtrJob::ctr32(&key, [0xff; 16], vec![0; 17], ())
///     .err()
///     .expect("one block is left");
/// assert_eq!(error.to_string(), "a 32-bit counter that starts at 0xffffffff has 1 blocks, not 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterError {
    /// The counter's first value.
    pub first: u32,
    /// Blocks that the buffer has.
    pub blocks: u64,
}

impl CounterError {
    pub(super) fn check(counter: &Block, len: usize) -> Result<(), CounterError> {
        match len as u64 <= room(counter) {
            true => Ok(()),
            false => Err(CounterError { first: number(counter), blocks: len.div_ceil(16) as u64 }),
        }
    }
}

impl fmt::Display for CounterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CounterError { first, blocks } = self;
        let room = (1 << 32) - u64::from(*first);
        write!(f, "a 32-bit counter that starts at {first:#010x} has {room} blocks, not {blocks}")
    }
}

impl core::error::Error for CounterError {}
