//! Flows whose memory is asked for before their packets are framed.

use std::ptr;

use broadloom_engine::Session;
use broadloom_lanes::prefetch;

use crate::flow::Flow;
use crate::packet::Packet;

/// Sets of two flows that were seen lately, a power of two: some bursts' worth of them.
const SETS: usize = 256;

/// Packets of one step while most flows are new: enough for the lanes, and few enough that the
/// packets after them are asked for early.
const FAR_STEP: usize = 32;

/// The flows that were seen lately.
///
/// With many flows, what a packet needs of its flow is in no cache: the flow, its session, its
/// keys, and the packet itself. Each of these leads to the next, so that a packet would wait for
/// memory several times. So each is asked for in a turn of its own, for all packets of a step, and
/// while the packets of the step before are worked on. Flows that were seen lately are in a cache,
/// and nothing is done for them.
pub(crate) struct Near {
    /// The addresses of flows, each in the set that follows from it, the newest first.
    seen: Box<[[u32; 2]; SETS]>,
    /// Most flows that were asked for last were new.
    are_far: bool,
}

/// Packets of a step whose flows were not seen lately, a bit for each.
#[derive(Clone, Copy)]
pub(crate) struct Far(u128);

impl Far {
    /// Returns the sessions that these packets need.
    fn sessions<'p, F: Flow>(
        self,
        packets: &'p [Packet<'_, F>],
        protects: bool,
    ) -> impl Iterator<Item = &'p Session> {
        let Far(mut left) = self;
        let next = move || {
            let at = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(packets[at].flow.get())
        };
        std::iter::from_fn(next).filter_map(move |flow| flow.touch(protects))
    }
}

impl Default for Near {
    fn default() -> Self {
        Near { seen: Box::new([[0; 2]; SETS]), are_far: false }
    }
}

impl Near {
    /// Returns how many packets to work on at a time, `most` or fewer.
    #[inline]
    pub(crate) fn step(&self, most: usize) -> usize {
        if self.are_far { FAR_STEP } else { most }
    }

    /// Asks for the flows of up to 128 packets, and returns which were not seen lately.
    #[inline]
    pub(crate) fn flows<F: Flow>(&mut self, packets: &[Packet<'_, F>]) -> Far {
        let mut far = 0_u128;
        for (at, packet) in packets.iter().enumerate() {
            let flow = packet.flow.get();
            if self.is_new(ptr::from_ref(flow).addr()) {
                // The line of its headers; of a longer packet, the rest comes in order.
                packet.buffer.as_slice().get(packet.range.start).into_iter().for_each(prefetch);
                flow.touch_itself();
                far |= 1 << at;
            }
        }
        // Fewer packets say little about those of the next call.
        if packets.len() >= FAR_STEP {
            self.are_far = 2 * far.count_ones() as usize > packets.len();
        }
        Far(far)
    }

    /// Asks for the sessions of packets whose flows were asked for.
    #[inline]
    pub(crate) fn sessions<F: Flow>(packets: &[Packet<'_, F>], far: Far, protects: bool) {
        far.sessions(packets, protects).for_each(Session::touch);
    }

    /// Asks for the keys of packets whose sessions were asked for.
    #[inline]
    pub(crate) fn keys<F: Flow>(packets: &[Packet<'_, F>], far: Far, protects: bool) {
        far.sessions(packets, protects).for_each(Session::touch_keys);
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
