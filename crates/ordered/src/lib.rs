//! An ordered parallel map: threads take items from one source, work on them side by side, and
//! their results come to one sink in the order of the items.
//!
//! Each item has a [`Turn`], its number. No thread is more than a window of items ahead of the
//! first result that is missing, so that the memory of results which wait for it is bounded. The
//! first error in the order of the items ends everything.
//!
//! There are two shapes, which differ in who reads and writes:
//!
//! - A [`Line`] is for a source and a sink that any thread may use. Each thread takes items by
//!   itself, and the thread that completes the next result hands it to the sink.
//! - A [`Belt`] is for a source and a sink that have threads of their own, which may have to wait
//!   for what they read and write.
//!
//! Both leave the work to their user: a thread may have many items in progress, may complete them
//! in any order, and says whether it would wait for another.
//!
//! ```
//! use broadloom_ordered::{Line, Next, Sink, Threads};
//!
//! struct Lines(Vec<String>);
//!
//! impl Sink<String> for Lines {
//!     type Error = std::convert::Infallible;
//!
//!     fn take(&mut self, line: String) -> Result<(), Self::Error> {
//!         self.0.push(line);
//!         Ok(())
//!     }
//! }
//!
//! let line = Line::new(1..4, Lines(Vec::new()), 16);
//! let work = || {
//!     let _guard = line.stop_in_panic();
//!     while let Next::Item(turn, number) = line.next(true, Iterator::next) {
//!         line.put([(turn, format!("{number} squared is {}", number * number))]);
//!     }
//! };
//! std::thread::scope(|scope| {
//!     let mut threads = Threads::new(scope);
//!     threads.start("other".to_owned(), work).expect("the system gives a thread");
//!     work();
//!     threads.join();
//! });
//! let (_, lines, error) = line.into_parts();
//! assert!(error.is_none());
//! assert_eq!(lines.0, ["1 squared is 1", "2 squared is 4", "3 squared is 9"]);
//! ```

#![forbid(unsafe_code)]

mod belt;
mod held;
mod line;
#[cfg(all(test, loom))]
mod models;
mod sync;
mod threads;
mod turns;

pub use belt::Belt;
pub use line::{Line, Sink};
pub use threads::{Threads, side_by_side};
pub use turns::StopInPanic;

/// An item's place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Turn(u64);

impl Turn {
    /// Returns the number of items before this one.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// What a thread gets when it asks for an item.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// This item.
    Item(Turn, T),
    /// No item now: it would have to be waited for.
    Later,
    /// No item any more.
    End,
}
