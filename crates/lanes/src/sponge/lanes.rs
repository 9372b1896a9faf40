//! The scheduler of sponges onto lanes.
//!
//! Every step of every algorithm is the same for a lane: a block is added to its state, and the
//! state permuted. So a lane goes through whole blocks, which are read where they are, the padded
//! end beside the message, HMAC's outer hash, and the zeros by which output of more than a block is
//! squeezed, while other lanes are elsewhere in theirs. It is refilled when its task is complete.
//!
//! Lanes that advance together have blocks of one length: there is a set of lanes for each.

use super::set::{SpongeSet, SpongeTaken};
use crate::cpu::Cpu;
use crate::kernels::sponge::kernel::{Rate, SpongeKernels};
use crate::manager::{Lanes, Source};
use crate::occupancy::Occupancy;
use crate::sponge::task::SpongeTask;

/// The scheduler of messages of all sponges onto the lanes of the Keccak kernel.
pub struct SpongeLanes {
    kernels: SpongeKernels,
    sets: [SpongeSet; Rate::ALL.len()],
    occupancy: Occupancy,
}

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler, or they point into the scheduler's own allocations.
unsafe impl Send for SpongeLanes {}

impl Lanes for SpongeLanes {
    type Task = SpongeTask;

    fn new(cpu: &Cpu) -> Self {
        let kernels = cpu.pick(&cpu.kernels().sponge);
        let sets = Rate::ALL.map(|rate| SpongeSet::new(rate, kernels.wide.lanes));
        SpongeLanes { kernels, sets, occupancy: Occupancy::default() }
    }

    fn lanes(&self) -> usize {
        self.kernels.wide.lanes
    }

    fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    #[inline]
    unsafe fn run(&mut self, source: &mut impl Source<SpongeTask>) {
        let SpongeLanes { kernels, sets, occupancy } = self;
        // SAFETY: every task that the source gives is good until it is reported done, by this
        // function's contract; whenever a task is taken, no set is full, because a full set is run.
        unsafe {
            while let Some((id, rate, taken)) =
                source.next(|id, task| (id, task.rate, sets[task.rate as usize].take(id, task)))
            {
                match taken {
                    SpongeTaken::Waits => {}
                    SpongeTaken::Full => {
                        let set = &mut sets[rate as usize];
                        while set.is_full() {
                            set.step(kernels, source, occupancy);
                        }
                    }
                    SpongeTaken::Complete => source.done(id),
                }
            }
            for set in sets {
                while set.active() > 0 {
                    set.step(kernels, source, occupancy);
                }
            }
        }
    }
}
