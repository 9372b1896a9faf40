//! Compression of inputs of any size, in parallel, into formats that other tools read, and back.

pub mod format;
mod pipeline;

pub use pipeline::{Poll, ThreadError};
