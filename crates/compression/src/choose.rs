//! Chooses the provider when the caller names none: by a table, or by measuring on this machine.

mod sample;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Job, OpenError, Processor, Registry, Session,
    Transform, TransformError,
};

use sample::sample;

/// So many times faster has to be a provider that is asked for later.
const MARGIN: f64 = 1.15;
/// The least number of measurements of each provider: the first one finds cold memory, and another
/// program may disturb the next.
const LEAST_PASSES: usize = 3;
/// How often, at most.
const PASSES: usize = 8;
/// A provider that has taken so long is measured no more often than necessary.
const ENOUGH: Duration = Duration::from_millis(2);

/// Which provider does it, and why.
///
/// ```
/// use std::sync::Arc;
/// use broadloom_compression::choose;
/// use broadloom_engine::{Compression, CompressionAlgorithm, Registry};
///
/// let mut registry = Registry::new();
/// registry.add(Arc::new(broadloom_libdeflate::Libdeflate::load(&[])?));
/// let choice = choose(&registry, CompressionAlgorithm::Deflate, Compression::default())?;
/// println!("{}: {}", choice.session.provider(), choice.reason);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Choice {
    /// A session at that provider.
    pub session: Session,
    /// Providers and their speeds, in bytes of uncompressed data a second, in the order in which
    /// the registry has them. Empty where nothing was measured.
    pub measured: Vec<(String, f64)>,
    /// Why it is that one, in words.
    pub reason: String,
}

/// Nobody can be chosen.
///
/// ```
/// use broadloom_compression::choose;
/// use broadloom_engine::{Compression, CompressionAlgorithm, Registry};
///
/// let nobody = Registry::new();
/// let choice = choose(&nobody, CompressionAlgorithm::Deflate, Compression::default());
/// println!("{}", choice.expect_err("there is no provider"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChooseError {
    /// The compression cannot be asked for.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// No provider does it.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// The providers that compress at some levels, the first choice first.
struct Row {
    levels: RangeInclusive<u8>,
    providers: &'static [&'static str],
    reason: &'static str,
}

/// The providers that compress to DEFLATE, by level. docs/performance.md has the speeds and ratios
/// behind this table.
const DEFLATE: [Row; 3] = [
    Row {
        levels: 0..=0,
        providers: &["libdeflate", "zlib", "isal"],
        reason: "level 0 stores, which isal's does not",
    },
    Row {
        levels: 1..=2,
        providers: &["isal", "libdeflate", "zlib"],
        reason: "isal is the fastest",
    },
    Row {
        levels: 3..=u8::MAX,
        providers: &["libdeflate", "zlib", "isal"],
        reason: "libdeflate makes the fewest bytes in the time",
    },
];

/// The providers that decompress DEFLATE, the first choice first.
const INFLATE: Row = Row {
    levels: 0..=u8::MAX,
    providers: &["libdeflate", "isal", "zlib"],
    reason: "libdeflate is the fastest",
};

/// The provider that has LZ4.
const LZ4: Row =
    Row { levels: 0..=u8::MAX, providers: &["lz4"], reason: "no other provider has lz4" };

/// The providers that are asked where none is named, and the reason for their order. The choice
/// depends on nothing else: the same input becomes the same output wherever the same providers are
/// present.
///
/// ```
/// use broadloom_compression::Order;
/// use broadloom_engine::CompressionAlgorithm;
///
/// let order = Order::of(CompressionAlgorithm::Deflate, Some(6));
/// println!("{}: {}", order.providers.join(", "), order.reason);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Their names, the first choice first.
    pub providers: &'static [&'static str],
    /// Why the first is the first, in words.
    pub reason: &'static str,
}

impl Order {
    /// The order at a level; to decompress where none is given.
    pub fn of(algorithm: CompressionAlgorithm, level: Option<u8>) -> Order {
        let row = match (algorithm, level) {
            (CompressionAlgorithm::Lz4, _) => &LZ4,
            (_, None) => &INFLATE,
            (_, Some(level)) => {
                DEFLATE.iter().find(|row| row.levels.contains(&level)).unwrap_or(&INFLATE)
            }
        };
        Order { providers: row.providers, reason: row.reason }
    }

    /// Why a provider was taken.
    pub fn why(&self, chosen: &str) -> String {
        match self.providers {
            [first, ..] if *first == chosen => self.reason.to_owned(),
            others => format!("the first that can of {}", others.join(", ")),
        }
    }
}

/// Chooses the provider that compresses: the first that can in the [order](Order) for the level,
/// then those that the order does not know, as the registry has them. Those that are used by name
/// only are left out.
///
/// # Errors
/// Why no provider was chosen.
pub fn choose(
    registry: &Registry,
    algorithm: CompressionAlgorithm,
    compression: Compression,
) -> Result<Choice, ChooseError> {
    let transform = Transform::compress(algorithm, compression)?;
    first(registry, &transform, Order::of(algorithm, Some(compression.level)))
}

/// Chooses the provider that decompresses, as [`choose`] does.
///
/// # Errors
/// Why no provider was chosen.
pub fn choose_for_decompression(
    registry: &Registry,
    algorithm: CompressionAlgorithm,
    checksum: Checksum,
) -> Result<Choice, ChooseError> {
    let transform = Transform::decompress(algorithm, checksum)?;
    first(registry, &transform, Order::of(algorithm, None))
}

/// Chooses for every level that a provider has which is not used by name only.
pub fn choose_for_levels(
    registry: &Registry,
    algorithm: CompressionAlgorithm,
    compression: Compression,
) -> Vec<(u8, Choice)> {
    let providers = registry.default_providers();
    let most = providers.filter_map(|provider| Some(*provider.levels(algorithm)?.end())).max();
    let levels = 0..=most.unwrap_or_default();
    let choices = levels.filter_map(|level| {
        let choice = choose(registry, algorithm, Compression { level, ..compression });
        Some((level, choice.ok()?))
    });
    choices.collect()
}

/// The first of an order that can.
fn first(registry: &Registry, transform: &Transform, order: Order) -> Result<Choice, ChooseError> {
    let mut sessions = able(registry, transform)?;
    let place = |session: &Session| {
        let place = order.providers.iter().position(|name| *name == session.provider());
        place.unwrap_or(order.providers.len())
    };
    // Sorting keeps the registry's order where places are the same.
    sessions.sort_by_key(place);
    let session = sessions.remove(0);
    let reason = order.why(session.provider());
    Ok(Choice { session, measured: Vec::new(), reason })
}

/// Measures which provider compresses fastest, without those that are used by name only. Each
/// compresses a sample of 64 KiB of text a few times, and its best time counts. The first provider
/// of the registry wins unless another is more than 15 % faster. Measuring takes some milliseconds,
/// or none if only one provider can do it. The choice depends on the other load of the machine.
///
/// # Errors
/// Why no provider was chosen.
pub fn measure(
    registry: &Registry,
    algorithm: CompressionAlgorithm,
    compression: Compression,
) -> Result<Choice, ChooseError> {
    let transform = Transform::compress(algorithm, compression)?;
    Ok(fastest(able(registry, &transform)?, || Some(sample())))
}

/// Measures which provider decompresses fastest, as [`measure`] does.
///
/// # Errors
/// Why no provider was chosen.
pub fn measure_decompression(
    registry: &Registry,
    algorithm: CompressionAlgorithm,
    checksum: Checksum,
) -> Result<Choice, ChooseError> {
    let transform = Transform::decompress(algorithm, checksum)?;
    let compressed = || {
        let usual = Compression { level: 6, ..Compression::default() };
        let sessions = [usual, Compression::default()].map(|compression| {
            registry.open(&Transform::compress(algorithm, compression).ok()?).ok()
        });
        let session = sessions.into_iter().flatten().next()?;
        let mut job = Job::new(session, sample());
        Processor::new().process_many(std::slice::from_mut(&mut job));
        job.succeeded().then(|| job.take_output())
    };
    Ok(fastest(able(registry, &transform)?, compressed))
}

/// A session at each provider that can, and is not used by name only.
fn able(registry: &Registry, transform: &Transform) -> Result<Vec<Session>, OpenError> {
    // It has the reasons where there is none.
    registry.open(transform)?;
    let providers = registry.default_providers();
    Ok(providers
        .filter_map(|provider| Session::open(Arc::clone(provider), transform).ok())
        .collect())
}

/// The fastest of several sessions, at an input of a job, which is asked for where it is needed.
fn fastest(mut sessions: Vec<Session>, input: impl FnOnce() -> Option<Vec<u8>>) -> Choice {
    if let [only] = sessions.as_slice() {
        let reason = format!("{} alone can", only.provider());
        return Choice { session: sessions.remove(0), measured: Vec::new(), reason };
    }
    let measured = input().map(|input| times(&sessions, &input)).unwrap_or_default();
    let speed = |time: &Duration| sample::LEN as f64 / time.as_secs_f64();
    let speeds: Vec<Option<f64>> = measured.iter().map(|time| time.as_ref().map(speed)).collect();
    let named = sessions.iter().zip(&speeds);
    let named =
        named.filter_map(|(session, speed)| Some((session.provider().to_owned(), (*speed)?)));
    let measured: Vec<(String, f64)> = named.collect();
    let (place, why) = pick(&speeds);
    let list = measured.iter().map(|(name, speed)| format!("{name} {:.0} MB/s", speed / 1e6));
    let reason = format!("{why}: {}", list.collect::<Vec<_>>().join(", "));
    Choice { session: sessions.swap_remove(place), measured, reason }
}

/// Picks one of some speeds, and gives the reason.
fn pick(speeds: &[Option<f64>]) -> (usize, &'static str) {
    let known = speeds.iter().enumerate().filter_map(|(place, speed)| Some((place, (*speed)?)));
    let chosen = known.clone().reduce(|first, next| match next.1 > MARGIN * first.1 {
        true => next,
        false => first,
    });
    match chosen {
        None => (0, "first in order, and none could be measured"),
        Some((place, speed)) if known.clone().all(|other| other.1 <= speed) => (place, "fastest"),
        Some((place, _)) => (place, "first in order, and none is 15 % faster"),
    }
}

/// The best time of each session at one job with this input; `None` after a failure. Sessions take
/// turns, so that a slow moment of the machine is slow for all of them.
fn times(sessions: &[Session], input: &[u8]) -> Vec<Option<Duration>> {
    let mut processor = Processor::new();
    let mut jobs: Vec<_> = sessions.iter().map(|session| Job::new(session, input)).collect();
    let mut times = vec![(Duration::MAX, Duration::ZERO); sessions.len()];
    for pass in 0..PASSES {
        for (job, (best, spent)) in jobs.iter_mut().zip(&mut times) {
            if pass < LEAST_PASSES || *spent < ENOUGH {
                job.set_data(input);
                let start = Instant::now();
                processor.process_many(std::slice::from_mut(job));
                let time = start.elapsed().max(Duration::from_nanos(1));
                *best = time.min(*best);
                *spent += time;
            }
        }
    }
    let timed = jobs.iter().zip(times).map(|(job, (best, _))| job.succeeded().then_some(best));
    timed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_taken_unless_another_is_clearly_faster() {
        let (first, faster) = ("first in order, and none is 15 % faster", "fastest");
        assert_eq!(pick(&[Some(100.0), Some(114.0), Some(20.0)]), (0, first));
        assert_eq!(pick(&[Some(100.0), Some(116.0), Some(20.0)]), (1, faster));
        assert_eq!(pick(&[None, Some(70.0), Some(70.0)]), (1, faster));
        assert_eq!(pick(&[None, None]).0, 0);
    }

    #[test]
    fn the_sample_compresses_as_prose_does() {
        let sample = sample();
        assert_eq!(sample.len(), sample::LEN);
        let compressed = miniz_oxide::deflate::compress_to_vec(&sample, 1).len();
        let percent = 100 * compressed / sample.len();
        assert!((35..55).contains(&percent), "{percent} %");
    }
}
