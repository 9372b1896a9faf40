//! How long chunks are.

use broadloom_lanes::RabinSearch;

/// The least, the average and the most bytes of a chunk.
///
/// ```
/// use broadloom_chunking::Sizes;
///
/// let restic = Sizes::default();
/// assert_eq!((restic.min(), restic.average(), restic.max()), (512 << 10, 1 << 20, 8 << 20));
/// assert_eq!(Sizes::new(512 << 10, 1 << 20, 8 << 20), Ok(restic));
/// assert!(Sizes::new(1000, 500, 2000).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    min: usize,
    average: usize,
    max: usize,
}

/// Why sizes are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizesError {
    /// Chunks may be shorter than the window of the fingerprint.
    #[error("the least size of a chunk is {0} bytes: it is to be at least 64")]
    Min(usize),
    /// The average is none that a fingerprint can have.
    #[error("the average size of a chunk is {0} bytes: it is to be a power of two, 256 to 2^30")]
    Average(usize),
    /// No length is permitted.
    #[error("the most bytes of a chunk are {max}: they are to be at least {min}, the least")]
    Max {
        /// The least.
        min: usize,
        /// The most.
        max: usize,
    },
}

impl Sizes {
    /// Chunks of `min` to `max` bytes. Behind the first `min` bytes, a cut is as likely as one in
    /// `average` at each byte of random data.
    ///
    /// # Errors
    /// If `min` is less than 64, `max` is less than `min`, or `average` is no power of two from
    /// 256 to 2^30.
    pub fn new(min: usize, average: usize, max: usize) -> Result<Self, SizesError> {
        if min < RabinSearch::WINDOW {
            Err(SizesError::Min(min))
        } else if !average.is_power_of_two() || !(1 << 8..=1 << 30).contains(&average) {
            Err(SizesError::Average(average))
        } else if max < min {
            Err(SizesError::Max { min, max })
        } else {
            Ok(Sizes { min, average, max })
        }
    }

    /// The least bytes of a chunk, but of the last one of an input.
    pub fn min(self) -> usize {
        self.min
    }

    /// The average.
    pub fn average(self) -> usize {
        self.average
    }

    /// The most bytes of a chunk.
    pub fn max(self) -> usize {
        self.max
    }
}

impl Default for Sizes {
    /// restic's: 512 KiB, 1 MiB and 8 MiB.
    fn default() -> Self {
        Sizes { min: 512 << 10, average: 1 << 20, max: 8 << 20 }
    }
}
