//! Locks, as restic makes them: a file each, refreshed while the process lives.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Repository;
use crate::error::SnapshotError;
use crate::id::Id;
use crate::store::{File, Kind};
use crate::time::Time;

/// A lock without a refresh for as many seconds is one of a process that is gone.
const STALE: i64 = 30 * 60;
/// Time between two refreshes.
const REFRESH: Duration = Duration::from_secs(5 * 60);
/// Age from which on a lock counts for nothing: others may soon take it for stale.
const OLD: Duration = Duration::from_secs(25 * 60);
/// Time for another process's lock to appear, before locks are looked at again.
const SETTLE: Duration = Duration::from_millis(200);

/// A file of `locks`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LockFile {
    time: Time,
    exclusive: bool,
    #[serde(default)]
    hostname: String,
    #[serde(default)]
    username: String,
    pid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gid: Option<u32>,
}

impl LockFile {
    fn new(exclusive: bool) -> LockFile {
        LockFile {
            time: Time::now(),
            exclusive,
            hostname: super::hostname(),
            username: super::username(),
            pid: std::process::id(),
            uid: Some(rustix::process::getuid().as_raw()),
            gid: Some(rustix::process::getgid().as_raw()),
        }
    }

    /// Whether its process is gone: it has not refreshed the lock, or it ran here and runs no more.
    fn is_stale(&self) -> bool {
        let gone = || {
            let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
            pid.is_none_or(|pid| {
                rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
            })
        };
        Time::now().seconds_since(&self.time) > STALE
            || self.hostname == super::hostname() && gone()
    }
}

/// A lock that this process holds. It is removed when dropped.
pub struct Lock {
    repository: Arc<Repository>,
    state: Arc<(Mutex<State>, Condvar)>,
    refresher: Option<JoinHandle<()>>,
}

struct State {
    id: Id,
    done: bool,
    refreshed: Instant,
}

impl Lock {
    /// Locks a repository: exclusively, to remove files, or beside other readers and writers.
    ///
    /// # Errors
    /// [`SnapshotError::Locked`] if another lock excludes this one; what the store says.
    pub fn new(repository: &Arc<Repository>, exclusive: bool) -> Result<Lock, SnapshotError> {
        check(repository, exclusive, None)?;
        let id = repository.save_json(Kind::Lock, &LockFile::new(exclusive))?;
        thread::sleep(SETTLE);
        if let Err(error) = check(repository, exclusive, Some(id)) {
            repository.remove(File::Named(Kind::Lock, id))?;
            return Err(error);
        }
        let state = Arc::new((
            Mutex::new(State { id, done: false, refreshed: Instant::now() }),
            Condvar::new(),
        ));
        let (shared, on) = (Arc::clone(&state), Arc::clone(repository));
        let refresher = thread::Builder::new()
            .name("lock".to_owned())
            .spawn(move || refresh(&on, &shared, exclusive))
            .map_err(|error| SnapshotError::Other(format!("no thread for the lock: {error}")))?;
        Ok(Lock { repository: Arc::clone(repository), state, refresher: Some(refresher) })
    }

    /// What removes the lock when a signal ends the process.
    #[must_use]
    pub fn remover(&self) -> Remover {
        Remover { repository: Arc::clone(&self.repository), state: Arc::clone(&self.state) }
    }

    /// Makes sure that the lock still counts, before something is written that relies on it.
    ///
    /// # Errors
    /// If it could not be refreshed for so long that others may have removed what it guarded.
    pub(crate) fn check(&self) -> Result<(), SnapshotError> {
        let state = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.refreshed.elapsed() {
            age if age > OLD => Err(SnapshotError::Other(
                "the lock could not be refreshed for 25 minutes; valid: try again".to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

/// Removes a lock from another thread, before the process ends.
pub struct Remover {
    repository: Arc<Repository>,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Remover {
    /// Removes the lock. One that stays is stale once the process has ended.
    pub fn remove(&self) {
        let state = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.repository.remove_now(File::Named(Kind::Lock, state.id));
    }
}

fn refresh(repository: &Repository, state: &(Mutex<State>, Condvar), exclusive: bool) {
    let mut current = state.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !current.done {
        let waited = state.1.wait_timeout(current, REFRESH);
        current = waited.unwrap_or_else(PoisonError::into_inner).0;
        if current.done {
            return;
        }
        // Of a lock that could not be refreshed the next round makes a new one.
        if let Ok(id) = repository.save_json(Kind::Lock, &LockFile::new(exclusive)) {
            let _ = repository.remove(File::Named(Kind::Lock, current.id));
            current.id = id;
            current.refreshed = Instant::now();
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let id = {
            let mut state = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.done = true;
            state.id
        };
        self.state.1.notify_all();
        if let Some(refresher) = self.refresher.take() {
            let _ = refresher.join();
        }
        // A lock that stays is stale once this process has ended.
        let _ = self.repository.remove(File::Named(Kind::Lock, id));
    }
}

/// Refuses if a lock that is not stale, other than `own`, excludes one of this kind.
fn check(repository: &Repository, exclusive: bool, own: Option<Id>) -> Result<(), SnapshotError> {
    for (lock, file) in locks(repository)? {
        if Some(lock) == own || file.is_stale() || !(exclusive || file.exclusive) {
            continue;
        }
        let manner = if file.exclusive { "exclusively" } else { "by a reader or writer" };
        let LockFile { pid, hostname, username, time, .. } = file;
        let how = format!("{manner}: process {pid} on {hostname} of {username}, since {time}");
        return Err(SnapshotError::Locked { lock, how });
    }
    Ok(())
}

/// The locks that are there. One that vanishes while it is read is left out.
fn locks(repository: &Repository) -> Result<Vec<(Id, LockFile)>, SnapshotError> {
    let mut locks = Vec::new();
    for id in repository.list(Kind::Lock)? {
        match repository.load_json::<LockFile>(Kind::Lock, id) {
            Ok(lock) => locks.push((id, lock)),
            Err(SnapshotError::Store { error: crate::store::StoreError::NotFound, .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(locks)
}

/// Removes locks whose process is gone, or all of them, and says how many.
///
/// # Errors
/// What the store says.
pub fn unlock(repository: &Repository, all: bool) -> Result<usize, SnapshotError> {
    if all {
        // Locks that cannot be read go too.
        let locks = repository.list(Kind::Lock)?;
        for &id in &locks {
            repository.remove(File::Named(Kind::Lock, id))?;
        }
        return Ok(locks.len());
    }
    let stale = locks(repository)?.into_iter().filter(|(_, lock)| lock.is_stale());
    let mut removed = 0;
    for (id, _) in stale {
        repository.remove(File::Named(Kind::Lock, id))?;
        removed += 1;
    }
    Ok(removed)
}
