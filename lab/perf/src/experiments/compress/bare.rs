//! A library's own functions in a loop, without the engine or the framework.

use broadloom::compression::Format;
use broadloom_isal::Isal;
use broadloom_libdeflate::Libdeflate;
use broadloom_zlib::Zlib;

use super::check::Checker;
use super::options::Software;
use super::side::Side;
use crate::error::PerfError;

/// Compresses a buffer into another: bytes written, unless it failed.
type Compress = Box<dyn FnMut(&[u8], &mut [u8]) -> Option<usize>>;

/// Compresses an input chunk by chunk, each behind its length, as parcomp's format has it.
pub struct Bare<'b> {
    name: String,
    compress: Compress,
    input: &'b [u8],
    output: Vec<u8>,
    /// Bytes of the output.
    len: usize,
    chunk: usize,
}

/// Bytes of a chunk's length.
const LENGTH: usize = 4;

impl<'b> Bare<'b> {
    /// The library of a provider; `None` for one whose library is not called directly here.
    pub fn new(software: &Software, level: u8, input: &'b [u8], chunk: usize) -> Option<Bare<'b>> {
        let options: Vec<(&str, &str)> = software
            .spec
            .options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let compress: Compress = match software.spec.name.as_str() {
            "isal" => {
                let mut bare = Isal::load(&options).ok()?.bare(level)?;
                Box::new(move |input, output| bare.compress(input, output))
            }
            "libdeflate" => {
                let mut bare = Libdeflate::load(&options).ok()?.bare(level)?;
                Box::new(move |input, output| bare.compress(input, output))
            }
            "zlib" => {
                let mut bare = Zlib::load(&options).ok()?.bare(level)?;
                Box::new(move |input, output| bare.compress(input, output))
            }
            _ => return None,
        };
        // Room for every chunk stored, whatever the library adds to it.
        let most =
            input.len() + input.len() / 64 + (input.len().div_ceil(chunk) + 1) * (LENGTH + 1024);
        let name = software.spec.to_string();
        Some(Bare { name, compress, input, output: vec![0; most], len: 0, chunk })
    }
}

impl Side for Bare<'_> {
    fn pass(&mut self) -> Result<Option<u64>, PerfError> {
        let mut at = 0;
        for chunk in self.input.chunks(self.chunk) {
            let (length, room) = self.output[at..].split_at_mut(LENGTH);
            let written = (self.compress)(chunk, room).ok_or_else(|| PerfError::Provider {
                spec: self.name.clone(),
                reason: format!("the library alone failed on {} bytes", chunk.len()),
            })?;
            length.copy_from_slice(&(written as u32).to_le_bytes());
            at += LENGTH + written;
        }
        self.len = at;
        Ok(Some(at as u64))
    }

    fn check(&self, checker: &mut Checker) -> Result<(), PerfError> {
        checker.check(&self.name, Format::Parcomp, &self.output[..self.len], self.input)
    }
}
