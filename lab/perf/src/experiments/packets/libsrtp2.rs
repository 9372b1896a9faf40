//! libsrtp 2's packet path: a stream for each flow, and a call for each packet.

use std::ops::Range;

use super::own_path::OwnPath;
use super::side::failed;
use crate::error::PerfError;
use crate::measure::peers::srtp2::{Srtp2, Stream, Suite};

/// libsrtp at work on many streams.
pub struct LibSrtp {
    version: String,
    /// The sending and the receiving stream of each flow.
    streams: Vec<(Stream, Stream)>,
}

impl LibSrtp {
    /// Opens the streams of all flows; `key` gives the master key with its salt, and the SSRC.
    ///
    /// # Errors
    /// The library is absent, or refuses a stream.
    pub fn new(
        suite: Suite,
        flows: usize,
        key: impl Fn(usize) -> (Vec<u8>, u32),
    ) -> Result<Self, PerfError> {
        let library = Srtp2::load().map_err(failed)?;
        let pair = |flow| {
            let (key, ssrc) = key(flow);
            let open = || library.stream(suite, &key, ssrc).map_err(failed);
            Ok((open()?, open()?))
        };
        let streams = (0..flows).map(pair).collect::<Result<_, PerfError>>()?;
        Ok(LibSrtp { version: library.version(), streams })
    }
}

impl OwnPath for LibSrtp {
    fn name(&self) -> &'static str {
        "libsrtp2"
    }

    fn kernel(&self) -> String {
        self.version.clone()
    }

    fn protect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let protected = self.streams[flow].0.protect(&mut buffer[range.start..], range.len());
        protected.map(|len| range.start..range.start + len).map_err(failed)
    }

    fn unprotect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError> {
        let plain = self.streams[flow].1.unprotect(&mut buffer[range.start..], range.len());
        plain.map(|len| range.start..range.start + len).map_err(failed)
    }
}
