//! The scheduler of packets that go through the lanes of a cipher and those of a MAC.
//!
//! A packet waits for one half, goes through its lanes, and then waits for the other. A few packets are under
//! way at once, so that what the first half wrote is still in the nearest cache when the second reads it.

use core::ptr;

use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Queue, Source};
use crate::slab::Slab;

/// Packets under way at once: enough to fill all lanes with what is left of most mixes.
const DEPTH: usize = 64;

/// One packet, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
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
pub struct ChainLanes<C: Lanes, M: Lanes> {
    cipher: C,
    mac: M,
    packets: Packets<C::Task, M::Task>,
}

/// The packets under way.
struct Packets<C, M> {
    slots: Slab<Slot<C, M>>,
    free: Queue,
    /// Those that wait for lanes of the cipher, and of the MAC.
    to_cipher: Queue,
    to_mac: Queue,
    /// Those that wait for lanes or are on them.
    ciphering: usize,
    authenticating: usize,
    /// Those that both are done with.
    complete: Queue,
}

/// A packet from when it is taken to when it is reported.
struct Slot<C, M> {
    id: u32,
    task: ChainTask<C, M>,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this.
unsafe impl<C: Lanes, M: Lanes> Send for ChainLanes<C, M> {}

impl<C: Lanes, M: Lanes> Lanes for ChainLanes<C, M> {
    type Task = ChainTask<C::Task, M::Task>;
    const SORT_STREAMS: bool = M::SORT_STREAMS;

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
                ciphering: 0,
                authenticating: 0,
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

    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>, goal: Goal) {
        loop {
            self.packets.take_from(source);
            if self.packets.ciphering + self.packets.authenticating == 0 {
                return;
            }
            // SAFETY: the caller vouches for the tasks until they are complete.
            unsafe {
                match goal {
                    Goal::All => self.complete_all(),
                    Goal::One => self.advance(),
                }
            }
            if self.packets.report_to(source) > 0 && goal == Goal::One {
                return;
            }
        }
    }
}

impl<C: Lanes, M: Lanes> ChainLanes<C, M> {
    /// Completes the packets under way.
    ///
    /// # Safety
    /// Their tasks are good.
    unsafe fn complete_all(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            self.cipher.run(&mut ForCipher(&mut self.packets), Goal::All);
            self.mac.run(&mut ForMac(&mut self.packets), Goal::All);
            if self.packets.ciphering > 0 {
                self.cipher.run(&mut ForCipher(&mut self.packets), Goal::All);
            }
        }
    }

    /// Has at least one packet go through one half: of that whose lanes can be filled, if any can.
    ///
    /// # Safety
    /// At least one packet is under way; their tasks are good.
    unsafe fn advance(&mut self) {
        let Packets { ciphering, authenticating, .. } = self.packets;
        let fills_cipher = ciphering >= self.cipher.lanes();
        let fills_mac = authenticating >= self.mac.lanes();
        // SAFETY: the caller's.
        unsafe {
            if ciphering > 0 && (fills_cipher || !fills_mac) {
                self.cipher.run(&mut ForCipher(&mut self.packets), Goal::One);
            } else {
                self.mac.run(&mut ForMac(&mut self.packets), Goal::One);
            }
        }
    }
}

impl<C: Copy, M: Copy> Packets<C, M> {
    /// Takes as many packets as there is room for.
    fn take_from(&mut self, source: &mut impl Source<ChainTask<C, M>>) {
        while self.free.len() > 0 {
            let taken = source.next(|id, task| {
                let slot = self.free.pop().expect("one is free");
                self.slots.put(slot as usize, Slot { id, task: *task });
                self.send(slot, !task.mac_first);
            });
            if taken.is_none() {
                return;
            }
        }
    }

    /// Has a packet wait for lanes of the cipher, or of the MAC.
    #[inline(always)]
    fn send(&mut self, slot: u32, to_cipher: bool) {
        if to_cipher {
            self.ciphering += 1;
            self.to_cipher.push(slot);
        } else {
            self.authenticating += 1;
            self.to_mac.push(slot);
        }
    }

    /// Reports those that are complete, and says how many.
    fn report_to(&mut self, source: &mut impl Source<ChainTask<C, M>>) -> usize {
        let count = self.complete.len();
        while let Some(slot) = self.complete.pop() {
            source.done(self.slot(slot).id);
            self.free.push(slot);
        }
        count
    }

    #[inline(always)]
    fn slot(&mut self, slot: u32) -> &mut Slot<C, M> {
        // SAFETY: a slot's number is only in a queue, or on a lane, while it is full; what points into it
        // is not used meanwhile.
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
        self.0.ciphering -= 1;
        if self.0.slot(slot).task.mac_first {
            self.0.complete.push(slot);
        } else {
            self.0.send(slot, false);
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
        self.0.authenticating -= 1;
        let &mut Slot { task: ChainTask { mac_first, tag, place, place_len, .. }, .. } =
            self.0.slot(slot);
        // SAFETY: whoever made the task vouches for so many bytes at both, apart from each other.
        unsafe { ptr::copy_nonoverlapping(tag, place, place_len) };
        if mac_first {
            self.0.send(slot, true);
        } else {
            self.0.complete.push(slot);
        }
    }
}
