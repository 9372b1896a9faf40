//! What operations are told apart by, and how many such series a program may have.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::algorithm::{Algorithm, Direction};
use crate::patience::lock_soon;

/// Series that may have a label. A session with a label that is new counts as `other` from then on.
const LABELLED: usize = 1000;
/// Series that a program has at most.
const MOST: usize = 2 * LABELLED;
/// The label of sessions for which there is no series of their own any more.
const OTHER: &str = "other";

/// What operations are told apart by: the operations of all sessions that have these in common are
/// counted together.
#[derive(Debug)]
pub struct Series {
    number: u16,
    key: Key,
    /// Bytes of the sessions that are open, as far as they are known.
    open_bytes: AtomicU64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// `None` only of the series that counts what has no other.
    work: Option<(Algorithm, Direction)>,
    provider: String,
    kernel: String,
    label: String,
}

impl Series {
    fn new(number: u16, key: Key) -> Arc<Series> {
        Arc::new(Series { number, key, open_bytes: AtomicU64::new(0) })
    }

    /// Returns the name of the algorithm: `aes-128-gcm`.
    pub fn algorithm(&self) -> String {
        self.key.work.map_or_else(|| OTHER.to_owned(), |(algorithm, _)| algorithm.to_string())
    }

    /// Returns the name of the direction: `seal`.
    pub fn direction(&self) -> &str {
        self.key.work.map_or(OTHER, |(_, direction)| direction.name())
    }

    /// Returns the name of the provider.
    pub fn provider(&self) -> &str {
        &self.key.provider
    }

    /// Returns the instruction set or the library whose kernel works; empty if the provider does
    /// not say.
    pub fn kernel(&self) -> &str {
        &self.key.kernel
    }

    /// Returns the [label](crate::Transform::label) of the sessions; empty if they have none.
    pub fn label(&self) -> &str {
        &self.key.label
    }

    /// Returns the bytes that the open sessions of this series take, without the memory that a
    /// provider's sessions own elsewhere.
    pub fn session_bytes(&self) -> u64 {
        self.open_bytes.load(Ordering::Relaxed)
    }

    /// Finds the series of a session.
    pub(crate) fn find(
        work: (Algorithm, Direction),
        provider: &str,
        kernel: String,
        label: &str,
    ) -> Arc<Series> {
        let (provider, label) = (provider.to_owned(), label.to_owned());
        find(Key { work: Some(work), provider, kernel, label })
    }

    /// Counts a session as open that takes so many bytes.
    pub(crate) fn open(&self, bytes: u64) {
        self.open_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts such a session as open no longer.
    pub(crate) fn close(&self, bytes: u64) {
        self.open_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }
}

/// Every series of this process.
static ALL: Mutex<Table> = Mutex::new(Table(BTreeMap::new()));

/// The series that counts what has no other.
static LAST_RESORT: LazyLock<Arc<Series>> = LazyLock::new(|| {
    let name = OTHER.to_owned();
    let key = Key { work: None, provider: name.clone(), kernel: name.clone(), label: name };
    Series::new(0, key)
});

#[derive(Default)]
struct Table(BTreeMap<Key, Arc<Series>>);

impl Table {
    fn find(&mut self, mut key: Key) -> Arc<Series> {
        if let Some(series) = self.0.get(&key) {
            return Arc::clone(series);
        }
        if self.0.len() >= LABELLED && !key.label.is_empty() && key.label != OTHER {
            key.label = OTHER.to_owned();
            return self.find(key);
        }
        if self.0.len() >= MOST {
            return Arc::clone(&LAST_RESORT);
        }
        let series = Series::new(self.0.len() as u16 + 1, key.clone());
        self.0.insert(key, Arc::clone(&series));
        series
    }
}

fn find(key: Key) -> Arc<Series> {
    match lock_soon(&ALL) {
        Some(mut table) => table.find(key),
        None => Arc::clone(&LAST_RESORT),
    }
}

const _: () = assert!(MOST < u16::MAX as usize, "the number of a series fits into 16 bits");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::HashAlgorithm;

    fn key(provider: &str, label: &str) -> Key {
        let work = Some((Algorithm::Hash(HashAlgorithm::Sha1), Direction::Digest));
        Key { work, provider: provider.to_owned(), kernel: String::new(), label: label.to_owned() }
    }

    #[test]
    fn equal_keys_have_one_series() {
        let mut table = Table::default();
        let [one, same, other] =
            [key("a", "x"), key("a", "x"), key("a", "y")].map(|key| table.find(key));
        assert!(Arc::ptr_eq(&one, &same));
        assert_ne!(one.number(), other.number());
        assert_eq!((other.algorithm().as_str(), other.direction()), ("sha1", "digest"));
        assert_eq!((other.provider(), other.kernel(), other.label()), ("a", "", "y"));
    }

    #[test]
    fn series_are_bounded() {
        let mut table = Table::default();
        let known = table.find(key("a", "0"));
        for number in 1..10 * LABELLED {
            table.find(key("a", &number.to_string()));
        }
        assert_eq!(table.0.len(), LABELLED + 1, "those with a label, and one for the rest");
        assert_eq!(table.find(key("a", "one more")).label(), "other");
        assert!(Arc::ptr_eq(&table.find(key("a", "0")), &known), "what was known stays known");
        assert_eq!(table.find(key("a", "")).label(), "", "what has no label needs none");
        for number in 0..2 * MOST {
            table.find(key(&number.to_string(), ""));
        }
        assert_eq!(table.0.len(), MOST);
        let last = table.find(key("one more", ""));
        assert_eq!((last.number(), last.algorithm().as_str()), (0, "other"));
    }
}
