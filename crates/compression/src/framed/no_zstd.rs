//! What stands in the place of zstd in a build without it. Settings and readers refuse the format,
//! so nothing comes here.

use std::convert::Infallible;

use super::Settings;
use crate::decompress::DecompressError;
use crate::format::{Cause, FormatError};

/// There is none.
pub(super) struct Encoder(Infallible);

impl Encoder {
    pub(super) fn new(_: &Settings) -> Result<Encoder, String> {
        Err(Cause::NoZstd.to_string())
    }

    pub(super) fn frame(&mut self, _: &[u8], _: &mut Vec<u8>) -> Result<(), String> {
        match self.0 {}
    }
}

/// Refuses frames.
pub(super) struct Decoder;

impl Decoder {
    pub(super) fn new() -> Decoder {
        Decoder
    }

    pub(super) fn frame(&mut self, _: &[u8], _: usize, _: &mut Vec<u8>) -> Result<(), Cause> {
        Err(Cause::NoZstd)
    }

    pub(super) fn begin(&mut self) {}

    pub(super) fn part(
        &mut self,
        _: &[u8],
        offset: u64,
        _: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<bool, DecompressError> {
        Err(FormatError::new(offset, Cause::NoZstd).into())
    }
}
