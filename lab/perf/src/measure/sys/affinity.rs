//! One core for one measurement.

use crate::error::PerfError;

/// Keeps the calling thread on one core; dropped, it gives the thread its earlier cores back.
#[derive(Debug)]
pub struct Pinned {
    core: usize,
    #[cfg(target_os = "linux")]
    earlier: rustix::thread::CpuSet,
}

impl Pinned {
    /// The core's number.
    pub fn core(&self) -> usize {
        self.core
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::io;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    use super::{PerfError, Pinned};

    impl Pinned {
        /// Pins the calling thread to the core that it runs on.
        ///
        /// # Errors
        /// The system refuses.
        pub fn here() -> Result<Pinned, PerfError> {
            let core = sched_getcpu();
            let pin = || -> io::Result<CpuSet> {
                let earlier = sched_getaffinity(None)?;
                if core >= CpuSet::MAX_CPU {
                    return Err(io::Errno::INVAL);
                }
                let mut only = CpuSet::new();
                only.set(core);
                sched_setaffinity(None, &only)?;
                Ok(earlier)
            };
            let earlier = pin().map_err(|error| PerfError::Pin { core, source: error.into() })?;
            Ok(Pinned { core, earlier })
        }
    }

    impl Drop for Pinned {
        fn drop(&mut self) {
            // A mask that was in force a moment ago is refused only if those cores are gone since;
            // there is nothing better to do then than to stay where we are.
            let _ = sched_setaffinity(None, &self.earlier);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_pinned_thread_has_one_core_and_gets_the_others_back() {
            let cores = || sched_getaffinity(None).unwrap().count();
            let before = cores();
            let pinned = Pinned::here().unwrap();
            assert_eq!(cores(), 1);
            drop(pinned);
            assert_eq!(cores(), before);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Pinned {
    /// Systems other than Linux are not asked.
    ///
    /// # Errors
    /// Always.
    pub fn here() -> Result<Pinned, PerfError> {
        Err(PerfError::Pin {
            core: 0,
            source: std::io::Error::from(std::io::ErrorKind::Unsupported),
        })
    }
}
