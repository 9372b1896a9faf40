//! What `broadloom-perf storage` can be asked for.

use std::path::PathBuf;
use std::thread::available_parallelism;

use super::side::Over;
use super::topic::{PIECE, Topic};
use crate::error::PerfError;
use crate::experiments::options::or_usual;

/// Most clients.
pub const MAX_CLIENTS: usize = 64;

/// Bytes of a client's set, and of a quick run's.
const SETS: [u64; 2] = [64 << 20, 4 << 20];

/// Most bytes of a set.
const MAX_SET: u64 = 1 << 40;

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct StorageOptions {
    /// An empty directory in which everything is done.
    pub directory: PathBuf,
    /// The rows; empty: all.
    pub topics: Vec<Topic>,
    /// The kinds of storage; empty: all.
    pub over: Vec<Over>,
    /// Numbers of clients that start together; empty: one, and one for each core.
    pub clients: Vec<usize>,
    /// Bytes of each client's set; none: 64 MiB, or 4 MiB of a quick run.
    pub size: Option<u64>,
    /// The command line, for the report.
    pub command: Option<String>,
    /// `true` to spend less time, for figures that are less steady.
    pub quick: bool,
}

impl StorageOptions {
    /// Looks at numbers before anything is made.
    ///
    /// # Errors
    /// A number out of its range.
    pub fn check(&self) -> Result<(), PerfError> {
        self.clients()?;
        self.set().map(drop)
    }

    pub(super) fn topics(&self) -> Vec<Topic> {
        sorted(or_usual(&self.topics, &Topic::ALL))
    }

    pub(super) fn over(&self) -> Vec<Over> {
        sorted(or_usual(&self.over, &Over::ALL))
    }

    /// # Errors
    /// None, or too many.
    pub(super) fn clients(&self) -> Result<Vec<usize>, PerfError> {
        let cores = available_parallelism().map_or(1, usize::from);
        let clients = sorted(or_usual(&self.clients, &[1, cores.min(MAX_CLIENTS)]));
        match clients.iter().find(|count| !(1..=MAX_CLIENTS).contains(*count)) {
            Some(&value) => {
                let valid = format!("1 to {MAX_CLIENTS} clients");
                Err(PerfError::Range { what: "clients", value, valid })
            }
            None => Ok(clients),
        }
    }

    /// # Errors
    /// No whole number of operations that stream, or too many.
    pub(super) fn set(&self) -> Result<u64, PerfError> {
        let set = self.size.unwrap_or(SETS[usize::from(self.quick)]);
        if (1..=MAX_SET).contains(&set) && set.is_multiple_of(PIECE as u64) {
            return Ok(set);
        }
        let value = usize::try_from(set).unwrap_or(usize::MAX);
        let valid = "1M to 1T, in whole MiB".to_owned();
        Err(PerfError::Range { what: "size", value, valid })
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused() {
        let set = |size| StorageOptions { size: Some(size), ..StorageOptions::default() }.set();
        assert_eq!(set(3 << 20).unwrap(), 3 << 20);
        for size in [0, 1, (1 << 20) + 1, (1 << 40) + (1 << 20)] {
            let error = set(size).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("size {size} is out of range; valid: 1M to 1T, in whole MiB")
            );
        }
        let clients = |clients| StorageOptions { clients, ..StorageOptions::default() }.clients();
        assert_eq!(clients(vec![4, 1, 4]).unwrap(), [1, 4]);
        assert!(clients(vec![0]).is_err() && clients(vec![1, 65]).is_err());
        assert!(clients(vec![]).unwrap().contains(&1));
    }
}
