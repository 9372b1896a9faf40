//! Queue pairs.

use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::time::Duration;

use broadloom::QueuePair;
use broadloom::queue::{Event, Order, QueueConfig};

use crate::fault::{Fault, object, object_mut, put, report, structure};
use crate::job::bl_job;
use crate::process::pointers;
use crate::session::{hand_out, take_back};
use crate::shell::{Boxed, Shell};
use crate::status::{BL_E_SYSTEM, bl_status};

/// `bl_queue_config.max_wait_ns` and `bl_workers_config.max_wait_ns`: jobs wait until their batch
/// is full or the queue pair is flushed.
pub const BL_WAIT_FOR_EVER: u64 = u64::MAX;

/// How a queue pair behaves. Members that are 0 mean the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_queue_config {
    /// sizeof(bl_queue_config)
    pub size: usize,
    /// Jobs that it holds at most; 0: 1024.
    pub capacity: usize,
    /// Not 0: jobs come back in the order in which they were enqueued.
    pub in_order: c_int,
    /// Jobs that share lanes are processed when so many have come; 0: the provider decides.
    pub batch: usize,
    /// How many nanoseconds a job waits for others at most, before a call of enqueue or dequeue has
    /// it processed; 0: 100,000. `BL_WAIT_FOR_EVER`: no bound.
    pub max_wait_ns: u64,
}

/// Takes jobs in bursts and gives them back as they complete.
pub struct bl_queue_pair {
    pair: QueuePair<'static, Boxed>,
    /// Shells without a job.
    idle: Vec<Boxed>,
    burst: Vec<Boxed>,
    event: Option<Event>,
}

/// A shell that stands for a caller's job: one of the idle, or a new one.
///
/// # Safety
/// As [`Shell::load`].
#[inline]
pub(crate) unsafe fn load(idle: &mut Vec<Boxed>, job: *mut bl_job) -> Result<Boxed, Fault> {
    let Some(mut shell) = idle.pop() else {
        // SAFETY: the condition *jobs* holds.
        return unsafe { Shell::new(job, None) }.map(Box::new);
    };
    // SAFETY: the condition *jobs* holds.
    match unsafe { shell.load(job, None) } {
        Ok(()) => Ok(shell),
        Err(fault) => {
            idle.push(shell);
            Err(fault)
        }
    }
}

/// The bound on waits that a caller means.
pub(crate) fn max_wait(given: u64) -> Option<Duration> {
    match given {
        0 => QueueConfig::default().max_wait,
        BL_WAIT_FOR_EVER => None,
        given => Some(Duration::from_nanos(given)),
    }
}

/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds.
unsafe fn config(given: *const bl_queue_config) -> Result<QueueConfig, Fault> {
    let mut config = QueueConfig::default();
    if given.is_null() {
        return Ok(config);
    }
    // SAFETY: the condition *structures* holds.
    let given = unsafe { structure(given, "bl_queue_config") }?;
    if given.capacity != 0 {
        config.capacity = given.capacity;
    }
    if given.in_order != 0 {
        config.order = Order::AsSubmitted;
    }
    config.batch = (given.batch != 0).then_some(given.batch);
    config.max_wait = max_wait(given.max_wait_ns);
    Ok(config)
}

/// Opens a queue pair. `config` may be null: the defaults.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_open(
    config: *const bl_queue_config,
    queue_pair: *mut *mut bl_queue_pair,
) -> bl_status {
    // SAFETY: the conditions *structures* and *places* hold.
    report(unsafe {
        self::config(config).and_then(|config| {
            let (idle, burst) = (Vec::new(), Vec::new());
            let opened = bl_queue_pair { pair: QueuePair::new(config), idle, burst, event: None };
            hand_out(opened, queue_pair, "queue pair")
        })
    })
}

/// Processes the jobs that are left and closes the queue pair. Null is allowed. Jobs that were not
/// dequeued have their status then, and are the caller's again.
///
/// Threads: one; no other uses the queue pair any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_close(queue_pair: *mut bl_queue_pair) {
    // SAFETY: the condition *closing* holds.
    let Some(queue_pair) = (unsafe { take_back(queue_pair) }) else { return };
    for mut shell in queue_pair.pair.close() {
        // SAFETY: its job was loaded when it was enqueued, and has not been given back.
        unsafe { shell.store() };
    }
}

/// Takes jobs from the front of a burst, as many as there is room for. The others stay the
/// caller's.
///
/// `accepted`: out: how many were taken. Where a job is wrong, those before it are taken, and the
/// call fails.
///
/// Threads: one at a time for a queue pair. The same holds for all functions `bl_queue_pair_...`
/// that follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_enqueue(
    queue_pair: *mut bl_queue_pair,
    jobs: *const *mut bl_job,
    count: usize,
    accepted: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *objects*, *arrays*, *jobs* and *places* hold.
    report(unsafe { enqueue(queue_pair, jobs, count, accepted) })
}

/// # Safety
/// The [conditions](crate#what-c-vouches-for) *objects*, *arrays*, *jobs* and *places* hold.
unsafe fn enqueue(
    queue_pair: *mut bl_queue_pair,
    jobs: *const *mut bl_job,
    count: usize,
    accepted: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *objects*, *arrays* and *places* hold.
    let (queue_pair, jobs) = unsafe {
        put(accepted, "place for the number of accepted jobs", 0)?;
        (object_mut(queue_pair, "queue pair")?, pointers(jobs, count)?)
    };
    let bl_queue_pair { pair, idle, burst, .. } = queue_pair;
    let room = pair.capacity() - pair.in_flight();
    let mut outcome = Ok(());
    for &job in &jobs[..count.min(room)] {
        // SAFETY: the caller lends the job until it is dequeued or the queue pair is closed.
        match unsafe { load(idle, job) } {
            Ok(shell) => burst.push(shell),
            Err(fault) => {
                let text = format!("job {}: {}", burst.len(), fault.text);
                outcome = Err(Fault::new(fault.status, text));
                break;
            }
        }
    }
    let taken = pair.enqueue(burst);
    // SAFETY: it is not null, as was checked above.
    unsafe { accepted.write(taken) };
    outcome
}

/// Gives back complete jobs, at most `max` of them: their pointers go to `jobs`.
///
/// `given`: out: how many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_dequeue(
    queue_pair: *mut bl_queue_pair,
    jobs: *mut *mut bl_job,
    max: usize,
    given: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *objects*, *arrays* and *places* hold.
    report(unsafe { dequeue(queue_pair, jobs, max, given) })
}

/// # Safety
/// The [conditions](crate#what-c-vouches-for) *objects*, *arrays* and *places* hold.
unsafe fn dequeue(
    queue_pair: *mut bl_queue_pair,
    jobs: *mut *mut bl_job,
    max: usize,
    given: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *objects* and *places* hold.
    let queue_pair = unsafe {
        put(given, "place for the number of jobs", 0)?;
        object_mut(queue_pair, "queue pair")?
    };
    if jobs.is_null() && max != 0 {
        return Err(Fault::argument(format_args!("room for {max} jobs is at a null pointer")));
    }
    let bl_queue_pair { pair, idle, burst, .. } = queue_pair;
    pair.dequeue(burst, max);
    // SAFETY: the place is not null, as was checked above.
    unsafe { given.write(burst.len()) };
    for (place, mut shell) in burst.drain(..).enumerate() {
        // SAFETY: there is room for so many pointers. The shell's job was loaded when it was
        // enqueued, and is given back now.
        unsafe { jobs.add(place).write(shell.store()) };
        idle.push(shell);
    }
    Ok(())
}

/// Processes all jobs that wait for others, however few. Call it where nothing more will come for
/// now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_flush(queue_pair: *mut bl_queue_pair) -> bl_status {
    // SAFETY: the condition *objects* holds.
    let queue_pair = unsafe { object_mut(queue_pair, "queue pair") };
    report(queue_pair.map(|queue_pair| queue_pair.pair.flush()))
}

/// Jobs that a queue pair holds: accepted, and not given back. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_in_flight(queue_pair: *const bl_queue_pair) -> usize {
    // SAFETY: the condition *objects* holds.
    let queue_pair = unsafe { object(queue_pair, "queue pair") };
    queue_pair.map_or(0, |queue_pair| queue_pair.pair.in_flight())
}

/// Jobs that a queue pair holds at most. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_capacity(queue_pair: *const bl_queue_pair) -> usize {
    // SAFETY: the condition *objects* holds.
    let queue_pair = unsafe { object(queue_pair, "queue pair") };
    queue_pair.map_or(0, |queue_pair| queue_pair.pair.capacity())
}

/// A file descriptor that is readable exactly while complete jobs wait to be dequeued: for epoll,
/// poll and select. It belongs to the queue pair and is closed with it; do not read, write or close
/// it. Flush before sleeping on it: a queue pair works within its owner's calls. Linux only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_queue_pair_event(
    queue_pair: *mut bl_queue_pair,
    descriptor: *mut c_int,
) -> bl_status {
    // SAFETY: the conditions *objects* and *places* hold.
    report(unsafe {
        object_mut(queue_pair, "queue pair").and_then(|queue_pair| {
            let event = queue_pair.pair.event();
            let event = event.map_err(|error| Fault::new(BL_E_SYSTEM, error))?;
            put(descriptor, "place for the descriptor", event.as_raw_fd())?;
            queue_pair.event = Some(event);
            Ok(())
        })
    })
}
