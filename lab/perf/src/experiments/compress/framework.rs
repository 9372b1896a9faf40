//! Sides that go through the framework: an input as a whole, in chunks.

use std::cell::RefCell;
use std::rc::Rc;

use broadloom::compression::decompress::{self, Decompressor};
use broadloom::compression::{CompressError, Compressor, Format, Settings};
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Session, Transform, TransformError,
};

use super::Bench;
use super::check::Checker;
use super::device::Device;
use super::options::Software;
use super::side::{Entry, Side};
use super::topic::Topic;
use super::waits::Waits;
use crate::error::PerfError;
use crate::report::pass::Pass;
use crate::report::row::Row;

/// The provider that compresses.
#[derive(Clone, Copy)]
pub enum At<'a> {
    /// A library.
    Software(&'a Software),
    /// The modelled device, whose responses are waited for so.
    Device(&'a Device, Waits),
}

/// What is done with the input.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// What for.
    pub topic: Topic,
    /// By whom.
    pub at: At<'a>,
    /// Into which format.
    pub format: Format,
    /// Bytes of a chunk.
    pub chunk: usize,
    /// Threads.
    pub threads: usize,
    /// Jobs outstanding for each thread.
    pub outstanding: usize,
}

/// Memory for what comes out. All sides share it: they work in turn, and find it in the same state.
pub type Output = Rc<RefCell<Vec<u8>>>;

/// Jobs that a thread has in its queue pair where the provider works within the call.
const LOCAL: usize = 1;

impl<'a> Setup<'a> {
    /// Synchronous compression by one thread into parcomp's format, as source 003 has it.
    pub fn new(bench: &Bench<'_>, topic: Topic, at: At<'a>) -> Self {
        let chunk = bench.chunk;
        Setup { topic, at, format: Format::Parcomp, chunk, threads: 1, outstanding: LOCAL }
    }

    /// The name of who compresses.
    fn provider(&self) -> &str {
        match self.at {
            At::Software(software) => &software.spec.name,
            At::Device(..) => super::options::DEVICE,
        }
    }

    fn refuse(&self, reason: impl ToString) -> PerfError {
        PerfError::Provider { spec: self.provider().to_owned(), reason: reason.to_string() }
    }

    fn session(&self, transform: Result<Transform, TransformError>) -> Result<Session, PerfError> {
        let provider = match self.at {
            At::Software(software) => software.provider.clone(),
            At::Device(device, _) => device.provider(),
        };
        let transform = transform.map_err(|refused| self.refuse(refused))?;
        Session::open(provider, &transform).map_err(|refused| self.refuse(refused))
    }

    fn row(&self, bench: &Bench<'_>, direction: Direction, session: &Session) -> Row {
        let pass = Pass {
            figure: self.topic.name().to_owned(),
            level: Some(bench.level),
            chunk: Some(self.chunk.min(bench.input.len())),
            threads: self.threads,
            input_bytes: bench.input.len() as u64,
            ..Pass::default()
        };
        let pass = match self.at {
            At::Software(_) => pass,
            At::Device(device, waits) => waits.keys(device.keys(pass)),
        };
        let chunks = bench.input.len().div_ceil(self.chunk).max(self.threads);
        Row {
            algorithm: session.algorithm().to_string(),
            direction: direction.to_string(),
            size: pass.chunk,
            mode: if self.outstanding > 1 { "async" } else { "sync" }.to_owned(),
            outstanding: Some(self.outstanding),
            burst: 1,
            cores: self.threads.min(bench.cores),
            provider: self.provider().to_owned(),
            call: Some("framework".to_owned()),
            kernel: session.kernel(),
            order: "in-order".to_owned(),
            isa: bench.isa.clone(),
            cache: "warm".to_owned(),
            buffer_bytes: bench.input.len() as f64 / chunks as f64,
            pass: Some(pass),
            ..Row::default()
        }
    }

    fn poll(&self) -> Waits {
        match self.at {
            At::Software(_) => Waits::Yield,
            At::Device(_, waits) => waits,
        }
    }

    fn device(&self) -> Option<Device> {
        match self.at {
            At::Software(_) => None,
            At::Device(device, _) => Some(device.clone()),
        }
    }

    fn compressor(&self, level: u8) -> Result<(Session, Compressor), PerfError> {
        let how = Compression { level, ..Compression::default() };
        let how = Settings::compression_for(self.format, how);
        let session = self.session(Transform::compress(CompressionAlgorithm::Deflate, how))?;
        let settings = Settings {
            chunk: self.chunk,
            threads: self.threads,
            outstanding: self.outstanding,
            poll: self.poll().poll(),
            ..Settings::new(self.format)
        };
        let compressor =
            Compressor::new(session.clone(), settings).map_err(|wrong| self.refuse(wrong))?;
        Ok((session, compressor))
    }

    /// A side that compresses the input.
    ///
    /// # Errors
    /// The provider cannot, or the settings are wrong.
    pub fn compress<'b>(&self, bench: &Bench<'b>) -> Result<Entry<'b>, PerfError> {
        let (session, compressor) = self.compressor(bench.level)?;
        let row = self.row(bench, Direction::Compress, &session);
        let side = Compresses {
            compressor,
            input: bench.input,
            output: Rc::clone(&bench.output),
            device: self.device(),
            name: self.provider().to_owned(),
            format: self.format,
        };
        Ok(Entry { row, side: Box::new(side) })
    }

    /// A side that decompresses what another compressed, which is compared with the input once,
    /// before.
    ///
    /// # Errors
    /// The provider cannot, the settings are wrong, or it gives other data.
    pub fn decompress<'b>(
        &self,
        bench: &Bench<'b>,
        compressed: &'b [u8],
    ) -> Result<Entry<'b>, PerfError> {
        let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32);
        let session = self.session(transform)?;
        let settings = decompress::Settings {
            format: Some(self.format),
            threads: self.threads,
            outstanding: self.outstanding,
            poll: self.poll().poll(),
            ..decompress::Settings::default()
        };
        let row = self.row(bench, Direction::Decompress, &session);
        let decompressor =
            Decompressor::new(session, settings).map_err(|wrong| self.refuse(wrong))?;
        let mut side = Decompresses {
            decompressor,
            input: compressed,
            output: Rc::clone(&bench.output),
            device: self.device(),
            name: self.provider().to_owned(),
        };
        side.pass()?;
        if *side.output.borrow() != bench.input {
            return Err(self.refuse("what it decompresses is not what was compressed"));
        }
        Ok(Entry { row, side: Box::new(side) })
    }

    /// Compresses the input.
    ///
    /// # Errors
    /// As [`compress`](Setup::compress).
    pub fn compressed(&self, bench: &Bench<'_>) -> Result<Vec<u8>, PerfError> {
        let (_, compressor) = self.compressor(bench.level)?;
        let mut output = Vec::new();
        compressor.compress(bench.input, &mut output).map_err(|error| self.refuse(error))?;
        Ok(output)
    }
}

/// Compresses an input.
struct Compresses<'b> {
    compressor: Compressor,
    input: &'b [u8],
    output: Output,
    device: Option<Device>,
    name: String,
    format: Format,
}

impl Side for Compresses<'_> {
    fn pass(&mut self) -> Result<Option<u64>, PerfError> {
        let output = &mut *self.output.borrow_mut();
        output.clear();
        let failed = |error: CompressError| PerfError::Provider {
            spec: self.name.clone(),
            reason: error.to_string(),
        };
        let report = self.compressor.compress(self.input, output).map_err(failed)?;
        Ok(Some(report.output))
    }

    fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    fn check(&self, checker: &mut Checker) -> Result<(), PerfError> {
        checker.check(&self.name, self.format, &self.output.borrow(), self.input)
    }
}

/// Decompresses what was compressed.
struct Decompresses<'b> {
    decompressor: Decompressor,
    input: &'b [u8],
    output: Output,
    device: Option<Device>,
    name: String,
}

impl Side for Decompresses<'_> {
    fn pass(&mut self) -> Result<Option<u64>, PerfError> {
        let output = &mut *self.output.borrow_mut();
        output.clear();
        let outcome = self.decompressor.decompress(self.input, output);
        outcome.map_err(|error| PerfError::Provider {
            spec: self.name.clone(),
            reason: error.to_string(),
        })?;
        Ok(Some(self.input.len() as u64))
    }

    fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }
}
