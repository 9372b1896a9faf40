//! The counts of a compression or a decompression.

use broadloom_engine::JobError;

use crate::format::gzi::Index;

/// The counts of a compression or a decompression.
///
/// ```
/// let report = broadloom_compression::Report::default();
/// assert_eq!((report.input, report.output, report.chunks), (0, 0, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Bytes read.
    pub input: u64,
    /// Bytes written.
    pub output: u64,
    /// Bytes of the compressed side without headers, trailers and lengths around chunks.
    pub streams: u64,
    /// Chunks, each compressed or decompressed on its own.
    pub chunks: u64,
    /// Attempts beyond a chunk's first, each because the one before had too little room for its
    /// output.
    pub overflows: u64,
    /// Chunks that the session fallen back to has done.
    pub fallbacks: u64,
    /// Why, of the first of them.
    pub first_fallback: Option<JobError>,
    /// Chunks that were decompressed again and compared before they were written.
    pub verified: u64,
    /// The index of what was written, where one was asked for.
    pub index: Option<Index>,
}

impl Report {
    /// Adds the counts of a following part; the index stays unchanged.
    pub(crate) fn add(&mut self, behind: &Report) {
        self.input += behind.input;
        self.output += behind.output;
        self.streams += behind.streams;
        self.chunks += behind.chunks;
        self.overflows += behind.overflows;
        self.fallbacks += behind.fallbacks;
        self.first_fallback = self.first_fallback.or(behind.first_fallback);
        self.verified += behind.verified;
    }
}
