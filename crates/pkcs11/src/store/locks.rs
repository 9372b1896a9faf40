//! Locks between processes, and between the threads of this one.
//!
//! They are the record locks of `fcntl`: a child does not inherit them, so that a fork in the
//! middle of a write locks nobody out. But they do not tell threads apart, and end when any
//! descriptor of the file is closed. So a mutex lets one thread at a time have the file open.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::retry_on_intr;

/// The locks of a token.
pub struct Locks {
    writing: PathBuf,
    attending: PathBuf,
    writer: Mutex<()>,
    attendance: Mutex<Attendance>,
}

/// The sessions of this process. The file is locked while there are any.
#[derive(Default)]
struct Attendance {
    sessions: usize,
    file: Option<File>,
}

/// A lock that is held. The file is closed before another thread may open it.
pub struct Lock<'l> {
    _file: File,
    _thread: MutexGuard<'l, ()>,
}

/// Proof that no process has a session, and that none begins.
pub struct Alone<'l> {
    _file: File,
    _thread: MutexGuard<'l, Attendance>,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn lock(file: &File, operation: FlockOperation) -> io::Result<()> {
    Ok(retry_on_intr(|| fcntl_lock(file, operation))?)
}

impl Locks {
    /// The locks of the token in a directory.
    pub fn new(directory: &Path) -> Locks {
        Locks {
            writing: directory.join("lock"),
            attending: directory.join("sessions"),
            writer: Mutex::default(),
            attendance: Mutex::default(),
        }
    }

    /// Waits until nobody else writes.
    pub fn write(&self) -> io::Result<Lock<'_>> {
        let thread = hold(&self.writer);
        let file = open(&self.writing)?;
        lock(&file, FlockOperation::LockExclusive)?;
        Ok(Lock { _file: file, _thread: thread })
    }

    /// Notes one more session of this process.
    pub fn attend(&self) -> io::Result<()> {
        let mut attendance = hold(&self.attendance);
        if attendance.file.is_none() {
            attendance.file = match open(&self.attending) {
                Ok(file) => {
                    lock(&file, FlockOperation::LockShared)?;
                    Some(file)
                }
                // Where nothing can be written, nobody makes the token anew.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
                    ) =>
                {
                    None
                }
                Err(error) => return Err(error),
            };
        }
        attendance.sessions += 1;
        Ok(())
    }

    /// Notes that a session of this process is no more.
    pub fn depart(&self) {
        let mut attendance = hold(&self.attendance);
        attendance.sessions -= 1;
        if attendance.sessions == 0 {
            attendance.file = None;
        }
    }

    /// Keeps sessions away, unless some process has one.
    pub fn alone(&self) -> io::Result<Option<Alone<'_>>> {
        let thread = hold(&self.attendance);
        if thread.sessions > 0 {
            return Ok(None);
        }
        let file = open(&self.attending)?;
        match lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Alone { _file: file, _thread: thread })),
            // One of both comes, depending on the system.
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::PermissionDenied) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
