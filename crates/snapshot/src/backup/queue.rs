//! What there is to do: files to read, batches of chunks to save, directories to complete.
//!
//! The walk adds files and waits while there are many. Workers never wait for room, so that they
//! always come back for more: a batch for which nobody is free stays with its reader.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::batch::Batch;
use super::directory::Directory;
use super::spot::Spot;
use crate::node::Node;

/// Tasks for which the walk does not wait.
const AHEAD: usize = 2048;

/// Where a file's bytes come from.
pub enum FileSource {
    /// A file, at a place of the file system.
    Spot(Spot),
    /// A stream, with its node.
    Stream(Box<dyn Read + Send>, Box<Node>),
}

/// A file to be read.
pub struct FileTask {
    pub source: FileSource,
    pub name: Vec<u8>,
    pub directory: Arc<Directory>,
    pub place: usize,
    /// The parent snapshot has no file in its place.
    pub is_new: bool,
}

/// Something to do.
pub enum Task {
    File(FileTask),
    /// A directory whose nodes are all known.
    Tree(Arc<Directory>, Vec<Node>),
}

/// What a worker does next.
pub enum Step {
    Task(Task),
    Batch(Batch),
    /// Nothing else is there: the worker's own batch.
    Own,
    /// All is done.
    End,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Task>,
    batches: VecDeque<Batch>,
    spare: Vec<Batch>,
    /// Workers that wait.
    idle: usize,
    /// Workers that may still add something.
    active: usize,
    closed: bool,
    abandoned: bool,
}

/// The tasks of a backup.
#[derive(Default)]
pub struct Queue {
    state: Mutex<QueueState>,
    work: Condvar,
    room: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers workers, before they start.
    pub fn expect(&self, workers: usize) {
        self.lock().active = workers;
    }

    /// Adds a task; waits while there are many.
    pub fn push(&self, task: Task) {
        let mut state = self.lock();
        while state.tasks.len() >= AHEAD && !state.closed {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.tasks.push_back(task);
        drop(state);
        self.work.notify_one();
    }

    /// Says that no more tasks come. After a failure nobody waits any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.room.notify_all();
    }

    /// Drops what there is to do.
    pub fn abort(&self) {
        let mut state = self.lock();
        state.tasks.clear();
        state.batches.clear();
        drop(state);
        self.close();
    }

    /// Ends all waiting: a worker is gone, with what it had in hand.
    pub fn abandon(&self) {
        self.lock().abandoned = true;
        self.abort();
    }

    /// Returns `true` if a worker waits for which there is no batch.
    pub fn has_idle(&self) -> bool {
        let state = self.lock();
        state.idle > state.batches.len()
    }

    /// Hands a batch to a worker that waits; gives it back if there is none.
    pub fn offer(&self, batch: Batch) -> Result<(), Batch> {
        let mut state = self.lock();
        if state.idle <= state.batches.len() {
            return Err(batch);
        }
        state.batches.push_back(batch);
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    /// An empty batch like another.
    pub fn spare(&self, like: &Batch) -> Batch {
        self.lock().spare.pop().unwrap_or_else(|| like.another())
    }

    /// Takes a batch back that is empty again.
    pub fn recycle(&self, batch: Batch) {
        self.lock().spare.push(batch);
    }

    /// Returns what a worker does next after it has done what it was given. `holding`: its own
    /// batch has chunks.
    pub fn next(&self, holding: bool) -> Step {
        let mut state = self.lock();
        state.active -= 1;
        loop {
            let step = if let Some(batch) = state.batches.pop_front() {
                Step::Batch(batch)
            } else if let Some(task) = state.tasks.pop_front() {
                Step::Task(task)
            } else if holding {
                Step::Own
            } else if state.closed && state.active == 0 || state.abandoned {
                drop(state);
                self.work.notify_all();
                return Step::End;
            } else {
                state.idle += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            state.active += 1;
            drop(state);
            self.room.notify_one();
            return step;
        }
    }
}
