//! What a call from C costs over a call from Rust: HMAC-SHA1 of 64 bytes, each buffer its own key,
//! bursts of 64, `bl_process` and `Processor::process_many` in turn in one process.
//!
//! Both begin with packets in memory and end with tags in memory, and use their jobs again. Prints
//! the minimum and the median of many short pieces.

use std::ptr;
use std::time::Instant;

use broadloom::{HashAlgorithm, Job, MacAlgorithm, Processor, Session, Transform};
use broadloom_capi::{
    BL_OK, bl_job, bl_process, bl_processor_open, bl_session, bl_session_open, bl_transform,
};

const BURST: usize = 64;
const BYTES: usize = 64;
const TAG: usize = 20;
/// Bursts in a piece, which the clock sees as one.
const REPEATS: usize = 50;
const PIECES: usize = 2000;

fn keys() -> Vec<[u8; 20]> {
    (0..BURST as u8).map(|n| [n; 20]).collect()
}

/// Nanoseconds a buffer.
fn timed(mut burst: impl FnMut()) -> f64 {
    let begin = Instant::now();
    (0..REPEATS).for_each(|_| burst());
    begin.elapsed().as_secs_f64() * 1e9 / (REPEATS * BURST) as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let packets: Vec<[u8; BYTES]> = (0..BURST as u8).map(|n| [n; BYTES]).collect();

    let registry = broadloom::registry();
    let hmac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
    let open = |key: &[u8; 20]| {
        Ok::<Session, Box<dyn std::error::Error>>(
            registry.open(&Transform::mac(hmac, key).generate()?)?,
        )
    };
    let sessions = keys().iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let mut processor = Processor::new();
    let mut jobs: Vec<_> =
        sessions.iter().zip(&packets).map(|(session, packet)| Job::new(session, packet)).collect();
    let mut tags = vec![[0; TAG]; BURST];
    let mut rust = || {
        for ((job, session), packet) in jobs.iter_mut().zip(&sessions).zip(&packets) {
            job.set_session(session);
            job.set_data(packet);
        }
        processor.process_many(&mut jobs);
        for (job, tag) in jobs.iter().zip(&mut tags) {
            tag.copy_from_slice(job.tag().expect("it succeeded"));
        }
    };

    let mut c_sessions: Vec<*mut bl_session> = vec![ptr::null_mut(); BURST];
    let mut c_processor = ptr::null_mut();
    // SAFETY: all members are numbers and pointers, for which zero is a value. Transforms, keys and
    // places are variables that outlive the calls.
    let (nothing, no_transform): (bl_job, bl_transform) = unsafe {
        assert_eq!(bl_processor_open(&mut c_processor), BL_OK);
        (std::mem::zeroed(), std::mem::zeroed())
    };
    for (session, key) in c_sessions.iter_mut().zip(keys()) {
        let (size, key_len) = (size_of::<bl_transform>(), key.len());
        let (algorithm, key) = (c"hmac-sha1".as_ptr(), key.as_ptr());
        let transform = bl_transform { size, algorithm, key, key_len, ..no_transform };
        // SAFETY: as above.
        assert_eq!(unsafe { bl_session_open(&transform, session) }, BL_OK);
    }
    let mut c_tags = vec![[0; TAG]; BURST];
    let mut c_jobs: Vec<bl_job> = vec![bl_job { size: size_of::<bl_job>(), ..nothing }; BURST];
    let mut c = || {
        let parts = c_sessions.iter().zip(&packets).zip(&mut c_tags);
        for (job, ((&session, packet), tag)) in c_jobs.iter_mut().zip(parts) {
            (job.session, job.source, job.len) = (session, packet.as_ptr(), BYTES);
            (job.tag, job.tag_len) = (tag.as_mut_ptr(), TAG);
        }
        // SAFETY: the jobs, and all that they point to, are variables that nobody else uses.
        let status = unsafe { bl_process(c_processor, c_jobs.as_mut_ptr(), BURST) };
        assert_eq!(status, BL_OK);
    };

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..PIECES {
        times[0].push(timed(&mut rust));
        times[1].push(timed(&mut c));
    }
    assert!(tags == c_tags, "both make the same tags");
    let mut minima = [0.0; 2];
    for ((name, times), minimum) in ["Rust", "C"].iter().zip(&mut times).zip(&mut minima) {
        times.sort_by(f64::total_cmp);
        *minimum = times[0];
        println!("{name}: {:.2} ns a buffer, median {:.2}", times[0], times[PIECES / 2]);
    }
    println!("C over Rust: {:+.1} %", 100.0 * (minima[1] / minima[0] - 1.0));
    Ok(())
}
