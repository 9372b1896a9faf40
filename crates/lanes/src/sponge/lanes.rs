//! The scheduler of sponges onto lanes.
//!
//! Every step of every algorithm is the same for a lane: a block is added to its state, and the
//! state permuted. So a lane goes through whole blocks, which are read where they are, the padded
//! end beside the message, HMAC's outer hash, and the zeros by which output of more than a block is
//! squeezed, while other lanes are elsewhere in theirs. It is refilled when its task is complete.
//!
//! Lanes that advance together have blocks of one length: there is a set of lanes for each.

use super::keccak::State;
use super::kernel::{Rate, SpongeKernels};
use super::set::{Set, Taken};
use crate::cpu::Cpu;
use crate::manager::{Goal, Lanes, Occupancy, Source};

/// One message, as the scheduler sees it.
///
/// Whoever makes one vouches that the pointers stay good until the task is complete.
#[derive(Clone, Copy)]
pub struct SpongeTask {
    pub(super) rate: Rate,
    /// A block to absorb first; null if there is none.
    pub(super) head: *const u8,
    /// The bytes to absorb, and how many.
    pub(super) data: *const u8,
    pub(super) len: usize,
    /// The state to start from, which has absorbed whole blocks.
    pub(super) start: *const State,
    pub(super) end: End,
}

/// What becomes of the state when the data are absorbed.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// It is kept, for more data to come: what is behind the last whole block is left out.
    State(*mut State),
    /// The message is complete: its output.
    Output { suffix: u8, to: *mut u8, len: usize },
    /// The message is complete, and is the inner one of an HMAC: its tag, as long as the digest.
    Hmac { suffix: u8, outer: *const State, to: *mut u8, len: usize },
    /// The message is complete: KMAC of it. `bits` is the length that it is told, 0 for output of
    /// any length.
    Kmac { bits: u64, to: *mut u8, len: usize },
}

/// After so many calls in which half-filled lanes did not move, they do: a steady stream of
/// messages of another block length must not keep them waiting for ever.
const PATIENCE: u32 = 16;

/// The scheduler of messages of all sponges onto the lanes of the Keccak kernel.
pub struct SpongeLanes {
    kernels: SpongeKernels,
    sets: [Set; Rate::ALL.len()],
    occupancy: Occupancy,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with
// this, or go into allocations of its own.
unsafe impl Send for SpongeLanes {}

impl Lanes for SpongeLanes {
    type Task = SpongeTask;
    const SORT_STREAMS: bool = true;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&cpu.kernels().sponge);
        let sets = Rate::ALL.map(|rate| Set::new(rate, kernels.wide.lanes));
        SpongeLanes { kernels, sets, occupancy: Occupancy::default() }
    }

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    #[inline]
    unsafe fn run(&mut self, source: &mut impl Source<SpongeTask>, goal: Goal) {
        let SpongeLanes { kernels, sets, occupancy } = self;
        let mut completed = 0;
        sets.iter_mut().for_each(|set| set.idle += u32::from(set.active() > 0));
        // SAFETY: the caller vouches for the tasks until they are complete; whenever a task is
        // taken, no set is full.
        unsafe {
            loop {
                while let Some((id, rate, taken)) =
                    source.next(|id, task| (id, task.rate, sets[task.rate as usize].take(id, task)))
                {
                    match taken {
                        Taken::Waits => {}
                        Taken::Full => {
                            let set = &mut sets[rate as usize];
                            while set.is_full() {
                                completed += set.step(kernels, source, occupancy);
                            }
                        }
                        Taken::Complete => {
                            completed += 1;
                            source.done(id);
                        }
                    }
                }
                let late = sets.iter().position(|set| set.idle > PATIENCE);
                if late.is_none() && goal == Goal::One && completed > 0 {
                    return;
                }
                let fullest = (0..sets.len()).max_by_key(|index| sets[*index].active());
                match late.or(fullest) {
                    Some(index) if sets[index].active() > 0 => {
                        completed += sets[index].step(kernels, source, occupancy);
                    }
                    _ => return,
                }
            }
        }
    }
}
