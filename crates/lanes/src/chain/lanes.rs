//! The scheduler of packets that go through the lanes of a cipher and those of a MAC.
//!
//! A packet waits for its first half, goes through its lanes, and then waits for the second half.
//! Only a few packets are in progress at once, so that the second half still finds the output of
//! the first in the nearest cache.

use core::ptr;

use super::queue::Queue;
use crate::cpu::Cpu;
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;
use crate::slab::Slab;

/// Packets under way at once: enough to fill all lanes with what is left of most mixes.
const DEPTH: usize = 64;

/// One packet, as the scheduler sees it.
///
/// Its maker guarantees that the pointers stay valid until the task is complete.
#[derive(Clone, Copy)]
pub struct ChainTask<C, M> {
    pub(super) cipher: C,
    pub(super) mac: M,
    pub(super) mac_first: bool,
    /// Where the MAC is, and where its first bytes go once it is made.
    pub(super) tag: *const u8,
    pub(super) place: *mut u8,
    pub(super) place_len: usize,
}

/// The scheduler of packets onto the lanes of a cipher and of a MAC.
///
/// The [jobs](crate::ChainJob) say what the cipher and the MAC are:
///
/// ```
/// use broadloom_lanes::{CbcLanes, ChainLanes, Cpu, HashLanes, Planner, Sha1};
///
/// let planner: Planner<ChainLanes<CbcLanes, HashLanes<Sha1>>> = Planner::new(&Cpu::detect());
/// assert!(planner.lanes() > 0);
/// ```
pub struct ChainLanes<C: Lanes, M: Lanes> {
    cipher: C,
    mac: M,
    packets: Packets<C::Task, M::Task>,
}

/// The packets under way.
struct Packets<C, M> {
    slots: Slab<ChainSlot<C, M>>,
    free: Queue,
    /// Those that wait for lanes of the cipher, and of the MAC.
    to_cipher: Queue,
    to_mac: Queue,
    /// Those that both are done with.
    complete: Queue,
}

/// A packet from when it is taken to when it is reported.
struct ChainSlot<C, M> {
    id: u32,
    task: ChainTask<C, M>,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler.
unsafe impl<C: Lanes, M: Lanes> Send for ChainLanes<C, M> {}

impl<C: Lanes, M: Lanes> Lanes for ChainLanes<C, M> {
    type Task = ChainTask<C::Task, M::Task>;

    fn new(cpu: &Cpu) -> Self {
        let mut free = Queue::new(DEPTH);
        (0..DEPTH as u32).for_each(|slot| free.push(slot));
        ChainLanes {
            cipher: C::new(cpu),
            mac: M::new(cpu),
            packets: Packets {
                slots: Slab::new(DEPTH),
                free,
                to_cipher: Queue::new(DEPTH),
                to_mac: Queue::new(DEPTH),
                complete: Queue::new(DEPTH),
            },
        }
    }

    fn lanes(&self) -> usize {
        self.cipher.lanes().max(self.mac.lanes())
    }

    fn occupancy(&self) -> Occupancy {
        let (cipher, mac) = (self.cipher.occupancy(), self.mac.occupancy());
        Occupancy { used: cipher.used + mac.used, offered: cipher.offered + mac.offered }
    }

    /// Completes all tasks, so that no packet is half done between calls.
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>) {
        while self.packets.take_from(source) {
            // SAFETY: the packets' tasks are good until they are reported done, by this function's
            // contract, and with them both halves.
            unsafe {
                self.cipher.run(&mut ForCipher(&mut self.packets));
                self.mac.run(&mut ForMac(&mut self.packets));
                // Those whose MAC comes first.
                self.cipher.run(&mut ForCipher(&mut self.packets));
            }
            self.packets.report_to(source);
        }
    }
}

impl<C: Copy, M: Copy> Packets<C, M> {
    /// Takes as many packets as there is room for, and says whether there were any.
    fn take_from(&mut self, source: &mut impl Source<ChainTask<C, M>>) -> bool {
        let free = self.free.len();
        while self.free.len() > 0 {
            let taken = source.next(|id, task| {
                let slot = self.free.pop().expect("one is free");
                let place = self.slots.slot(slot as usize);
                let &ChainTask { cipher, mac, mac_first, tag, place: to, place_len } = task;
                // Part by part: a copy of the whole would be a call.
                // SAFETY: the slot is free, and within the slab.
                unsafe {
                    (&raw mut (*place).id).write(id);
                    (&raw mut (*place).task.cipher).write(cipher);
                    (&raw mut (*place).task.mac).write(mac);
                    (&raw mut (*place).task.mac_first).write(mac_first);
                    (&raw mut (*place).task.tag).write(tag);
                    (&raw mut (*place).task.place).write(to);
                    (&raw mut (*place).task.place_len).write(place_len);
                }
                if mac_first { self.to_mac.push(slot) } else { self.to_cipher.push(slot) }
            });
            if taken.is_none() {
                break;
            }
        }
        self.free.len() < free
    }

    /// Reports those that are complete.
    fn report_to(&mut self, source: &mut impl Source<ChainTask<C, M>>) {
        while let Some(slot) = self.complete.pop() {
            source.done(self.slot(slot).id);
            self.free.push(slot);
        }
    }

    #[inline(always)]
    fn slot(&mut self, slot: u32) -> &mut ChainSlot<C, M> {
        // SAFETY: a slot's number is only in a queue, or on a lane, as long as the slot is full;
        // nothing that points into the slot is used as long as the reference is.
        unsafe { self.slots.get(slot as usize) }
    }
}

/// Where the lanes of the cipher get packets, and report them.
struct ForCipher<'a, C, M>(&'a mut Packets<C, M>);

impl<C: Copy, M: Copy> Source<C> for ForCipher<'_, C, M> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &C) -> R) -> Option<R> {
        let slot = self.0.to_cipher.pop()?;
        Some(take(slot, &self.0.slot(slot).task.cipher))
    }

    #[inline(always)]
    fn done(&mut self, slot: u32) {
        if self.0.slot(slot).task.mac_first {
            self.0.complete.push(slot);
        } else {
            self.0.to_mac.push(slot);
        }
    }
}

/// Where the lanes of the MAC get packets, and report them.
struct ForMac<'a, C, M>(&'a mut Packets<C, M>);

impl<C: Copy, M: Copy> Source<M> for ForMac<'_, C, M> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &M) -> R) -> Option<R> {
        let slot = self.0.to_mac.pop()?;
        Some(take(slot, &self.0.slot(slot).task.mac))
    }

    #[inline(always)]
    fn done(&mut self, slot: u32) {
        let &mut ChainSlot { task: ChainTask { mac_first, tag, place, place_len, .. }, .. } =
            self.0.slot(slot);
        // Most tags are fetched from where they are.
        if place_len > 0 {
            // SAFETY: the task is good, so that `tag` is readable and `place` writable for
            // `place_len` bytes, apart from each other.
            unsafe { ptr::copy_nonoverlapping(tag, place, place_len) };
        }
        if mac_first {
            self.0.to_cipher.push(slot);
        } else {
            self.0.complete.push(slot);
        }
    }
}
