//! Each thread's line: requests of its asynchronous jobs wait there for others.
//!
//! A request enters the line, and its job gives way for one turn of the program. In that turn the
//! program starts and resumes other jobs, whose requests enter the line, too. The request that
//! fills a batch processes it. Where none does, the first job that is resumed does: by then
//! whatever was ready has had its turn. So the work happens in the program's own thread, and a lone
//! request waits for nobody. Batches grow with the load: the longer a batch takes, the more jobs
//! are ready after it.
//!
//! The program may resume a job on another thread. So a line has a lock, which nobody else holds in
//! the usual case, and each request knows its line.

mod choice;
mod keys;
mod pieces;
mod texts;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::job;
use crate::stack::with_room;

pub use keys::{Answer, Kind, alone, ask, is_worth_asking};
pub use pieces::{absorb, finish};
pub use texts::{Place, Tag, Text, process, process_beside};

use keys::Keys;
use pieces::Pieces;
use texts::Texts;

/// A request that waits, as its line knows it.
#[derive(Debug)]
struct Ticket<T>(Mutex<Option<T>>);

impl<T> Ticket<T> {
    fn new() -> Arc<Ticket<T>> {
        Arc::new(Ticket(Mutex::new(None)))
    }

    /// Tells the job that waits what came of its request.
    fn complete(&self, outcome: T) {
        *lock(&self.0) = Some(outcome);
    }

    fn take(&self) -> Option<T> {
        lock(&self.0).take()
    }

    /// Waits, in the job that made the request, for the outcome. `flush` processes what waits with
    /// it.
    fn wait(&self, line: &Mutex<Line>, flush: impl FnOnce(&mut Line)) -> T {
        if let Some(outcome) = self.take() {
            return outcome;
        }
        job::give_way();
        if let Some(outcome) = self.take() {
            return outcome;
        }
        // Another thread that has the line may process the request meanwhile.
        with_room(|| flush(&mut lock(line)));
        self.take().expect("nothing waits in a line that was flushed")
    }
}

/// What waits, of one thread.
#[derive(Default)]
struct Line {
    keys: Keys,
    pieces: Pieces,
    texts: Texts,
}

thread_local! {
    static LINE: RefCell<Option<Arc<Mutex<Line>>>> = const { RefCell::new(None) };
}

/// The line of this thread. A job keeps it: it may go on at another thread.
fn line() -> Arc<Mutex<Line>> {
    LINE.with_borrow_mut(|line| line.get_or_insert_default().clone())
}

/// A panic ends the process, so that no lock is ever poisoned.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
