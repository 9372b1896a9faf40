//! Flows of QUIC.

use std::ffi::{c_char, c_int};
use std::ptr;

use broadloom_packets::quic::{
    MAX_CONNECTION_ID, Numbers, PacketHeader, PacketKind, PacketType, QuicConfig, QuicFlow,
    QuicSecrets, QuicSuite, QuicVersion, Side, TAG, number_len, split,
};

use super::any::AnyFlow;
use super::flow::{bl_flow, check_len, refused};
use crate::fault::{
    Fault, bytes, check_array, object, optional_text, put, report, structure, text,
};
use crate::session::REGISTRY;
use crate::status::{bl_status, of_packet};

/// QUIC version 1 (RFC 9001).
pub const BL_QUIC_V1: u32 = 1;
/// QUIC version 2 (RFC 9369).
pub const BL_QUIC_V2: u32 = 0x6b33_43cf;

/// `bl_quic_config.flags`: the caller says the number of each packet that is protected, in
/// `bl_packet.number`; else the flow counts from 0 on.
pub const BL_QUIC_GIVEN_NUMBERS: u32 = 1;
/// `bl_quic_config.flags`: the fixed bit of packets may be zero (RFC 9287).
pub const BL_QUIC_GREASED_BIT: u32 = 2;

/// `bl_quic_packet.kind`: an Initial packet.
pub const BL_QUIC_INITIAL: u32 = 0;
/// `bl_quic_packet.kind`: a 0-RTT packet.
pub const BL_QUIC_ZERO_RTT: u32 = 1;
/// `bl_quic_packet.kind`: a Handshake packet.
pub const BL_QUIC_HANDSHAKE: u32 = 2;
/// `bl_quic_packet.kind`: a 1-RTT packet.
pub const BL_QUIC_ONE_RTT: u32 = 3;
/// `bl_quic_packet.kind`: a Retry.
pub const BL_QUIC_RETRY: u32 = 4;
/// `bl_quic_packet.kind`: a Version Negotiation packet.
pub const BL_QUIC_VERSION_NEGOTIATION: u32 = 5;
/// `bl_quic_packet.kind`: a packet of a version that the library does not know.
pub const BL_QUIC_OTHER_VERSION: u32 = 6;

/// The keys of one type of packets of a connection of QUIC, in both directions. Set all members to
/// zero but those that are needed; `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_quic_config {
    /// sizeof(bl_quic_config)
    pub size: usize,
    /// The suite: "quic-aes-128-gcm", "quic-chacha20-poly1305" and so on;
    /// `bl_packet_algorithm_name` lists all.
    pub suite: *const c_char,
    /// The type of all packets: "1-rtt" (null is the same), "handshake", "0-rtt", "initial".
    pub packets: *const c_char,
    /// The traffic secret of packets that are sent, of TLS; null where none are.
    pub send_secret: *const u8,
    /// Bytes of that secret: as many as the suite's hash has.
    pub send_secret_len: usize,
    /// The traffic secret of packets that are received; null where none are.
    pub receive_secret: *const u8,
    /// Bytes of that secret.
    pub receive_secret_len: usize,
    /// The version: `BL_QUIC_V1` (0 is the same) or `BL_QUIC_V2`.
    pub version: u32,
    /// `BL_QUIC_GIVEN_NUMBERS`, `BL_QUIC_GREASED_BIT`, or 0.
    pub flags: u32,
    /// Bytes of the connection ID in short headers that are sent, which the peer chose: 0 to 20.
    pub peer_id_len: usize,
    /// Bytes of the connection ID in short headers that are received, which this end chose.
    pub own_id_len: usize,
    /// How far below the highest number a packet may arrive: 32 to 65536; 0: 2048.
    pub window: u32,
    /// How many packets one key may protect; 0: the suite's limit.
    pub confidentiality_limit: u64,
    /// How many packets that are not authentic may come, under all keys; 0: the suite's limit.
    pub integrity_limit: u64,
    /// A flow of which this one shares the packet numbers, as 0-RTT and 1-RTT packets do; may be
    /// null.
    pub numbers_of: *const bl_flow,
}

/// The part of a packet's header that is not masked.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_quic_packet {
    /// `BL_QUIC_INITIAL` and so on.
    pub kind: u32,
    /// The version of a long header; 0 in a short one.
    pub version: u32,
    /// Where the packet begins in its datagram.
    pub begin: usize,
    /// Bytes of the packet.
    pub len: usize,
    /// The Destination Connection ID, in the datagram.
    pub destination: *const u8,
    /// Bytes of it.
    pub destination_len: usize,
    /// The Source Connection ID of a long header, in the datagram; null in a short one.
    pub source: *const u8,
    /// Bytes of it.
    pub source_len: usize,
    /// The token of an Initial packet, in the datagram; null where there is none.
    pub token: *const u8,
    /// Bytes of it.
    pub token_len: usize,
}

/// The version that a number stands for.
fn version(number: u32) -> Result<QuicVersion, Fault> {
    let number = if number == 0 { BL_QUIC_V1 } else { number };
    QuicVersion::from_number(number).ok_or_else(|| {
        Fault::argument(format_args!(
            "{number:#x} is no version of QUIC; valid: BL_QUIC_V1, BL_QUIC_V2"
        ))
    })
}

impl bl_quic_config {
    /// Opens the flow.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn open(&self) -> Result<QuicFlow, Fault> {
        // SAFETY: the caller vouches for the pointers.
        let (name, packets) = unsafe {
            (text(self.suite, "suite")?, optional_text(self.packets, "type of packets")?)
        };
        let suite: QuicSuite = name.parse().map_err(Fault::name)?;
        let packets = match packets {
            None | Some("1-rtt") => PacketType::OneRtt,
            Some("handshake") => PacketType::Handshake,
            Some("0-rtt") => PacketType::ZeroRtt,
            Some("initial") => PacketType::Initial,
            Some(other) => {
                let valid = "1-rtt, handshake, 0-rtt, initial";
                let text = format!("{other:?} is no type of packets; valid: {valid}");
                return Err(Fault::name(text));
            }
        };
        if self.flags & !(BL_QUIC_GIVEN_NUMBERS | BL_QUIC_GREASED_BIT) != 0 {
            return Err(Fault::argument(format_args!(
                "bl_quic_config.flags is {:#x}; valid: BL_QUIC_GIVEN_NUMBERS, \
                 BL_QUIC_GREASED_BIT, 0",
                self.flags
            )));
        }
        let secret = |place: *const u8, len: usize, what| {
            if place.is_null() && len == 0 {
                return Ok(None);
            }
            check_len(what, len, suite, suite.secret_len())?;
            // SAFETY: the caller vouches for the pointers.
            unsafe { bytes(place, len, what) }.map(Some)
        };
        let secrets = QuicSecrets {
            send: secret(self.send_secret, self.send_secret_len, "a secret to send with")?,
            receive: secret(
                self.receive_secret,
                self.receive_secret_len,
                "a secret to receive with",
            )?,
        };
        let mut config = QuicConfig::new(suite, version(self.version)?, packets);
        (config.peer_id_len, config.own_id_len) = (self.peer_id_len, self.own_id_len);
        if self.flags & BL_QUIC_GIVEN_NUMBERS != 0 {
            config.numbers = Numbers::Given;
        }
        config.fixed_bit_may_be_zero = self.flags & BL_QUIC_GREASED_BIT != 0;
        if self.window != 0 {
            config.window = self.window;
        }
        if self.confidentiality_limit != 0 {
            config.confidentiality_limit = self.confidentiality_limit;
        }
        if self.integrity_limit != 0 {
            config.integrity_limit = self.integrity_limit;
        }
        // SAFETY: the caller vouches for the pointer.
        let numbers = match unsafe { self.numbers_of.as_ref() } {
            None => None,
            Some(other) => Some(quic(other)?),
        };
        let flow = QuicFlow::new(&REGISTRY, &config, secrets).map_err(refused)?;
        Ok(match numbers {
            None => flow,
            Some(other) => flow.with_numbers_of(other),
        })
    }
}

/// The flow of QUIC that a caller gave.
fn quic(flow: &bl_flow) -> Result<&QuicFlow, Fault> {
    match &flow.flow {
        AnyFlow::Quic(quic) => Ok(quic),
        other => Err(other.is_no("flow of QUIC")),
    }
}

/// Gives the caller a flow of QUIC.
///
/// # Safety
/// The place is null, or a pointer can be written there.
unsafe fn give(opened: QuicFlow, flow: *mut *mut bl_flow) -> Result<(), Fault> {
    // SAFETY: the caller vouches for the place.
    unsafe { bl_flow::hand_out(AnyFlow::Quic(opened), (0, TAG), flow) }
}

/// Opens the flow of one type of packets of a connection, under traffic secrets of TLS. The secrets
/// are copied; the caller may wipe its own.
///
/// Write a packet as it is to be before protection: the header is complete, and the lowest two bits
/// of its first byte are the bytes of the packet number less one. The flow writes the number, the
/// length and the key phase. The payload follows; number and payload together have at least 4
/// bytes. An unprotected packet is its payload. Headers are masked and unmasked in the same call.
///
/// `flow`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_open(
    config: *const bl_quic_config,
    flow: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        structure(config, "bl_quic_config").and_then(|config| give(config.open()?, flow))
    })
}

/// Opens the flow of Initial packets, whose keys follow from the Destination Connection ID of the
/// client's first Initial packet, or from the ID that the server chose in a Retry.
///
/// `version`: `BL_QUIC_V1` (0 is the same) or `BL_QUIC_V2`. `is_server`: not 0 at the end that
/// accepts the connection. `flow`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_initial_open(
    version: u32,
    connection_id: *const u8,
    connection_id_len: usize,
    is_server: c_int,
    flow: *mut *mut bl_flow,
) -> bl_status {
    let open = || {
        let version = self::version(version)?;
        if connection_id_len > MAX_CONNECTION_ID {
            return Err(Fault::argument(format_args!(
                "a connection ID has {connection_id_len} bytes; valid: 0 to {MAX_CONNECTION_ID}"
            )));
        }
        // SAFETY: the caller vouches for the pointer.
        let id = unsafe { bytes(connection_id, connection_id_len, "connection ID") }?;
        let side = if is_server == 0 { Side::Client } else { Side::Server };
        let opened = QuicFlow::initial(&REGISTRY, version, id, side).map_err(refused)?;
        // SAFETY: the caller vouches for the place.
        unsafe { give(opened, flow) }
    };
    report(open())
}

/// Opens the flow after a key update (RFC 9001, 6), which sends with the next keys, and receives
/// packets of both phases. It shares numbers and counters with the flow before, which stays usable
/// until it is closed.
///
/// Call it once when `bl_quic_peer_has_updated`, or to begin an update.
///
/// `updated`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_update(
    flow: *const bl_flow,
    updated: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(flow, "flow").and_then(|flow| {
            let next = quic(flow)?.updated(&REGISTRY).map_err(refused)?;
            give(next, updated)
        })
    })
}

/// Opens the same flow without the keys before the last update. Call it three times the probe
/// timeout after the update (RFC 9001, 6.5); the keys are wiped when the flows before are closed.
///
/// `newer`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_forget(
    flow: *const bl_flow,
    newer: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(flow, "flow").and_then(|flow| give(quic(flow)?.without_previous_keys(), newer))
    })
}

/// 1 where an authentic packet came under newer keys than the flow sends with, so that it is to be
/// updated; else 0. 0 for a null pointer and for flows of other protocols.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_peer_has_updated(flow: *const bl_flow) -> c_int {
    // SAFETY: the caller vouches for the pointer.
    let flow = unsafe { object(flow, "flow") };
    flow.and_then(quic).is_ok_and(QuicFlow::peer_has_updated).into()
}

/// How many packets the current key of a flow has protected, to begin a key update in time. 0 for a
/// null pointer and for flows of other protocols.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_packets_under_key(flow: *const bl_flow) -> u64 {
    // SAFETY: the caller vouches for the pointer.
    let flow = unsafe { object(flow, "flow") };
    flow.and_then(quic).map_or(0, QuicFlow::packets_under_key)
}

/// How many bytes of a packet number are to be sent, 1 to 4, so that a peer that has acknowledged
/// the number `acknowledged`, or none where `has_acknowledged` is 0, finds it again. 0 where 4 do
/// not suffice, because too many packets are not acknowledged.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub extern "C" fn bl_quic_number_len(
    number: u64,
    acknowledged: u64,
    has_acknowledged: c_int,
) -> usize {
    number_len(number, (has_acknowledged != 0).then_some(acknowledged)).unwrap_or(0)
}

/// Finds the packets of a datagram, each of which goes into a burst by itself.
///
/// `own_id_len`: bytes of the connection IDs that the receiver chose, since short headers do not
/// say it. `packets`: room for `max` packets. `found`: out: how many there are. Packets with
/// another Destination Connection ID than the first one are left out (RFC 9000, 12.2).
///
/// A status `BL_PACKET_...` where the rest of the datagram is no packet; those before it are found
/// all the same. `BL_E_ARGUMENT` where there are more than `max`.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_quic_split(
    datagram: *const u8,
    len: usize,
    own_id_len: usize,
    packets: *mut bl_quic_packet,
    max: usize,
    found: *mut usize,
) -> bl_status {
    let find = || {
        check_array(packets, max, "packets")?;
        if own_id_len > MAX_CONNECTION_ID {
            return Err(Fault::argument(format_args!(
                "a connection ID has {own_id_len} bytes; valid: 0 to {MAX_CONNECTION_ID}"
            )));
        }
        // SAFETY: the caller vouches for the pointers.
        let datagram = unsafe {
            put(found, "number of packets", 0)?;
            bytes(datagram, len, "datagram")?
        };
        for (at, packet) in split(datagram, own_id_len).enumerate() {
            let header = packet.map_err(|error| Fault::new(of_packet(error), error))?;
            if at == max {
                return Err(Fault::argument(format_args!(
                    "the datagram has more than {max} packets, for which there is room"
                )));
            }
            // SAFETY: there is room for so many packets, and for their number.
            unsafe {
                packets.add(at).write(described(&header));
                found.write(at + 1);
            }
        }
        Ok(())
    };
    report(find())
}

fn described(header: &PacketHeader<'_>) -> bl_quic_packet {
    let kind = match header.kind {
        PacketKind::Protected(PacketType::Initial) => BL_QUIC_INITIAL,
        PacketKind::Protected(PacketType::ZeroRtt) => BL_QUIC_ZERO_RTT,
        PacketKind::Protected(PacketType::Handshake) => BL_QUIC_HANDSHAKE,
        PacketKind::Protected(PacketType::OneRtt) => BL_QUIC_ONE_RTT,
        PacketKind::Retry => BL_QUIC_RETRY,
        PacketKind::VersionNegotiation => BL_QUIC_VERSION_NEGOTIATION,
        PacketKind::OtherVersion => BL_QUIC_OTHER_VERSION,
    };
    let place = |bytes: &[u8]| if bytes.is_empty() { ptr::null() } else { bytes.as_ptr() };
    let source = header.source.unwrap_or_default();
    bl_quic_packet {
        kind,
        version: header.version.unwrap_or(0),
        begin: header.range.start,
        len: header.range.len(),
        destination: place(header.destination),
        destination_len: header.destination.len(),
        source: place(source),
        source_len: source.len(),
        token: place(header.token),
        token_len: header.token.len(),
    }
}
