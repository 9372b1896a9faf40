//! Queue pairs, and workers with an event that an event loop waits on.

use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard};

use broadloom::queue::{Event, QueueConfig};
use broadloom::workers::WorkersConfig;
use broadloom::{QueuePair as EnginePair, Workers as EngineWorkers};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::engine::with_secrets;
use crate::process::Resident;
use crate::session::{Job, Traveller};
use crate::{arguments, error};

/// Takes jobs in bursts and gives them back as they complete, each exactly once: on the thread that
/// calls, without threads of its own. Jobs of different sessions mix.
///
/// :param capacity: how many jobs it holds at most.
///
/// >>> import broadloom
/// >>> session, queue = broadloom.Session.hash("sha256"), broadloom.QueuePair()
/// >>> jobs = [broadloom.Job(session, bytes(n), user=n) for n in range(40)]
/// >>> queue.enqueue(jobs)
/// 40
/// >>> queue.flush()
/// >>> done = queue.dequeue()
/// >>> len(done), done[0].user, len(done[0].result()), queue.in_flight
/// (40, 0, 32, 0)
#[pyclass(module = "broadloom", frozen)]
pub struct QueuePair(Mutex<EnginePair<'static, Traveller>>);

impl QueuePair {
    fn pair(&self) -> PyResult<MutexGuard<'_, EnginePair<'static, Traveller>>> {
        self.0.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is within a call of this queue pair; give each thread its own",
            )
        })
    }
}

#[pymethods]
impl QueuePair {
    #[new]
    #[pyo3(signature = (capacity = 1024))]
    fn new(capacity: usize) -> PyResult<QueuePair> {
        if capacity == 0 {
            return Err(PyValueError::new_err("capacity is 0; valid: 1 or more jobs"));
        }
        let config = QueueConfig { capacity, ..QueueConfig::default() };
        Ok(QueuePair(Mutex::new(EnginePair::new(config))))
    }

    /// Takes jobs from the front of an iterable, as many as there is room for, and says how many.
    /// It asks the iterable for no more.
    fn enqueue(&self, jobs: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut pair = self.pair()?;
        let mut travellers = Job::depart(jobs, pair.capacity() - pair.in_flight())?;
        let pair = &mut *pair;
        let accepted = jobs.py().detach(|| with_secrets(|| pair.enqueue(&mut travellers)));
        Job::stay(jobs.py(), travellers);
        Ok(accepted)
    }

    /// Processes all jobs that it has, however few.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut pair = self.pair()?;
        let pair = &mut *pair;
        py.detach(|| with_secrets(|| pair.flush()));
        Ok(())
    }

    /// Gives back complete jobs, at most `limit` of them.
    #[pyo3(signature = (limit = None))]
    fn dequeue(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<Vec<Py<Job>>> {
        let mut pair = self.pair()?;
        let (pair, mut travellers) = (&mut *pair, Vec::new());
        py.detach(|| pair.dequeue(&mut travellers, limit.unwrap_or(usize::MAX)));
        Ok(Job::arrive(py, travellers))
    }

    /// Jobs that it has: accepted, and not yet given back.
    #[getter]
    fn in_flight(&self) -> PyResult<usize> {
        Ok(self.pair()?.in_flight())
    }

    /// Jobs that it holds at most.
    #[getter]
    fn capacity(&self) -> PyResult<usize> {
        Ok(self.pair()?.capacity())
    }
}

/// Threads, each with a queue pair, that process the jobs of any thread.
#[pyclass(module = "broadloom._broadloom", frozen)]
pub struct Workers {
    workers: Resident<EngineWorkers<Traveller>>,
    event: Event,
}

impl Workers {
    fn workers(&self) -> PyResult<&EngineWorkers<Traveller>> {
        self.workers.get("an event loop's group of workers")
    }
}

#[pymethods]
impl Workers {
    #[new]
    #[pyo3(signature = (threads = None))]
    fn new(threads: Option<isize>) -> PyResult<Workers> {
        let threads = arguments::threads(threads)?;
        let workers = EngineWorkers::new(WorkersConfig { threads, ..WorkersConfig::default() });
        let workers = workers.map_err(error::value)?;
        let event = workers.event().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Workers { workers: Resident::new(workers), event })
    }

    /// Takes jobs from the front of an iterable, as many as there is room for, and says how many.
    /// It asks the iterable for no more.
    fn submit(&self, jobs: &Bound<'_, PyAny>) -> PyResult<usize> {
        let workers = self.workers()?;
        let room = workers.capacity().saturating_sub(workers.in_flight());
        let mut travellers = Job::depart(jobs, room)?;
        let accepted = jobs.py().detach(|| workers.submit(&mut travellers));
        Job::stay(jobs.py(), travellers);
        Ok(accepted)
    }

    /// Gives back complete jobs.
    fn poll(&self, py: Python<'_>) -> PyResult<Vec<Py<Job>>> {
        let (workers, mut travellers) = (self.workers()?, Vec::new());
        py.detach(|| workers.poll(&mut travellers, usize::MAX));
        Ok(Job::arrive(py, travellers))
    }

    /// Whether the calling process has the threads: a child of fork does not.
    #[getter]
    fn is_here(&self) -> bool {
        self.workers.is_here()
    }

    /// A descriptor that is readable while complete jobs wait to be polled.
    fn fileno(&self) -> i32 {
        self.event.as_raw_fd()
    }
}
