//! Decryptions a second against operations outstanding, at the modelled device and at one core.

use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_emulated::Emulated;
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Bytes, Direction, Driver, Feed, Job, Next, Processor, PublicKeyAlgorithm,
    QueueConfig, QueuePair, RsaSize, Session, Transform,
};

use super::Bench;
use crate::error::PerfError;
use crate::measure::keys;
use crate::measure::pairing::minimum_and_median;
use crate::registry::registry_on;
use crate::report::row::{Row, hundredths};

/// Operations outstanding.
const COUNTS: [usize; 11] = [1, 2, 4, 8, 12, 16, 20, 24, 30, 32, 64];

/// Different numbers that are decrypted.
const INPUTS: usize = 64;

/// Operations of a pass for each that is outstanding: some 40 ms of the device's time.
const LAPS: usize = 48;

/// Passes of each side.
const PASSES: usize = 5;

/// A provider at work.
struct Side {
    name: &'static str,
    device: Option<Emulated>,
    session: Session,
    inputs: Vec<Arc<[u8]>>,
}

/// Times the device and one core in turn, with each number of operations outstanding.
pub(super) fn rows(bench: &mut Bench) -> Result<Vec<Row>, PerfError> {
    let algorithm = PublicKeyAlgorithm::Rsa(RsaSize::Rsa2048);
    let refuse = |reason: String| PerfError::Provider { spec: Emulated::NAME.to_owned(), reason };
    let (key, _) = keys::pair(algorithm).expect("there is a key for each algorithm");
    let transform = Transform::rsa_private(&key).expect("a key of RSA");
    let options = [("prepare", "64M"), ("responses", "polling")];
    let registry = registry_on(&bench.cpu);
    let device = Emulated::over(&options, &registry).map_err(|error| refuse(error.to_string()))?;
    bench.notes.push(device.description());

    let native = registry.provider("native").map_err(|error| PerfError::Provider {
        spec: "native".to_owned(),
        reason: error.to_string(),
    })?;
    let open = |provider: Arc<dyn Provider>| {
        Session::open(provider, &transform).map_err(|error| refuse(error.to_string()))
    };
    let inputs = inputs(RsaSize::Rsa2048.modulus_len());
    let sides = [
        Side {
            name: Emulated::NAME,
            session: open(Arc::new(device.clone()))?,
            device: Some(device),
            inputs: inputs.clone(),
        },
        Side { name: "native", session: open(Arc::clone(native))?, device: None, inputs },
    ];
    let results = sides.iter().map(Side::all_once).collect::<Result<Vec<_>, _>>()?;
    if let Some(buffer) = (0..INPUTS).find(|&index| results[0][index] != results[1][index]) {
        return Err(PerfError::Mismatch {
            algorithm: Algorithm::PublicKey(algorithm),
            direction: Direction::Decrypt,
            first: sides[0].name.to_owned(),
            second: sides[1].name.to_owned(),
            buffer,
            len: RsaSize::Rsa2048.modulus_len(),
        });
    }
    let mut rows = Vec::new();
    for outstanding in COUNTS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..if bench.quick { 1 } else { PASSES } {
            for (side, times) in sides.iter().zip(&mut times) {
                times.push(side.pass(outstanding)?.as_nanos() as u64);
            }
        }
        for (side, times) in sides.iter().zip(&mut times) {
            rows.push(side.row(bench, algorithm, outstanding, times));
        }
    }
    let device = sides[0].device.as_ref().map(Emulated::statistics).unwrap_or_default();
    bench.notes.push(format!(
        "of {} responses of the device {} came later than the model has it, as this machine was \
         busy",
        device.responses, device.late
    ));
    Ok(rows)
}

/// Numbers less than any modulus of their length whose highest bit is set.
fn inputs(len: usize) -> Vec<Arc<[u8]>> {
    let mut random = fastrand::Rng::with_seed(0x0b0a_d200);
    let one = |_| {
        let mut bytes = vec![0; len];
        random.fill(&mut bytes);
        bytes[0] &= 0x7f;
        Arc::from(bytes)
    };
    (0..INPUTS).map(one).collect()
}

impl Side {
    /// Every result. A device keeps them, so that it has them in time later.
    fn all_once(&self) -> Result<Vec<Vec<u8>>, PerfError> {
        if let Some(device) = &self.device {
            device.set_preparing(true);
        }
        let mut jobs: Vec<_> =
            self.inputs.iter().map(|input| Job::new(&self.session, &input[..])).collect();
        Processor::new().process_many(&mut jobs);
        if let Some(device) = &self.device {
            device.set_preparing(false);
        }
        jobs.iter_mut().map(|job| self.taken(job)).collect()
    }

    fn taken(&self, job: &mut Job<'_>) -> Result<Vec<u8>, PerfError> {
        match job.status() {
            Some(Ok(())) => Ok(job.take_output()),
            Some(Err(error)) => Err(self.failed(error.to_string())),
            None => Err(self.failed("a job was not done".to_owned())),
        }
    }

    fn failed(&self, reason: String) -> PerfError {
        PerfError::Provider { spec: self.name.to_owned(), reason }
    }

    /// Operations of a pass.
    fn count(&self, outstanding: usize) -> usize {
        outstanding * if self.device.is_some() { LAPS } else { LAPS.div_ceil(outstanding).min(8) }
    }

    /// The time of a pass.
    fn pass(&self, outstanding: usize) -> Result<Duration, PerfError> {
        let config =
            QueueConfig { capacity: outstanding, max_wait: None, ..QueueConfig::default() };
        let idle = (0..outstanding).map(|_| Box::new(Job::new(&self.session, Bytes::EMPTY)));
        let mut requests =
            Requests { side: self, idle: idle.collect(), sent: 0, count: self.count(outstanding) };
        let begin = Instant::now();
        Driver::new(config).run(&mut requests)?;
        Ok(begin.elapsed())
    }

    fn row(
        &self,
        bench: &Bench,
        algorithm: PublicKeyAlgorithm,
        outstanding: usize,
        times: &mut [u64],
    ) -> Row {
        let count = self.count(outstanding) as f64;
        let (minimum, median) = minimum_and_median(times);
        let cycles = |time: f64| Some(hundredths(time / 1e9 / count * bench.clock.hertz()));
        let len = self.inputs[0].len();
        Row {
            algorithm: algorithm.to_string(),
            direction: Direction::Decrypt.to_string(),
            size: Some(len),
            mode: if outstanding > 1 { "async" } else { "sync" }.to_owned(),
            outstanding: Some(outstanding),
            burst: 1,
            cores: 1,
            provider: self.name.to_owned(),
            call: Some("queue-pair".to_owned()),
            kernel: self.session.kernel(),
            order: "out-of-order".to_owned(),
            isa: bench.cpu.isa().to_string(),
            cache: "warm".to_owned(),
            cycles_per_buffer: cycles(minimum),
            cycles_per_buffer_median: cycles(median),
            operations_per_second: Some(hundredths(count / (minimum / 1e9))),
            buffer_bytes: len as f64,
            ..Row::default()
        }
    }
}

/// A pass: a job that comes back goes out again with the next number.
struct Requests<'s> {
    side: &'s Side,
    #[expect(clippy::vec_box, reason = "a queue pair moves them faster so")]
    idle: Vec<Box<Job<'s>>>,
    sent: usize,
    count: usize,
}

impl<'s> Feed<'s, Box<Job<'s>>> for Requests<'s> {
    type Error = PerfError;

    fn next(
        &mut self,
        _: &mut QueuePair<'s, Box<Job<'s>>>,
        jobs: &mut Vec<Box<Job<'s>>>,
        room: usize,
    ) -> Result<Next, PerfError> {
        if self.sent == self.count {
            return Ok(Next::End);
        }
        while jobs.len() < room
            && self.sent < self.count
            && let Some(mut job) = self.idle.pop()
        {
            job.set_data(Bytes::Shared(Arc::clone(&self.side.inputs[self.sent % INPUTS])));
            jobs.push(job);
            self.sent += 1;
        }
        Ok(if jobs.is_empty() { Next::Later } else { Next::Jobs })
    }

    fn done(
        &mut self,
        complete: &mut Vec<Box<Job<'s>>>,
        _again: &mut Vec<Box<Job<'s>>>,
    ) -> Result<(), PerfError> {
        for mut job in complete.drain(..) {
            let output = self.side.taken(&mut job)?;
            job.set_output_buffer(output);
            self.idle.push(job);
        }
        Ok(())
    }

    fn wait(&mut self, _: &mut QueuePair<'s, Box<Job<'s>>>) {
        std::thread::yield_now();
    }
}
