//! Parallel compression of inputs of any size into formats that other tools read, and back.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod choose;
mod compress;
pub mod decompress;
pub mod diagnose;
mod error;
pub mod format;
pub mod framed;
pub mod inflate;
mod pipeline;
mod report;
mod scratch;
mod settings;

pub use choose::{
    Choice, ChooseError, Order, choose, choose_for_decompression, choose_for_levels, measure,
    measure_decompression,
};
pub use compress::{Compressor, Pause};
pub use decompress::{DecompressError, Decompressed, Decompressor};
pub use error::{CompressError, Mismatch};
pub use format::Format;
pub use pipeline::{Poll, ThreadError};
pub use report::Report;
pub use scratch::Scratch;
pub use settings::{CHUNKS, LONGEST_POLL, OUTSTANDING, Settings, SettingsError, THREADS};
