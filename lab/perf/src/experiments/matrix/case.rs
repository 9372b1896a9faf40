//! One comparison: what all sides are asked to do in turn.

use broadloom_engine::{Algorithm, Direction};

use crate::measure::workload::Workload;
use crate::names::{Cache, Call, Kind, Mode, Sharing};

/// How jobs are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// So many together, through one of the engine's interfaces.
    Burst(usize, Call),
    /// One, and nothing else until it is done.
    Sync,
    /// One after another, with so many in flight before the thread waits for any.
    Async(usize),
}

impl Pace {
    /// Jobs handed over in one call.
    pub fn burst(self) -> usize {
        match self {
            Pace::Burst(jobs, _) => jobs,
            Pace::Sync | Pace::Async(_) => 1,
        }
    }

    /// The `mode` of its rows.
    pub fn mode(self) -> &'static str {
        match self {
            Pace::Burst(..) => Mode::Burst.name(),
            Pace::Sync => "sync",
            Pace::Async(_) => "async",
        }
    }

    /// The engine's interface that it goes through.
    pub fn call(self) -> Call {
        match self {
            Pace::Burst(_, call) => call,
            Pace::Sync => Call::ProcessMany,
            Pace::Async(_) => Call::QueuePair,
        }
    }

    /// Returns `true` if a call hands jobs over and takes them back, which is all that there is
    /// without a queue.
    pub fn is_synchronous(self) -> bool {
        match self {
            Pace::Burst(..) | Pace::Sync => true,
            Pace::Async(_) => false,
        }
    }

    /// Returns `true` if jobs are handed over one by one, though as many as a burst are processed.
    pub fn is_stream(self) -> bool {
        matches!(self, Pace::Burst(_, Call::Stream))
    }

    /// Jobs in flight before the thread waits.
    pub fn outstanding(self) -> Option<usize> {
        match self {
            Pace::Async(outstanding) => Some(outstanding),
            Pace::Burst(..) | Pace::Sync => None,
        }
    }
}

/// Everything that the sides of one comparison have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What is measured.
    pub kind: Kind,
    /// What is done to the buffers.
    pub algorithm: Algorithm,
    /// Which way.
    pub direction: Direction,
    /// How long buffers are.
    pub load: Workload,
    /// Cores at work.
    pub cores: usize,
    /// How jobs are handed over.
    pub pace: Pace,
    /// Whether cores share a session.
    pub sharing: Sharing,
    /// Where the buffers are.
    pub cache: Cache,
}

/// Bytes that a thread works on in one pass, about: small enough for the nearest caches.
const BYTES: usize = 32 << 10;

/// Jobs of a pass at most, but for whole bursts.
const JOBS: usize = 128;

/// Bursts of a pass at least where lengths are mixed, so that their mean settles.
const MIXED_BURSTS: usize = 8;

impl Case {
    /// Buffers of one pass of one thread: whole bursts.
    pub fn count(&self) -> usize {
        let group = self.pace.outstanding().unwrap_or(self.pace.burst());
        let sample = self.load.lengths(self.algorithm, 1000, 1);
        let mean = (sample.iter().sum::<usize>() / sample.len()).max(1);
        // They take as long as thousands of short buffers.
        if matches!(self.algorithm, Algorithm::PublicKey(_)) {
            return group;
        }
        let least = if self.load.is_fixed() { 1 } else { MIXED_BURSTS * group.max(16) };
        (BYTES / mean).clamp(1, JOBS).max(least).next_multiple_of(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::sizes::Imix;

    fn case(load: Workload, pace: Pace) -> Case {
        Case {
            kind: Kind::Throughput,
            algorithm: "hmac-sha1".parse().unwrap(),
            direction: Direction::Generate,
            load,
            cores: 1,
            pace,
            sharing: Sharing::Shared,
            cache: Cache::Warm,
        }
    }

    #[test]
    fn a_pass_is_whole_bursts() {
        let burst = |jobs| Pace::Burst(jobs, Call::QueuePair);
        let count = |load: &Workload, pace| case(load.clone(), pace).count();
        assert_eq!(count(&Workload::Size(64), burst(32)), 128);
        assert_eq!(count(&Workload::Size(8192), burst(32)), 32);
        assert_eq!(count(&Workload::Size(8192), burst(1)), 4);
        assert_eq!(count(&Workload::Size(1), burst(48)), 144);
        assert_eq!(count(&Workload::Size(8192), Pace::Async(8)), 8);
        let imix = Workload::Imix(Imix::default());
        assert_eq!(count(&imix, burst(32)), 256);
        assert_eq!(count(&imix, Pace::Sync), 128);
    }

    #[test]
    fn the_pace_tells_a_rows_keys() {
        let keys = |pace: Pace| (pace.mode(), pace.call(), pace.burst(), pace.outstanding());
        let bursts = Pace::Burst(32, Call::ProcessMany);
        assert_eq!(keys(bursts), ("burst", Call::ProcessMany, 32, None));
        assert_eq!(keys(Pace::Sync), ("sync", Call::ProcessMany, 1, None));
        assert_eq!(keys(Pace::Async(4)), ("async", Call::QueuePair, 1, Some(4)));
    }
}
