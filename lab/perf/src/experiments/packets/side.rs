//! What is measured: a packet path at work on a set of packets.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use broadloom_lanes::prefetch;
use broadloom_packets::{Flow, Packet, PacketProcessor};

use super::traffic::Parcel;
use crate::error::PerfError;

/// Room before each packet, for headers.
pub const HEAD: usize = 128;

/// Room behind each packet, for padding and tags.
pub const TAIL: usize = 320;

/// A packet path. It works on pieces: the packets of one burst.
pub trait Side {
    /// The provider's or the peer's name.
    fn name(&self) -> String;

    /// Names what it runs: kernels, entry points.
    fn kernel(&self) -> String;

    /// Makes the packets of a piece ready, without being timed.
    ///
    /// # Errors
    /// The packets cannot be made.
    fn prepare(&mut self, piece: usize) -> Result<(), PerfError>;

    /// Protects or unprotects the packets of a piece.
    ///
    /// # Errors
    /// A packet was refused.
    fn run(&mut self, piece: usize) -> Result<(), PerfError>;

    /// Returns the texts of the packets of a piece that it has protected, if nobody else has the
    /// keys for them.
    ///
    /// # Errors
    /// It refuses a packet that it has protected.
    fn unprotected(&mut self, piece: usize) -> Result<Option<Vec<Vec<u8>>>, PerfError> {
        let _ = piece;
        Ok(None)
    }

    /// Returns what each packet of a piece came to.
    fn outputs(&self, piece: usize) -> Vec<Vec<u8>>;
}

/// Writes the packet of a flow that has a sequence number.
pub type Text = fn(&mut [u8], flow: usize, sequence: u32);

/// The flows and the packets of a case, which all sides share.
pub struct Traffic<F: Flow> {
    /// The flows that protect, by their numbers.
    pub send: Vec<Arc<F>>,
    /// The flows that unprotect what those have protected.
    pub receive: Vec<Arc<F>>,
    /// The packets.
    pub parcels: Vec<Parcel>,
    /// Packets of a piece.
    pub burst: usize,
    /// Writes the packet of a flow that has a sequence number into the bytes given.
    pub text: Text,
    /// Bytes at the beginning of each packet that do not come out when it is unprotected.
    pub header: usize,
    /// The sequence number of each flow's next packet.
    pub next: Vec<Cell<u32>>,
    /// The sequence number that each packet had when it was last written.
    pub sequence: Vec<Cell<u32>>,
    /// Returns what accompanies a packet that is to be protected.
    pub meta: fn() -> F::Meta,
}

impl<F: Flow> Traffic<F> {
    /// Returns how many pieces there are.
    pub fn pieces(&self) -> usize {
        self.parcels.len().div_ceil(self.burst)
    }

    /// Returns the packets of a piece, by their numbers.
    pub fn piece(&self, piece: usize) -> Range<usize> {
        piece * self.burst..self.parcels.len().min((piece + 1) * self.burst)
    }

    /// Writes the packet of a number into a buffer with room around it, as the next of its flow,
    /// and returns its range. The room next to the packet is near then, as the packet is: where
    /// there are many flows there are as many buffers, but it is the flows that are to be in no
    /// cache.
    pub fn write(&self, number: usize, buffer: &mut [u8]) -> Range<usize> {
        let Parcel { len, flow } = self.parcels[number];
        let range = HEAD..HEAD + len;
        for place in [range.start - 64, range.start - 1, range.end, range.end + 63] {
            prefetch(&buffer[place]);
        }
        let sequence = self.next[flow].replace(self.next[flow].get().wrapping_add(1));
        self.sequence[number].set(sequence);
        (self.text)(&mut buffer[range.clone()], flow, sequence);
        range
    }

    /// Returns the packet of a number as it was when it was last written.
    pub fn plain(&self, number: usize) -> Vec<u8> {
        let Parcel { len, flow } = self.parcels[number];
        let mut text = vec![0; len];
        (self.text)(&mut text, flow, self.sequence[number].get());
        text
    }

    /// Returns a buffer for the packet of a number.
    pub fn buffer(&self, number: usize) -> Vec<u8> {
        vec![0; HEAD + self.parcels[number].len + TAIL]
    }

    /// Writes the packet of a number into a buffer as it was sent, and returns its range.
    ///
    /// # Errors
    /// The packet is refused.
    pub fn write_sent(
        &self,
        number: usize,
        buffer: &mut [u8],
        processor: &mut PacketProcessor,
    ) -> Result<Range<usize>, PerfError> {
        let range = self.write(number, buffer);
        let flow = &*self.send[self.parcels[number].flow];
        let mut packet = [Packet::new(flow, buffer, range).with_meta((self.meta)())];
        processor.protect_burst(&mut packet);
        check(&packet[0])?;
        Ok(packet[0].range())
    }
}

/// Refuses to go on after a packet that was refused.
///
/// # Errors
/// The packet's.
pub fn check<F: Flow>(packet: &Packet<'_, F>) -> Result<(), PerfError> {
    match packet.status() {
        Some(Ok(())) => Ok(()),
        Some(Err(error)) => Err(failed(error)),
        None => Err(failed("a packet was not done")),
    }
}

/// Returns the error of a packet path that failed.
pub fn failed(reason: impl ToString) -> PerfError {
    PerfError::Provider { spec: "packets".to_owned(), reason: reason.to_string() }
}
