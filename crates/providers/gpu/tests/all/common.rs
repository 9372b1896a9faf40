//! What the tests of the device have in common.

use std::sync::Arc;

use broadloom_engine::{AeadAlgorithm, AesSize, HashAlgorithm, Job, Processor, Session, Transform};
use broadloom_gpu::{Gpu, LoadError};
use broadloom_lanes::Cpu;
use broadloom_native::Native;

/// OpenCL on a CPU compiles a kernel with its first batch, which takes long on a busy machine.
pub const PATIENCE: (&str, &str) = ("timeout", "600s");

/// The first device that OpenCL has, with these options. None where there is no OpenCL: that is
/// said, and fails where the environment has `CI=true`.
pub fn gpu(test: &str, options: &[(&str, &str)]) -> Option<Gpu> {
    let mut all = vec![("device", "any")];
    if options.iter().all(|(name, _)| *name != PATIENCE.0) {
        all.push(PATIENCE);
    }
    all.extend(options);
    match Gpu::load(&all) {
        Err(error @ LoadError::Absent(_)) => broadloom_testing::present(test, Err(error)),
        loaded => Some(loaded.unwrap_or_else(|error| panic!("{error}"))),
    }
}

pub fn open(gpu: &Gpu, transform: &Transform) -> Session {
    Session::open(Arc::new(gpu.clone()), transform).expect("it has kernels")
}

pub fn native(transform: &Transform) -> Session {
    Session::open(Arc::new(Native::new(Cpu::detect())), transform).expect("native can")
}

pub fn sha256() -> Transform {
    Transform::hash(HashAlgorithm::Sha256)
}

pub fn seal() -> Transform {
    let gcm = AeadAlgorithm::AesGcm(AesSize::Aes128);
    Transform::aead(gcm, &[7; 16]).seal().expect("it fits")
}

/// Bytes that differ from text to text.
pub fn text(number: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (number * 31 + at * 7) as u8).collect()
}

/// The digest by `native`.
pub fn digest(text: &[u8]) -> Vec<u8> {
    let session = native(&sha256());
    let mut jobs = [Job::new(&session, text)];
    Processor::new().process_many(&mut jobs);
    jobs[0].tag().expect("it is done").to_vec()
}

/// Signatures of messages, by the sessions in turn.
pub fn signatures(sessions: &[Session], messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let of = |(at, message)| Job::new(&sessions[at % sessions.len()], message);
    let mut jobs: Vec<_> = messages.iter().map(Vec::as_slice).enumerate().map(of).collect();
    Processor::new().process_many(&mut jobs);
    let output = |job: &mut Job<'_>| {
        assert_eq!(job.status(), Some(Ok(())));
        job.take_output()
    };
    jobs.iter_mut().map(output).collect()
}
