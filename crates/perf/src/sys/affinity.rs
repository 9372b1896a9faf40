//! One core for one measurement.

use crate::error::PerfError;

/// Keeps the calling thread on one core; dropped, it gives the thread its earlier cores back.
#[derive(Debug)]
pub struct Pinned {
    core: usize,
    #[cfg(target_os = "linux")]
    earlier: libc::cpu_set_t,
}

impl Pinned {
    /// The core's number.
    pub fn core(&self) -> usize {
        self.core
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use super::{PerfError, Pinned};

    fn mask() -> io::Result<libc::cpu_set_t> {
        // SAFETY: cpu_set_t is an array of integers, for which all zeros is a value.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: `set` is a cpu_set_t of the size given, alive for the call; 0 is this thread.
        match unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) } {
            0 => Ok(set),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn set_mask(set: &libc::cpu_set_t) -> io::Result<()> {
        // SAFETY: `set` is a cpu_set_t of the size given, alive for the call; 0 is this thread.
        match unsafe { libc::sched_setaffinity(0, size_of_val(set), set) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    impl Pinned {
        /// Pins the calling thread to the core that it runs on.
        ///
        /// # Errors
        /// The system refuses.
        pub fn here() -> Result<Pinned, PerfError> {
            // SAFETY: the call takes nothing and only reads where this thread runs.
            let core = unsafe { libc::sched_getcpu() };
            let core = usize::try_from(core)
                .map_err(|_| PerfError::Pin { core: 0, source: io::Error::last_os_error() })?;
            let pin = || -> io::Result<libc::cpu_set_t> {
                let earlier = mask()?;
                // SAFETY: cpu_set_t is an array of integers, for which all zeros is a value.
                let mut only: libc::cpu_set_t = unsafe { std::mem::zeroed() };
                // SAFETY: the set is ours; CPU_SET ignores a number beyond its capacity.
                unsafe { libc::CPU_SET(core, &mut only) };
                set_mask(&only)?;
                Ok(earlier)
            };
            let earlier = pin().map_err(|source| PerfError::Pin { core, source })?;
            Ok(Pinned { core, earlier })
        }
    }

    impl Drop for Pinned {
        fn drop(&mut self) {
            // A mask that was in force a moment ago is refused only if those cores are gone since;
            // there is nothing better to do then than to stay where we are.
            let _ = set_mask(&self.earlier);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_pinned_thread_has_one_core_and_gets_the_others_back() {
            let cores = |set: &libc::cpu_set_t| {
                // SAFETY: the set is a value made by the system, alive for the call.
                unsafe { libc::CPU_COUNT(set) }
            };
            let before = cores(&mask().unwrap());
            let pinned = Pinned::here().unwrap();
            assert_eq!(cores(&mask().unwrap()), 1);
            drop(pinned);
            assert_eq!(cores(&mask().unwrap()), before);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Pinned {
    /// Systems other than Linux offer no such call in `libc`.
    ///
    /// # Errors
    /// Always.
    pub fn here() -> Result<Pinned, PerfError> {
        Err(PerfError::Pin { core: 0, source: std::io::Error::from(std::io::ErrorKind::Unsupported) })
    }
}
