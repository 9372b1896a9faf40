//! Sides that hand many requests to a queue pair: of owned buffers, in batches, some of them
//! outstanding.

use std::sync::Arc;

use broadloom::compression::Format;
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Bytes, Compression, Data, Direction, Doorbell, Driver, Feed, Job, Next, QueueConfig,
    QueuePair, Session, Transform, TransformError,
};

use super::Bench;
use super::check::Checker;
use super::device::Device;
use super::side::{Entry, Side};
use super::topic::Topic;
use super::waits::Waits;
use crate::error::PerfError;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// Requests of one kind.
#[derive(Clone)]
pub struct Requests<'a> {
    /// What for.
    pub topic: Topic,
    /// What is done.
    pub algorithm: Algorithm,
    /// In which direction.
    pub direction: Direction,
    /// Bytes of each request.
    pub size: usize,
    /// Requests of a pass.
    pub count: usize,
    /// Requests handed over in one call, or between two rings of the doorbell.
    pub burst: usize,
    /// Requests outstanding.
    pub outstanding: usize,
    /// `true` if requests are handed over one by one, and the doorbell is rung once for a batch.
    pub deferred: bool,
    /// The device, and how its responses are waited for.
    pub device: Option<(&'a Device, Waits)>,
}

/// The key of every cipher and MAC, and every nonce: what they are takes no time.
const KEY: [u8; 64] = [0x5a; 64];

impl Requests<'_> {
    /// A side that does them at a provider, over pieces of the input.
    ///
    /// # Errors
    /// The provider cannot.
    pub fn side<'b>(
        &self,
        bench: &Bench<'b>,
        provider: Arc<dyn Provider>,
    ) -> Result<Entry<'b>, PerfError> {
        let name = provider.name().to_owned();
        let refuse = |reason: String| PerfError::Provider { spec: name.clone(), reason };
        let transform =
            self.transform(bench.level).map_err(|refused| refuse(refused.to_string()))?;
        let session =
            Session::open(provider, &transform).map_err(|refused| refuse(refused.to_string()))?;
        let row = self.row(bench, &session);
        let idle = (0..self.outstanding.min(self.count)).map(|_| self.job(&session)).collect();
        let side = Loop {
            pieces: self.pieces(bench.input),
            writes: self.writes(),
            compresses: matches!(self.algorithm, Algorithm::Compression(_)),
            idle,
            count: self.count,
            burst: self.burst,
            deferred: self.deferred,
            outstanding: self.outstanding,
            waits: self.device.map_or(Waits::Yield, |(_, waits)| waits),
            device: self.device.map(|(device, _)| device.clone()),
            name,
        };
        Ok(Entry { row, side: Box::new(side) })
    }

    fn transform(&self, level: u8) -> Result<Transform, TransformError> {
        match (self.algorithm, self.direction) {
            (Algorithm::Compression(algorithm), Direction::Compress) => {
                Transform::compress(algorithm, Compression { level, ..Compression::default() })
            }
            (Algorithm::Mac(mac), Direction::Generate) => {
                Transform::mac(mac, &KEY[..mac.key_lens().max().min(KEY.len())]).generate()
            }
            (Algorithm::Cipher(cipher), Direction::Encrypt) => {
                Transform::cipher(cipher, &KEY[..cipher.key_len()]).encrypt()
            }
            (algorithm, direction) => Transform::new(algorithm, direction, &[], &[]).build(),
        }
    }

    /// Returns `true` if data are written over, in place.
    fn writes(&self) -> bool {
        matches!(self.algorithm, Algorithm::Cipher(_))
    }

    fn job(&self, session: &Session) -> Box<Job<'static>> {
        let job = match self.writes() {
            true => Job::new(session.clone(), Data::InPlace(vec![0x33; self.size].into())),
            false => Job::new(session.clone(), Bytes::EMPTY),
        };
        Box::new(job.nonce(&KEY[..nonce_len(self.algorithm)]))
    }

    /// The input in pieces of the size, as many as there are and are needed; none where jobs have
    /// data of their own.
    fn pieces(&self, input: &[u8]) -> Vec<Arc<[u8]>> {
        match self.writes() {
            true => Vec::new(),
            false => input.chunks_exact(self.size).take(self.count).map(Arc::from).collect(),
        }
    }

    fn row(&self, bench: &Bench<'_>, session: &Session) -> Row {
        let compresses = self.topic == Topic::Copy;
        let pass = Pass {
            figure: self.topic.name().to_owned(),
            level: matches!(self.algorithm, Algorithm::Compression(_)).then_some(bench.level),
            chunk: compresses.then_some(self.size),
            threads: 1,
            input_bytes: (self.size * self.count) as u64,
            doorbell: self
                .device
                .filter(|_| self.topic == Topic::Batch)
                .map(|_| if self.deferred { "deferred" } else { "each" }.to_owned()),
            ..Pass::default()
        };
        let pass = match self.device {
            Some((device, waits)) => waits.keys(device.keys(pass)),
            None => pass,
        };
        Row {
            algorithm: self.algorithm.to_string(),
            direction: self.direction.to_string(),
            size: Some(self.size),
            mode: if self.outstanding > 1 { "async" } else { "sync" }.to_owned(),
            outstanding: Some(self.outstanding),
            burst: self.burst,
            cores: 1,
            provider: session.provider().to_owned(),
            call: Some("queue-pair".to_owned()),
            kernel: session.kernel(),
            order: "out-of-order".to_owned(),
            isa: bench.isa.clone(),
            cache: "warm".to_owned(),
            buffer_bytes: self.size as f64,
            pass: Some(pass),
            ..Row::default()
        }
    }
}

/// Bytes of a nonce that every algorithm measured here takes.
fn nonce_len(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Cipher(cipher) => cipher.nonce_len(),
        _ => 0,
    }
}

/// Hands requests over and takes them back.
struct Loop {
    pieces: Vec<Arc<[u8]>>,
    writes: bool,
    compresses: bool,
    #[expect(clippy::vec_box, reason = "a queue pair moves them faster so")]
    idle: Vec<Box<Job<'static>>>,
    count: usize,
    burst: usize,
    deferred: bool,
    outstanding: usize,
    waits: Waits,
    device: Option<Device>,
    name: String,
}

impl Side for Loop {
    fn pass(&mut self) -> Result<Option<u64>, PerfError> {
        let config = QueueConfig {
            capacity: self.outstanding,
            doorbell: if self.deferred { Doorbell::Deferred } else { Doorbell::Immediate },
            max_wait: None,
            ..QueueConfig::default()
        };
        let mut pass = Requesting { side: self, sent: 0, batch: 0, compressed: 0 };
        Driver::new(config).run(&mut pass)?;
        let compressed = pass.compressed;
        Ok((compressed > 0).then_some(compressed))
    }

    fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    /// Checks the requests that a job still has, of those that were compressed.
    fn check(&self, checker: &mut Checker) -> Result<(), PerfError> {
        let mut compressed = self.idle.iter().filter(|_| self.compresses);
        compressed.try_for_each(|job| self.check_one(checker, job))
    }
}

/// A pass of all requests.
struct Requesting<'s> {
    side: &'s mut Loop,
    sent: usize,
    /// Requests that are still to be handed over before the doorbell is rung.
    batch: usize,
    compressed: u64,
}

impl Feed<'static, Box<Job<'static>>> for Requesting<'_> {
    type Error = PerfError;

    fn next(
        &mut self,
        _: &mut QueuePair<'static, Box<Job<'static>>>,
        jobs: &mut Vec<Box<Job<'static>>>,
        _room: usize,
    ) -> Result<Next, PerfError> {
        let Requesting { side, sent, batch, .. } = self;
        let burst = side.burst.min(side.count - *sent);
        match *batch {
            0 if burst == 0 => return Ok(Next::End),
            0 if side.idle.len() < burst => return Ok(Next::Later),
            0 => *batch = burst,
            _ => {}
        }
        let handed = if side.deferred { 1 } else { *batch };
        for number in *sent..*sent + handed {
            let Some(mut job) = side.idle.pop() else { break };
            side.fill(&mut job, number);
            jobs.push(job);
        }
        *sent += handed;
        *batch -= handed;
        Ok(if *batch == 0 { Next::Jobs } else { Next::More })
    }

    fn done(
        &mut self,
        complete: &mut Vec<Box<Job<'static>>>,
        _again: &mut Vec<Box<Job<'static>>>,
    ) -> Result<(), PerfError> {
        for job in complete.drain(..) {
            self.compressed += self.side.taken(&job)?;
            self.side.idle.push(job);
        }
        Ok(())
    }

    fn wait(&mut self, pair: &mut QueuePair<'static, Box<Job<'static>>>) {
        self.side.waits.wait(pair);
    }
}

impl Loop {
    /// Looks whether a request that was compressed is what it was.
    fn check_one(&self, checker: &mut Checker, job: &Job<'static>) -> Result<(), PerfError> {
        match (job.data(), job.output()) {
            (Data::Read(bytes), Some(output)) => {
                let parcomp = [&(output.len() as u32).to_le_bytes(), output].concat();
                checker.check(&self.name, Format::Parcomp, &parcomp, bytes.as_slice())
            }
            _ => Ok(()),
        }
    }

    /// Makes a job ready for the next request.
    fn fill(&self, job: &mut Job<'static>, number: usize) {
        if self.writes {
            job.data_mut();
        } else {
            let piece = &self.pieces[number % self.pieces.len()];
            job.set_data(Bytes::Shared(Arc::clone(piece)));
        }
    }

    /// Bytes that a request was compressed to; 0 where it was something else.
    fn taken(&self, job: &Job<'static>) -> Result<u64, PerfError> {
        match job.status() {
            Some(Ok(())) if self.writes => Ok(0),
            Some(Ok(())) => Ok(job.output().map_or(0, |output| output.len() as u64)),
            other => {
                let reason =
                    other.and_then(Result::err).map_or("not done".to_owned(), |e| e.to_string());
                Err(PerfError::Provider { spec: self.name.clone(), reason })
            }
        }
    }
}
