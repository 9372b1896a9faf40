//! Bursts of packets, protected and unprotected within a call.

use std::ops::Range;

use broadloom_packets::{BurstOutcome, Packet, PacketProcessor};

use super::any::AnyFlow;
use super::packet::bl_packet;
use crate::fault::{Fault, check_array, object_mut, report};
use crate::process::bl_processor;
use crate::status::{BL_E_PACKETS, bl_status, of_packet};

/// Packets that are taken from the caller at once: as many as go to providers in one call.
const WINDOW: usize = 128;

/// What a processor has for packets. It holds none between calls.
#[derive(Default)]
pub(crate) struct Burst {
    processor: PacketProcessor,
    packets: Vec<Packet<'static, AnyFlow>>,
    /// Whose each packet is.
    callers: Vec<*mut bl_packet>,
}

/// Which way packets go.
type Way = fn(&mut PacketProcessor, &mut [Packet<'static, AnyFlow>]) -> BurstOutcome;

impl Burst {
    /// Takes packets one way, to their end.
    ///
    /// # Safety
    /// So many packets are at `packets`, as documented in `broadloom.h`.
    unsafe fn run(&mut self, packets: *mut bl_packet, count: usize, way: Way) -> Result<(), Fault> {
        check_array(packets, count, "packets")?;
        let mut failed = None;
        for start in (0..count).step_by(WINDOW) {
            let end = count.min(start + WINDOW);
            // SAFETY: there are so many packets, for which the caller vouches.
            unsafe { self.window(packets, start..end, way, &mut failed) };
        }
        failed.map_or(Ok(()), |text| Err(Fault::new(BL_E_PACKETS, text)))
    }

    /// Takes some of the packets one way; `failed` gets the words of the first that is refused.
    ///
    /// # Safety
    /// As [`run`](Burst::run).
    unsafe fn window(
        &mut self,
        packets: *mut bl_packet,
        places: Range<usize>,
        way: Way,
        failed: &mut Option<String>,
    ) {
        self.packets.reserve(places.len());
        self.callers.reserve(places.len());
        for place in places {
            // SAFETY: the place is one of the array's.
            let caller = unsafe { packets.add(place) };
            // SAFETY: the caller vouches for the packet, and the packet of the burst is dropped
            // below.
            match unsafe { bl_packet::load(caller, &mut self.packets) } {
                Ok(()) => self.callers.push(caller),
                // SAFETY: as above.
                Err(fault) => unsafe { refuse(caller, place, fault, failed) },
            }
        }
        let outcome = way(&mut self.processor, &mut self.packets);
        for (packet, caller) in self.packets.iter().zip(&self.callers) {
            if outcome.refused > 0
                && let Some(Err(error)) = packet.status()
            {
                // SAFETY: both are places of one array, and the caller vouches for the packet.
                let place = unsafe {
                    (**caller).status = of_packet(error);
                    caller.offset_from(packets)
                };
                failed.get_or_insert_with(|| format!("packet {place}: {error}"));
                continue;
            }
            // SAFETY: the packet was loaded from there.
            unsafe { bl_packet::store(*caller, packet) };
        }
        self.packets.clear();
        self.callers.clear();
    }
}

/// Notes that a packet cannot be.
///
/// # Safety
/// The caller lent the packet. If it has the right size, its status can be written.
#[cold]
unsafe fn refuse(caller: *mut bl_packet, place: usize, fault: Fault, failed: &mut Option<String>) {
    // SAFETY: the caller vouches for it; of a structure of another size nothing is known.
    unsafe {
        if (*caller).size == size_of::<bl_packet>() {
            (*caller).status = fault.status;
        }
    }
    failed.get_or_insert_with(|| format!("packet {place}: {}", fault.text));
}

/// Protects `count` packets: encrypts them, authenticates them, and puts them into the form in
/// which they are sent. The packets may be of any flows and protocols, and are processed side by
/// side. Each packet then has its status. `BL_E_PACKETS` where at least one was refused, and
/// `bl_last_error` tells of the first.
///
/// Whatever fails, no number is used for a second packet. A packet that is refused for its form has
/// used none.
///
/// Threads: one at a time for a processor. Several threads may protect packets of one flow, each
/// with its own processor; only flows of TLS want one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_protect_burst(
    processor: *mut bl_processor,
    packets: *mut bl_packet,
    count: usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object_mut(processor, "processor")
            .and_then(|processor| processor.burst.run(packets, count, protect))
    })
}

/// Unprotects `count` packets: checks them, decrypts them, and takes them out of the form in which
/// they came. Each packet then has its status, as with `bl_protect_burst`. A packet that is refused
/// changes neither its neighbours nor its flow: a replay window moves after a packet was
/// authenticated.
///
/// Threads: as `bl_protect_burst`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_unprotect_burst(
    processor: *mut bl_processor,
    packets: *mut bl_packet,
    count: usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object_mut(processor, "processor")
            .and_then(|processor| processor.burst.run(packets, count, unprotect))
    })
}

fn protect(
    processor: &mut PacketProcessor,
    packets: &mut [Packet<'static, AnyFlow>],
) -> BurstOutcome {
    processor.protect_burst(packets)
}

fn unprotect(
    processor: &mut PacketProcessor,
    packets: &mut [Packet<'static, AnyFlow>],
) -> BurstOutcome {
    processor.unprotect_burst(packets)
}
