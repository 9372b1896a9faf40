//! Flows of WireGuard's transport data.

use broadloom_packets::wireguard::{HEADER, TAG, WireGuardFlow, trimmed_len};

use super::any::AnyFlow;
use super::flow::{bl_flow, refused};
use crate::fault::{Fault, bytes, put, report};
use crate::session::REGISTRY;
use crate::status::{BL_PACKET_MALFORMED, bl_status};

/// Bytes of a key.
const KEY: usize = 32;

/// Padding and tag, at most.
const TAIL: usize = 15 + TAG;

/// Opens both directions of a peer under the keys of a handshake, which is the caller's. The keys
/// are copied; the caller may wipe its own.
///
/// `send_key`, `receive_key`: 32 bytes each. `peer_index`: the index that messages to the peer
/// carry. `own_index`: the index that messages from the peer carry. `flow`: out: the flow;
/// unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_wireguard_open(
    send_key: *const u8,
    peer_index: u32,
    receive_key: *const u8,
    own_index: u32,
    flow: *mut *mut bl_flow,
) -> bl_status {
    let open = || {
        // SAFETY: the caller vouches for the pointers.
        let keys = unsafe { [key(send_key, "key to send")?, key(receive_key, "key to receive")?] };
        let [send, receive] = keys;
        let opened = WireGuardFlow::new(&REGISTRY, send, peer_index, receive, own_index);
        let opened = AnyFlow::WireGuard(opened.map_err(refused)?);
        // SAFETY: the caller vouches for the place.
        unsafe { bl_flow::hand_out(opened, (HEADER, TAIL), flow) }
    };
    report(open())
}

/// A key.
///
/// # Safety
/// The pointer is null or points to 32 bytes.
unsafe fn key<'a>(place: *const u8, what: &str) -> Result<&'a [u8; KEY], Fault> {
    // SAFETY: the caller vouches for the pointer.
    Ok(unsafe { bytes(place, KEY, what) }?.try_into().expect("32 bytes"))
}

/// The index that a message of transport data is for, by which its flow is found.
///
/// `index`: out. `BL_PACKET_MALFORMED` where the message carries no data.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_wireguard_index(
    message: *const u8,
    len: usize,
    index: *mut u32,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        bytes(message, len, "message").and_then(|message| {
            let found = WireGuardFlow::receiver_index(message);
            let none = || Fault::new(BL_PACKET_MALFORMED, "the message carries no transport data");
            put(index, "index", found.ok_or_else(none)?)
        })
    })
}

/// The length of the IP packet in an unprotected message, without its padding, as the IP header
/// says.
///
/// `trimmed`: out: 0 for a keepalive. `BL_PACKET_MALFORMED` where it is no whole IP packet.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_wireguard_trimmed_len(
    packet: *const u8,
    len: usize,
    trimmed: *mut usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        bytes(packet, len, "packet").and_then(|packet| {
            let none = || Fault::new(BL_PACKET_MALFORMED, "the message holds no whole IP packet");
            put(trimmed, "trimmed length", trimmed_len(packet).ok_or_else(none)?)
        })
    })
}
