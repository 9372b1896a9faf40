//! Which cores threads run on.

use std::error::Error;
use std::fmt;
use std::path::Path;

/// The cores that a number of threads get.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Placement {
    /// Wherever the system puts them: they are not pinned.
    #[default]
    Anywhere,
    /// Neighbours first: hardware threads of one core, then cores of one package. They share
    /// caches, and leave other cores and packages to others.
    Packed,
    /// As far apart as can be: a package each, then a core each, and hardware threads of one core
    /// last.
    Spread,
    /// These cores, by the system's numbers, in this order.
    Cores(Vec<usize>),
}

/// Threads cannot be placed as asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum AffinityError {
    /// A list of cores that is empty.
    NoCores,
    /// A core on which this process must not run, or that the machine lacks.
    NotAllowed {
        /// The core's number.
        core: usize,
        /// The cores that would be right.
        allowed: Vec<usize>,
    },
    /// The system refuses.
    Refused {
        /// The core's number.
        core: usize,
        /// What the system says.
        source: std::io::Error,
    },
    /// The system does not say on which cores this process may run.
    Unknown(std::io::Error),
    /// Threads are pinned on Linux only.
    Unsupported,
}

impl fmt::Display for AffinityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AffinityError::NoCores => f.write_str("a list of cores has at least one, not 0"),
            AffinityError::NotAllowed { core, allowed } => write!(
                f,
                "core {core} is not one of those that this process may run on: {allowed:?}"
            ),
            AffinityError::Refused { core, source } => {
                write!(f, "the system does not pin a thread to core {core}: {source}")
            }
            AffinityError::Unknown(cause) => {
                write!(f, "the system does not say which cores this process may run on: {cause}")
            }
            AffinityError::Unsupported => f.write_str(
                "threads can be pinned on Linux only; Placement::Anywhere works everywhere",
            ),
        }
    }
}

impl Error for AffinityError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            AffinityError::Refused { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Placement {
    /// The core of each of so many threads; `None` for one that is not pinned. Where there are more
    /// threads than cores, the cores are dealt out again from the first.
    ///
    /// ```
    /// use broadloom_engine::Placement;
    ///
    /// assert_eq!(Placement::Anywhere.assign(2)?, [None, None]);
    /// # Ok::<(), broadloom_engine::AffinityError>(())
    /// ```
    ///
    /// # Errors
    /// [`AffinityError`]; none for [`Placement::Anywhere`].
    pub fn assign(&self, threads: usize) -> Result<Vec<Option<usize>>, AffinityError> {
        let order = match self {
            Placement::Anywhere => return Ok(vec![None; threads]),
            Placement::Packed => packed(topology()?),
            Placement::Spread => spread(topology()?),
            Placement::Cores(cores) => {
                check(cores, allowed_cores()?)?;
                cores.clone()
            }
        };
        Ok(order.into_iter().cycle().take(threads).map(Some).collect())
    }
}

/// Whether all of `cores` are among those that are allowed.
fn check(cores: &[usize], allowed: Vec<usize>) -> Result<(), AffinityError> {
    if cores.is_empty() {
        return Err(AffinityError::NoCores);
    }
    match cores.iter().find(|core| !allowed.contains(core)) {
        Some(core) => Err(AffinityError::NotAllowed { core: *core, allowed }),
        None => Ok(()),
    }
}

/// The cores on which the calling thread may run, by the system's numbers.
///
/// # Errors
/// [`AffinityError::Unknown`], or [`AffinityError::Unsupported`] elsewhere than on Linux.
#[cfg(target_os = "linux")]
pub fn allowed_cores() -> Result<Vec<usize>, AffinityError> {
    use rustix::thread::{CpuSet, sched_getaffinity};

    let set = sched_getaffinity(None).map_err(|error| AffinityError::Unknown(error.into()))?;
    Ok((0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect())
}

/// The cores on which the calling thread may run, by the system's numbers.
///
/// # Errors
/// [`AffinityError::Unsupported`]: this is not Linux.
#[cfg(not(target_os = "linux"))]
pub fn allowed_cores() -> Result<Vec<usize>, AffinityError> {
    Err(AffinityError::Unsupported)
}

/// Pins the calling thread to a core, by the system's number, until it is pinned elsewhere.
///
/// # Errors
/// [`AffinityError::NotAllowed`] for a core that is not there or on which the thread must not run,
/// [`AffinityError::Refused`], or [`AffinityError::Unsupported`] elsewhere than on Linux.
#[cfg(target_os = "linux")]
pub fn pin_to(core: usize) -> Result<(), AffinityError> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    check(&[core], allowed_cores()?)?;
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set)
        .map_err(|error| AffinityError::Refused { core, source: error.into() })
}

/// Pins the calling thread to a core, by the system's number, until it is pinned elsewhere.
///
/// # Errors
/// [`AffinityError::Unsupported`]: this is not Linux.
#[cfg(not(target_os = "linux"))]
pub fn pin_to(_core: usize) -> Result<(), AffinityError> {
    Err(AffinityError::Unsupported)
}

/// Where a hardware thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Its number.
    thread: usize,
    /// Its core, a number within the package.
    core: usize,
    package: usize,
}

/// Returns the places of the hardware threads that this process may run on.
fn topology() -> Result<Vec<Place>, AffinityError> {
    Ok(read_topology(Path::new("/sys/devices/system/cpu"), &allowed_cores()?))
}

/// The same from a folder of Linux's form. A thread of which nothing is known there counts as a
/// core of its own.
fn read_topology(folder: &Path, allowed: &[usize]) -> Vec<Place> {
    let places = allowed.iter().map(|&thread| {
        let number = |file: &str| -> Option<usize> {
            let path = folder.join(format!("cpu{thread}/topology/{file}"));
            std::fs::read_to_string(path).ok()?.trim().parse().ok()
        };
        match (number("core_id"), number("physical_package_id")) {
            (Some(core), Some(package)) => Place { thread, core, package },
            _ => Place { thread, core: thread, package: 0 },
        }
    });
    places.collect()
}

fn packed(mut places: Vec<Place>) -> Vec<usize> {
    places.sort_by_key(|place| (place.package, place.core, place.thread));
    places.iter().map(|place| place.thread).collect()
}

fn spread(mut places: Vec<Place>) -> Vec<usize> {
    places.sort_by_key(|place| (place.package, place.core, place.thread));
    // How many threads of its core, and cores of its package, come before each.
    let mut ranked: Vec<(usize, usize, Place)> = Vec::with_capacity(places.len());
    for place in places {
        let rank = match ranked.last() {
            Some(&(sibling, core, last)) if last.package == place.package => {
                if last.core == place.core { (sibling + 1, core) } else { (0, core + 1) }
            }
            _ => (0, 0),
        };
        ranked.push((rank.0, rank.1, place));
    }
    ranked.sort_by_key(|&(sibling, core, place)| (sibling, core, place.package));
    ranked.iter().map(|&(_, _, place)| place.thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages of two cores of two hardware threads, numbered as Linux does: siblings last.
    fn two_packages() -> Vec<Place> {
        (0..8).map(|thread| Place { thread, core: thread / 2 % 2, package: thread % 2 }).collect()
    }

    #[test]
    fn packed_threads_are_neighbours() {
        assert_eq!(packed(two_packages()), [0, 4, 2, 6, 1, 5, 3, 7]);
    }

    #[test]
    fn spread_threads_share_a_core_last() {
        assert_eq!(spread(two_packages()), [0, 1, 2, 3, 4, 5, 6, 7]);
        let numbered_by_core: Vec<Place> =
            (0..8).map(|thread| Place { thread, core: thread / 2, package: 0 }).collect();
        assert_eq!(spread(numbered_by_core), [0, 2, 4, 6, 1, 3, 5, 7]);
    }

    #[test]
    fn what_is_not_known_counts_as_a_core_of_its_own() {
        let folder =
            std::env::temp_dir().join(format!("broadloom-topology-{}", std::process::id()));
        for (thread, core, package) in [(0, 5, 1), (1, 5, 1)] {
            let topology = folder.join(format!("cpu{thread}/topology"));
            std::fs::create_dir_all(&topology).expect("a temporary folder");
            std::fs::write(topology.join("core_id"), format!("{core}\n")).expect("a file");
            std::fs::write(topology.join("physical_package_id"), format!("{package}\n"))
                .expect("a file");
        }
        let places = read_topology(&folder, &[0, 1, 7]);
        std::fs::remove_dir_all(&folder).expect("it was made above");
        let place = |thread, core, package| Place { thread, core, package };
        assert_eq!(places, [place(0, 5, 1), place(1, 5, 1), place(7, 7, 0)]);
    }

    #[test]
    fn cores_that_are_not_there_are_named() {
        assert!(matches!(check(&[], vec![0]), Err(AffinityError::NoCores)));
        let error = check(&[1, 9], vec![0, 1]).expect_err("9 is not allowed").to_string();
        assert_eq!(error, "core 9 is not one of those that this process may run on: [0, 1]");
    }
}
