//! The scheduler of RC4 buffers: as many at a time as the kernel has lanes.

use alloc::boxed::Box;

use zeroize::Zeroize;

use crate::buffer::{Buffers, CipherBuffer, Span};
use crate::cpu::Cpu;
use crate::job::{Cipher, CipherJob};
use crate::kernels::rc4::kernel::{GROUP, LaneState, MAX_LANES, Rc4Kernel, Streams, bytes};
use crate::kernels::rc4::key::Rc4Key;
use crate::manager::{Lanes, Loan, Source};
use crate::occupancy::Occupancy;
use crate::wiped::clear_all;

/// One buffer, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct Rc4Task {
    key: *const Rc4Key,
    src: *const u8,
    dst: *mut u8,
    len: usize,
}

/// The scheduler of RC4 buffers.
///
/// Buffers that go together begin together, so that all are at the same place of their states;
/// those that end early leave the others with fewer lanes. The planner sorts buffers by their
/// lengths.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, Rc4Job, Rc4Key, Rc4Lanes};
///
/// let mut planner: Planner<Rc4Lanes> = Planner::new(&Cpu::detect());
/// let key = Rc4Key::new(&[7; 16]).expect("5 to 256 bytes");
/// let mut jobs = [Rc4Job::rc4(&key, vec![0; 40], ())];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct Rc4Lanes {
    kernel: &'static Rc4Kernel,
    streams: Box<Streams>,
    occupancy: Occupancy,
}

// SAFETY: the pointers belong to complete tasks, and are never used again.
unsafe impl Send for Rc4Lanes {}

impl Lanes for Rc4Lanes {
    type Task = Rc4Task;

    fn new(cpu: &Cpu) -> Self {
        let streams = Streams {
            states: [LaneState::NONE; MAX_LANES],
            places: [0; MAX_LANES],
            src: [core::ptr::null(); MAX_LANES],
            dst: [core::ptr::null_mut(); MAX_LANES],
        };
        let kernel = cpu.kernels().rc4;
        Rc4Lanes { kernel, streams: Box::new(streams), occupancy: Occupancy::default() }
    }

    fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Completes all tasks, and wipes the states that they leave.
    unsafe fn run(&mut self, source: &mut impl Source<Rc4Task>) {
        let mut most = 0;
        loop {
            let mut batch = [const { None }; MAX_LANES];
            let mut active = 0;
            while active < self.kernel.lanes {
                let Some(taken) = source.next(|id, task| (id, *task)) else { break };
                batch[active] = Some(taken);
                active += 1;
            }
            if active == 0 {
                clear_all(&mut self.streams.states[..most], LaneState::NONE);
                clear_all(&mut self.streams.places[..most], 0);
                return;
            }
            most = most.max(active);
            batch[..active]
                .sort_unstable_by_key(|taken| core::cmp::Reverse(taken.map(|(_, task)| task.len)));
            let mut lens = [0; MAX_LANES];
            for (lane, (_, task)) in batch.iter().flatten().enumerate() {
                // SAFETY: the task is good by the contract of `run`, so that its key is alive.
                self.streams.states[lane].state = *unsafe { (*task.key).state() };
                self.streams.places[lane] = 0;
                self.streams.src[lane] = task.src;
                self.streams.dst[lane] = task.dst;
                lens[lane] = task.len;
            }
            // SAFETY: the tasks are good, so that each lane's buffers are valid for its length; the
            // lanes are sorted, the longest first.
            unsafe { self.run_batch(&lens[..active]) };
            batch.iter().flatten().for_each(|(id, _)| source.done(*id));
        }
    }
}

impl Rc4Lanes {
    /// Ciphers a batch to its end.
    ///
    /// # Safety
    /// - In each lane, `src` is readable and `dst` writable for the lane's length, and the two are
    ///   equal or apart.
    /// - No length exceeds the one before it.
    unsafe fn run_batch(&mut self, lens: &[usize]) {
        let mut from = 0;
        for (lane, to) in lens.iter().enumerate().rev() {
            // SAFETY: lanes up to this one have at least `to` bytes, because no length exceeds the
            // one before it.
            unsafe { self.advance(lane + 1, from, *to) };
            self.occupancy.count(lane + 1, self.kernel.lanes, to - from);
            from = *to;
        }
    }

    /// Ciphers the bytes `from..to` of the first `active` lanes: one by one until a group begins,
    /// and after the last group.
    ///
    /// # Safety
    /// In each of these lanes, `src` is readable and `dst` writable for `to` bytes, and the two are
    /// equal or apart.
    #[inline(always)]
    unsafe fn advance(&mut self, active: usize, from: usize, to: usize) {
        let before = (GROUP - 1).wrapping_sub(from) % GROUP;
        let start = to.min(from + before);
        let groups = (to - start) / GROUP;
        let end = start + GROUP * groups;
        // SAFETY: all bytes lie below `to`, which this function's contract allows; `start + 1` is a
        // multiple of GROUP if there is a group.
        unsafe {
            self.bytes(active, from, start);
            (self.kernel.groups[active - 1])(&mut self.streams, start, groups);
            self.bytes(active, end, to);
        }
    }

    /// Ciphers the bytes `from..to` of the first `active` lanes one by one.
    ///
    /// # Safety
    /// In each of these lanes, `src` is readable and `dst` writable for `to` bytes, and the two are
    /// equal or apart.
    #[inline(always)]
    unsafe fn bytes(&mut self, active: usize, from: usize, to: usize) {
        let (streams, count) = (&mut self.streams, to - from);
        // SAFETY: all bytes lie below `to`, which this function's contract allows.
        unsafe {
            match active {
                1 => bytes::<1>(streams, from, count),
                2 => bytes::<2>(streams, from, count),
                3 => bytes::<3>(streams, from, count),
                _ => bytes::<4>(streams, from, count),
            }
        }
    }
}

impl Drop for Rc4Lanes {
    fn drop(&mut self) {
        self.streams.states.iter_mut().for_each(|lane| lane.state.zeroize());
        self.streams.places.zeroize();
    }
}

impl<'a> Loan<'a, Rc4Lanes> {
    /// Encrypts or decrypts a buffer with RC4, which are the same, from the start of the
    /// key's keystream.
    ///
    /// RC4 has no nonce: **a key is good for one buffer**. Two ciphertexts under one key reveal the
    /// difference of their plaintexts. The key stream is biased, its first bytes most (RFC 7465).
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, Loan, Planner, Rc4Key};
    ///
    /// let keys = [Rc4Key::new(b"first key")?, Rc4Key::new(b"second key")?];
    /// let mut buffers = [[1; 100]; 2];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let loans = buffers.iter_mut().zip(&keys).map(|(buffer, key)| Loan::rc4(key, buffer));
    /// planner.process_each(loans);
    /// assert_ne!(buffers[0], buffers[1]);
    /// # Ok::<(), broadloom_lanes::Rc4KeyLengthError>(())
    /// ```
    #[inline(always)]
    pub fn rc4(key: &'a Rc4Key, buffer: impl Into<Buffers<'a>>) -> Self {
        Rc4(key).lend(buffer.into().span())
    }
}

/// RC4 under a key, from the start of its keystream.
#[derive(Clone, Copy)]
pub struct Rc4<'a>(&'a Rc4Key);

// SAFETY: the key is borrowed as long as the mode lives, and tasks point only to it and to the
// text.
unsafe impl Cipher for Rc4<'_> {
    type Lanes = Rc4Lanes;

    #[inline(always)]
    fn task(&self, Span { src, dst, len }: Span) -> Rc4Task {
        Rc4Task { key: self.0, src, dst, len }
    }

    #[inline(always)]
    fn cost(&self, len: usize) -> usize {
        len / STEP + 1
    }
}

/// A buffer to be encrypted or decrypted with RC4, which are the same, from the start of the key's
/// keystream.
///
/// RC4 has no nonce: **a key is good for one buffer**. Two ciphertexts under one key reveal the
/// difference of their plaintexts. The key stream is biased, its first bytes most (RFC 7465).
///
/// ```
/// use broadloom_lanes::{Cpu, Planner, Rc4Job, Rc4Key};
///
/// let key = Rc4Key::new(b"only for this")?;
/// let mut jobs = [Rc4Job::rc4(&key, vec![0; 100], ())];
/// Planner::new(&Cpu::detect()).process_many(&mut jobs);
/// assert_ne!(jobs[0].output(), Some([0; 100].as_slice()));
/// # Ok::<(), broadloom_lanes::Rc4KeyLengthError>(())
/// ```
pub type Rc4Job<'a, B, T = ()> = CipherJob<Rc4<'a>, B, T>;

impl<'a, B: CipherBuffer, T> Rc4Job<'a, B, T> {
    /// Ciphers a buffer.
    pub fn rc4(key: &'a Rc4Key, buffer: B, user: T) -> Self {
        Self::cipher(Rc4(key), buffer, user)
    }
}

/// Bytes that count as a step where buffers are sorted by their lengths.
const STEP: usize = 64;
