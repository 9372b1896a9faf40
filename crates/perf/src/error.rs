//! What can go wrong in a measurement.

use std::io;
use std::path::PathBuf;

use broadloom_engine::{Algorithm, Direction};

use crate::direct::Direct;
use crate::names::Provider;

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
        valid: &'static str,
    },
    /// A direction that none of the algorithms asked for has.
    #[error("{algorithm} has no direction {direction}; valid: {valid}")]
    Direction {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction given.
        direction: Direction,
        /// The directions that it has.
        valid: String,
    },
    /// An algorithm that only the engine offers.
    #[error(
        "{algorithm} is measured by `perf matrix` alone; valid here: {}",
        Direct::all().map(|algorithm| algorithm.to_string()).collect::<Vec<_>>().join(", ")
    )]
    NotDirect {
        /// The algorithm.
        algorithm: Algorithm,
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
    #[error("{algorithm} {direction}: {second} and {first} differ on buffer {buffer} of {len} bytes")]
    Mismatch {
        /// The algorithm.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// The provider whose result was taken as the reference.
        first: Provider,
        /// The provider whose result differs from it.
        second: Provider,
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
    /// The instruction set asked for cannot be had.
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
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
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
    #[error("the baseline {} is not a file of {}: {reason}", path.display(), crate::report::row::SCHEMA)]
    Baseline {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The report could not be written.
    #[error("cannot write the report: {0}")]
    Report(#[from] io::Error),
}
