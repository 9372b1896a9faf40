//! What can go wrong in a measurement.

use std::io;
use std::path::PathBuf;

use broadloom_engine::{Algorithm, Direction, JobError};

use crate::measure::course::Course;
use crate::names::{Peer, Provider};

/// Why a measurement was not made, or not reported.
#[derive(Debug, thiserror::Error)]
pub enum PerfError {
    /// A name that nothing has.
    #[error("unknown {what} {name:?}; valid: {valid}")]
    Name {
        /// The kind of thing that was named.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names that would have been right, comma-separated.
        valid: String,
    },
    /// A number outside its range.
    #[error("{what} {value} is out of range; valid: {valid}")]
    Range {
        /// The option.
        what: &'static str,
        /// The value given.
        value: usize,
        /// The values that would have been right.
        valid: String,
    },
    /// A compression, which is measured in another way.
    #[error("{algorithm} compresses, which `broadloom-perf compress` measures")]
    Compression {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// A direction that none of the algorithms asked for has.
    #[error("{algorithm} has no direction {direction}; valid: {valid}")]
    Direction {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction given.
        direction: Course,
        /// The directions that it has.
        valid: String,
    },
    /// An algorithm that only the engine offers.
    #[error("{algorithm} is measured by `perf matrix` alone; valid here: {valid}")]
    NotDirect {
        /// The algorithm.
        algorithm: Algorithm,
        /// The algorithms that would have been right, comma-separated.
        valid: String,
    },
    /// A peer that this program was built without.
    #[error(
        "the peer {peer} is not part of this program; it takes a build with the cargo feature \
         {peer}"
    )]
    NotBuilt {
        /// The peer, whose feature has its name.
        peer: Peer,
    },
    /// A CPU feature that is not known.
    #[error("no CPU feature {value} is known here; valid: {valid}")]
    Feature {
        /// The name given.
        value: String,
        /// The names there are.
        valid: String,
    },
    /// Two providers disagree about a buffer. Nothing was timed.
    #[error(
        "{algorithm} {direction}: {second} and {first} differ on buffer {buffer} of {len} bytes"
    )]
    Mismatch {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// The provider whose result was taken as the reference.
        first: String,
        /// The provider whose result differs from it.
        second: String,
        /// The buffer's index in the workload.
        buffer: usize,
        /// The buffer's length in bytes.
        len: usize,
    },
    /// A peer failed in the middle of its work.
    #[error("{provider}: {call} failed")]
    Peer {
        /// The peer.
        provider: Provider,
        /// The function that reported the failure.
        call: &'static str,
    },
    /// The CPU lacks the instruction set asked for.
    #[error(transparent)]
    Isa(#[from] broadloom_lanes::IsaError),
    /// The process could not be pinned to one core.
    #[error("cannot pin the process to core {core}: {source}")]
    Pin {
        /// The core's number.
        core: usize,
        /// What the system said.
        source: io::Error,
    },
    /// What is to be compressed could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Input {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A text that does not say how long buffers are.
    #[error("size {text:?}: {reason}; valid: {valid}")]
    Size {
        /// The text given.
        text: String,
        /// What is wrong with it.
        reason: String,
        /// The forms that would have been right.
        valid: &'static str,
    },
    /// An earlier file could not be read.
    #[error("cannot read the baseline {}: {source}", path.display())]
    Read {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier file is not what this version reads.
    #[error("the baseline {} is not a file of {schema}: {reason}", path.display())]
    Baseline {
        /// The file asked for.
        path: PathBuf,
        /// The schema that is read.
        schema: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A provider that cannot be opened with the options given.
    #[error("provider {spec}: {reason}")]
    Spec {
        /// What was asked for.
        spec: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A provider that failed.
    #[error("provider {spec}: {reason}")]
    Provider {
        /// What was asked for.
        spec: String,
        /// What went wrong.
        reason: String,
    },
    /// A session could not be opened.
    #[error("{side} cannot open a session for {algorithm} {direction}: {reason}")]
    Session {
        /// The side.
        side: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// What is wrong.
        reason: String,
    },
    /// A job failed.
    #[error("{side}: {algorithm} {direction} of {len} bytes: {source}")]
    Job {
        /// The side.
        side: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// The buffer's length in bytes.
        len: usize,
        /// What the engine says.
        source: JobError,
    },
    /// What was deciphered is not what was enciphered.
    #[error("{side}: {algorithm} {direction} gives other bytes than went in, in a buffer of {len}")]
    NotInverse {
        /// The side.
        side: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// The buffer's length in bytes.
        len: usize,
    },
    /// What was asked for is not part of a suite.
    #[error("the suite {suite} has no {what} {value}; valid: {valid}")]
    NotInSuite {
        /// The suite.
        suite: &'static str,
        /// The option.
        what: &'static str,
        /// The value given.
        value: String,
        /// The values that it has.
        valid: String,
    },
    /// A storage that failed.
    #[error("{figure} over {over}: {reason}")]
    Storage {
        /// The kind of storage.
        over: &'static str,
        /// The row.
        figure: &'static str,
        /// What went wrong.
        reason: String,
    },
    /// Nothing is left to measure.
    #[error("nothing to measure: {0}")]
    Nothing(String),
    /// The tables could not be written.
    #[error("cannot write the tables: {0}")]
    Tables(#[from] io::Error),
}

impl PerfError {
    /// Returns `true` if the request was wrong or cannot be served on this machine. Otherwise the
    /// measurement failed.
    pub fn is_usage(&self) -> bool {
        match self {
            PerfError::Name { .. }
            | PerfError::Range { .. }
            | PerfError::Compression { .. }
            | PerfError::Direction { .. }
            | PerfError::NotDirect { .. }
            | PerfError::NotBuilt { .. }
            | PerfError::Feature { .. }
            | PerfError::Isa(_)
            | PerfError::Size { .. }
            | PerfError::Spec { .. }
            | PerfError::NotInSuite { .. } => true,
            PerfError::Mismatch { .. }
            | PerfError::Peer { .. }
            | PerfError::Pin { .. }
            | PerfError::Input { .. }
            | PerfError::Read { .. }
            | PerfError::Baseline { .. }
            | PerfError::Provider { .. }
            | PerfError::Session { .. }
            | PerfError::Job { .. }
            | PerfError::NotInverse { .. }
            | PerfError::Storage { .. }
            | PerfError::Nothing(_)
            | PerfError::Tables(_) => false,
        }
    }
}
