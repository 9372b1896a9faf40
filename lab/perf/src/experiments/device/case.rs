//! Rows: each way of computing one algorithm on buffers of one size.

use std::sync::Arc;
use std::thread::available_parallelism;

use broadloom::gpu::{Gpu, Resident};
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Direction, Family, Job, MacAlgorithm, Processor, PublicKeyAlgorithm, Scheme,
    Session, Transform,
};

use super::Bench;
use super::pass::{Crew, RESIDENT, STRIDE, Time, job, text};
use super::topic::Topic;
use crate::error::PerfError;
use crate::measure::keys;
use crate::report::pass::Pass;
use crate::report::row::{Row, hundredths};

/// Bytes of a pass, and of a quick one.
const BYTES: [usize; 2] = [16 << 20, 1 << 20];

/// Signatures of a pass, and of a quick one: a thousand times the work of a short text each.
const SIGNATURES: [usize; 2] = [32768, 256];

/// The same of SLH-DSA, of which one takes as long as a hundred others.
const SLH_DSA_SIGNATURES: [usize; 2] = [512, 4];

/// Passes of which the fastest counts, and of a quick run.
const PASSES: [usize; 2] = [5, 2];

/// Calls of a thread that waits for each of them, at most.
const WAITS: [usize; 2] = [256, 24];

/// Jobs outstanding where a figure has none of its own.
const MANY: usize = 16384;

const KEY: [u8; 64] = [0x0b; 64];

/// A way of computing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Model {
    device: bool,
    /// The data are on the device before.
    resident: bool,
    threads: usize,
    outstanding: usize,
}

const fn device(threads: usize, outstanding: usize) -> Model {
    Model { device: true, resident: false, threads, outstanding }
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Software on so many cores, with bursts that fill its lanes.
fn software(threads: usize) -> Model {
    Model { device: false, resident: false, threads, outstanding: 512 }
}

/// The ways of a figure: first one core, then all. Where data stay on the device, jobs over them
/// follow the jobs over others.
fn models(topic: Topic, resident: bool) -> Vec<Model> {
    let mut models = vec![software(1)];
    if cores() > 1 {
        models.push(software(cores()));
    }
    match topic {
        Topic::Threads => models.extend([1, 2, 4, 8, 16].map(|threads| device(threads, 1))),
        Topic::Outstanding => {
            models.extend([1, 4, 16, 64, 256, 1024, 4096, MANY].map(|count| device(1, count)));
        }
        Topic::Models => models.extend([device(1, 1), device(16, 1), device(1, MANY)]),
        Topic::Sizes => models.push(device(1, MANY)),
    }
    if resident && matches!(topic, Topic::Outstanding | Topic::Sizes) {
        let many = models.iter().filter(|model| model.device && model.outstanding > 1);
        models.extend(many.map(|model| Model { resident: true, ..*model }).collect::<Vec<_>>());
    }
    models
}

/// Returns a transform for a text: of RSA and SLH-DSA, signatures. Signatures of Ed25519 are
/// verified, because servers verify many of them.
fn transform(algorithm: Algorithm) -> Transform {
    if let Algorithm::PublicKey(algorithm) = algorithm {
        let (private, public) = keys::pair(algorithm).expect("algorithms of the device have keys");
        let scheme = Scheme::default();
        return match (algorithm, public) {
            (PublicKeyAlgorithm::Ed25519, Some(public)) => Transform::verify(&public, scheme),
            _ => Transform::sign(&private, scheme),
        }
        .expect("the key has such signatures");
    }
    let direction = algorithm.directions()[0];
    let len = algorithm.key_len();
    Transform::new(algorithm, direction, &KEY[..len], &[]).build().expect("the key fits")
}

fn open(provider: Arc<dyn Provider>, algorithm: Algorithm) -> Result<Session, PerfError> {
    let spec = provider.name().to_owned();
    Session::open(provider, &transform(algorithm))
        .map_err(|error| PerfError::Provider { spec, reason: error.to_string() })
}

fn sessions(bench: &Bench, algorithm: Algorithm) -> Result<[Session; 2], PerfError> {
    let gpu: Arc<dyn Provider> = Arc::new(bench.gpu.clone());
    Ok([open(Arc::clone(&bench.native), algorithm)?, open(gpu, algorithm)?])
}

/// The signature that jobs of a session check, over the first text of a size; nothing where they
/// check none.
///
/// # Errors
/// The provider cannot sign.
fn signature(bench: &Bench, session: &Session, size: usize) -> Result<Option<Vec<u8>>, PerfError> {
    let Algorithm::PublicKey(algorithm) = session.algorithm() else { return Ok(None) };
    if session.direction() != Direction::Verify {
        return Ok(None);
    }
    let (private, _) = keys::pair(algorithm).expect("algorithms of the device have keys");
    let sign = Transform::sign(&private, Scheme::default()).expect("the key signs");
    let refuse = |reason: String| PerfError::Provider { spec: "native".to_owned(), reason };
    let signer = Session::open(Arc::clone(&bench.native), &sign)
        .map_err(|error| refuse(error.to_string()))?;
    let mut jobs = [Job::new(&signer, text(0, size))];
    Processor::new().process_many(&mut jobs);
    match jobs[0].status() {
        Some(Err(error)) => Err(refuse(error.to_string())),
        _ => Ok(Some(jobs[0].take_output())),
    }
}

/// Data for as many jobs as are outstanding, or as may stay on the device; nothing where none may,
/// or where jobs would copy them all the same.
///
/// # Errors
/// The device cannot keep them.
fn resident(
    bench: &Bench,
    algorithm: Algorithm,
    size: usize,
) -> Result<Option<Resident>, PerfError> {
    let hash = match algorithm {
        Algorithm::Hash(hash) | Algorithm::Mac(MacAlgorithm::Hmac(hash)) => hash,
        _ => return Ok(None),
    };
    let stride = size.next_multiple_of(STRIDE);
    let count = MANY.min(bench.gpu.residency() / stride);
    if hash.family() != Family::MerkleDamgard || count == 0 {
        return Ok(None);
    }
    let kept = bench.gpu.keep(text(1, count * stride));
    let refuse = |reason: String| PerfError::Provider { spec: Gpu::NAME.to_owned(), reason };
    kept.map(Some).map_err(|error| refuse(error.to_string()))
}

/// Has both sides do the same buffers.
///
/// # Errors
/// They disagree, or one fails.
pub(super) fn compare(bench: &Bench, algorithm: Algorithm) -> Result<(), PerfError> {
    let sessions = sessions(bench, algorithm)?;
    let lens = [0, 1, 63, 64, 1000, 5000];
    let signatures: Vec<_> =
        lens.iter().map(|&len| signature(bench, &sessions[0], len)).collect::<Result<_, _>>()?;
    let results = sessions.each_ref().map(|session| {
        let jobs = lens.iter().zip(&signatures).enumerate();
        let jobs =
            jobs.map(|(number, (&len, signature))| job(session, signature.as_deref(), number, len));
        let mut jobs: Vec<_> = jobs.collect();
        Processor::new().process_many(&mut jobs);
        jobs
    });
    let [right, made] = &results;
    for (buffer, (right, made)) in right.iter().zip(made).enumerate() {
        if let Some(Err(error)) = made.status() {
            return Err(PerfError::Provider { spec: Gpu::NAME.into(), reason: error.to_string() });
        }
        if right.tag() != made.tag() || right.output() != made.output() {
            return Err(PerfError::Mismatch {
                algorithm,
                direction: sessions[0].direction(),
                first: "native".to_owned(),
                second: Gpu::NAME.to_owned(),
                buffer,
                len: lens[buffer],
            });
        }
    }
    Ok(())
}

/// Times all ways of a figure in turn.
///
/// # Errors
/// A job failed.
pub(super) fn rows(
    bench: &Bench,
    topic: Topic,
    algorithm: Algorithm,
    size: usize,
) -> Result<Vec<Row>, PerfError> {
    let [native, gpu] = sessions(bench, algorithm)?;
    let signature = signature(bench, &native, size)?;
    let quick = usize::from(bench.quick);
    let resident = resident(bench, algorithm, size)?;
    let models = models(topic, resident.is_some());
    let crew = |model: &Model| {
        let most = match algorithm {
            Algorithm::PublicKey(PublicKeyAlgorithm::SlhDsa(_)) => SLH_DSA_SIGNATURES[quick],
            Algorithm::PublicKey(_) => SIGNATURES[quick],
            _ => BYTES[quick] / size,
        };
        let jobs = most.div_ceil(model.threads).max(1);
        let buffers = match model.device && model.outstanding == 1 {
            true => jobs.min(WAITS[quick]),
            // Two laps, so that the device has a next batch while it works on one.
            false => jobs.clamp(1, 1 << 16).max(2 * model.outstanding.min(jobs)),
        };
        let session = if model.device { &gpu } else { &native };
        let Model { threads, outstanding, .. } = *model;
        let resident = resident.as_deref().filter(|_| model.resident);
        let signature = signature.as_deref();
        Crew { session, signature, resident, size, threads, outstanding, buffers }
    };
    let crews: Vec<_> = models.iter().map(crew).collect();
    let mut measured: Vec<Vec<Measured>> = crews.iter().map(|_| Vec::new()).collect();
    for _ in 0..PASSES[quick] {
        for ((model, crew), measured) in models.iter().zip(&crews).zip(&mut measured) {
            let before = bench.gpu.statistics();
            let time = crew.pass()?;
            let after = bench.gpu.statistics();
            measured.push(Measured {
                time,
                device: model.device.then(|| At {
                    upload: (after.upload_time - before.upload_time).as_secs_f64(),
                    kernels: (after.kernel_time - before.kernel_time).as_secs_f64(),
                    download: (after.download_time - before.download_time).as_secs_f64(),
                    uploaded: (after.uploaded - before.uploaded) as f64,
                    downloaded: (after.downloaded - before.downloaded) as f64,
                    batches: after.batches - before.batches,
                }),
            });
        }
    }
    let cases = crews.iter().zip(&mut measured);
    Ok(cases.map(|(crew, measured)| row(bench, topic, crew, measured)).collect())
}

/// A pass that was timed.
#[derive(Debug, Clone, Copy)]
struct Measured {
    time: Time,
    device: Option<At>,
}

/// What the device says of it.
#[derive(Debug, Clone, Copy)]
struct At {
    upload: f64,
    kernels: f64,
    download: f64,
    uploaded: f64,
    downloaded: f64,
    batches: u64,
}

fn row(bench: &Bench, topic: Topic, crew: &Crew<'_>, measured: &mut [Measured]) -> Row {
    measured.sort_unstable_by_key(|measured| measured.time.elapsed);
    let (best, median) = (measured[0], measured[measured.len() / 2]);
    let mut cpu: Vec<_> = measured.iter().map(|measured| measured.time.cpu).collect();
    cpu.sort_unstable();
    let Crew { session, size, threads, outstanding, buffers, .. } = *crew;
    let count = (buffers * threads) as f64;
    let cycles = |seconds: f64| hundredths(seconds / count * bench.clock.hertz());
    let elapsed = best.time.elapsed.as_secs_f64();
    let limit = best.device.map(|at| {
        let copied = (at.uploaded, at.downloaded);
        bench.bounds.seconds(session.algorithm(), size, count, copied)
    });
    let pass = Pass {
        figure: topic.name().to_owned(),
        threads,
        transfer: best.device.map(|_| crew.resident.map_or("copy", |_| RESIDENT).to_owned()),
        input_bytes: (size * buffers * threads) as u64,
        elapsed_s: elapsed,
        elapsed_s_median: median.time.elapsed.as_secs_f64(),
        cpu_s: cpu[0].as_secs_f64(),
        cpu_s_median: cpu[cpu.len() / 2].as_secs_f64(),
        passes: measured.len(),
        upload_s: best.device.map(|at| at.upload),
        kernel_s: best.device.map(|at| at.kernels),
        download_s: best.device.map(|at| at.download),
        batches: best.device.map(|at| at.batches),
        ..Pass::default()
    };
    Row {
        algorithm: session.algorithm().to_string(),
        direction: session.direction().to_string(),
        size: Some(size),
        mode: if outstanding > 1 { "async" } else { "sync" }.to_owned(),
        outstanding: Some(outstanding),
        burst: 1,
        cores: threads,
        provider: session.provider().to_owned(),
        call: Some("queue-pair".to_owned()),
        session: Some("shared".to_owned()),
        kernel: session.kernel(),
        order: "out-of-order".to_owned(),
        isa: bench.cpu.isa().to_string(),
        cache: "warm".to_owned(),
        cycles_per_buffer: Some(cycles(elapsed)),
        cycles_per_buffer_median: Some(cycles(median.time.elapsed.as_secs_f64())),
        gbps: Some(hundredths(size as f64 * count * 8.0 / elapsed / 1e9)),
        limit_cycles_per_buffer: limit.map(|(seconds, _)| cycles(seconds)),
        limit_by: limit.map(|(_, by)| by.to_owned()),
        buffer_bytes: size as f64,
        pass: Some(pass),
        ..Row::default()
    }
}
