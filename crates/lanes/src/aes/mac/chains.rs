//! The scheduler of chains onto the lanes of a kernel.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::{ChainKernel, ChainSet, MAX_LANES};
use crate::aes::key::{AesKey, Block};
use crate::aes::select;
use crate::cpu::Cpu;
use crate::manager::{Occupancy, Source};
use crate::slab::Slab;

/// The most pieces that a chain runs over.
const PIECES: usize = 5;

/// Blocks that are made for a chain, at most.
const MADE: usize = 4;

/// Whole blocks that lie side by side, in a text or among those that are made.
#[derive(Clone, Copy)]
struct Piece {
    from: *const u8,
    blocks: usize,
}

/// A task whose work is a chain.
pub(in crate::aes) trait ChainTask: Copy {
    /// Context that is the same for all tasks of a scheduler.
    type Beside: Copy;

    fn key(&self) -> *const AesKey;

    /// Describes the chain: at least one block.
    ///
    /// # Safety
    /// The task is good.
    unsafe fn begin(&self, beside: Self::Beside, chain: &mut Course<'_, Self>);

    /// Does what is left to do with the last state.
    ///
    /// # Safety
    /// The task is good, and its chain at its end.
    unsafe fn end(&self, beside: Self::Beside, state: &Block);
}

/// The input of a chain, and its task.
pub(in crate::aes) struct Chain<T> {
    /// None of the first `count` is empty.
    pieces: [Piece; PIECES],
    count: usize,
    /// Pieces may point to these.
    made: [Block; MADE],
    task: MaybeUninit<T>,
}

/// A chain that is being described.
pub(in crate::aes) struct Course<'a, T> {
    chain: *mut Chain<T>,
    made: usize,
    /// Whether the last piece is one of blocks that were made.
    open: bool,
    borrowed: PhantomData<&'a mut Chain<T>>,
}

impl<T> Course<'_, T> {
    /// # Safety
    /// The chain can be written to, and stays where it is until it ends.
    #[inline(always)]
    unsafe fn new(chain: *mut Chain<T>) -> Self {
        // SAFETY: the caller's.
        unsafe { (*chain).count = 0 };
        Course { chain, made: 0, open: false, borrowed: PhantomData }
    }

    /// Goes on over whole blocks of a text.
    #[inline(always)]
    pub fn text(&mut self, from: *const u8, blocks: usize) {
        if blocks > 0 {
            self.piece(from, blocks);
            self.open = false;
        }
    }

    /// Goes on over a block that is made, as a little-endian integer.
    #[inline(always)]
    pub fn block(&mut self, block: u128) {
        // SAFETY: the chain can be written to; references are to one field, and end here.
        unsafe {
            (*self.chain).made[self.made] = block.to_le_bytes();
            if self.open {
                (*self.chain).pieces[(*self.chain).count - 1].blocks += 1;
            } else {
                self.piece((&raw const (*self.chain).made).cast::<u8>().add(16 * self.made), 1);
                self.open = true;
            }
        }
        self.made += 1;
    }

    #[inline(always)]
    fn piece(&mut self, from: *const u8, blocks: usize) {
        // SAFETY: as in `block`.
        unsafe {
            (*self.chain).pieces[(*self.chain).count] = Piece { from, blocks };
            (*self.chain).count += 1;
        }
    }
}

/// The scheduler: lanes with the same number of rounds run together.
pub(in crate::aes) struct Chains<T: ChainTask> {
    kernel: &'static ChainKernel,
    beside: T::Beside,
    /// By the number of rounds: 10, 12, 14.
    classes: [Class<T>; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds. Lanes `0..active` are in use.
struct Class<T> {
    set: ChainSet,
    chains: Slab<Chain<T>>,
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

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves with
// this, or go into this value's own allocations.
unsafe impl<T: ChainTask<Beside: Send>> Send for Chains<T> {}

impl<T: ChainTask> Chains<T> {
    pub fn new(cpu: &Cpu, beside: T::Beside) -> Self {
        let kernel = select::chains(cpu);
        let classes = [(); 3].map(|()| Class::new(kernel.lanes));
        Chains { kernel, beside, classes, occupancy: Occupancy::default() }
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
    pub unsafe fn run(&mut self, source: &mut impl Source<T>) {
        let Chains { kernel, beside, classes, occupancy } = self;
        let beside = *beside;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let taken = source.next(|id, task| {
                    let class = ((*task.key()).rounds() - 10) / 2;
                    classes[class].start(id, task, beside);
                    class
                });
                let Some(class) = taken else { break };
                while classes[class].active == kernel.lanes {
                    classes[class].step(kernel, beside, occupancy, source);
                }
            }
            for class in classes {
                while class.active > 0 {
                    class.step(kernel, beside, occupancy, source);
                }
            }
        }
    }
}

impl<T: ChainTask> Class<T> {
    fn new(lanes: usize) -> Self {
        let mut chains = Slab::new(lanes);
        let nowhere = Piece { from: core::ptr::null(), blocks: 0 };
        for lane in 0..lanes {
            let pieces = [nowhere; PIECES];
            let made = [[0; 16]; MADE];
            chains.put(lane, Chain { pieces, count: 0, made, task: MaybeUninit::uninit() });
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
    unsafe fn start(&mut self, id: u32, task: &T, beside: T::Beside) {
        let lane = self.active;
        self.active += 1;
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the caller's; the slot is the lane's own.
        let first = unsafe {
            (*chain).task.write(*task);
            task.begin(beside, &mut Course::new(chain));
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
    unsafe fn step(
        &mut self,
        kernel: &ChainKernel,
        beside: T::Beside,
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
                unsafe { self.next_piece(lane, beside, source) };
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
    unsafe fn next_piece(&mut self, lane: usize, beside: T::Beside, source: &mut impl Source<T>) {
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the slot is the lane's own, and full; its task was written when it started, and
        // is good.
        unsafe {
            self.piece[lane] += 1;
            if self.piece[lane] < (*chain).count {
                let Piece { from, blocks } = (*chain).pieces[self.piece[lane]];
                self.set.src[lane] = from;
                self.left[lane] = blocks;
                self.fewest = self.fewest.min(blocks);
                return;
            }
            (*chain).task.assume_init_ref().end(beside, &self.set.state[lane]);
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

impl<T: ChainTask> Drop for Chains<T> {
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
