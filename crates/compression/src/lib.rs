//! Compression of inputs of any size, in parallel, into formats that other tools read, and back.

pub mod decompress;
pub mod diagnose;
pub mod format;
pub mod inflate;
mod pipeline;
mod report;
mod settings;

pub use decompress::{DecompressError, Decompressed, Decompressor};
pub use pipeline::{Poll, ThreadError};
pub use report::Report;
pub use settings::{Settings, SettingsError};
