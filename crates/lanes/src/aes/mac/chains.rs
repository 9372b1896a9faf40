//! The scheduler of chains onto the lanes of a kernel.

use zeroize::Zeroize;

use super::{ChainKernel, ChainSet, MAX_LANES};
use crate::aes::key::{AesKey, Block};
use crate::aes::select;
use crate::cpu::Cpu;
use crate::manager::{Occupancy, Source};
use crate::slab::Slab;

/// The most pieces that a chain runs over.
const PIECES: usize = 2;

/// Blocks that are made for a chain, at most.
const MADE: usize = 1;

/// Whole blocks that lie side by side, in a text or among those that are made.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub from: *const u8,
    pub blocks: usize,
}

/// What a chain runs over, and what becomes of it.
pub(super) struct Chain {
    /// None of the first `count` is empty.
    pub pieces: [Piece; PIECES],
    pub count: usize,
    pub made: [Block; MADE],
    /// Where the last state goes: 16 bytes.
    pub tag: *mut u8,
}

/// A task whose work is a chain.
pub(super) trait ChainTask: Copy {
    fn key(&self) -> *const AesKey;

    /// Describes the chain; pieces may point to its own blocks. There is at least one piece.
    ///
    /// # Safety
    /// The task is good, and the chain can be written to.
    unsafe fn describe(&self, chain: *mut Chain);
}

/// The scheduler: lanes with the same number of rounds run together.
pub(super) struct Chains {
    kernel: &'static ChainKernel,
    /// By the number of rounds: 10, 12, 14.
    classes: [Class; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds. Lanes `0..active` are in use.
struct Class {
    set: ChainSet,
    chains: Slab<Chain>,
    /// Blocks that are left of each lane's piece.
    left: [usize; MAX_LANES],
    /// The fewest of them, of lanes in use.
    fewest: usize,
    /// The piece of each lane.
    piece: [usize; MAX_LANES],
    ids: [u32; MAX_LANES],
    /// Where the lanes' chains are; behind those in use, the places that are free.
    slots: [u8; MAX_LANES],
    active: usize,
}

// SAFETY: the pointers are those of tasks, whose owner (a manager) holds the buffers and moves with this,
// or go into allocations of its own.
unsafe impl Send for Chains {}

impl Chains {
    pub fn new(cpu: &Cpu) -> Self {
        let kernel = select::chains(cpu);
        let classes = [(); 3].map(|()| Class::new(kernel.lanes));
        Chains { kernel, classes, occupancy: Occupancy::default() }
    }

    pub fn lanes(&self) -> usize {
        self.kernel.lanes
    }

    pub fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    /// Runs all chains of a source to their ends.
    ///
    /// # Safety
    /// The tasks are good until they are done.
    pub unsafe fn run<T: ChainTask>(&mut self, source: &mut impl Source<T>) {
        let Chains { kernel, classes, occupancy } = self;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    let class = ((*task.key()).rounds() - 10) / 2;
                    classes[class].start(id, task);
                    class
                });
                let Some(class) = taken else { break };
                while classes[class].active == kernel.lanes {
                    classes[class].step(kernel, occupancy, source);
                }
            }
            for class in classes {
                while class.active > 0 {
                    class.step(kernel, occupancy, source);
                }
            }
        }
    }
}

impl Class {
    fn new(lanes: usize) -> Self {
        let mut chains = Slab::new(lanes);
        let nowhere = Piece { from: core::ptr::null(), blocks: 0 };
        for lane in 0..lanes {
            let pieces = [nowhere; PIECES];
            let made = [[0; 16]; MADE];
            chains.put(lane, Chain { pieces, count: 0, made, tag: core::ptr::null_mut() });
        }
        Class {
            set: ChainSet::new(),
            chains,
            left: [0; MAX_LANES],
            fewest: usize::MAX,
            piece: [0; MAX_LANES],
            ids: [0; MAX_LANES],
            slots: core::array::from_fn(|lane| lane as u8),
            active: 0,
        }
    }

    /// Gives a task the next lane.
    ///
    /// # Safety
    /// The task is good, and a lane is free.
    #[inline(always)]
    unsafe fn start(&mut self, id: u32, task: &impl ChainTask) {
        let lane = self.active;
        self.active += 1;
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the caller's; the slot is the lane's own.
        let first = unsafe {
            task.describe(chain);
            (*chain).pieces[0]
        };
        self.set.state[lane] = [0; 16];
        self.set.key[lane] = task.key();
        self.set.src[lane] = first.from;
        self.left[lane] = first.blocks;
        self.fewest = self.fewest.min(first.blocks);
        self.piece[lane] = 0;
        self.ids[lane] = id;
    }

    /// Runs the lanes in use until the first is at the end of its piece.
    ///
    /// # Safety
    /// At least one lane is in use; their tasks are good, and the kernel is for this CPU.
    #[inline(always)]
    unsafe fn step<T>(
        &mut self,
        kernel: &ChainKernel,
        occupancy: &mut Occupancy,
        source: &mut impl Source<T>,
    ) {
        let active = self.active;
        let fewest = core::mem::replace(&mut self.fewest, usize::MAX);
        occupancy.count(active, kernel.lanes, fewest);
        // SAFETY: the caller's; every lane has at least `fewest` blocks left.
        unsafe { (kernel.absorb)(&mut self.set, active, fewest) };
        for lane in (0..active).rev() {
            self.left[lane] -= fewest;
            // SAFETY: within the piece, or at its end.
            self.set.src[lane] = unsafe { self.set.src[lane].add(16 * fewest) };
            if self.left[lane] == 0 {
                // SAFETY: the lane's task is good, and at the end of a piece.
                unsafe { self.next_piece(lane, source) };
            } else {
                self.fewest = self.fewest.min(self.left[lane]);
            }
        }
    }

    /// Goes on to a lane's next piece, or completes its task.
    ///
    /// # Safety
    /// The lane is in use, its task is good, and at the end of a piece.
    #[inline(always)]
    unsafe fn next_piece<T>(&mut self, lane: usize, source: &mut impl Source<T>) {
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the slot is the lane's own, and full; the tag is writable as long as the task is good.
        unsafe {
            self.piece[lane] += 1;
            if self.piece[lane] < (*chain).count {
                let Piece { from, blocks } = (*chain).pieces[self.piece[lane]];
                self.set.src[lane] = from;
                self.left[lane] = blocks;
                self.fewest = self.fewest.min(blocks);
                return;
            }
            (*chain).tag.cast::<Block>().write(self.set.state[lane]);
        }
        source.done(self.ids[lane]);
        self.vacate(lane);
    }

    /// Frees a lane; the last lane in use moves to its place.
    #[inline(always)]
    fn vacate(&mut self, lane: usize) {
        self.active -= 1;
        let last = self.active;
        self.set.key[lane] = self.set.key[last];
        self.set.src[lane] = self.set.src[last];
        self.set.state[lane] = self.set.state[last];
        self.left[lane] = self.left[last];
        self.piece[lane] = self.piece[last];
        self.ids[lane] = self.ids[last];
        self.slots.swap(lane, last);
    }
}

impl Drop for Chains {
    fn drop(&mut self) {
        for class in &mut self.classes {
            class.set.state.zeroize();
            for lane in 0..self.kernel.lanes {
                // SAFETY: all slots are full, and no task is under way.
                unsafe { (*class.chains.slot(lane)).made.zeroize() };
            }
        }
    }
}
