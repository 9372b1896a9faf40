//! gzip for a command that does something else with what is compressed.

use std::io::{Read, Write};

use broadloom::compression::format::Format;
use broadloom_lanes::Cpu;

use super::codec::Codec;
use super::container::Container;
use super::level::Level;
use super::options::{Coding, Task};
use super::origin::Origin;
use crate::files::{Coded, Failure, failure};

/// Compresses into gzip.
#[derive(Clone)]
pub struct Gzip(Codec);

impl Gzip {
    /// A compressor of this level, with so many threads for each file.
    ///
    /// # Errors
    /// If no provider has the level, in words.
    pub fn new(level: u8, threads: usize, cpu: &Cpu) -> Result<Gzip, String> {
        let coding = Coding {
            container: Some(Container::Format(Format::Gzip)),
            level: Level { asked: Some(level) },
            threads: Some(threads),
            jobs: None,
            chunk: None,
            rsyncable: false,
            verify: false,
            index: false,
            members: false,
            block_checksums: false,
            long: None,
            memory: None,
            provider: None,
            fallback: false,
            limit: None,
            force: false,
        };
        Codec::open(&coding, Task::Compress, cpu).map(Gzip)
    }

    /// Compresses what `input` has, without its name and time.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn compress(&self, input: impl Read + Send, output: impl Write) -> Result<Coded, Failure> {
        let coded = self.0.compress(input, output, &Origin::default());
        coded.map_err(|error| failure(&error))
    }

    /// The same with one thread for each file.
    pub fn with_one_thread(&self) -> Gzip {
        Gzip(self.0.with_one_thread())
    }
}
