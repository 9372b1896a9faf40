//! Bursts of packets on several threads.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom_engine::{Placement, WorkersError, pin_to};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::burst::{BurstOutcome, PacketProcessor, Way};
use crate::flow::Flow;
use crate::packet::Packet;

/// What a packet costs beside its bytes, in bytes that could be worked on in that time.
const PACKET: usize = 150;

/// Less than this, in bytes, is not worth another thread: to wake one takes some microseconds, on a
/// virtual machine twenty.
const LEAST: usize = 128 << 10;

/// Parts of a burst for each thread, if they are worth it: a thread that is woken late leaves some
/// of its own to the others.
const PARTS: usize = 4;

/// Threads that protect and unprotect packets, each with a [`PacketProcessor`].
///
/// There are two ways to use them:
///
/// - [`on_each`](PacketWorkers::on_each) has every thread run a function of the caller's, with a
///   processor of its own: a loop that receives packets, protects them, and sends them. Threads
///   share nothing but the flows that both of them use. A gateway whose network card sorts packets
///   into several queues, by a hash of their addresses, does this; then each flow has its thread,
///   and its packets stay in their order.
/// - [`protect_burst`](PacketWorkers::protect_burst) and
///   [`unprotect_burst`](PacketWorkers::unprotect_burst) divide one burst into contiguous parts,
///   and each thread takes the next part that is left. It takes some microseconds to wake a thread,
///   so that only large bursts gain. Packets of one flow that fall into different parts have
///   sequence numbers that are unique, but not in the order of the burst.
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
    /// Threads were placed, so that all work is theirs. Otherwise the caller is one of them while a
    /// burst is divided.
    are_placed: bool,
    /// Processors that no thread uses just now.
    idle: Mutex<Vec<PacketProcessor>>,
}

/// What threads found out about their parts of a burst.
#[derive(Default)]
struct Found {
    outcome: BurstOutcome,
    /// What the first provider has panicked with.
    panic: Option<Box<dyn Any + Send>>,
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
        let are_placed = cores.iter().any(Option::is_some);
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
        Ok(PacketWorkers { pool, are_placed, idle: Mutex::default() })
    }

    /// Returns how many threads there are.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Has each thread call `work` once, all at the same time, and returns the results in the order
    /// of the threads' numbers, which count from 0. The caller waits for the last one.
    ///
    /// `work` is given the thread's number, and a processor that no other thread has. It may go on
    /// for as long as the program runs. Bursts that are to be divided meanwhile wait for the
    /// threads.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use broadloom_engine::{Placement, Registry};
    /// use broadloom_packets::wireguard::WireGuardFlow;
    /// use broadloom_packets::{Packet, PacketWorkers};
    ///
    /// let mut registry = Registry::new();
    /// registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    /// let workers = PacketWorkers::new(2, &Placement::Anywhere)?;
    /// // A flow for each thread; what a thread receives is made up here.
    /// let open = |peer| WireGuardFlow::new(&registry, &[1; 32], peer, &[2; 32], peer);
    /// let flows = [open(0)?, open(1)?];
    /// let sent = workers.on_each(|thread, processor| {
    ///     let mut sent = 0;
    ///     for received in [20, 30, 40] {
    ///         let packet = || Packet::new(&flows[thread], vec![0; 256], 32..32 + 64);
    ///         let mut burst: Vec<_> = (0..received).map(|_| packet()).collect();
    ///         sent += processor.protect_burst(&mut burst).succeeded;
    ///     }
    ///     sent
    /// });
    /// assert_eq!(sent, [90, 90]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `work` panics on a thread, after it has ended on all others.
    pub fn on_each<T: Send>(
        &self,
        work: impl Fn(usize, &mut PacketProcessor) -> T + Sync,
    ) -> Vec<T> {
        self.pool.broadcast(|thread| self.with_processor(|own| work(thread.index(), own)))
    }

    /// Protects a burst, as [`PacketProcessor::protect_burst`] does.
    ///
    /// If no cores were asked for ([`Placement::Anywhere`]), the calling thread takes the place of
    /// one of the workers meanwhile.
    ///
    /// # Panics
    /// If a provider panics. Each packet has a status all the same, and all other parts of the
    /// burst are processed to their end.
    pub fn protect_burst<F: Flow>(&self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Protect)
    }

    /// Unprotects a burst, as [`PacketProcessor::unprotect_burst`] does, on the threads that
    /// [`protect_burst`](PacketWorkers::protect_burst) uses.
    ///
    /// # Panics
    /// As [`protect_burst`](PacketWorkers::protect_burst).
    pub fn unprotect_burst<F: Flow>(&self, packets: &mut [Packet<'_, F>]) -> BurstOutcome {
        self.run(packets, Way::Unprotect)
    }

    fn run<F: Flow>(&self, packets: &mut [Packet<'_, F>], way: Way) -> BurstOutcome {
        let part = self.part(packets);
        let count = packets.len().div_ceil(part);
        if count <= 1 {
            return self.with_processor(|processor| processor.run(packets, way));
        }
        let parts = Mutex::new(packets.chunks_mut(part));
        let found = Mutex::new(Found::default());
        let work = || {
            self.with_processor(|processor| {
                while let Some(part) = next(&parts) {
                    let run = AssertUnwindSafe(|| processor.run(part, way));
                    lock(&found).add(catch_unwind(run));
                }
            });
        };
        self.pool.in_place_scope(|scope| {
            let of_caller = usize::from(!self.are_placed);
            for _ in of_caller..count.min(self.threads()) {
                scope.spawn(|_| work());
            }
            if !self.are_placed {
                work();
            }
        });
        let Found { outcome, panic } = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        match panic {
            None => outcome,
            Some(panic) => resume_unwind(panic),
        }
    }

    /// Returns how many packets a part of a burst has: some parts for each thread, as long as they
    /// are worth it. Short parts would leave lanes empty, too.
    fn part<F: Flow>(&self, packets: &[Packet<'_, F>]) -> usize {
        let cost: usize = packets.iter().map(|packet| packet.range.len() + PACKET).sum();
        let least = (packets.len() * LEAST).div_ceil(cost.max(1));
        packets.len().div_ceil(PARTS * self.threads()).max(least).max(1)
    }

    /// Calls a function with a processor that no other thread has.
    fn with_processor<T>(&self, work: impl FnOnce(&mut PacketProcessor) -> T) -> T {
        let mut processor = lock(&self.idle).pop().unwrap_or_default();
        let result = work(&mut processor);
        lock(&self.idle).push(processor);
        result
    }
}

impl Found {
    fn add(&mut self, part: Result<BurstOutcome, Box<dyn Any + Send>>) {
        match part {
            Ok(BurstOutcome { succeeded, refused }) => {
                self.outcome.succeeded += succeeded;
                self.outcome.refused += refused;
            }
            Err(panic) => {
                self.panic.get_or_insert(panic);
            }
        }
    }
}

/// Takes the next of some things.
fn next<T>(left: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    lock(left).next()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
