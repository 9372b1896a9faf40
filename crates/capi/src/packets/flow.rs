//! Flows: what they count, how much room their packets need, and their end.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::LazyLock;

use broadloom_packets::esp::EspAlgorithm;
use broadloom_packets::quic::QuicSuite;
use broadloom_packets::records::RecordSuite;
use broadloom_packets::srtp::SrtpProfile;
use broadloom_packets::{Flow, FlowError};

use super::any::AnyFlow;
use crate::fault::{Fault, object, put, report, structure_mut};
use crate::session::{hand_out, take_back};
use crate::status::{BL_E_PROVIDER, BL_E_TRANSFORM, BL_PACKET_KINDS, bl_status};

/// A connection or an association of a protocol, or one direction of it: its keys, its sequence
/// numbers, its replay window and its counters. A function `bl_..._open` of its protocol opens it.
pub struct bl_flow {
    pub(crate) flow: AnyFlow,
    /// The most bytes that a packet needs before and behind it.
    room: (usize, usize),
}

impl bl_flow {
    /// Gives the caller a flow, of which packets need so much room before and behind them.
    ///
    /// # Safety
    /// The place is null, or a pointer can be written there.
    pub(super) unsafe fn hand_out(
        flow: AnyFlow,
        room: (usize, usize),
        place: *mut *mut bl_flow,
    ) -> Result<(), Fault> {
        // SAFETY: the caller vouches for the place.
        unsafe { hand_out(bl_flow { flow, room }, place, "flow") }
    }
}

/// Why there is no such flow, for the caller.
pub(super) fn refused(error: FlowError) -> Fault {
    let status = match error {
        FlowError::Open(_) | FlowError::Derivation(_) => BL_E_PROVIDER,
        _ => BL_E_TRANSFORM,
    };
    Fault::new(status, error)
}

/// Refuses a key of another length than the algorithm's, before the key is read.
pub(super) fn check_len(
    what: &'static str,
    len: usize,
    algorithm: impl ToString,
    valid: usize,
) -> Result<(), Fault> {
    match len == valid {
        true => Ok(()),
        false => Err(refused(FlowError::KeyLength {
            what,
            len,
            algorithm: algorithm.to_string(),
            valid: format!("{valid} bytes"),
        })),
    }
}

/// Closes a flow and wipes its keys. Null is allowed. Keys that flows share, as streams of SRTP
/// share those of their context, are wiped with the last of them.
///
/// Threads: one; no other uses the flow any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_flow_close(flow: *mut bl_flow) {
    // SAFETY: the caller vouches for the pointer.
    drop(unsafe { take_back(flow) });
}

/// Says how many bytes of room a packet needs at most, before it and behind it, so that it is never
/// refused for want of room, in either direction. The zeros of `bl_packet.padding` come on top.
///
/// `head`, `tail`: out: bytes before the packet and behind it.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_flow_room(
    flow: *const bl_flow,
    head: *mut usize,
    tail: *mut usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(flow, "flow").and_then(|flow| {
            put(head, "head", flow.room.0)?;
            put(tail, "tail", flow.room.1)
        })
    })
}

/// What a flow has counted, and where its sequence numbers stand.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_flow_statistics {
    /// sizeof(bl_flow_statistics)
    pub size: usize,
    /// Packets that were protected, or unprotected and delivered.
    pub packets: u64,
    /// Bytes of these packets before they were protected, or after they were unprotected.
    pub bytes: u64,
    /// Packets that were refused, by the status that they had:
    /// `refused[status - BL_PACKET_REPLAY]`.
    pub refused: [u64; BL_PACKET_KINDS],
    /// The number that the next packet gets which is protected. 0 where the flow does not protect
    /// packets, or does not number them in one row: SRTP, and QUIC with given numbers.
    pub next_number: u64,
    /// The highest number of an authentic packet that was received; 0 where there was none, and in
    /// SRTP, where each stream has its own.
    pub highest_number: u64,
}

/// Reads what a flow has counted. It costs nothing that bursts would notice.
///
/// `statistics`: its `size` is set; out: the rest.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_flow_read(
    flow: *const bl_flow,
    statistics: *mut bl_flow_statistics,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(flow, "flow").and_then(|flow| {
            let place = structure_mut(statistics, "bl_flow_statistics")?;
            let counted = flow.flow.counters().read();
            *place = bl_flow_statistics {
                size: place.size,
                packets: counted.packets,
                bytes: counted.bytes,
                refused: counted.errors,
                next_number: flow.flow.next_number().unwrap_or(0),
                highest_number: flow.flow.highest_number().unwrap_or(0),
            };
            Ok(())
        })
    })
}

/// The name of an algorithm of packets, by its number from 0 on, for ever valid; null where there
/// are no more: "esp-aes-128-gcm" and so on. What is before the first hyphen is the protocol.
/// WireGuard has one algorithm, which is not listed.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub extern "C" fn bl_packet_algorithm_name(number: usize) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> = LazyLock::new(|| {
        let names = EspAlgorithm::all().map(|algorithm| algorithm.to_string());
        let names = names.chain(SrtpProfile::ALL.map(|profile| profile.to_string()));
        let names = names.chain(QuicSuite::ALL.map(|suite| suite.to_string()));
        let names = names.chain(RecordSuite::all().map(|suite| suite.to_string()));
        names.map(|name| CString::new(name).expect("names have no zero byte")).collect()
    });
    NAMES.get(number).map_or(ptr::null(), |name| name.as_ptr())
}
