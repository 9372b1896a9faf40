//! Workers: threads of the library that process jobs.

use std::ffi::{c_char, c_int};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use broadloom::Workers;
use broadloom::queue::Event;
use broadloom::workers::{Placement, WorkersConfig};

use crate::fault::{Fault, object, optional_text, put, report, structure};
use crate::job::bl_job;
use crate::process::pointers;
use crate::queue_pair::{load, max_wait};
use crate::session::{hand_out, take_back};
use crate::shell::Boxed;
use crate::status::{BL_E_SYSTEM, bl_status};

/// How workers behave. Members that are 0 mean the default.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_workers_config {
    /// sizeof(bl_workers_config)
    pub size: usize,
    /// How many threads; 0: as many as the process may use cores.
    pub threads: usize,
    /// Null: threads run wherever the system puts them. "packed": pinned, neighbours first, which
    /// share caches; "spread": pinned, as far apart as can be.
    pub placement: *const c_char,
    /// Jobs for each of them at most; 0: 1024.
    pub capacity: usize,
    /// Jobs that share lanes are processed when so many have come; 0: the provider decides.
    pub batch: usize,
    /// How many nanoseconds a job waits for others at most, while more keep coming; 0: 100,000.
    pub max_wait_ns: u64,
    /// How many nanoseconds a worker waits for more jobs, when none come, before it processes the
    /// jobs that it has; 0: none.
    pub patience_ns: u64,
}

/// Threads that process jobs, each with a queue pair of its own.
pub struct bl_workers {
    workers: Workers<Boxed>,
    /// Shells without a job.
    idle: Mutex<Vec<Boxed>>,
    event: OnceLock<Event>,
}

/// Workers that a caller gave back, whose threads are in this process.
///
/// # Safety
/// The [condition](crate#what-c-vouches-for) *objects* holds.
unsafe fn here<'a>(workers: *const bl_workers) -> Result<&'a bl_workers, Fault> {
    // SAFETY: the condition *objects* holds.
    let workers = unsafe { object(workers, "workers") }?;
    if workers.workers.are_here() {
        return Ok(workers);
    }
    Err(Fault::new(
        BL_E_SYSTEM,
        "these workers are threads of another process, and this one, which a fork made, has none \
         of them; it needs workers of its own",
    ))
}

/// # Safety
/// The [condition](crate#what-c-vouches-for) *structures* holds, and *texts* for the placement.
unsafe fn config(given: *const bl_workers_config) -> Result<WorkersConfig, Fault> {
    let mut config = WorkersConfig::default();
    if given.is_null() {
        return Ok(config);
    }
    // SAFETY: the condition *structures* holds.
    let given = unsafe { structure(given, "bl_workers_config") }?;
    if given.threads != 0 {
        config.threads = given.threads;
    }
    if given.capacity != 0 {
        config.capacity = given.capacity;
    }
    // SAFETY: the condition *texts* holds.
    config.placement = match unsafe { optional_text(given.placement, "placement") }? {
        None => Placement::Anywhere,
        Some("packed") => Placement::Packed,
        Some("spread") => Placement::Spread,
        Some(other) => {
            let text = format!("{other:?} is no placement; valid: packed, spread");
            return Err(Fault::name(text));
        }
    };
    config.batch = (given.batch != 0).then_some(given.batch);
    config.max_wait = max_wait(given.max_wait_ns);
    config.patience = Duration::from_nanos(given.patience_ns);
    Ok(config)
}

/// Starts workers. `config` may be null: the defaults.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_open(
    config: *const bl_workers_config,
    workers: *mut *mut bl_workers,
) -> bl_status {
    // SAFETY: the conditions *structures*, *texts* and *places* hold.
    report(unsafe {
        self::config(config).and_then(|config| {
            let started = Workers::new(config);
            let started = started.map_err(|error| Fault::new(BL_E_SYSTEM, error))?;
            let (idle, event) = (Mutex::default(), OnceLock::new());
            hand_out(bl_workers { workers: started, idle, event }, workers, "workers")
        })
    })
}

/// Completes all jobs that were accepted, and ends the threads. Null is allowed. Jobs that were not
/// polled have their status then, and are the caller's again.
///
/// A child that a fork made has none of the threads: there, the jobs stay as they are, and the
/// other functions of workers fail with `BL_E_SYSTEM`.
///
/// Threads: one; no other uses the workers any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_close(workers: *mut bl_workers) {
    // SAFETY: the condition *closing* holds.
    let Some(workers) = (unsafe { take_back(workers) }) else { return };
    if !workers.workers.are_here() {
        return;
    }
    for mut shell in workers.workers.shutdown() {
        // SAFETY: its job was loaded when it was submitted, and has not been given back.
        unsafe { shell.store() };
    }
}

/// Takes jobs from the front of a burst, as many as there is room for. The others stay the
/// caller's.
///
/// `accepted`: out: how many were taken. Where a job is wrong, those before it are taken, and the
/// call fails.
///
/// Threads: any, at once. The same holds for all functions `bl_workers_...` that follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_submit(
    workers: *const bl_workers,
    jobs: *const *mut bl_job,
    count: usize,
    accepted: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *objects*, *arrays*, *jobs* and *places* hold.
    report(unsafe { submit(workers, jobs, count, accepted) })
}

/// # Safety
/// The [conditions](crate#what-c-vouches-for) *objects*, *arrays*, *jobs* and *places* hold.
unsafe fn submit(
    workers: *const bl_workers,
    jobs: *const *mut bl_job,
    count: usize,
    accepted: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *objects*, *arrays* and *places* hold.
    let (workers, jobs) = unsafe {
        put(accepted, "place for the number of accepted jobs", 0)?;
        (here(workers)?, pointers(jobs, count)?)
    };
    let mut burst = Vec::with_capacity(count);
    let mut outcome = Ok(());
    {
        let mut idle = lock(&workers.idle);
        for &job in jobs {
            // SAFETY: the caller lends the job until it is polled or the workers are closed, or
            // until this call returns without having accepted it.
            match unsafe { load(&mut idle, job) } {
                Ok(shell) => burst.push(shell),
                Err(fault) => {
                    let text = format!("job {}: {}", burst.len(), fault.text);
                    outcome = Err(Fault::new(fault.status, text));
                    break;
                }
            }
        }
    }
    let taken = workers.workers.submit(&mut burst);
    // SAFETY: it is not null, as was checked above.
    unsafe { accepted.write(taken) };
    if !burst.is_empty() {
        let mut idle = lock(&workers.idle);
        for mut shell in burst {
            shell.forget();
            idle.push(shell);
        }
    }
    outcome
}

/// The shells without a job. No thread panics while it holds them.
fn lock(idle: &Mutex<Vec<Boxed>>) -> std::sync::MutexGuard<'_, Vec<Boxed>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives back complete jobs, at most `max` of them: their pointers go to `jobs`.
///
/// `given`: out: how many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_poll(
    workers: *const bl_workers,
    jobs: *mut *mut bl_job,
    max: usize,
    given: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *objects*, *arrays* and *places* hold.
    report(unsafe { poll(workers, jobs, max, given) })
}

/// # Safety
/// The [conditions](crate#what-c-vouches-for) *objects*, *arrays* and *places* hold.
unsafe fn poll(
    workers: *const bl_workers,
    jobs: *mut *mut bl_job,
    max: usize,
    given: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *objects* and *places* hold.
    let workers = unsafe {
        put(given, "place for the number of jobs", 0)?;
        here(workers)?
    };
    if jobs.is_null() && max != 0 {
        return Err(Fault::argument(format_args!("room for {max} jobs is at a null pointer")));
    }
    let mut complete = Vec::new();
    workers.workers.poll(&mut complete, max);
    // SAFETY: the place is not null, as was checked above.
    unsafe { given.write(complete.len()) };
    for (place, shell) in complete.iter_mut().enumerate() {
        // SAFETY: there is room for so many pointers. The shell's job was loaded when it was
        // submitted, and is given back now.
        unsafe { jobs.add(place).write(shell.store()) };
    }
    lock(&workers.idle).append(&mut complete);
    Ok(())
}

/// Waits until complete jobs can be polled, until none are in flight, or for `timeout_ns`
/// nanoseconds.
///
/// `ready`: out: how many jobs can be polled; may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_wait(
    workers: *const bl_workers,
    timeout_ns: u64,
    ready: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *objects* and *places* hold.
    report(unsafe {
        here(workers).map(|workers| {
            let count = workers.workers.wait(Duration::from_nanos(timeout_ns));
            if !ready.is_null() {
                ready.write(count);
            }
        })
    })
}

/// Jobs that workers hold: accepted, and not given back. 0 for a null pointer, and in a child that
/// a fork made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_in_flight(workers: *const bl_workers) -> usize {
    // SAFETY: the condition *objects* holds.
    unsafe { here(workers) }.map_or(0, |workers| workers.workers.in_flight())
}

/// A file descriptor that is readable exactly while complete jobs wait to be polled. It belongs to
/// the workers and is closed with them; do not read, write or close it. Linux only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_workers_event(
    workers: *const bl_workers,
    descriptor: *mut c_int,
) -> bl_status {
    // SAFETY: the conditions *objects* and *places* hold.
    report(unsafe {
        here(workers).and_then(|workers| {
            let event = workers.workers.event();
            let event = event.map_err(|error| Fault::new(BL_E_SYSTEM, error))?;
            // Of two threads that ask at once, both have the same descriptor.
            let event = workers.event.get_or_init(|| event);
            put(descriptor, "place for the descriptor", event.as_raw_fd())
        })
    })
}
