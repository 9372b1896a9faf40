//! One snapshot for all instruments of a collection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use broadloom_metrics::Snapshot;

/// A snapshot that is older than this is not shared any more.
const FRESH: Duration = Duration::from_secs(1);

/// The last snapshot, and which instruments have seen it.
///
/// OpenTelemetry asks one instrument after the other, and does not say when a collection begins. It
/// has begun when an instrument that has seen the snapshot asks again.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Last>>);

struct Last {
    snapshot: Arc<Snapshot>,
    at: Instant,
    /// A bit for each instrument.
    seen_by: u64,
}

impl Shared {
    /// Returns the snapshot that the instrument with this number, which is below 64, shows.
    pub fn for_instrument(&self, number: u32) -> Arc<Snapshot> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bit = 1 << number;
        match &mut *last {
            Some(last) if last.seen_by & bit == 0 && last.at.elapsed() < FRESH => {
                last.seen_by |= bit;
                Arc::clone(&last.snapshot)
            }
            _ => {
                let snapshot = Arc::new(Snapshot::now());
                let at = Instant::now();
                *last = Some(Last { snapshot: Arc::clone(&snapshot), at, seen_by: bit });
                snapshot
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruments_share_a_snapshot_and_each_sees_it_once() {
        let shared = Shared::default();
        let [one, other] = [0, 1].map(|number| shared.for_instrument(number));
        assert!(Arc::ptr_eq(&one, &other));
        let later = shared.for_instrument(0);
        assert!(!Arc::ptr_eq(&one, &later), "a collection has begun");
        assert!(Arc::ptr_eq(&later, &shared.for_instrument(1)));
    }
}
