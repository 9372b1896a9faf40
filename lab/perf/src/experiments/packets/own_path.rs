//! Libraries with a packet path of their own, which take one packet a call.

use std::ops::Range;

use broadloom_packets::{Flow, PacketProcessor};

use super::options::Way;
use super::side::{Side, Traffic};
use crate::error::PerfError;

/// A library's packet path.
pub trait OwnPath {
    /// The peer's name.
    fn name(&self) -> &'static str;

    /// Its version, or what it runs.
    fn kernel(&self) -> String;

    /// Returns `true` if its flows have keys of their own, so that only itself can unprotect what
    /// it protects.
    fn has_own_keys(&self) -> bool {
        false
    }

    /// Protects the packet of a flow that is at a range of a buffer, in place, and returns where it
    /// is then.
    ///
    /// # Errors
    /// The library refuses it.
    fn protect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError>;

    /// Unprotects a packet in the same way.
    ///
    /// # Errors
    /// The library refuses it.
    fn unprotect(
        &mut self,
        flow: usize,
        buffer: &mut [u8],
        range: Range<usize>,
    ) -> Result<Range<usize>, PerfError>;
}

/// A packet path of its own, on one set of packets.
pub struct OneByOne<'t, F: Flow> {
    traffic: &'t Traffic<F>,
    way: Way,
    path: Box<dyn OwnPath>,
    buffers: Vec<Vec<u8>>,
    ranges: Vec<Range<usize>>,
    sender: PacketProcessor,
}

impl<'t, F: Flow> OneByOne<'t, F> {
    /// Makes the packets.
    pub fn new(traffic: &'t Traffic<F>, way: Way, path: Box<dyn OwnPath>) -> Self {
        let numbers = 0..traffic.parcels.len();
        OneByOne {
            traffic,
            way,
            path,
            ranges: vec![0..0; numbers.len()],
            buffers: numbers.map(|number| traffic.buffer(number)).collect(),
            sender: PacketProcessor::new(),
        }
    }
}

impl<F: Flow> Side for OneByOne<'_, F> {
    fn name(&self) -> String {
        self.path.name().to_owned()
    }

    fn kernel(&self) -> String {
        self.path.kernel()
    }

    fn prepare(&mut self, piece: usize) -> Result<(), PerfError> {
        for number in self.traffic.piece(piece) {
            let buffer = &mut self.buffers[number];
            self.ranges[number] = match self.way {
                Way::Protect => self.traffic.write(number, buffer),
                Way::Unprotect if self.path.has_own_keys() => {
                    let range = self.traffic.write(number, buffer);
                    self.path.protect(self.traffic.parcels[number].flow, buffer, range)?
                }
                Way::Unprotect => self.traffic.write_sent(number, buffer, &mut self.sender)?,
            };
        }
        Ok(())
    }

    fn run(&mut self, piece: usize) -> Result<(), PerfError> {
        for number in self.traffic.piece(piece) {
            let flow = self.traffic.parcels[number].flow;
            let (buffer, range) = (&mut self.buffers[number], &mut self.ranges[number]);
            *range = match self.way {
                Way::Protect => self.path.protect(flow, buffer, range.clone())?,
                Way::Unprotect => self.path.unprotect(flow, buffer, range.clone())?,
            };
        }
        Ok(())
    }

    fn unprotected(&mut self, piece: usize) -> Result<Option<Vec<Vec<u8>>>, PerfError> {
        if self.way == Way::Unprotect || !self.path.has_own_keys() {
            return Ok(None);
        }
        let one = |number: usize| {
            let mut buffer = self.buffers[number].clone();
            let (flow, range) = (self.traffic.parcels[number].flow, self.ranges[number].clone());
            let range = self.path.unprotect(flow, &mut buffer, range)?;
            Ok(buffer[range].to_vec())
        };
        self.traffic.piece(piece).map(one).collect::<Result<_, _>>().map(Some)
    }

    fn outputs(&self, piece: usize) -> Vec<Vec<u8>> {
        let bytes = |number: usize| self.buffers[number][self.ranges[number].clone()].to_vec();
        self.traffic.piece(piece).map(bytes).collect()
    }
}
