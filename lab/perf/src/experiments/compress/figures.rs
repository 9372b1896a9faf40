//! What each figure and each question measures.

use std::sync::Arc;
use std::time::Duration;

use broadloom::compression::Format;
use broadloom_engine::{
    AesSize, Algorithm, CipherAlgorithm, CompressionAlgorithm, Direction, HashAlgorithm,
    MacAlgorithm,
};

use super::Bench;
use super::bare::Bare;
use super::device::{Device, Wanted};
use super::framework::{At, Setup};
use super::options::Software;
use super::report::paper::RATIO_ZLIB;
use super::requests::Requests;
use super::side::Entry;
use super::topic::Topic;
use super::waits::Waits;
use crate::error::PerfError;
use crate::report::row::Row;

/// Jobs outstanding that fill the device with some to spare, as in the source.
const FULL: usize = 24;
/// Threads of the source's platform.
const THREADS: usize = 16;
/// How long a thread sleeps between looks where it does: a device with [`FULL`] outstanding does
/// not run dry meanwhile.
const SLEEP: Duration = Duration::from_micros(100);
/// The largest request that is compressed at the device: what stands for it computes the result
/// within the time for which a driver waits.
const LARGEST: usize = 4 << 20;

/// Ways for data to reach the device, in [`Topic::Copy`].
const MEMORIES: [&str; 2] = ["copy", "gather"];
/// Where the device is, in [`Topic::Numa`].
const DISTANCES: [&str; 2] = ["local", "remote"];

/// A device as it was asked for.
fn plain(topic: Topic) -> Wanted {
    Wanted { topic, options: Vec::new(), prepared: true }
}

/// One with an option of the figure's.
fn with(topic: Topic, name: &'static str, value: &str) -> Wanted {
    Wanted { options: vec![(name, value.to_owned())], ..plain(topic) }
}

/// The device of [`Topic::Batch`], whose doorbell costs 100 ns, and whose engines keep up with
/// small requests.
fn small() -> Wanted {
    Wanted { prepared: false, ..with(Topic::Batch, "preset", "doorbell-100ns") }
}

/// That of [`Topic::Offload`].
fn interrupting() -> Wanted {
    Wanted { prepared: false, ..with(Topic::Offload, "responses", "interrupt") }
}

/// The ways to wait that a topic compares.
fn ways(topic: Topic, quick: bool) -> Vec<Waits> {
    match topic {
        Topic::Interrupt => vec![Waits::Yield, Waits::Spin, Waits::Every(SLEEP), Waits::Interrupt],
        Topic::Poller => {
            let interval = Duration::from_micros(50);
            vec![Waits::Every(interval), Waits::Poller(interval)]
        }
        Topic::Frequency => {
            let few = [20, 100, 1000];
            let all = [5, 10, 20, 50, 100, 200, 500, 1000, 2000];
            let microseconds = if quick { &few[..] } else { &all };
            microseconds.iter().map(|us| Waits::Every(Duration::from_micros(*us))).collect()
        }
        _ => Vec::new(),
    }
}

/// Opens every device that a topic needs, so that a missing device fails the run before anything is
/// measured.
///
/// # Errors
/// What was asked for does not go with what the topic wants.
pub fn check(topic: Topic, bench: &Bench<'_>) -> Result<(), PerfError> {
    let wanted = match topic {
        Topic::Threads | Topic::Overhead | Topic::Scaling => Vec::new(),
        Topic::Ratio
        | Topic::Sync
        | Topic::SyncThreads
        | Topic::Outstanding
        | Topic::Models
        | Topic::Decompress => vec![plain(topic)],
        Topic::Copy => MEMORIES.map(|memory| with(topic, "memory", memory)).into(),
        Topic::Interrupt | Topic::Poller | Topic::Frequency => {
            let of = |waits: Waits| Wanted { options: waits.options(), ..plain(topic) };
            ways(topic, bench.quick).into_iter().map(of).collect()
        }
        Topic::Batch => vec![small()],
        Topic::Numa => DISTANCES.map(|distance| with(topic, "distance", distance)).into(),
        Topic::Offload => vec![interrupting()],
    };
    wanted.iter().try_for_each(|wanted| bench.device(wanted).map(drop))
}

/// Rows of a topic.
pub fn rows(topic: Topic, bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    match topic {
        Topic::Ratio => ratio(bench),
        Topic::Threads => threads(bench),
        Topic::Sync => sync(bench),
        Topic::SyncThreads => sync_threads(bench),
        Topic::Outstanding => outstanding(bench),
        Topic::Models => models(bench),
        Topic::Copy => copy(bench),
        Topic::Interrupt | Topic::Poller | Topic::Frequency => waits(bench, topic),
        Topic::Batch => batch(bench),
        Topic::Numa => numa(bench),
        Topic::Offload => offload(bench),
        Topic::Overhead => overhead(bench),
        Topic::Scaling => scaling(bench),
        Topic::Decompress => decompress(bench),
    }
}

/// zlib, which is the source's, or the first of the software providers.
fn source(bench: &Bench<'_>) -> Software {
    let zlib = bench.software.iter().find(|software| software.spec.name == "zlib");
    zlib.unwrap_or(&bench.software[0]).clone()
}

/// The fastest of the software providers, as they are known to be.
fn fastest<'b>(bench: &'b Bench<'_>) -> &'b Software {
    let named = |name: &str| bench.software.iter().find(|software| software.spec.name == name);
    named("isal").or_else(|| named("libdeflate")).unwrap_or(&bench.software[0])
}

fn ratio(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let most = bench.input.len();
    let (first, last) = if bench.quick { (12, 20) } else { (10, 24) };
    let chunks = (first..=last).step_by(2).map(|power| 1 << power).filter(|&chunk| chunk < most);
    // And the input as one chunk.
    let chunks: Vec<usize> = chunks.chain([RATIO_ZLIB.0]).collect();
    let mut entries = Vec::new();
    for software in &bench.software {
        for &chunk in &chunks {
            let setup = Setup { chunk, ..Setup::new(bench, Topic::Ratio, At::Software(software)) };
            entries.push(setup.compress(bench)?);
        }
    }
    let device = bench.device(&plain(Topic::Ratio))?;
    for &chunk in chunks.iter().filter(|chunk| **chunk <= LARGEST) {
        let at = At::Device(&device, Waits::Yield);
        entries.push(Setup { chunk, ..Setup::new(bench, Topic::Ratio, at) }.compress(bench)?);
    }
    // A ratio is the same every time.
    let rows = entries.into_iter().map(|entry| bench.once(vec![entry]));
    Ok(rows.collect::<Result<Vec<_>, _>>()?.concat())
}

fn threads(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let few = [1, 2, THREADS];
    let all = [1, 2, 3, 4, 8, THREADS];
    let mut rows = Vec::new();
    for software in &bench.software {
        let mut entries = Vec::new();
        for &threads in if bench.quick { &few[..] } else { &all } {
            let setup = Setup::new(bench, Topic::Threads, At::Software(software));
            // A single chunk for each thread.
            entries.push(Setup { threads, chunk: RATIO_ZLIB.0, ..setup }.compress(bench)?);
        }
        rows.extend(bench.measure(entries)?);
    }
    Ok(rows)
}

fn sync(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&plain(Topic::Sync))?;
    let software = source(bench);
    let alone = Setup::new(bench, Topic::Sync, At::Software(&software));
    let at = At::Device(&device, Waits::Yield);
    let entries = vec![
        Setup { chunk: RATIO_ZLIB.0, ..alone }.compress(bench)?,
        Setup::new(bench, Topic::Sync, at).compress(bench)?,
    ];
    bench.measure(entries)
}

fn sync_threads(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&plain(Topic::SyncThreads))?;
    let few = [1, 4, 11, THREADS];
    let all = [1, 2, 3, 4, 5, 6, 8, 11, 13, THREADS];
    let mut entries = Vec::new();
    for &threads in if bench.quick { &few[..] } else { &all } {
        let setup = Setup::new(bench, Topic::SyncThreads, At::Device(&device, Waits::Yield));
        entries.push(Setup { threads, ..setup }.compress(bench)?);
    }
    bench.measure(entries)
}

fn outstanding(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&plain(Topic::Outstanding))?;
    let few = [1, 6, 18, FULL];
    let all = [1, 2, 3, 4, 6, 8, 12, 16, 18, 20, FULL, 32];
    let mut entries = Vec::new();
    for waits in [Waits::Yield, Waits::Every(SLEEP)] {
        for &outstanding in if bench.quick { &few[..] } else { &all } {
            let setup = Setup::new(bench, Topic::Outstanding, At::Device(&device, waits));
            entries.push(Setup { outstanding, ..setup }.compress(bench)?);
        }
    }
    bench.measure(entries)
}

fn models(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&plain(Topic::Models))?;
    let software = source(bench);
    let mut entries = Vec::new();
    for threads in [1, THREADS] {
        let setup = Setup::new(bench, Topic::Models, At::Software(&software));
        entries.push(Setup { threads, chunk: RATIO_ZLIB.0, ..setup }.compress(bench)?);
    }
    let yields = Setup::new(bench, Topic::Models, At::Device(&device, Waits::Yield));
    let sleeps = Setup::new(bench, Topic::Models, At::Device(&device, Waits::Every(SLEEP)));
    entries.push(yields.compress(bench)?);
    entries.push(Setup { threads: THREADS, ..yields }.compress(bench)?);
    entries.push(Setup { outstanding: FULL, ..yields }.compress(bench)?);
    entries.push(Setup { outstanding: FULL, ..sleeps }.compress(bench)?);
    bench.measure(entries)
}

/// Deflate, in chunks of the input that are requests of their own.
fn chunks<'a>(
    bench: &Bench<'_>,
    topic: Topic,
    chunk: usize,
    device: (&'a Device, Waits),
) -> Requests<'a> {
    let chunk = chunk.min(bench.input.len());
    Requests {
        topic,
        algorithm: Algorithm::Compression(CompressionAlgorithm::Deflate),
        direction: Direction::Compress,
        size: chunk,
        count: bench.input.len() / chunk,
        burst: 1,
        outstanding: FULL,
        deferred: false,
        device: Some(device),
    }
}

fn copy(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let sizes: &[usize] =
        if bench.quick { &[64 << 10] } else { &[4 << 10, 16 << 10, 64 << 10, 256 << 10] };
    let mut rows = Vec::new();
    for &size in sizes {
        let mut entries = Vec::new();
        for memory in MEMORIES {
            let device = bench.device(&with(Topic::Copy, "memory", memory))?;
            let requests = chunks(bench, Topic::Copy, size, (&device, Waits::Every(SLEEP)));
            entries.push(requests.side(bench, device.provider())?);
        }
        rows.extend(bench.measure(entries)?);
    }
    Ok(rows)
}

/// Ways to wait, with one job outstanding and with as many as fill the device.
fn waits(bench: &Bench<'_>, topic: Topic) -> Result<Vec<Row>, PerfError> {
    // Those that look for themselves share a device.
    let polled = bench.device(&plain(topic))?;
    let mut entries = Vec::new();
    for waits in ways(topic, bench.quick) {
        let wanted = Wanted { options: waits.options(), ..plain(topic) };
        let device =
            if wanted.options.is_empty() { polled.clone() } else { bench.device(&wanted)? };
        for outstanding in [1, FULL] {
            let setup = Setup::new(bench, topic, At::Device(&device, waits));
            entries.push(Setup { outstanding, ..setup }.compress(bench)?);
        }
    }
    bench.measure(entries)
}

fn numa(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let mut entries = Vec::new();
    for distance in DISTANCES {
        let device = bench.device(&with(Topic::Numa, "distance", distance))?;
        for outstanding in [1, 6, FULL] {
            let setup = Setup::new(bench, Topic::Numa, At::Device(&device, Waits::Yield));
            entries.push(Setup { outstanding, ..setup }.compress(bench)?);
        }
    }
    bench.measure(entries)
}

fn batch(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&small())?;
    let algorithm = Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha1));
    let mut entries = Vec::new();
    for burst in [1, 2, 4, 8, 16, 32, 64] {
        for deferred in [false, true] {
            let requests = Requests {
                topic: Topic::Batch,
                algorithm,
                direction: Direction::Generate,
                size: 64,
                count: if bench.quick { 8192 } else { 65536 },
                burst,
                outstanding: 256,
                deferred,
                device: Some((&device, Waits::Yield)),
            };
            entries.push(requests.side(bench, device.provider())?);
        }
    }
    bench.measure(entries)
}

/// What is offloaded: a cipher that CPUs have instructions for, a MAC, compression.
const OFFLOADED: [(Algorithm, Direction); 3] = [
    (Algorithm::Cipher(CipherAlgorithm::AesCbc(AesSize::Aes128)), Direction::Encrypt),
    (Algorithm::Mac(MacAlgorithm::Hmac(HashAlgorithm::Sha256)), Direction::Generate),
    (Algorithm::Compression(CompressionAlgorithm::Deflate), Direction::Compress),
];

fn offload(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&interrupting())?;
    let sizes: &[usize] = match bench.quick {
        true => &[64, 1024, 16 << 10],
        false => &[64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10],
    };
    let mut rows = Vec::new();
    for (algorithm, direction) in OFFLOADED {
        let software = match algorithm {
            Algorithm::Compression(_) => Arc::clone(&fastest(bench).provider),
            _ => bench.native()?,
        };
        for &size in sizes {
            let work: usize = if bench.quick { 1 << 20 } else { 8 << 20 };
            let requests = Requests {
                topic: Topic::Offload,
                algorithm,
                direction,
                size,
                count: (work / size).clamp(64, 20_000),
                burst: 32,
                outstanding: 64,
                deferred: false,
                device: None,
            };
            let at_device =
                Requests { device: Some((&device, Waits::Interrupt)), ..requests.clone() };
            let entries: Vec<Entry<'_>> = vec![
                requests.side(bench, software.clone())?,
                at_device.side(bench, device.provider())?,
            ];
            rows.extend(bench.measure(entries)?);
        }
    }
    Ok(rows)
}

fn overhead(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let mut rows = Vec::new();
    for software in &bench.software {
        let Some(bare) = Bare::new(software, bench.level, bench.input, bench.chunk) else {
            continue;
        };
        let ours = Setup::new(bench, Topic::Overhead, At::Software(software)).compress(bench)?;
        let row = Row { call: None, ..ours.row.clone() };
        let entries = vec![Entry { row, side: Box::new(bare) }, ours];
        rows.extend(bench.measure(entries)?);
    }
    Ok(rows)
}

fn scaling(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let mut rows = Vec::new();
    for software in &bench.software {
        let of = |threads| {
            let setup = Setup::new(bench, Topic::Scaling, At::Software(software));
            Setup { threads, format: Format::Gzip, ..setup }
        };
        let both = [1, 2].map(|threads| of(threads).compress(bench));
        rows.extend(bench.measure(both.into_iter().collect::<Result<_, _>>()?)?);
        let compressed = of(2).compressed(bench)?;
        let both = [1, 2].map(|threads| of(threads).decompress(bench, &compressed));
        rows.extend(bench.measure(both.into_iter().collect::<Result<_, _>>()?)?);
    }
    Ok(rows)
}

fn decompress(bench: &Bench<'_>) -> Result<Vec<Row>, PerfError> {
    let device = bench.device(&plain(Topic::Decompress))?;
    let software = source(bench);
    let alone = Setup::new(bench, Topic::Decompress, At::Software(&software));
    let compressed = alone.compressed(bench)?;
    let few = [1, FULL];
    let all = [1, 2, 3, 6, 12, 18, FULL];
    let mut entries = vec![alone.decompress(bench, &compressed)?];
    for &outstanding in if bench.quick { &few[..] } else { &all } {
        let at = At::Device(&device, Waits::Yield);
        let setup = Setup { outstanding, ..Setup::new(bench, Topic::Decompress, at) };
        entries.push(setup.decompress(bench, &compressed)?);
    }
    bench.measure(entries)
}
