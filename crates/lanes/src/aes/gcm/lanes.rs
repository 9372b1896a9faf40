//! The scheduler of GCM messages. It gathers messages, so that the kernel has several in flight.

use super::job::{Gcm, Gmac};
use super::{GcmKernel, GcmKey, LONG, Message, halves};
use crate::aes::select;
use crate::buffer::{Buffers, Span};
use crate::cpu::Cpu;
use crate::job::{Aead, Mac, Parts};
use crate::manager::{Goal, Lanes, Loan, Occupancy, Source};

/// Messages that are handed to the kernel in one call.
const GATHERED: usize = 32;

/// One message, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct GcmTask {
    pub(super) message: Message,
    /// The nonce that the counter is still to be made of, unless its length is 0.
    pub(super) nonce: (*const u8, usize),
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

// SAFETY: `messages` holds the pointers of tasks only during a call.
unsafe impl Send for GcmLanes {}

impl Lanes for GcmLanes {
    type Task = GcmTask;
    const SORT_STREAMS: bool = false;

    fn new(cpu: &Cpu) -> Self {
        GcmLanes { kernel: select::gcm(cpu), messages: [Message::NONE; _], ids: [0; _] }
    }

    fn lanes(&self) -> usize {
        1
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }

    unsafe fn run(&mut self, source: &mut impl Source<GcmTask>, _: Goal) {
        let GcmLanes { kernel, messages, ids } = self;
        loop {
            let (mut count, mut long) = (0, 0);
            for (message, place) in messages.iter_mut().zip(&mut *ids) {
                let taken = source.next(|id, task| {
                    *message = task.message;
                    let (nonce, len) = task.nonce;
                    if len > 0 {
                        // SAFETY: the caller vouches for the task; the kernel is for this CPU.
                        let block = unsafe { (kernel.first_counter)(&*message.key, nonce, len) };
                        message.counter = halves(u128::from_le_bytes(block));
                    }
                    (id, task.message.len >= LONG)
                });
                let Some((id, is_long)) = taken else { break };
                *place = id;
                count += 1;
                long += usize::from(is_long);
            }
            let (messages, ids) = (&mut messages[..count], &mut ids[..count]);
            if 0 < long && long < count {
                short_ones_first(messages, ids);
            }
            // SAFETY: the caller vouches for the tasks until they are complete; the kernel is for
            // this CPU.
            unsafe { (kernel.process)(messages) };
            ids.iter().for_each(|id| source.done(*id));
            if count < GATHERED {
                return;
            }
        }
    }
}

/// Moves the short messages before the long ones, as either are best among their own kind.
fn short_ones_first(messages: &mut [Message], ids: &mut [u32]) {
    let mut short = 0;
    for at in 0..messages.len() {
        if messages[at].len < LONG {
            messages.swap(short, at);
            ids.swap(short, at);
            short += 1;
        }
    }
}

impl<'a> Loan<'a, GcmLanes> {
    /// Encrypts a text with AES-GCM (SP 800-38D), and writes the whole tag; a shorter one
    /// is the start of it. Nonces of 12 bytes are the fastest; any other length except 0 is valid.
    ///
    /// No nonce may be used twice under one key: two such messages reveal the difference of their
    /// plaintexts, and an attacker can forge tags from then on.
    ///
    /// ```
    /// use broadloom_lanes::{Cpu, GcmKey, GcmLanes, Loan, Planner};
    ///
    /// let key = GcmKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 20], [2; 20]];
    /// let mut tags = [[0; 16]; 2];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let nonces = [[0; 12], [1; 12]];
    /// let all = packets.iter_mut().zip(&mut tags).zip(&nonces);
    /// planner.process_each(all.map(|((packet, tag), nonce)| {
    ///     Loan::<GcmLanes>::seal(&key, nonce, b"header", packet, tag)
    /// }));
    /// assert_ne!(tags[0], tags[1]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    ///
    /// # Panics
    /// If the nonce is empty, or the text longer than 2^36 - 32 bytes.
    #[inline(always)]
    pub fn seal(
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(true, key, nonce, associated, text.into().span(), tag)
    }

    /// Decrypts a text, and writes the tag that it should have. Nobody has compared it
    /// yet: the caller does, in constant time, and wipes the text unless it is the tag that came
    /// with it.
    ///
    /// # Panics
    /// As [`seal`](Loan::seal).
    #[inline(always)]
    pub fn open(
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: impl Into<Buffers<'a>>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Self::message(false, key, nonce, associated, text.into().span(), tag)
    }

    /// The whole GMAC of data, which stay unchanged (SP 800-38D, section 3). The rules for nonces
    /// are those of [`seal`](Loan::seal).
    ///
    /// # Panics
    /// If the nonce is empty.
    #[inline(always)]
    pub fn gmac(key: &'a GcmKey, nonce: &'a [u8], data: &'a [u8], tag: &'a mut [u8; 16]) -> Self {
        match Gmac::new(key, nonce) {
            Ok(mode) => mode.lend(data, tag),
            Err(error) => panic!("{error}"),
        }
    }

    #[inline(always)]
    fn message(
        seals: bool,
        key: &'a GcmKey,
        nonce: &'a [u8],
        associated: &'a [u8],
        text: Span,
        tag: &'a mut [u8; 16],
    ) -> Self {
        match Gcm::new(seals, key, nonce, text.len) {
            Ok(mode) => mode.lend(&Parts::new(associated, text, tag)),
            Err(error) => panic!("{error}"),
        }
    }
}
