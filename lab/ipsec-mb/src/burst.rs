//! Jobs in flight: in the library's ring, which takes any mix, or gathered for calls that process
//! many jobs of one algorithm. Such calls spare the ring's bookkeeping (20 to 50 cycles a job).

use std::ffi::c_int;
use std::ptr;

use crate::layout::{Job, Jobs};
use crate::library::OwnedManager;

/// The library's numbers that jobs must share to be processed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// A hash for which the library has such a call.
    Hash {
        /// The library's number for the algorithm.
        alg: c_int,
    },
    /// A cipher for which the library has such a call.
    Cipher {
        /// The library's number for the cipher and its mode.
        mode: c_int,
        /// The library's number for the direction.
        direction: c_int,
        /// The length of the key in bytes.
        key_len: c_int,
    },
}

/// Jobs in flight. After its drop, at its end or by a panic, no job is in flight.
pub struct Burst<'q> {
    manager: &'q OwnedManager,
    together: Option<Together>,
    /// Jobs that are gathered, at the start.
    jobs: &'q mut Jobs,
    gathered: usize,
    status: &'q mut [c_int],
}

impl<'q> Burst<'q> {
    /// A burst without jobs. `together` is what all its jobs will have in common, if they have;
    /// `jobs` is room to gather them in, and each `status` becomes the highest status of the jobs
    /// with its index.
    pub fn new(
        manager: &'q OwnedManager,
        together: Option<Together>,
        jobs: &'q mut Jobs,
        status: &'q mut [c_int],
    ) -> Burst<'q> {
        Burst { manager, together, jobs, gathered: 0, status }
    }

    /// The manager.
    pub fn manager(&self) -> &'q OwnedManager {
        self.manager
    }

    /// Submits the next job, without the library's checks.
    ///
    /// # Safety
    /// - The closure fills in all fields that the library reads for the job's algorithm, with
    ///   lengths that the library takes.
    /// - The addresses in these fields stay valid for their lengths until the burst has ended.
    /// - If the burst was made with an algorithm that its jobs have in common, the job has it.
    #[inline(always)]
    pub unsafe fn submit(&mut self, index: usize, fill: impl FnOnce(&mut Job)) {
        if let Some(together) = self.together {
            if self.gathered == self.jobs.len() {
                self.process(together);
            }
            let job = self.jobs.get(self.gathered);
            fill(job);
            job.user_data = ptr::without_provenance_mut(index);
            job.status = 0;
            self.gathered += 1;
            return;
        }
        let functions = self.manager.table().functions();
        let manager = self.manager.as_ptr();
        // SAFETY: the manager is alive; the library returns a free job of its ring, which is this
        // function's until it is submitted.
        let job = unsafe { &mut *(functions.get_next_job)(manager) };
        fill(job);
        job.user_data = ptr::without_provenance_mut(index);
        // SAFETY: the manager is alive, and `fill` has filled in the job that was got last, by this
        // function's contract.
        let mut done = unsafe { (functions.submit_job_nocheck)(manager) };
        while !done.is_null() {
            self.take_returned(done);
            // SAFETY: the manager is alive.
            done = unsafe { (functions.get_completed_job)(manager) };
        }
    }

    /// Processes the jobs that are gathered.
    fn process(&mut self, together: Together) {
        let functions = self.manager.table().functions();
        let manager = self.manager.as_ptr();
        let (first, count) = (self.jobs.as_mut_ptr(), self.gathered as u32);
        // SAFETY: the manager is alive and its ring empty; the jobs are filled in and have this
        // algorithm in common, for which the callers of `submit` vouched.
        unsafe {
            match together {
                Together::Hash { alg } => {
                    (functions.hash_burst_nocheck)(manager, first, count, alg)
                }
                Together::Cipher { mode, direction, key_len } => (functions.cipher_burst_nocheck)(
                    manager, first, count, mode, direction, key_len,
                ),
            };
        }
        for index in 0..self.gathered {
            note(self.status, self.jobs.get(index));
        }
        self.gathered = 0;
    }

    /// Notes the outcome of a job that the library returned.
    #[inline(always)]
    fn take_returned(&mut self, job: *const Job) {
        // SAFETY: the library returned this job, not null, and leaves it alone until the next
        // `get_next_job`.
        note(self.status, unsafe { &*job });
    }
}

/// Notes the outcome of a job.
#[inline(always)]
fn note(status: &mut [c_int], job: &Job) {
    if let Some(highest) = status.get_mut(job.user_data.addr()) {
        *highest = (*highest).max(job.status);
    }
}

impl Drop for Burst<'_> {
    fn drop(&mut self) {
        if let Some(together) = self.together {
            return self.process(together);
        }
        let functions = self.manager.table().functions();
        loop {
            // SAFETY: the manager is alive, and so is all that its jobs point to.
            let done = unsafe { (functions.flush_job)(self.manager.as_ptr()) };
            if done.is_null() {
                return;
            }
            self.take_returned(done);
        }
    }
}
