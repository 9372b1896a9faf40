//! Packet indices: the roll-over counter and its guess, and what was sent or received.

use crate::error::{FlowError, PacketError};
use crate::replay::ReplayWindow;

/// Packets of the replay window of SRTCP: RFC 3711 asks for at least 64.
const RTCP_WINDOW: u32 = 64;

/// The most SRTCP packets under one key.
const RTCP_INDICES: u64 = 1 << 31;

/// What is known of one SSRC: which indices were used.
///
/// Sending and receiving share it. The same index of an SSRC must not be used twice under one
/// master key, whoever uses it, since the key stream would be the same.
#[derive(Debug)]
pub(super) struct Indices {
    rtp: ReplayWindow,
    rtcp: ReplayWindow,
    /// The roll-over counter of the first packet.
    first_roc: u32,
    /// The index of the first SRTCP packet that is sent.
    first_rtcp: u32,
}

impl Indices {
    /// Begins with a roll-over counter, and with an index of SRTCP.
    pub fn new(window: u32, first_roc: u32, first_rtcp: u32) -> Result<Self, FlowError> {
        if u64::from(first_rtcp) >= RTCP_INDICES {
            return Err(FlowError::Parameter {
                what: "the first SRTCP index",
                value: first_rtcp.to_string(),
                valid: "0 to 2147483647".to_owned(),
            });
        }
        let rtp = ReplayWindow::new(window)?;
        Ok(Indices { rtp, rtcp: ReplayWindow::new(RTCP_WINDOW)?, first_roc, first_rtcp })
    }

    /// Returns the roll-over counter of the highest sequence number, or that of the first packet.
    pub fn roc(&self) -> u32 {
        self.rtp.highest().map_or(self.first_roc, |highest| (highest >> 16) as u32)
    }

    /// Returns the index that a packet with this sequence number has: its high half is guessed
    /// (RFC 3711, section 3.3.1).
    #[inline]
    pub fn guess(&self, sequence: u16) -> Result<u64, PacketError> {
        match self.rtp.highest() {
            None => Ok(u64::from(self.first_roc) << 16 | u64::from(sequence)),
            Some(highest) => guess(highest, sequence).ok_or(PacketError::SequenceCycled),
        }
    }

    /// Takes the index of an RTP packet that is to be sent.
    #[inline]
    pub fn take_rtp(&self, sequence: u16) -> Result<u64, PacketError> {
        let index = self.guess(sequence)?;
        self.rtp.accept(index)?;
        Ok(index)
    }

    /// Takes the next index of SRTCP.
    pub fn take_rtcp(&self) -> Result<u32, PacketError> {
        loop {
            let next = self.rtcp.highest().map_or(self.first_rtcp.into(), |highest| highest + 1);
            if next >= RTCP_INDICES {
                return Err(PacketError::SequenceCycled);
            }
            // Another thread may have taken it meanwhile.
            if self.rtcp.accept(next).is_ok() {
                return Ok(next as u32);
            }
        }
    }

    /// Checks that an index could be new.
    #[inline]
    pub fn check(&self, is_rtcp: bool, index: u64) -> Result<(), PacketError> {
        self.window(is_rtcp).check(index)
    }

    /// Enters the index of an authentic packet.
    #[inline]
    pub fn accept(&self, is_rtcp: bool, index: u64) -> Result<(), PacketError> {
        self.window(is_rtcp).accept(index)
    }

    #[inline]
    fn window(&self, is_rtcp: bool) -> &ReplayWindow {
        if is_rtcp { &self.rtcp } else { &self.rtp }
    }
}

/// Returns the index that a sequence number stands for, the highest index so far being `highest`
/// (RFC 3711, appendix A); `None` if the roll-over counter would pass its end. Before the first
/// roll-over nothing is older than index 0.
#[inline]
fn guess(highest: u64, sequence: u16) -> Option<u64> {
    const HALF: u16 = 1 << 15;
    let (roc, last) = (highest >> 16, highest as u16);
    let roc = if last < HALF {
        let is_of_the_round_before = sequence > last && sequence - last > HALF;
        roc - u64::from(is_of_the_round_before && roc > 0)
    } else {
        roc + u64::from(last - HALF > sequence)
    };
    (roc <= u32::MAX.into()).then_some(roc << 16 | u64::from(sequence))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_roll_over_counter_is_that_of_the_nearest_index() {
        let all = [
            (0x1_ffff, 0, Some(0x2_0000)),
            (0x2_0000, 0xffff, Some(0x1_ffff)),
            (0x1_0000, 0x8000, Some(0x1_8000)),
            (0x1_0000, 0x8001, Some(0x0_8001)),
            (0x1_8000, 0, Some(0x1_0000)),
            (0x1_8001, 0, Some(0x2_0000)),
            (0, 0xffff, Some(0xffff)),
            (0xffff_ffff_ffff, 0, None),
            (0xffff_ffff_ffff, 0xfffe, Some(0xffff_ffff_fffe)),
        ];
        for (highest, sequence, expected) in all {
            assert_eq!(guess(highest, sequence), expected, "{highest:#x}, {sequence:#x}");
        }
    }

    proptest! {
        /// Whatever is less than 2^15 packets away is found.
        #[test]
        fn near_indices_are_found(highest in 0_u64..1 << 40, away in -32_767_i64..=32_767) {
            let index = highest as i64 + away;
            prop_assume!(index >= 0);
            prop_assert_eq!(guess(highest, index as u16), Some(index as u64));
        }
    }

    #[test]
    fn each_index_of_srtcp_is_taken_once() {
        let indices = Indices::new(64, 0, RTCP_INDICES as u32 - 2).expect("it fits");
        let taken = [(); 3].map(|()| indices.take_rtcp());
        assert_eq!(taken, [Ok(0x7fff_fffe), Ok(0x7fff_ffff), Err(PacketError::SequenceCycled)]);
        let error = Indices::new(64, 0, 1 << 31).unwrap_err().to_string();
        assert_eq!(error, "the first SRTCP index cannot be 2147483648; valid: 0 to 2147483647");
    }
}
