//! The library as its own users call it: its job interface, submitting without checks, and no
//! engine around it. It is what others are measured against.

use std::ffi::c_void;
use std::ptr;

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{Algorithm, Direction, JobError, MacAlgorithm, Transform};

pub use crate::fill::Places;
use crate::fill::fill;
use crate::layout::{self, Job, RING};
use crate::library::{CallError, OwnedManager, Table};
use crate::rules::{Rules, lacks};
use crate::session::Task;

/// What jobs share: an algorithm, a direction and an expanded key.
pub struct Operation {
    task: Task,
    rules: Rules,
}

impl Operation {
    /// Why the library's jobs do not have an algorithm in a direction; `None` if they do.
    pub fn lacks(algorithm: Algorithm, direction: Direction) -> Option<&'static str> {
        match (algorithm, direction) {
            (Algorithm::Chain(..), _) => Some("a chain is measured as its two halves"),
            (Algorithm::Mac(MacAlgorithm::AesGmac(_)), _) => {
                Some("its GMAC is not one of its jobs")
            }
            (_, Direction::Verify) => Some("it makes tags, and compares none"),
            _ => lacks(algorithm),
        }
    }

    /// Expands the key of a transform.
    ///
    /// # Errors
    /// The library does not have the algorithm.
    pub fn new(transform: &Transform, table: &Table) -> Result<Operation, ProviderError> {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        if let Some(reason) = Operation::lacks(algorithm, direction) {
            return Err(ProviderError::new(reason));
        }
        Ok(Operation { task: Task::of(transform, table)?, rules: Rules::of(algorithm, direction) })
    }

    /// Checks that the library takes messages of these lengths.
    ///
    /// # Errors
    /// The length that it does not take, with what is valid.
    pub fn check(
        &self,
        len: usize,
        nonce_len: usize,
        associated_len: usize,
    ) -> Result<(), JobError> {
        self.rules.check(len, true, nonce_len, associated_len)
    }
}

/// A manager, with the jobs that it has in flight. It gives jobs back in the order of submission.
pub struct Jobs {
    manager: OwnedManager,
    /// The schedules of each job's triple DES.
    schedules: Box<[[*const c_void; 3]; RING]>,
    submitted: usize,
}

// SAFETY: the pointers are to keys that whoever submits a job keeps in their place until it is
// complete; a manager belongs to no thread.
unsafe impl Send for Jobs {}

impl Jobs {
    /// A manager without jobs.
    pub fn new(manager: OwnedManager) -> Jobs {
        Jobs { manager, schedules: Box::new([[ptr::null(); 3]; RING]), submitted: 0 }
    }

    /// The functions that jobs go through.
    pub fn table(&self) -> &Table {
        self.manager.table()
    }

    /// Submits a job, and takes back those that are complete.
    ///
    /// # Errors
    /// A job failed.
    ///
    /// # Safety
    /// The lengths must pass [`Operation::check`], a text that is authenticated by HMAC must not be
    /// empty, and the operation and all places must stay as they are, good for their lengths, until
    /// this job is complete: the next [`Jobs::flush`] at the latest. The source must be readable up
    /// to the end of its last block of 16 bytes, and the operation expanded by the functions of
    /// this [`Jobs::table`].
    #[inline(always)]
    pub unsafe fn submit(
        &mut self,
        operation: &Operation,
        places: &Places<'_>,
    ) -> Result<(), CallError> {
        let manager = self.manager.as_ptr();
        let functions = self.manager.table().functions();
        // SAFETY: the manager is alive; the library returns a free job of its ring, which is this
        // function's until it is submitted.
        let job = unsafe { &mut *(functions.get_next_job)(manager) };
        fill(job, &operation.task, places, &mut self.schedules[self.submitted % RING]);
        self.submitted += 1;
        // SAFETY: the job last got is filled in, with addresses for which the caller vouches.
        let mut done = unsafe { (functions.submit_job_nocheck)(manager) };
        while !done.is_null() {
            accept(done)?;
            // SAFETY: the manager is alive.
            done = unsafe { (functions.get_completed_job)(manager) };
        }
        Ok(())
    }

    /// Completes all jobs.
    ///
    /// # Errors
    /// A job failed.
    pub fn flush(&mut self) -> Result<(), CallError> {
        let flush = self.manager.table().functions().flush_job;
        loop {
            // SAFETY: the manager is alive, and so is what its jobs point to.
            let done = unsafe { flush(self.manager.as_ptr()) };
            if done.is_null() {
                return Ok(());
            }
            accept(done)?;
        }
    }
}

/// What a caller does with a job that came back: looks whether it went well.
#[inline(always)]
fn accept(job: *mut Job) -> Result<(), CallError> {
    // SAFETY: the library returned this job, not null, and leaves it alone until the next
    // `get_next_job`.
    match unsafe { (*job).status } {
        layout::COMPLETED => Ok(()),
        status => Err(failed(status)),
    }
}

#[cold]
fn failed(status: i32) -> CallError {
    CallError { call: "a job", reason: format!("its status is {status}") }
}
