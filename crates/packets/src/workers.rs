//! Bursts of packets on several threads.

use std::sync::{Mutex, PoisonError};

use broadloom_engine::{Placement, WorkersError, pin_to};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::burst::{BurstOutcome, PacketProcessor, Way};
use crate::flow::Flow;
use crate::packet::Packet;

/// The fewest packets that are worth another thread: fewer leave the lanes of each empty, and to
/// wake a thread takes some microseconds.
const LEAST: usize = 64;

/// Threads that protect and unprotect bursts of packets, each with a [`PacketProcessor`].
///
/// A burst is divided into contiguous parts, one for each thread. The parts run at the same time:
/// packets of one flow that fall into different parts have sequence numbers that are unique, but
/// not in the order of the burst. Whoever needs that order gives a flow's packets to one part, by
/// sorting the burst by flow, or uses a `PacketProcessor` for each thread.
///
/// ```
/// use broadloom_engine::Placement;
/// use broadloom_packets::PacketWorkers;
///
/// let workers = PacketWorkers::new(2, &Placement::Anywhere)?;
/// assert_eq!(workers.threads(), 2);
/// # Ok::<(), broadloom_engine::WorkersError>(())
/// ```
pub struct PacketWorkers {
    pool: ThreadPool,
    /// Processors that no thread uses just now.
    idle: Mutex<Vec<PacketProcessor>>,
}

impl PacketWorkers {
    /// Starts `threads` threads on cores as `placement` says.
    ///
    /// # Errors
    /// [`WorkersError`]: no threads were asked for, they cannot be placed, or the system has no
    /// more.
    pub fn new(threads: usize, placement: &Placement) -> Result<Self, WorkersError> {
        if threads == 0 {
            return Err(WorkersError::NoThreads);
        }
        let cores = placement.assign(threads)?;
        let pin = move |thread: usize| {
            // Placement::assign gave cores that this process may use. If one is taken away before
            // the thread starts, the thread runs wherever the system puts it.
            let _ = cores.get(thread).copied().flatten().map(pin_to);
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(pin).build();
        let pool = pool.map_err(|error| WorkersError::Spawn {
            worker: threads - 1,
            source: std::io::Error::other(error),
        })?;
        Ok(PacketWorkers { pool, idle: Mutex::default() })
    }

    /// Returns how many threads there are.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Protects a burst, as [`PacketProcessor::protect_burst`] does.
    ///
    /// # Panics
    /// If a provider panics. Each packet has a status all the same, and the parts of other threads
    /// are processed to their end.
    pub fn protect_burst<F: Flow>(&self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Protect)
    }

    /// Unprotects a burst, as [`PacketProcessor::unprotect_burst`] does.
    ///
    /// # Panics
    /// As [`protect_burst`](PacketWorkers::protect_burst).
    pub fn unprotect_burst<F: Flow>(&self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Unprotect)
    }

    fn run<F: Flow>(&self, packets: &mut [Packet<'_, F>], way: Way) -> BurstOutcome {
        let part = packets.len().div_ceil(self.threads()).max(LEAST);
        let one = |packets: &mut [Packet<'_, F>]| {
            let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let mut processor = idle().pop().unwrap_or_default();
            let outcome = processor.run(packets, way);
            idle().push(processor);
            outcome
        };
        if packets.len() <= part {
            return one(packets);
        }
        let add = |a: BurstOutcome, b: BurstOutcome| BurstOutcome {
            succeeded: a.succeeded + b.succeeded,
            refused: a.refused + b.refused,
        };
        let parts = || packets.par_chunks_mut(part).map(one).reduce(BurstOutcome::default, add);
        self.pool.install(parts)
    }
}
