//! The library as its own users call it, by the fastest of its calls and with no engine around it.
//! It is what others are measured against.

use std::ffi::{c_int, c_void};
use std::ptr;

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{Algorithm, Direction, JobError, MacAlgorithm, Transform};

use crate::burst::Burst;
pub use crate::burst::Together;
pub use crate::fill::Places;
use crate::fill::fill;
use crate::gcm;
use crate::layout::{self, GcmContext, Job, RING};
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

/// A way in which the library takes buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A job for each buffer, submitted to the manager.
    Job,
    /// An array of jobs of one algorithm, complete on return.
    Burst(Together),
    /// A function call for each buffer, which needs no job.
    Direct,
}

impl Way {
    /// The name: `job`, `burst` or `direct`.
    pub const fn name(self) -> &'static str {
        match self {
            Way::Job => "job",
            Way::Burst(_) => "burst",
            Way::Direct => "direct",
        }
    }
}

/// A manager, with the jobs that it has in flight. It gives jobs back in the order of submission.
pub struct Jobs {
    manager: OwnedManager,
    /// The schedules of each job's triple DES.
    schedules: Box<[[*const c_void; 3]; RING]>,
    submitted: usize,
    /// Room for the jobs of a burst, and their results.
    burst: layout::Jobs,
    status: Box<[c_int]>,
    context: Box<GcmContext>,
}

// SAFETY: the pointers are to keys that whoever submits a job keeps in their place until it is
// complete; a manager belongs to no thread.
unsafe impl Send for Jobs {}

impl Jobs {
    /// A manager without jobs.
    pub fn new(manager: OwnedManager) -> Jobs {
        Jobs {
            schedules: Box::new([[ptr::null(); 3]; RING]),
            submitted: 0,
            burst: layout::Jobs::new(manager.table().release(), RING),
            status: vec![0; RING].into(),
            context: Box::new(GcmContext([0; 128])),
            manager,
        }
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

    /// Returns the library's fastest way for an operation: a direct call if it has one, else a
    /// burst, else jobs. Whether this release has bursts of the algorithm is found out by a burst
    /// of one job.
    ///
    /// # Safety
    /// As of [`Jobs::submit`]; and no job is in flight.
    pub unsafe fn fastest(&mut self, operation: &Operation, places: Places<'_>) -> Way {
        if let Task::Gcm { .. } = operation.task {
            return Way::Direct;
        }
        let Some(together) = operation.task.alike() else { return Way::Job };
        // SAFETY: the caller vouches for the operation and the places.
        let done = unsafe { self.burst(together, [(operation, places)]) };
        if done.is_ok() { Way::Burst(together) } else { Way::Job }
    }

    /// Processes buffers in bursts of as many jobs as the library's ring has.
    ///
    /// # Errors
    /// A job failed, or was not processed.
    ///
    /// # Safety
    /// As of [`Jobs::submit`], for all operations and places until this function returns; no job is
    /// in flight; and all operations have the algorithm that `together` names.
    pub unsafe fn burst<'o>(
        &mut self,
        together: Together,
        buffers: impl IntoIterator<Item = (&'o Operation, Places<'o>)>,
    ) -> Result<(), CallError> {
        let mut buffers = buffers.into_iter().peekable();
        while buffers.peek().is_some() {
            self.status.fill(0);
            let status = &mut self.status;
            let mut burst = Burst::new(&self.manager, Some(together), &mut self.burst, status);
            let mut count = 0;
            for (operation, places) in buffers.by_ref().take(RING) {
                let schedules = &mut self.schedules[count];
                // SAFETY: the caller vouches for the lengths and for what the fields point to until
                // the burst ends below, and for the algorithm.
                unsafe {
                    burst.submit(count, |job| {
                        fill(job, &operation.task, &places, schedules);
                    });
                }
                count += 1;
            }
            drop(burst);
            if let Some(&status) =
                self.status[..count].iter().find(|status| **status != layout::COMPLETED)
            {
                return Err(failed(status));
            }
        }
        Ok(())
    }

    /// Processes a buffer by the library's direct functions for AES-GCM.
    ///
    /// # Panics
    /// If the operation is not AES-GCM.
    ///
    /// # Safety
    /// As of [`Jobs::submit`], until this function returns.
    #[inline(always)]
    pub unsafe fn direct(&mut self, operation: &Operation, places: &Places<'_>) {
        let Task::Gcm { size, key, encrypts } = &operation.task else {
            panic!("the library has direct functions for AES-GCM alone")
        };
        let functions = self.manager.table().functions();
        // SAFETY: the functions are those of the manager's library, which stays open, and expanded
        // the key; the caller vouches for the places.
        unsafe { gcm::process(functions, *size, *encrypts, &key.0, &mut self.context, places) };
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

/// Checks that a job that came back went well.
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
