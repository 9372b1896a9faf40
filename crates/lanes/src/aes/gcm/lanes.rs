//! The scheduler of GCM messages. It gathers messages, so that the kernel has several in flight.

use crate::aes::select;
use crate::cpu::Cpu;
use crate::kernels::aes::gcm::{GcmKernel, LONG, Message, halves};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;

/// Messages that are handed to the kernel in one call.
const GATHERED: usize = 32;

/// One message, as the scheduler sees it.
///
/// A task is good, as [`Lanes::Task`] defines it, if the message is as the contract of
/// [`GcmKernel`] asks, and the nonce is readable for its length.
// A message and nothing else, so that tasks side by side are messages that a kernel takes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct GcmTask(pub(super) Message);

impl GcmTask {
    /// Returns tasks as the messages that they are.
    #[inline(always)]
    fn messages(tasks: &mut [GcmTask]) -> &mut [Message] {
        let (first, count) = (tasks.as_mut_ptr(), tasks.len());
        // SAFETY: the slice is borrowed mutably for as long as the returned one lives; a task has
        // the layout of its message, because its type is transparent.
        unsafe { core::slice::from_raw_parts_mut(first.cast(), count) }
    }
}

/// The scheduler of GCM messages.
///
/// A message needs no lane of its own: its blocks do not depend on each other but through a sum.
///
/// A planner with its type written out, as a struct that keeps one needs it:
///
/// ```
/// use broadloom_lanes::{Cpu, GcmJob, GcmKey, GcmLanes, Planner};
///
/// let mut planner: Planner<GcmLanes> = Planner::new(&Cpu::detect());
/// let key = GcmKey::new(&[7; 16]).expect("16 bytes");
/// let mut jobs = [GcmJob::seal(&key, [1; 12], b"header", vec![0; 40], ()).expect("a nonce")];
/// planner.process_many(&mut jobs);
/// assert!(jobs[0].output().is_some());
/// ```
pub struct GcmLanes {
    kernel: &'static GcmKernel,
    messages: [Message; GATHERED],
    ids: [u32; GATHERED],
}

// SAFETY: the pointers in `messages` are only used during a call, which writes them first.
unsafe impl Send for GcmLanes {}

impl Lanes for GcmLanes {
    type Task = GcmTask;
    const ALIKE: bool = true;

    fn new(cpu: &Cpu) -> Self {
        GcmLanes { kernel: select::gcm(cpu), messages: [Message::NONE; _], ids: [0; _] }
    }

    fn lanes(&self) -> usize {
        1
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }

    unsafe fn run(&mut self, source: &mut impl Source<GcmTask>) {
        let GcmLanes { kernel, messages, ids } = self;
        if let Some(tasks) = source.side_by_side() {
            let messages = GcmTask::messages(tasks);
            // SAFETY: the tasks of these messages are good until this function returns, by the
            // contract of `run`; the kernel is for this CPU.
            return unsafe { process(kernel, messages, |_, _| {}) };
        }
        loop {
            let mut count = 0;
            for (message, place) in messages.iter_mut().zip(&mut *ids) {
                let taken = source.next(|id, task| {
                    *message = task.0;
                    id
                });
                let Some(id) = taken else { break };
                *place = id;
                count += 1;
            }
            let (messages, ids) = (&mut messages[..count], &mut ids[..count]);
            // SAFETY: the tasks of these messages are good until they are reported done, by the
            // contract of `run`; the kernel is for this CPU.
            unsafe { process(kernel, messages, |one, other| ids.swap(one, other)) };
            ids.iter().for_each(|id| source.done(*id));
            if count < GATHERED {
                return;
            }
        }
    }

    /// Hands the message to the kernel where it is: nothing of it is copied.
    #[inline(always)]
    unsafe fn run_one(&mut self, task: &GcmTask) -> bool {
        if task.0.nonce.1 > 0 {
            return false;
        }
        // SAFETY: the task is good by the contract of `run_one`, and its counter is made; the
        // kernel is for this CPU.
        unsafe { (self.kernel.process)(core::slice::from_ref(&task.0)) };
        true
    }
}

/// Makes the counters of messages that have none yet, and processes all messages. Messages may
/// change places: `swap` is told which two.
///
/// # Safety
/// The tasks of these messages are good, as [`Lanes::Task`] defines it, and the kernel is for this
/// CPU.
#[inline(always)]
unsafe fn process(kernel: &GcmKernel, messages: &mut [Message], swap: impl FnMut(usize, usize)) {
    let mut long = 0;
    for message in messages.iter_mut() {
        if message.nonce.1 > 0 {
            // SAFETY: the task is good and the kernel is for this CPU, by this function's contract.
            message.counter = unsafe { first_counter(kernel, message) };
        }
        long += usize::from(message.len >= LONG);
    }
    if 0 < long && long < messages.len() {
        short_ones_first(messages, swap);
    }
    // SAFETY: the messages are good and their counters are made; the kernel is for this CPU.
    unsafe { (kernel.process)(messages) };
}

/// Returns the first counter block of a nonce that does not have 12 bytes.
///
/// # Safety
/// The message's task is good, as [`Lanes::Task`] defines it, and the kernel is for this CPU.
#[cold]
unsafe fn first_counter(kernel: &GcmKernel, message: &Message) -> [u64; 2] {
    let (nonce, len) = message.nonce;
    // SAFETY: the task's key and nonce are readable, by this function's contract, by which the
    // kernel is for this CPU.
    let block = unsafe { (kernel.first_counter)(&*message.key, nonce, len) };
    halves(u128::from_le_bytes(block))
}

/// Moves the short messages before the long ones, because either kind is best among its own.
fn short_ones_first(messages: &mut [Message], mut swap: impl FnMut(usize, usize)) {
    let mut short = 0;
    for at in 0..messages.len() {
        if messages[at].len < LONG {
            messages.swap(short, at);
            swap(short, at);
            short += 1;
        }
    }
}
