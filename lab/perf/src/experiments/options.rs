//! What the options of all experiments have in common.

use crate::error::PerfError;

/// The largest burst that can be asked for, in jobs.
pub const MAX_BURST: usize = 1024;

/// `list`, or `usual` where it is empty.
pub fn or_usual<T: Clone>(list: &[T], usual: &[T]) -> Vec<T> {
    if list.is_empty() { usual.to_vec() } else { list.to_vec() }
}

/// Refuses numbers of jobs that are not 1 to [`MAX_BURST`].
pub fn check_jobs(what: &'static str, counts: &[usize]) -> Result<(), PerfError> {
    check_counts(what, counts, MAX_BURST, " jobs")
}

/// Refuses numbers that are not 1 to `most`; `unit` follows these two in the error.
pub fn check_counts(
    what: &'static str,
    counts: &[usize],
    most: usize,
    unit: &str,
) -> Result<(), PerfError> {
    match counts.iter().find(|count| !(1..=most).contains(*count)) {
        Some(&value) => Err(PerfError::Range { what, value, valid: format!("1 to {most}{unit}") }),
        None => Ok(()),
    }
}
