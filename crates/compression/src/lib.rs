//! Compression of inputs of any size, in parallel, into formats that other tools read, and back.

mod compress;
mod error;
pub mod format;
mod pipeline;
mod report;
mod settings;

pub use compress::Compressor;
pub use error::{CompressError, Mismatch};
pub use pipeline::{Poll, ThreadError};
pub use report::Report;
pub use settings::{CHUNKS, LONGEST_POLL, OUTSTANDING, Settings, SettingsError, THREADS};
