//! The burst planner: many jobs known at once.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::plan::{Plan, WINDOW};
use super::{Job, Lanes, Loan, Source};
use crate::cpu::Cpu;
use crate::occupancy::Occupancy;

/// Processes slices of jobs: the longest first, so that lanes that empty early are refilled with
/// what is shorter and the last ones to empty do so together.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Planner, Sha256};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// let mut jobs = ["abc", "", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"]
///     .map(|text| HashJob::<Sha256, _>::digest(text.as_bytes(), ()));
/// planner.process_many(&mut jobs);
/// let digest = jobs[0].output().expect("complete");
/// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub struct Planner<L: Lanes> {
    lanes: L,
    plan: Plan,
    /// The tasks of a window of loans, and what they cost; of no meaning between calls.
    tasks: Box<[MaybeUninit<L::Task>; WINDOW]>,
    costs: Box<[usize; WINDOW]>,
}

// SAFETY: the pointers in `tasks` are only used during a call, which writes them first.
unsafe impl<L: Lanes> Send for Planner<L> {}

impl<L: Lanes> Planner<L> {
    /// Makes a planner with the kernels for this CPU, and makes all allocations that it will ever
    /// need.
    pub fn new(cpu: &Cpu) -> Self {
        let (tasks, costs) = (Box::new([const { MaybeUninit::uninit() }; _]), Box::new([0; _]));
        Planner { lanes: L::new(cpu), plan: Plan::new(), tasks, costs }
    }

    /// Returns the number of lanes of the kernel, which is how many jobs advance at once.
    pub fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    /// Returns how full the lanes have been so far.
    pub fn occupancy(&self) -> Occupancy {
        self.lanes.occupancy()
    }

    /// Does the work of every [`Loan`]. When it returns, all work is done and the buffers are the
    /// caller's again.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 32], [2; 32], [3; 32]];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let loans = packets.iter_mut().map(|packet| Loan::encrypt(&key, &[0; 16], packet));
    /// planner.process_each(loans);
    /// assert_ne!(packets[0], [1; 32]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    pub fn process_each<'a>(&mut self, loans: impl IntoIterator<Item = Loan<'a, L>>)
    where
        L: 'a,
    {
        let mut gathering = self.gather();
        loans.into_iter().for_each(|loan| gathering.push(loan));
        gathering.finish();
    }

    /// Begins to gather loans, whose work is done by [`Gathering::finish`] at the latest.
    ///
    /// This does the same as [`process_each`](Planner::process_each), which takes an iterator. A
    /// caller that makes each loan within its own loop writes the loan where the planner keeps it;
    /// a loan that an iterator returns is put together elsewhere and copied.
    ///
    /// ```
    /// use broadloom_lanes::{AesKey, Cpu, Loan, Planner};
    ///
    /// let key = AesKey::new(&[7; 16])?;
    /// let mut packets = [[1u8; 32], [2; 32], [3; 32]];
    /// let mut planner = Planner::new(&Cpu::detect());
    /// let mut gathering = planner.gather();
    /// for packet in &mut packets {
    ///     gathering.push(Loan::encrypt(&key, &[0; 16], packet));
    /// }
    /// gathering.finish();
    /// assert_ne!(packets[0], [1; 32]);
    /// # Ok::<(), broadloom_lanes::KeyLengthError>(())
    /// ```
    #[inline(always)]
    pub fn gather<'a>(&mut self) -> Gathering<'_, 'a, L> {
        Gathering { planner: self, count: 0, loans: PhantomData }
    }

    /// Does the work of one [`Loan`], as [`process_each`](Planner::process_each) does that of many.
    #[inline(always)]
    pub fn process_one<'a>(&mut self, loan: Loan<'a, L>)
    where
        L: 'a,
    {
        // SAFETY: the task is good as long as the loan's buffers are borrowed, which is for 'a, and
        // 'a outlives this call. Before the call of `process_window`, the first task and its cost
        // are written.
        unsafe {
            if self.lanes.run_one(&loan.task) {
                return;
            }
            self.costs[0] = loan.cost;
            self.tasks[0].write(loan.task);
            self.process_window(1);
        }
    }

    /// Does the work of the first `count` tasks. Nothing here depends on the source of the tasks,
    /// so there is one copy of this code for all.
    ///
    /// # Safety
    /// - The first `count` tasks were written, and so were their costs, unless all cost the same.
    /// - These tasks are good, as [`Lanes::Task`] defines it, until this function returns.
    #[inline(never)]
    unsafe fn process_window(&mut self, count: usize) {
        // SAFETY: the first `count` tasks were written, by this function's contract.
        let tasks = unsafe { self.tasks[..count].assume_init_mut() };
        let order = match L::ALIKE {
            true => Plan::in_place(count),
            false => self.plan.order(&self.costs[..count]),
        };
        self.lanes.expect(tasks.iter().copied());
        let mut source = Lent { tasks, order: order.iter() };
        // SAFETY: the source gives the first `count` tasks, which are good until this function
        // returns; all of them are done when `run` returns.
        unsafe { self.lanes.run(&mut source) };
    }

    /// Completes every job of the slice. Jobs that are complete already stay unchanged.
    pub fn process_many<J: Job<Lanes = L>>(&mut self, jobs: &mut [J]) {
        for window in jobs.chunks_mut(WINDOW) {
            for (cost, job) in self.costs.iter_mut().zip(&*window) {
                *cost = job.cost();
            }
            let order = self.plan.order(&self.costs[..window.len()]);
            let left = window.iter_mut().filter_map(|job| {
                let is_left = !job.ticket().complete;
                is_left.then(|| job.task())
            });
            self.lanes.expect(left);
            let mut source = Planned { jobs: window.as_mut_ptr(), order: order.iter() };
            // SAFETY: the jobs stay where they are, and are reached only through `source`, until
            // all tasks are done; so their tasks are good by the contract of `Job`.
            unsafe { self.lanes.run(&mut source) };
        }
    }
}

/// Loans that a [`Planner`] gathers. Dropped before it is [finished](Gathering::finish), it leaves
/// undone what it has not done yet.
#[must_use = "the work is done by `finish`"]
pub struct Gathering<'p, 'a, L: Lanes> {
    planner: &'p mut Planner<L>,
    /// Tasks that are written and not done yet, fewer than [`WINDOW`].
    count: usize,
    /// The loans, whose buffers stay borrowed as long as this exists.
    loans: PhantomData<Loan<'a, L>>,
}

impl<'a, L: Lanes> Gathering<'_, 'a, L> {
    /// Adds a loan. Its work is done in this call if it gains nothing by the company of others; if
    /// many have gathered, so is theirs.
    #[inline(always)]
    pub fn push(&mut self, loan: Loan<'a, L>) {
        // SAFETY: the task is good as long as the loan's buffers are borrowed, which is for 'a, and
        // 'a outlives this call.
        if unsafe { self.planner.lanes.run_apart(&loan.task) } {
            return;
        }
        if !L::ALIKE {
            self.planner.costs[self.count] = loan.cost;
        }
        self.planner.tasks[self.count].write(loan.task);
        self.count += 1;
        if self.count == WINDOW {
            self.process();
        }
    }

    /// Does the work of all loans that are left. When it returns, the buffers are the caller's
    /// again.
    #[inline(always)]
    pub fn finish(mut self) {
        if self.count > 0 {
            self.process();
        }
    }

    #[inline(always)]
    fn process(&mut self) {
        let count = core::mem::take(&mut self.count);
        // SAFETY: `push` has written the first `count` tasks, and their costs unless they are
        // alike. A task is good as long as its loan's buffers are borrowed, which is for 'a, and
        // 'a outlives this value.
        unsafe { self.planner.process_window(count) };
    }
}

/// The tasks of a window of loans, in the order planned.
struct Lent<'a, T> {
    tasks: &'a mut [T],
    order: core::slice::Iter<'a, u16>,
}

impl<T: Copy> Source<T> for Lent<'_, T> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &T) -> R) -> Option<R> {
        let index = *self.order.next()?;
        Some(take(u32::from(index), &self.tasks[usize::from(index)]))
    }

    #[inline(always)]
    fn side_by_side(&mut self) -> Option<&mut [T]> {
        let order = self.order.as_slice();
        if !Plan::is_in_place(order) {
            return None;
        }
        self.order = [].iter();
        Some(&mut self.tasks[..order.len()])
    }

    #[inline(always)]
    fn done(&mut self, _: u32) {}
}

/// The jobs of a window, in the order planned.
struct Planned<'a, J> {
    jobs: *mut J,
    order: core::slice::Iter<'a, u16>,
}

impl<J: Job> Source<<J::Lanes as Lanes>::Task> for Planned<'_, J> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &<J::Lanes as Lanes>::Task) -> R) -> Option<R> {
        for index in self.order.by_ref() {
            // SAFETY: the planned index is below the number of jobs in the window, and no task
            // points to this job yet.
            let job = unsafe { &mut *self.jobs.add(usize::from(*index)) };
            if !job.ticket().complete {
                return Some(take(u32::from(*index), &job.task()));
            }
        }
        None
    }

    #[inline(always)]
    fn done(&mut self, id: u32) {
        // SAFETY: the number is an index of the window, and the job's task is over, so that nothing
        // points to the job.
        unsafe { &mut *self.jobs.add(id as usize) }.complete();
    }
}
