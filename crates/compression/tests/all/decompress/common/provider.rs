//! The providers that decompress, and one that decodes with zlib-rs, well or badly.

use std::sync::Arc;

use broadloom_compression::decompress::Settings;
use broadloom_compression::{Decompressor, SettingsError};
use broadloom_engine::provider::{
    AnyQueue, CompressionParts, Operation, Progress, Provider, ProviderError, ProviderSession,
    Queue,
};
use broadloom_engine::{
    Algorithm, Checksum, CompressionAlgorithm, DeviceFault, JobError, Session, Transform,
};
use broadloom_isal::Isal;
use broadloom_libdeflate::Libdeflate;
use broadloom_zlib::Zlib;
use zlib_rs::{Inflate, InflateFlush, Status};

/// What it does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Calls good data malformed.
    Refuses,
    /// Changes the last byte that it makes.
    Corrupts,
    /// Its device is gone.
    Device,
}

struct Plain(Fault);

struct PlainSession;

struct PlainQueue(Fault, Inflate);

impl Provider for Plain {
    fn name(&self) -> &str {
        "plain"
    }

    fn description(&self) -> String {
        "zlib-rs, for tests".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Compression(CompressionAlgorithm::Deflate)
    }

    fn open_session(&self, _: &Transform) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(PlainSession))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(PlainQueue(self.0, Inflate::new(false, 15))))
    }
}

impl ProviderSession for PlainSession {
    fn kernel(&self) -> String {
        "zlib-rs".to_owned()
    }
}

impl Queue for PlainQueue {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            operation.attempt(|parts: CompressionParts<'_, PlainSession>| {
                decode(&mut self.1, parts.input, parts.output, self.0)
            });
        }
    }
}

fn decode(
    state: &mut Inflate,
    input: &[u8],
    output: &mut [u8],
    fault: Fault,
) -> Result<Progress, JobError> {
    state.reset(false);
    let status = state.decompress(input, output, InflateFlush::Finish);
    let (consumed, produced) = (state.total_in() as usize, state.total_out() as usize);
    match (status, fault) {
        (_, Fault::Refuses) => Err(JobError::Malformed),
        (_, Fault::Device) => Err(JobError::Device(DeviceFault::Removed)),
        (Ok(Status::StreamEnd), _) => {
            if fault == Fault::Corrupts && produced > 0 {
                output[produced - 1] ^= 1;
            }
            Ok(Progress { consumed, produced, ..Progress::default() })
        }
        (Ok(_), _) if produced == output.len() => Ok(Progress::FULL),
        (Ok(_), _) => Err(JobError::Truncated),
        (Err(_), _) => Err(JobError::Malformed),
    }
}

/// A session of the provider.
pub fn session(fault: Fault, checksum: Checksum) -> Session {
    let transform =
        Transform::decompress(CompressionAlgorithm::Deflate, checksum).expect("it can be");
    Session::open(Arc::new(Plain(fault)), &transform).expect("it opens")
}

/// A decompressor over the provider.
pub fn decompressor(settings: Settings) -> Decompressor {
    try_decompressor(settings).expect("the settings are valid")
}

/// The same, if the settings are valid.
pub fn try_decompressor(settings: Settings) -> Result<Decompressor, SettingsError> {
    Decompressor::new(session(Fault::None, Checksum::Crc32), settings)
}

/// A decompressor over the provider with a fault.
pub fn faulty(fault: Fault, settings: Settings) -> Decompressor {
    Decompressor::new(session(fault, Checksum::Crc32), settings).expect("the settings are valid")
}

/// The providers of DEFLATE that are here.
pub fn providers() -> Vec<Arc<dyn Provider>> {
    let mut providers: Vec<Arc<dyn Provider>> = vec![
        Arc::new(Libdeflate::load(&[]).expect("it is built in")),
        Arc::new(Zlib::load(&[]).expect("libz, or what is built in")),
    ];
    if let Some(isal) = broadloom_testing::present("the isal provider", Isal::load(&[])) {
        providers.push(Arc::new(isal));
    }
    providers
}

/// A decompressor over one of them.
pub fn decompressor_of(provider: &Arc<dyn Provider>, settings: Settings) -> Decompressor {
    let algorithm = CompressionAlgorithm::Deflate;
    let transform = Transform::decompress(algorithm, Checksum::Crc32).expect("it can be");
    let session = Session::open(Arc::clone(provider), &transform).expect("it decompresses");
    Decompressor::new(session, settings).expect("the settings are valid")
}
