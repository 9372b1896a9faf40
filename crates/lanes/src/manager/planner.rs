//! The burst planner: many jobs known at once.

use super::plan::{Plan, WINDOW};
use super::{Goal, Job, Lanes, Source};
use crate::cpu::Cpu;

/// Processes slices of jobs: the longest first, so that lanes that empty early are refilled with what is
/// shorter and the last ones to empty do so together.
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
}

impl<L: Lanes> Planner<L> {
    /// A planner with the kernels for this CPU; all that it will ever allocate, it allocates here.
    pub fn new(cpu: &Cpu) -> Self {
        Planner { lanes: L::new(cpu), plan: Plan::new() }
    }

    /// Lanes of the kernel: how many jobs advance at once.
    pub fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    /// Completes every job of the slice. Jobs that are complete already are left as they are.
    pub fn process_many<J: Job<Lanes = L>>(&mut self, jobs: &mut [J]) {
        for window in jobs.chunks_mut(WINDOW) {
            let order = self.plan.order(window.len(), |index| window[index].cost());
            let mut source = Planned { jobs: window.as_mut_ptr(), order: order.iter() };
            // SAFETY: the jobs stay where they are, and are reached only through `source`, until all
            // tasks are done.
            unsafe { self.lanes.run(&mut source, Goal::All) };
        }
    }
}

/// The jobs of a window, in the order planned.
struct Planned<'a, J> {
    jobs: *mut J,
    order: core::slice::Iter<'a, u16>,
}

impl<J: Job> Source<<J::Lanes as Lanes>::Task> for Planned<'_, J> {
    #[inline(always)]
    fn next(&mut self) -> Option<(u32, <J::Lanes as Lanes>::Task)> {
        for index in self.order.by_ref() {
            // SAFETY: an index of the window; no task points to this job yet.
            let job = unsafe { &mut *self.jobs.add(usize::from(*index)) };
            if !job.ticket().complete {
                return Some((u32::from(*index), job.task()));
            }
        }
        None
    }

    #[inline(always)]
    fn done(&mut self, id: u32) {
        // SAFETY: an index of the window, whose task is over.
        unsafe { &mut *self.jobs.add(id as usize) }.complete();
    }
}
