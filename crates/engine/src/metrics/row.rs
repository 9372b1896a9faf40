//! What a queue has done for one series, by the length of the buffers.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::add;
use super::series::Series;
use crate::job_error::{JobError, NAMES};

/// The logarithm of the longest length of the first class of sizes.
const FIRST: u32 = 6;
/// Classes of sizes: up to 64 bytes, each twice as long as the one before up to 1 MiB, and all that
/// is longer.
pub(super) const CLASSES: usize = 16;

/// Counters of one series at one queue. The owner of the queue alone writes them.
#[derive(Debug)]
pub(super) struct Row {
    pub series: Arc<Series>,
    pub sizes: [Size; CLASSES],
    /// Made when the first operation fails.
    errors: OnceLock<Box<Kinds>>,
    /// Made when the first operation falls back.
    fallbacks: OnceLock<Box<Kinds>>,
}

/// Counters of one class of sizes.
#[derive(Debug, Default)]
pub(super) struct Size {
    operations: AtomicU64,
    bytes: AtomicU64,
}

impl Size {
    /// Returns the operations and their bytes.
    pub fn read(&self) -> (u64, u64) {
        (self.operations.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

/// Counters of every kind of error in every class of sizes.
type Kinds = [[AtomicU64; NAMES.len()]; CLASSES];

fn kinds() -> Box<Kinds> {
    Box::new([const { [const { AtomicU64::new(0) }; NAMES.len()] }; CLASSES])
}

/// Returns the number of the class of a length.
#[inline]
pub(super) fn class(len: usize) -> usize {
    // The lowest bits are set, so that there is a highest bit, and it is at least that of the first
    // class.
    let highest = (len.saturating_sub(1) | ((1 << FIRST) - 1)).ilog2();
    ((highest + 1 - FIRST) as usize).min(CLASSES - 1)
}

/// Returns the longest length of a class, in bytes; [`u64::MAX`] for the last.
pub(super) fn longest(class: usize) -> u64 {
    if class == CLASSES - 1 { u64::MAX } else { 1 << (FIRST as usize + class) }
}

impl Row {
    pub fn new(series: Arc<Series>) -> Row {
        Row {
            series,
            sizes: Default::default(),
            errors: OnceLock::new(),
            fallbacks: OnceLock::new(),
        }
    }

    /// Counts operations that are complete, each over so many bytes.
    #[inline]
    pub fn count(&self, len: usize, operations: usize) {
        let size = &self.sizes[class(len)];
        add(&size.operations, operations as u64);
        add(&size.bytes, (operations as u64).wrapping_mul(len as u64));
    }

    /// Counts that such an operation has failed.
    pub fn fail(&self, len: usize, error: JobError) {
        add(&self.errors.get_or_init(kinds)[class(len)][error.number()], 1);
    }

    /// Counts that another session did such an operation, and why.
    pub fn fall_back(&self, len: usize, reason: JobError) {
        add(&self.fallbacks.get_or_init(kinds)[class(len)][reason.number()], 1);
    }

    /// Returns the kinds of errors that operations of a class failed with, and how often.
    pub fn errors(&self, class: usize) -> impl Iterator<Item = (&'static str, u64)> {
        counted(&self.errors, class)
    }

    /// Returns the reasons why operations of a class fell back, and how often.
    pub fn fallbacks(&self, class: usize) -> impl Iterator<Item = (&'static str, u64)> {
        counted(&self.fallbacks, class)
    }
}

fn counted(
    kinds: &OnceLock<Box<Kinds>>,
    class: usize,
) -> impl Iterator<Item = (&'static str, u64)> {
    let counts = kinds.get().into_iter().flat_map(move |kinds| kinds[class].iter());
    let counts = counts.map(|count| count.load(Ordering::Relaxed));
    NAMES.into_iter().zip(counts).filter(|(_, count)| *count > 0)
}

/// The rows of a queue. The owner adds rows; anyone reads them, without a lock.
#[derive(Debug, Default)]
pub(super) struct Rows {
    places: [OnceLock<Arc<Row>>; 16],
    more: OnceLock<Box<Rows>>,
}

impl Rows {
    /// Adds a row behind the others. Only the owner may do so.
    pub fn add(&self, row: Arc<Row>) {
        let mut rows = self;
        loop {
            if let Some(place) = rows.places.iter().find(|place| place.get().is_none()) {
                place.set(row).expect("the owner alone adds rows");
                return;
            }
            rows = rows.more.get_or_init(Box::default);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        let all = iter::successors(Some(self), |rows| rows.more.get().map(|more| &**more));
        all.flat_map(|rows| rows.places.iter().map_while(|place| place.get().map(|row| &**row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        let classes = [0, 1, 64, 65, 128, 129, 1 << 20, (1 << 20) + 1, usize::MAX].map(class);
        assert_eq!(classes, [0, 0, 0, 1, 1, 2, 14, 15, 15]);
        assert_eq!([0, 1, 14, 15].map(longest), [64, 128, 1 << 20, u64::MAX]);
    }
}
