//! Counters of a device.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use broadloom_engine::provider::Occupancy;

use crate::cl::Times;

/// What the device has done so far, for all threads. Times are the device's own: several command
/// queues overlap, so that their sum may be more than the time that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// Batches that ended well.
    pub batches: u64,
    /// Jobs in these batches.
    pub jobs: u64,
    /// Bytes that were copied to the device.
    pub uploaded: u64,
    /// Bytes that were copied from the device.
    pub downloaded: u64,
    /// Time of copies to the device.
    pub upload_time: Duration,
    /// Time of kernels.
    pub kernel_time: Duration,
    /// Time of copies from the device.
    pub download_time: Duration,
    /// Steps of work items, each waiting for the longest of its group.
    pub occupancy: Occupancy,
    /// Batches that there was no memory for.
    pub out_of_memory: u64,
    /// Batches that did not end in time.
    pub timeouts: u64,
    /// Batches that failed with the device.
    pub losses: u64,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { batches, jobs, uploaded, downloaded, .. } = self;
        let Occupancy { used, offered } = self.occupancy;
        let percent = if offered == 0 { 0.0 } else { 100.0 * used as f64 / offered as f64 };
        write!(
            f,
            "{jobs} jobs in {batches} batches; {uploaded} bytes copied there in {:.1?}, \
             {downloaded} back in {:.1?}, kernels {:.1?}, work items {percent:.1} % busy",
            self.upload_time, self.download_time, self.kernel_time
        )?;
        let faults = [
            ("out of memory", self.out_of_memory),
            ("timed out", self.timeouts),
            ("lost", self.losses),
        ];
        for (what, count) in faults.into_iter().filter(|(_, count)| *count > 0) {
            write!(f, "; {count} batches {what}")?;
        }
        Ok(())
    }
}

/// The counters, which are changed once for a batch.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Statistics>);

/// A batch that ended well.
pub(crate) struct Ended {
    pub jobs: usize,
    pub uploaded: usize,
    pub downloaded: usize,
    pub occupancy: Occupancy,
    pub times: Times,
}

impl Counters {
    pub fn get(&self) -> Statistics {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn change(&self, change: impl FnOnce(&mut Statistics)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn add(&self, ended: &Ended) {
        self.change(|statistics| {
            statistics.batches += 1;
            statistics.jobs += ended.jobs as u64;
            statistics.uploaded += ended.uploaded as u64;
            statistics.downloaded += ended.downloaded as u64;
            statistics.occupancy.used += ended.occupancy.used;
            statistics.occupancy.offered += ended.occupancy.offered;
            statistics.upload_time += ended.times.upload;
            statistics.kernel_time += ended.times.kernels;
            statistics.download_time += ended.times.download;
        });
    }
}
