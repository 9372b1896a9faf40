//! One long file on all cores, for a function that can hash parts of a message at the same time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use broadloom_lanes::{Blake3Job, Blake3Key, Blake3Lanes, Blake3Stream, Cpu, Planner};

use crate::digest::Digest;
use crate::reader;

/// Bytes of a part.
const PART: u64 = 4 << 20;
/// Bytes that are read at once: few beside a core's own cache, and many chunks.
const PIECE: usize = 256 << 10;
/// Files that are shorter stay with the other files of their worker.
pub const LEAST: u64 = 4 * PART;

/// The parts that were hashed, in their order.
struct Parts {
    whole: Blake3Stream,
    /// The number of the part that is to be appended next.
    next: u64,
    /// Parts that wait for one before them.
    waiting: BTreeMap<u64, Blake3Stream>,
}

/// Hashes a file that has this size, with so many bytes of output. `is_stopped` ends the work.
///
/// # Errors
/// What the system says; that the file has become shorter; that the work was stopped.
pub fn hash(
    file: &File,
    size: u64,
    (key, len): (&Blake3Key, usize),
    cpu: &Cpu,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> io::Result<Digest> {
    let whole = Blake3Stream::new(key);
    let parts = Mutex::new(Parts { whole, next: 0, waiting: BTreeMap::new() });
    let (taken, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let work = || -> io::Result<()> {
        let (mut planner, mut buffer) = (Planner::new(cpu), vec![0; PIECE]);
        while !failed.load(Relaxed) {
            let number = taken.fetch_add(1, Relaxed);
            let (start, end) = (number * PART, size.min((number + 1) * PART));
            if start >= size {
                break;
            }
            let mut part = Blake3Stream::part(key, start);
            let mut at = start;
            while at < end {
                if is_stopped() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let wanted = PIECE.min((end - at) as usize);
                file.read_exact_at(&mut buffer[..wanted], at).map_err(reader::shrunk)?;
                add(&mut planner, &mut part, &buffer[..wanted]);
                at += wanted as u64;
            }
            append(&mut parts.lock().unwrap_or_else(PoisonError::into_inner), number, part);
        }
        Ok(())
    };
    let work = || work().inspect_err(|_| failed.store(true, Relaxed));
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let threads = threads.min(size.div_ceil(PART));
    thread::scope(|scope| {
        // Where the system grants no further thread, those that there are do all the work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let own = work();
        let joined = others.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.fold(own, |first, next| first.and(next))
    })?;

    let Parts { mut whole, .. } = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (mut planner, mut buffer, mut at) = (Planner::new(cpu), vec![0; PIECE], size);
    // The file may have grown.
    loop {
        match file.read_at(&mut buffer, at) {
            Ok(0) => break,
            Ok(more) => {
                add(&mut planner, &mut whole, &buffer[..more]);
                at += more as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut last = [Blake3Job::finish(&mut whole, &[][..], vec![0; len], ())];
    planner.process_many(&mut last);
    Ok(Digest::new(last[0].output().expect("a planner completes all jobs")))
}

fn add(planner: &mut Planner<Blake3Lanes>, stream: &mut Blake3Stream, piece: &[u8]) {
    planner.process_many(&mut [Blake3Job::update(stream, piece, Vec::new(), ())]);
}

/// Appends a part, and those that waited for it.
fn append(parts: &mut Parts, number: u64, part: Blake3Stream) {
    parts.waiting.insert(number, part);
    while let Some(part) = parts.waiting.remove(&parts.next) {
        parts.whole.append(&part);
        parts.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_has_the_digest_of_its_bytes() {
        for len in [LEAST, LEAST + 1, 5 * PART - 1024, 6 * PART + 12_345] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let file = tempfile::tempfile().expect("there is room");
            file.write_all_at(&bytes, 0).expect("it is written");
            let key = Blake3Key::new();
            let mut expected = [[0; 40]];
            let mut planner = Planner::<Blake3Lanes>::new(&Cpu::detect());
            planner.process_each([broadloom_lanes::Loan::blake3(&key, &bytes, &mut expected[0])]);
            // The size may be that of an earlier moment.
            for size in [len, len - 5000] {
                let cpu = Cpu::detect();
                let digest = hash(&file, size, (&key, 40), &cpu, &|| false).expect("it is read");
                assert_eq!(digest.as_bytes(), expected[0], "{len} {size}");
            }
            let cpu = Cpu::detect();
            let error = hash(&file, len + 1, (&key, 32), &cpu, &|| false).err();
            let expected = reader::shrunk(io::ErrorKind::UnexpectedEof.into()).to_string();
            assert_eq!(error.map(|error| error.to_string()), Some(expected));
            let error = hash(&file, len, (&key, 32), &cpu, &|| true).err();
            assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::Interrupted));
        }
    }
}
