//! Threads that are ending, and children that a fork made: neither has what the library's threads
//! had, and a call from there says so or does without.
//!
//! The program is alone, because it forks.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use broadloom_capi::*;

/// The digest of "abc".
const SHA256: &[u8; 32] = b"\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23\
    \xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad";

/// A job over "abc", whose digest goes there.
fn job(session: *const bl_session, digest: &mut [u8; 32]) -> bl_job {
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_job = unsafe { std::mem::zeroed() };
    bl_job {
        size: size_of::<bl_job>(),
        session,
        source: b"abc".as_ptr(),
        len: 3,
        tag: digest.as_mut_ptr(),
        tag_len: digest.len(),
        ..zero
    }
}

fn hash() -> (bl_status, [u8; 32]) {
    let mut digest = [0; 32];
    let mut job = job(ptr::null(), &mut digest);
    // SAFETY: the job is as documented.
    let status = unsafe { bl_hash_many(c"sha256".as_ptr(), &mut job, 1) };
    (status, digest)
}

/// A call that fails.
fn fail() -> bl_status {
    // SAFETY: no job is read.
    unsafe { bl_hash_many(c"sha257".as_ptr(), ptr::null_mut(), 0) }
}

fn words() -> String {
    // SAFETY: the library gives texts that end with a zero byte.
    unsafe { CStr::from_ptr(bl_last_error()) }.to_string_lossy().into_owned()
}

/// What the destructor of a thread's key saw: of a call that succeeds, and of one that fails.
struct Seen {
    hashed: (bl_status, [u8; 32]),
    failed: (bl_status, String),
}

static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// Calls the library from a thread whose own memory is gone.
extern "C" fn destructor(_: *mut c_void) {
    let hashed = hash();
    *SEEN.lock().expect("nobody panics") = Some(Seen { hashed, failed: (fail(), words()) });
}

#[test]
fn a_thread_may_call_from_the_destructors_of_its_keys() {
    let mut key = 0;
    // SAFETY: the place is a variable, and the destructor lives as long as the program.
    assert_eq!(unsafe { libc::pthread_key_create(&mut key, Some(destructor)) }, 0);
    let thread = thread::spawn(move || {
        // Such memory of a thread goes before its keys do.
        assert_eq!((hash().0, fail()), (BL_OK, BL_E_NAME));
        assert!(words().contains("sha257"), "{}", words());
        // SAFETY: the key was made, and its value is only compared with null.
        assert_eq!(unsafe { libc::pthread_setspecific(key, ptr::dangling()) }, 0);
    });
    thread.join().expect("it ends");
    let seen = SEEN.lock().expect("nobody panics").take();
    let Seen { hashed, failed: (status, words) } = seen.expect("the destructor ran");
    assert_eq!((hashed, status), ((BL_OK, *SHA256), BL_E_NAME));
    assert_eq!(words, "this thread is ending, and has no words any more");
}

fn workers(threads: usize) -> *mut bl_workers {
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_workers_config = unsafe { std::mem::zeroed() };
    let config = bl_workers_config { size: size_of::<bl_workers_config>(), threads, ..zero };
    let mut workers = ptr::null_mut();
    // SAFETY: the configuration is as documented.
    assert_eq!(unsafe { bl_workers_open(&config, &mut workers) }, BL_OK);
    workers
}

/// Has workers process a job, and says whether the digest is right.
fn work(workers: *const bl_workers, session: *const bl_session) -> bool {
    let mut digest = [0; 32];
    let mut job = job(session, &mut digest);
    let (mut count, mut back) = (0, ptr::null_mut());
    // SAFETY: the job is as documented, and stays here until it is polled.
    unsafe {
        bl_workers_submit(workers, &ptr::from_mut(&mut job), 1, &mut count) == BL_OK
            && count == 1
            && bl_workers_wait(workers, u64::MAX, ptr::null_mut()) == BL_OK
            && bl_workers_poll(workers, &mut back, 1, &mut count) == BL_OK
            && (count, job.status) == (1, BL_OK)
            && digest == *SHA256
    }
}

/// What a child finds of its parent's workers: the number of the first thing that is wrong, or 0.
fn look_at(theirs: *mut bl_workers, session: *const bl_session) -> c_int {
    let mut digest = [0; 32];
    let mut job = job(session, &mut digest);
    let (mut count, mut back, mut descriptor) = (0, ptr::null_mut(), 0);
    // SAFETY: the workers are open, and the job is as documented.
    let outcome = unsafe {
        [
            bl_workers_submit(theirs, &ptr::from_mut(&mut job), 1, &mut count) == BL_E_SYSTEM,
            words().contains("a fork made"),
            bl_workers_wait(theirs, u64::MAX, ptr::null_mut()) == BL_E_SYSTEM,
            bl_workers_poll(theirs, &mut back, 1, &mut count) == BL_E_SYSTEM,
            bl_workers_event(theirs, &mut descriptor) == BL_E_SYSTEM,
            bl_workers_in_flight(theirs) == 0,
        ]
    };
    if let Some(place) = outcome.iter().position(|right| !right) {
        return 1 + place as c_int;
    }
    // SAFETY: they are open, and used no more here.
    unsafe { bl_workers_close(theirs) };
    let own = workers(2);
    if !work(own, session) || hash() != (BL_OK, *SHA256) {
        return 20;
    }
    // SAFETY: as above.
    unsafe { bl_workers_close(own) };
    0
}

#[test]
fn a_child_closes_its_parents_workers_and_opens_its_own() {
    // SAFETY: all members are numbers and pointers, for which zero is a value.
    let zero: bl_transform = unsafe { std::mem::zeroed() };
    let (size, algorithm) = (size_of::<bl_transform>(), c"sha256".as_ptr());
    let mut session = ptr::null_mut();
    // SAFETY: the transform is as documented.
    let status =
        unsafe { bl_session_open(&bl_transform { size, algorithm, ..zero }, &mut session) };
    assert_eq!(status, BL_OK, "{}", words());
    let (workers, opened) = (workers(2), session.expose_provenance());
    let (place, ends) = (workers.expose_provenance(), AtomicBool::new(false));
    thread::scope(|scope| {
        // Their locks are taken now and then while the process forks.
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                let (workers, session) =
                    (ptr::with_exposed_provenance(place), ptr::with_exposed_provenance(opened));
                assert!(work(workers, session));
            }
        });
        for _ in 0..40 {
            // SAFETY: the child calls nothing but the library, allocates as glibc allows, and ends.
            let child = unsafe { libc::fork() };
            assert!(child >= 0, "the system has no more processes");
            if child == 0 {
                // SAFETY: an alarm ends a child that waits for ever; _exit is what a child may do.
                unsafe {
                    libc::alarm(60);
                    libc::_exit(look_at(workers, session));
                }
            }
            let mut status = 0;
            // SAFETY: the place is a variable.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            if !(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0) {
                ends.store(true, Ordering::Relaxed);
                panic!("the child ended with the status {status:#x}");
            }
        }
        ends.store(true, Ordering::Relaxed);
    });
    // SAFETY: both are open, and used no more.
    unsafe {
        bl_workers_close(workers);
        bl_session_close(session);
    }
}
