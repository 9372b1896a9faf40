//! The scheduler of chains onto the lanes of a kernel.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use zeroize::Zeroize;

use crate::aes::select;
use crate::cpu::Cpu;
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::mac::{ChainKernel, ChainSet, MAX_LANES};
use crate::manager::Source;
use crate::occupancy::Occupancy;
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

/// A task whose work is a chain. It is good if its own type says so.
pub(in crate::aes) trait MacChainTask: Copy {
    /// Context that is the same for all tasks of a scheduler.
    type Beside: Copy;

    fn key(&self) -> *const AesKey;

    /// Describes the chain: at least one block.
    ///
    /// # Safety
    /// The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    unsafe fn begin(&self, beside: Self::Beside, chain: &mut MacCourse<'_, Self>);

    /// Does what is left to do with the last state.
    ///
    /// # Safety
    /// The task is good, and its chain has been absorbed.
    unsafe fn end(&self, beside: Self::Beside, state: &Block);
}

/// The input of a chain, and its task.
pub(in crate::aes) struct MacChain<T> {
    /// None of the first `count` is empty.
    pieces: [Piece; PIECES],
    count: usize,
    /// Pieces may point to these.
    made: [Block; MADE],
    task: MaybeUninit<T>,
}

/// A chain that is being described.
pub(in crate::aes) struct MacCourse<'a, T> {
    chain: *mut MacChain<T>,
    made: usize,
    /// `true` if the last piece is one of blocks that were made.
    open: bool,
    borrowed: PhantomData<&'a mut MacChain<T>>,
}

impl<T> MacCourse<'_, T> {
    /// Begins the description of a chain.
    ///
    /// # Safety
    /// `chain` points to a chain that can be written to, that nothing else uses meanwhile, and that
    /// stays where it is until its task is complete.
    #[inline(always)]
    unsafe fn new(chain: *mut MacChain<T>) -> Self {
        // SAFETY: the chain can be written to, by this function's contract.
        unsafe { (*chain).count = 0 };
        MacCourse { chain, made: 0, open: false, borrowed: PhantomData }
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
        // SAFETY: the chain can be written to, by the contract of `new`; each reference is to one
        // field, and ends here. `add` stays within `made`, because the index was checked in the
        // line before.
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
        // SAFETY: the chain can be written to, by the contract of `new`; each reference is to one
        // field, and ends here.
        unsafe {
            (*self.chain).pieces[(*self.chain).count] = Piece { from, blocks };
            (*self.chain).count += 1;
        }
    }
}

/// The scheduler: lanes with the same number of rounds run together.
pub(in crate::aes) struct MacChains<T: MacChainTask> {
    kernel: &'static ChainKernel,
    beside: T::Beside,
    /// By the number of rounds: 10, 12, 14.
    classes: [MacClass<T>; 3],
    occupancy: Occupancy,
}

/// The lanes whose keys have one number of rounds. Lanes `0..active` are in use.
struct MacClass<T> {
    set: ChainSet,
    chains: Slab<MacChain<T>>,
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

// SAFETY: the pointers belong to tasks, whose owner (a manager) holds the buffers and moves
// together with the scheduler, or they point into the scheduler's own allocations.
unsafe impl<T: MacChainTask<Beside: Send>> Send for MacChains<T> {}

impl<T: MacChainTask> MacChains<T> {
    pub fn new(cpu: &Cpu, beside: T::Beside) -> Self {
        let kernel = select::chains(cpu);
        let classes = [(); 3].map(|()| MacClass::new(kernel.lanes));
        MacChains { kernel, beside, classes, occupancy: Occupancy::default() }
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
    /// Every task that the source gives is good, as [`Lanes::Task`](crate::manager::Lanes::Task)
    /// defines it, until it is reported done.
    pub unsafe fn run(&mut self, source: &mut impl Source<T>) {
        let MacChains { kernel, beside, classes, occupancy } = self;
        let beside = *beside;
        // SAFETY: the tasks are good by this function's contract, so their keys are valid. Before a
        // task is started, its class has a free lane, because a full class is run; `step` runs a
        // class with a lane in use, and the kernel is for this CPU.
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

impl<T: MacChainTask> MacClass<T> {
    fn new(lanes: usize) -> Self {
        let mut chains = Slab::new(lanes);
        let nowhere = Piece { from: core::ptr::null(), blocks: 0 };
        for lane in 0..lanes {
            let pieces = [nowhere; PIECES];
            let made = [[0; 16]; MADE];
            chains.put(lane, MacChain { pieces, count: 0, made, task: MaybeUninit::uninit() });
        }
        MacClass {
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
    /// - The task is good, as [`Lanes::Task`](crate::manager::Lanes::Task) defines it.
    /// - A lane is free.
    #[inline(always)]
    unsafe fn start(&mut self, id: u32, task: &T, beside: T::Beside) {
        let lane = self.active;
        self.active += 1;
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the slot is full since the class was made, and belongs to this lane alone; its
        // chain stays there until the task is complete. The task is good by this function's
        // contract.
        let first = unsafe {
            (*chain).task.write(*task);
            task.begin(beside, &mut MacCourse::new(chain));
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
    /// - At least one lane is in use, and the tasks on the lanes are good.
    /// - The kernel is for this CPU.
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
        // SAFETY: lanes `0..active` have good tasks of one number of rounds, and each has at least
        // `fewest` blocks left of its piece.
        unsafe { (kernel.absorb)(&mut self.set, active, fewest) };
        for lane in (0..active).rev() {
            self.left[lane] -= fewest;
            // SAFETY: the piece had at least `fewest` blocks left, so the pointer stays within it,
            // or at its end.
            self.set.src[lane] = unsafe { self.set.src[lane].add(16 * fewest) };
            if self.left[lane] == 0 {
                // SAFETY: the lane is in use, its task is good, and it has no block left of its
                // piece.
                unsafe { self.next_piece(lane, beside, source) };
            } else {
                self.fewest = self.fewest.min(self.left[lane]);
            }
        }
    }

    /// Goes on to a lane's next piece, or completes its task.
    ///
    /// # Safety
    /// The lane is in use, its task is good, and it has absorbed its piece.
    #[inline(always)]
    unsafe fn next_piece(&mut self, lane: usize, beside: T::Beside, source: &mut impl Source<T>) {
        let chain = self.chains.slot(self.slots[lane].into());
        // SAFETY: the slot is full and belongs to this lane alone; its task was written when the
        // lane was started, and is good by this function's contract. All pieces are absorbed when
        // `end` is called.
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

    /// Frees a lane. The last lane in use moves to its place.
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

impl<T: MacChainTask> Drop for MacChains<T> {
    fn drop(&mut self) {
        for class in &mut self.classes {
            class.set.state.zeroize();
            for lane in 0..self.kernel.lanes {
                // SAFETY: all slots were filled when the class was made, and no task is under way.
                unsafe { (*class.chains.slot(lane)).made.zeroize() };
            }
        }
    }
}
