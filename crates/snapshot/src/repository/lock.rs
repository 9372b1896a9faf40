//! Locks, as restic makes them: a file each, refreshed while the process lives.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Repository;
use crate::error::SnapshotError;
use crate::id::Id;
use crate::json::quote;
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

    /// Returns `true` if its process is gone: it has not refreshed the lock, or it ran here and
    /// runs no more.
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
    /// The process that holds it: a child of fork does not.
    process: u32,
    repository: Arc<Repository>,
    state: Arc<(Mutex<LockState>, Condvar)>,
    refresher: Option<JoinHandle<()>>,
}

struct LockState {
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
            Mutex::new(LockState { id, done: false, refreshed: Instant::now() }),
            Condvar::new(),
        ));
        let (shared, on) = (Arc::clone(&state), Arc::clone(repository));
        let refresher = thread::Builder::new()
            .name("lock".to_owned())
            .spawn(move || refresh(&on, &shared, exclusive, REFRESH))
            .map_err(|error| SnapshotError::Other(format!("no thread for the lock: {error}")))?;
        let (process, repository) = (std::process::id(), Arc::clone(repository));
        Ok(Lock { process, repository, state, refresher: Some(refresher) })
    }

    /// Returns what removes the lock when a signal ends the process.
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
    state: Arc<(Mutex<LockState>, Condvar)>,
}

impl Remover {
    /// Removes the lock. One that stays is stale once the process has ended.
    pub fn remove(&self) {
        let id = self.state.0.lock().unwrap_or_else(PoisonError::into_inner).id;
        self.repository.remove_now(File::Named(Kind::Lock, id));
    }
}

/// Makes the lock anew from time to time. While the store is asked, which may take minutes, the
/// state is free: a signal removes the lock at once.
fn refresh(
    repository: &Repository,
    (state, changed): &(Mutex<LockState>, Condvar),
    exclusive: bool,
    every: Duration,
) {
    let hold = || state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let waited = changed.wait_timeout_while(hold(), every, |state| !state.done);
        if waited.unwrap_or_else(PoisonError::into_inner).0.done {
            return;
        }
        // Of a lock that could not be refreshed the next round makes a new one.
        let Ok(id) = repository.save_json(Kind::Lock, &LockFile::new(exclusive)) else { continue };
        let old = {
            let mut state = hold();
            state.refreshed = Instant::now();
            std::mem::replace(&mut state.id, id)
        };
        let _ = repository.remove(File::Named(Kind::Lock, old));
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The parent goes on with the lock, and has the thread.
            std::mem::forget(self.refresher.take());
            return;
        }
        let hold = || self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        hold().done = true;
        self.state.1.notify_all();
        if let Some(refresher) = self.refresher.take() {
            let _ = refresher.join();
        }
        let id = hold().id;
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
        // Whoever made the lock chose the names.
        let [host, user] = [hostname, username].map(|name| quote(name.as_bytes()));
        let how = format!("{manner}: process {pid} on {host} of {user}, since {time}");
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

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use broadloom_engine::Registry;

    use super::*;
    use crate::store::{Directory, Store, StoreError};

    /// Who is told that a lock is being written, and who says that it may go on.
    type Ask = Arc<Mutex<Option<(Sender<()>, Receiver<()>)>>>;

    /// A store that waits when a lock is written, once it is told whom to ask.
    struct Waiting {
        store: Directory,
        ask: Ask,
    }

    impl Store for Waiting {
        fn create(&self) -> Result<(), StoreError> {
            self.store.create()
        }

        fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
            let ask = match file {
                File::Named(Kind::Lock, _) => self.ask.lock().expect("no panic").take(),
                _ => None,
            };
            if let Some((began, go_on)) = ask {
                began.send(()).expect("the test waits");
                let _ = go_on.recv();
            }
            self.store.put(file, content)
        }

        fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
            self.store.get(file, range)
        }

        fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
            self.store.list(kind)
        }

        fn remove(&self, file: File) -> Result<(), StoreError> {
            self.store.remove(file)
        }
    }

    fn repository(store: Box<dyn Store>) -> Arc<Repository> {
        let mut registry = Registry::new();
        registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
        Arc::new(Repository::init(store, &registry, b"password").expect("there is room"))
    }

    #[test]
    fn a_signal_does_not_wait_for_a_refresh() {
        let place = tempfile::tempdir().expect("there is room");
        let ask = Ask::default();
        let store = Waiting { store: Directory::new(place.path()), ask: Arc::clone(&ask) };
        let repository = repository(Box::new(store));
        let id = repository.save_json(Kind::Lock, &LockFile::new(false)).expect("there is room");
        let state = LockState { id, done: false, refreshed: Instant::now() };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        let ((began, begun), (go_on, going)) = (channel(), channel());
        *ask.lock().expect("no panic") = Some((began, going));
        let (shared, on) = (Arc::clone(&state), Arc::clone(&repository));
        let refresher = thread::spawn(move || refresh(&on, &shared, false, Duration::ZERO));
        begun.recv().expect("the lock is refreshed");
        let remover = Remover { repository: Arc::clone(&repository), state: Arc::clone(&state) };
        let (removed, told) = channel();
        thread::spawn(move || {
            remover.remove();
            let _ = removed.send(());
        });
        // It would wait for ever: the refresh goes on only below.
        let in_time = told.recv_timeout(Duration::from_secs(60)).is_ok();
        drop(go_on);
        state.0.lock().expect("no panic").done = true;
        assert!(in_time, "the lock is removed while the refresh waits");
        refresher.join().expect("no panic");
        assert_ne!(state.0.lock().expect("no panic").id, id);
        assert!(!repository.list(Kind::Lock).expect("it is there").contains(&id));
    }

    #[test]
    fn the_words_of_a_lock_do_nothing_to_a_terminal() {
        let place = tempfile::tempdir().expect("there is room");
        let repository = repository(Box::new(Directory::new(place.path())));
        let hostile = "\u{1b}]0;title\u{7}\n\u{202e}".to_owned();
        let lock = LockFile { hostname: hostile.clone(), username: hostile, ..LockFile::new(true) };
        repository.save_json(Kind::Lock, &lock).expect("there is room");
        let Err(error) = Lock::new(&repository, false) else { panic!("it is locked") };
        let text = error.to_string();
        assert!(text.contains("title") && !text.contains(char::is_control), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}
