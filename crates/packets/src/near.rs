//! Flows whose memory is read before a burst is framed.

use std::hint::black_box;
use std::ptr;

use arrayvec::ArrayVec;
use broadloom_engine::Session;

use crate::flow::Flow;
use crate::packet::Packet;

/// Sets of two flows that were seen lately, a power of two: some bursts' worth of them.
const SETS: usize = 256;

/// The flows that were seen lately.
///
/// With many flows, what a packet needs of its flow is in no cache: the flow, its session, its
/// keys, and the packet itself. Each of these leads to the next, so that a packet would wait for
/// memory several times. So each step is taken for all packets of a burst, before the next one. The
/// core does not wait for what is read without a use, so that it reads many at a time. Flows that
/// were seen lately are in a cache, and nothing is done for them.
pub(crate) struct Near {
    /// The addresses of flows, each in the set that follows from it, the newest first.
    seen: Box<[[u32; 2]; SETS]>,
}

impl Default for Near {
    fn default() -> Self {
        Near { seen: Box::new([[0; 2]; SETS]) }
    }
}

impl Near {
    /// Reads what up to `WINDOW` packets will need.
    #[inline]
    pub(crate) fn bring<F: Flow, const WINDOW: usize>(
        &mut self,
        packets: &[Packet<'_, F>],
        protects: bool,
    ) {
        let mut far: ArrayVec<(&F, Option<&Session>), WINDOW> = ArrayVec::new();
        for packet in packets {
            let flow = packet.flow.get();
            if self.is_new(ptr::from_ref(flow).addr()) {
                // The line of its headers; of a longer packet, the rest comes in order.
                black_box(packet.buffer.as_slice().get(packet.range.start).copied());
                far.push((flow, None));
            }
        }
        if !far.is_empty() {
            far.iter_mut().for_each(|(flow, session)| *session = flow.touch(protects));
            let sessions = || far.iter().filter_map(|(_, session)| *session);
            sessions().for_each(Session::touch);
            sessions().for_each(Session::touch_keys);
        }
    }

    /// Returns `true` if the flow at an address was not seen lately, and remembers it.
    #[inline]
    fn is_new(&mut self, address: usize) -> bool {
        // Addresses are told apart by 32 bits: a flow that is taken for another is not read.
        let line = (address / 64) as u32;
        // Flows often lie at equal distances, which a product alone would keep together.
        let product = line.wrapping_mul(0x9e37_79b1);
        let hash = (product ^ product >> 15).wrapping_mul(0x85eb_ca6b);
        let set = &mut self.seen[(hash >> (32 - SETS.ilog2())) as usize % SETS];
        let is_new = !set.contains(&line);
        if is_new {
            *set = [line, set[0]];
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_new_until_it_was_seen() {
        let mut near = Near::default();
        assert!(near.is_new(0x7f00_0000_0140));
        assert!(!near.is_new(0x7f00_0000_0140));
        assert!(near.is_new(0x7f00_0000_0180));
    }

    /// Of 64 flows, which stay in the nearest caches, few are taken for new ones again and again,
    /// whatever the distance between them is.
    #[test]
    fn few_flows_disturb_each_other() {
        for distance in [64, 192, 320, 1024, 1344, 2688, 2752, 4096] {
            for base in [0x5500_1000_0010, 0x7f12_3456_7040] {
                let mut near = Near::default();
                let mut new = || (0..64).filter(|at| near.is_new(base + at * distance)).count();
                assert_eq!(new(), 64);
                let again = new();
                assert!(again < 16, "{distance}: {again}");
            }
        }
    }
}
