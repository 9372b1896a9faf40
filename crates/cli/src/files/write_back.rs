//! Writes a file back to the disk while the rest of the file is still being made.
//!
//! A file must be on the disk before its source is removed or an older file is replaced. Waiting
//! for the disk only at the end would take as long again as making the file. So another thread
//! writes back what is already there, and little is left to wait for at the end.

use std::fs::File;
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::Coded;
use super::failure::{Failure, not_written};

/// The least bytes of a source for which starting a thread is worthwhile.
pub const LEAST: u64 = 4 << 20;

/// Bytes by which a file has to grow before the disk gets them.
const ENOUGH: u64 = 16 << 20;

/// Time after which the thread looks again at how much the file has grown.
const PAUSE: Duration = Duration::from_millis(10);

/// Calls `work`, which writes to `file`. Meanwhile, another thread writes back to the disk what is
/// already there. The last bytes may not be on the disk when this returns.
///
/// # Errors
/// If `work` fails, or if the system cannot write to the disk the file that is to be at `path`.
///
/// # Panics
/// If `work` panics.
pub fn during(
    file: &File,
    path: &Path,
    work: &mut dyn FnMut() -> Result<Coded, Failure>,
) -> Result<Coded, Failure> {
    let (working, ended) = mpsc::channel::<()>();
    // The closure owns its end of the channel: the thread ends even if `work` panics.
    thread::scope(move |scope| {
        let thread = thread::Builder::new().name("write back".to_owned());
        let thread = thread.spawn_scoped(scope, move || write_back(file, &ended));
        let coded = work();
        drop(working);
        // Where the system gives no thread, the disk gets everything at the end.
        let Ok(thread) = thread else { return coded };
        let written = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        let coded = coded?;
        // The system tells each error of the disk once: nobody would hear of this one at the end.
        written.map_err(|error| not_written(path, &error))?;
        Ok(coded)
    })
}

/// Writes back the bytes of a file again and again, until the other end of the channel is gone.
fn write_back(file: &File, ended: &Receiver<()>) -> io::Result<()> {
    let mut written = 0;
    while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
        let len = file.metadata()?.len();
        if len >= written + ENOUGH {
            file.sync_data()?;
            written = len;
        }
    }
    Ok(())
}
