//! Processors: many jobs to their end within a call.

use std::ops::Range;

use broadloom::Processor;

use crate::fault::{Fault, array, check_array, object_mut, report};
use crate::job::bl_job;
use crate::packets::Burst;
use crate::session::{bl_session, hand_out, take_back};
use crate::shell::Shell;
use crate::status::{BL_E_JOBS, BL_OK, bl_status};

/// Jobs that go to the engine at once: as many as it takes to providers in one call.
const WINDOW: usize = 512;

/// What one thread has open at every provider, to process many jobs or packets within a call.
#[derive(Default)]
pub struct bl_processor {
    processor: Processor,
    shells: Vec<Shell>,
    pub(crate) burst: Burst,
}

impl bl_processor {
    /// Processes jobs to their end; `session` is that of all of them, unless they have their own.
    ///
    /// # Safety
    /// The [conditions](crate#what-c-vouches-for) *arrays* and *jobs* hold for the jobs. The
    /// session is open.
    pub(crate) unsafe fn process(
        &mut self,
        jobs: *mut bl_job,
        count: usize,
        session: Option<&'static bl_session>,
    ) -> Result<(), Fault> {
        check_array(jobs, count, "jobs")?;
        let mut failed = None;
        for start in (0..count).step_by(WINDOW) {
            let end = count.min(start + WINDOW);
            // SAFETY: there are so many jobs by the condition *arrays*, and the condition *jobs*
            // holds.
            unsafe { self.window(jobs, start..end, session, &mut failed) };
        }
        failed.map_or(Ok(()), |text| Err(Fault::new(BL_E_JOBS, text)))
    }

    /// Processes some of the jobs; `failed` gets the words of the first that fails.
    ///
    /// # Safety
    /// As [`process`](bl_processor::process).
    unsafe fn window(
        &mut self,
        jobs: *mut bl_job,
        places: Range<usize>,
        session: Option<&'static bl_session>,
        failed: &mut Option<String>,
    ) {
        // SAFETY: the conditions *arrays* and *jobs* hold, and the jobs are stored below.
        let (mut loaded, place) = unsafe {
            let (shells, places) = (&mut *self.shells, places.clone());
            // A loop for each case: which it is would be asked for each job.
            match session {
                None => load_all(shells, jobs, places, || None, failed),
                Some(_) => load_all(shells, jobs, places, || session, failed),
            }
        };
        if place < places.end {
            // SAFETY: the conditions *arrays* and *jobs* hold, and the jobs are stored below.
            unsafe { self.load_more(jobs, place..places.end, session, failed) };
            loaded = self.shells.len();
        }
        let shells = &mut self.shells[..loaded];
        let outcome = self.processor.process_many(shells);
        let mut note = |job: *mut bl_job, words: Option<String>| {
            // SAFETY: both are places of one array, and the job was given back.
            let (place, status) = unsafe { (job.offset_from(jobs), (*job).status) };
            let words =
                words.unwrap_or_else(|| crate::status::text(status).to_string_lossy().into_owned());
            failed.get_or_insert_with(|| format!("job {place}: {words}"));
        };
        if outcome.failed == 0 {
            // SAFETY: they were loaded above, and this is the only time that they are stored.
            return unsafe { store_all(shells, &mut |job| note(job, None)) };
        }
        for shell in shells {
            // Before the job forgets what it was.
            let words = shell.words();
            // SAFETY: its job was loaded above, and was not given back since.
            let job = unsafe { shell.store() };
            // SAFETY: the job was just given back.
            if unsafe { (*job).status } != BL_OK {
                note(job, words);
            }
        }
    }

    /// Loads jobs into shells that are made for them.
    ///
    /// # Safety
    /// As [`window`](bl_processor::window). Each shell is stored.
    #[cold]
    unsafe fn load_more(
        &mut self,
        jobs: *mut bl_job,
        places: Range<usize>,
        session: Option<&'static bl_session>,
        failed: &mut Option<String>,
    ) {
        for place in places {
            // SAFETY: the place is one of the array's, and the condition *jobs* holds.
            unsafe {
                let job = jobs.add(place);
                match Shell::new(job, session) {
                    Ok(shell) => self.shells.push(shell),
                    Err(fault) => refuse(job, place, fault, failed),
                }
            }
        }
    }
}

/// Loads jobs into shells that there are. Says how many were loaded, and which place is next.
///
/// # Safety
/// As [`window`](bl_processor::window). Each shell is stored.
// A function of its own, as `store_all` is: the loops are short of registers otherwise.
#[inline(never)]
unsafe fn load_all(
    shells: &mut [Shell],
    jobs: *mut bl_job,
    places: Range<usize>,
    session: impl Fn() -> Option<&'static bl_session>,
    failed: &mut Option<String>,
) -> (usize, usize) {
    let (mut loaded, mut place) = (0, places.start);
    while place < places.end && loaded < shells.len() {
        // SAFETY: the place is one of the array's.
        let job = unsafe { jobs.add(place) };
        // SAFETY: the condition *jobs* holds.
        match unsafe { shells[loaded].load(job, session()) } {
            Ok(()) => loaded += 1,
            // SAFETY: the job is lent by the condition *jobs*, and was not loaded.
            Err(fault) => unsafe { refuse(job, place, fault, failed) },
        }
        place += 1;
    }
    (loaded, place)
}

/// Stores jobs that have succeeded; `note` gets those of which the output found too little room.
///
/// # Safety
/// Each was loaded, and has not been stored.
#[inline(never)]
unsafe fn store_all(shells: &mut [Shell], note: &mut dyn FnMut(*mut bl_job)) {
    for shell in shells {
        // SAFETY: it was loaded and not stored, by the contract, and its job is given back here.
        unsafe {
            let job = shell.store();
            if (*job).status != BL_OK {
                note(job);
            }
        }
    }
}

/// Notes that a job cannot be.
///
/// # Safety
/// The caller lent the job. If it has the right size, its status can be written.
#[cold]
unsafe fn refuse(job: *mut bl_job, place: usize, fault: Fault, failed: &mut Option<String>) {
    // SAFETY: the job is lent, by the contract; of a structure of another size nothing is known.
    unsafe {
        if (*job).size == size_of::<bl_job>() {
            (*job).status = fault.status;
        }
    }
    failed.get_or_insert_with(|| format!("job {place}: {}", fault.text));
}

/// Opens a processor, for jobs and for packets. Nothing is opened at providers before their first
/// job.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_processor_open(processor: *mut *mut bl_processor) -> bl_status {
    // SAFETY: the condition *places* holds.
    report(unsafe { hand_out(bl_processor::default(), processor, "processor") })
}

/// Closes a processor. Null is allowed.
///
/// Threads: one; no other uses the processor any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_processor_close(processor: *mut bl_processor) {
    // SAFETY: the condition *closing* holds.
    drop(unsafe { take_back(processor) });
}

/// Processes `count` jobs to their end, side by side where their kernels allow it: any mix of
/// sessions, algorithms, lengths and keys. Each job then has its status. `BL_E_JOBS` where at least
/// one failed, and `bl_last_error` tells of the first.
///
/// A job of which a member is wrong is refused with a status of its own, and the others are
/// processed.
///
/// Threads: one at a time for a processor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_process(
    processor: *mut bl_processor,
    jobs: *mut bl_job,
    count: usize,
) -> bl_status {
    // SAFETY: the conditions *objects*, *arrays* and *jobs* hold.
    report(unsafe {
        object_mut(processor, "processor")
            .and_then(|processor| processor.process(jobs, count, None))
    })
}

/// The jobs of an array that a caller gave, by pointers.
///
/// # Safety
/// The [condition](crate#what-c-vouches-for) *arrays* holds for the pointers during `'a`.
pub(crate) unsafe fn pointers<'a>(
    jobs: *const *mut bl_job,
    count: usize,
) -> Result<&'a [*mut bl_job], Fault> {
    // SAFETY: so many pointers can be read there, by the contract.
    let jobs = unsafe { array(jobs, count, "jobs") }?;
    match jobs.iter().position(|job| job.is_null()) {
        Some(place) => Err(Fault::argument(format_args!("job {place} is a null pointer"))),
        None => Ok(jobs),
    }
}
