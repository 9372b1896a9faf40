//! What a flow counts.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::PacketError;

/// The counters of one flow. They are written after every burst and may be read at any time.
// In this order: what is written for every packet comes first, and few packets need the rest.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Counters {
    /// Packets in the lower [`PACKET_BITS`], and bytes above them, that are not in the totals yet:
    /// one atomic addition counts both.
    recent: AtomicU64,
    packets: AtomicU64,
    bytes: AtomicU64,
    /// Allocated with the first error: few flows ever have one.
    errors: std::sync::OnceLock<Box<[AtomicU64; PacketError::KINDS]>>,
}

/// Bits of the number of recent packets.
const PACKET_BITS: u32 = 24;

/// The bits of the number of recent packets.
const RECENT_PACKETS: u64 = (1 << PACKET_BITS) - 1;

/// So many recent packets go to the totals: together they have fewer than 2^40 bytes, if none has
/// more than [`MAX_COUNTED`].
const MANY: u64 = 1 << 16;

/// The most bytes of a packet that are counted together with others.
const MAX_COUNTED: usize = 1 << 20;

/// What a flow has counted so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowStatistics {
    /// Packets that were protected, or unprotected and delivered.
    pub packets: u64,
    /// Bytes of these packets before they were protected, or after they were unprotected.
    pub bytes: u64,
    /// Packets that were refused, by [`PacketError::kind`].
    pub errors: [u64; PacketError::KINDS],
}

impl FlowStatistics {
    /// Returns how many packets were refused, for whatever reason.
    pub fn refused(&self) -> u64 {
        self.errors.iter().sum()
    }
}

impl Counters {
    /// Returns what was counted so far. Every 65,536 packets there is a moment at which another
    /// thread moves them to the totals: the answer may then have them twice, or be without their
    /// bytes.
    pub fn read(&self) -> FlowStatistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let recent = self.recent.load(Ordering::Acquire);
        FlowStatistics {
            packets: read(&self.packets) + (recent & RECENT_PACKETS),
            bytes: read(&self.bytes) + (recent >> PACKET_BITS),
            errors: self.errors.get().map(|all| all.each_ref().map(read)).unwrap_or_default(),
        }
    }

    /// Returns how many packets were protected, or unprotected and delivered. While another thread
    /// moves recent ones to the totals, the answer is rather too high than too low, so that no
    /// limit is passed.
    #[inline]
    pub(crate) fn packets(&self) -> u64 {
        // In this order: what is no longer among the recent packets is in the total by then.
        let recent = self.recent.load(Ordering::Acquire) & RECENT_PACKETS;
        self.packets.load(Ordering::Relaxed) + recent
    }

    #[inline]
    pub(crate) fn add(&self, bytes: usize) {
        if bytes > MAX_COUNTED {
            return self.add_to_totals(1, bytes as u64);
        }
        let one = 1 | (bytes as u64) << PACKET_BITS;
        let recent = self.recent.fetch_add(one, Ordering::Relaxed) + one;
        let packets = recent & RECENT_PACKETS;
        if packets.is_multiple_of(MANY) {
            self.move_to_totals(packets);
        }
    }

    /// Moves the recent packets to the totals, of which there are at least so many unless another
    /// thread moves some at the same time.
    #[cold]
    fn move_to_totals(&self, least: u64) {
        self.packets.fetch_add(least, Ordering::Relaxed);
        // Of several callers that come here at once, each takes what the others left.
        let taken = self.recent.swap(0, Ordering::AcqRel);
        self.add_to_totals((taken & RECENT_PACKETS).wrapping_sub(least), taken >> PACKET_BITS);
    }

    #[cold]
    fn add_to_totals(&self, packets: u64, bytes: u64) {
        self.packets.fetch_add(packets, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    #[cold]
    pub(crate) fn refuse(&self, error: &PacketError) {
        let errors = self.errors.get_or_init(Box::default);
        errors[error.kind()].fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that count at the same time lose nothing, neither within the recent packets nor when
    /// these go to the totals.
    #[test]
    fn all_packets_are_counted_on_several_threads() {
        let counters = Counters::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..MANY).for_each(|at| counters.add(at as usize % 1500)));
            }
        });
        let bytes = 4 * (0..MANY).map(|at| at % 1500).sum::<u64>();
        let FlowStatistics { packets, bytes: counted, .. } = counters.read();
        assert_eq!((packets, counted), (4 * MANY, bytes));
    }

    #[test]
    fn the_longest_packets_do_not_disturb_the_number_of_packets() {
        let counters = Counters::default();
        (0..2 * MANY).for_each(|_| counters.add(MAX_COUNTED));
        counters.add(usize::MAX >> 8);
        let FlowStatistics { packets, bytes, .. } = counters.read();
        let expected = 2 * MANY * MAX_COUNTED as u64 + (u64::MAX >> 8);
        assert_eq!((packets, bytes), (2 * MANY + 1, expected));
    }
}
