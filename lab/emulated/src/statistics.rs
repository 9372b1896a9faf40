//! Counters of a device and its drivers.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The counts of a device and its drivers so far. Each number is exact, but they may be some
/// requests apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// Requests that the device has worked on.
    pub requests: u64,
    /// Responses that drivers have taken.
    pub responses: u64,
    /// Doorbells that were rung.
    pub doorbells: u64,
    /// Interrupts that drivers have taken.
    pub interrupts: u64,
    /// Descriptors that meant nothing any more when they were read: the driver had given up the
    /// request.
    pub stale: u64,
    /// Responses that were not computed yet when the modelled device would have had them.
    pub late: u64,
    /// The total time by which these responses were late.
    pub late_total: Duration,
    /// By how much the latest of them was late.
    pub late_most: Duration,
    /// Results that were prepared before.
    pub prepared_hits: u64,
    /// Results that could have been, and were not.
    pub prepared_misses: u64,
    /// Compressions whose output did not fit into the room there was.
    pub overflows: u64,
    /// Faults on request.
    pub faults: FaultCounts,
}

/// How often each fault happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FaultCounts {
    /// The ring was said to be full for a while.
    pub full_rings: u64,
    /// An engine was slow.
    pub slow_engines: u64,
    /// A response did not come in time.
    pub lost_responses: u64,
    /// An output was damaged on its way.
    pub corrupted_outputs: u64,
    /// The device was reset.
    pub resets: u64,
    /// The device went away.
    pub removals: u64,
}

impl Statistics {
    /// Returns `true` if the machine computed everything by the time at which the modelled device
    /// would have.
    pub fn keeps_up(&self) -> bool {
        self.late == 0
    }
}

impl fmt::Display for Statistics {
    /// The quality of an emulation, for reports: whether this machine kept up, and which results
    /// were prepared.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.keeps_up() {
            write!(f, "this machine kept up with the modelled device")?;
        } else {
            let average = self.late_total / u32::try_from(self.late).unwrap_or(u32::MAX).max(1);
            write!(
                f,
                "this machine cannot keep up with the modelled device: {} of {} responses were \
                 late, by {average:.1?} on average and {:.1?} at most",
                self.late, self.requests, self.late_most
            )?;
        }
        if self.prepared_hits + self.prepared_misses > 0 {
            let all = self.prepared_hits + self.prepared_misses;
            write!(
                f,
                "; {} of {all} results were prepared before the clock started",
                self.prepared_hits
            )?;
        }
        Ok(())
    }
}

/// A number that several threads add to.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    #[inline]
    pub(crate) fn add(&self, value: u64) {
        if value > 0 {
            self.0.fetch_add(value, Relaxed);
        }
    }

    pub(crate) fn raise_to(&self, value: u64) {
        self.0.fetch_max(value, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The counters of the device's threads, updated once for a window of requests.
#[derive(Debug, Default)]
pub(crate) struct DeviceCounters {
    pub requests: Counter,
    pub stale: Counter,
    pub late: Counter,
    pub late_total: Counter,
    pub late_most: Counter,
    pub prepared_hits: Counter,
    pub prepared_misses: Counter,
    pub overflows: Counter,
    pub slow_engines: Counter,
    pub corrupted_outputs: Counter,
    pub resets: Counter,
    pub removals: Counter,
}

/// A number that one thread alone adds to, with plain stores.
#[derive(Debug, Default)]
pub(crate) struct OwnCounter(AtomicU64);

impl OwnCounter {
    #[inline]
    pub(crate) fn add(&self, value: u64) {
        self.0.store(self.0.load(Relaxed) + value, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The counters of a driver.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct DriverCounters {
    pub responses: OwnCounter,
    pub doorbells: OwnCounter,
    pub interrupts: OwnCounter,
    pub stale: OwnCounter,
    pub full_rings: OwnCounter,
    pub lost_responses: OwnCounter,
}

impl Statistics {
    pub(crate) fn of(device: &DeviceCounters) -> Statistics {
        let nanoseconds = |counter: &Counter| Duration::from_nanos(counter.get());
        Statistics {
            requests: device.requests.get(),
            stale: device.stale.get(),
            late: device.late.get(),
            late_total: nanoseconds(&device.late_total),
            late_most: nanoseconds(&device.late_most),
            prepared_hits: device.prepared_hits.get(),
            prepared_misses: device.prepared_misses.get(),
            overflows: device.overflows.get(),
            faults: FaultCounts {
                slow_engines: device.slow_engines.get(),
                corrupted_outputs: device.corrupted_outputs.get(),
                resets: device.resets.get(),
                removals: device.removals.get(),
                ..FaultCounts::default()
            },
            ..Statistics::default()
        }
    }

    /// The counts of drivers that are gone.
    pub(crate) fn add_earlier(&mut self, earlier: &Statistics) {
        self.responses += earlier.responses;
        self.doorbells += earlier.doorbells;
        self.interrupts += earlier.interrupts;
        self.stale += earlier.stale;
        self.faults.full_rings += earlier.faults.full_rings;
        self.faults.lost_responses += earlier.faults.lost_responses;
    }

    pub(crate) fn add(&mut self, driver: &DriverCounters) {
        self.responses += driver.responses.get();
        self.doorbells += driver.doorbells.get();
        self.interrupts += driver.interrupts.get();
        self.stale += driver.stale.get();
        self.faults.full_rings += driver.full_rings.get();
        self.faults.lost_responses += driver.lost_responses.get();
    }
}
